//===- EncodeRegions.cpp - what the compiler said, as bytes ---------------===//
//
// Column by column: numbers of one sort stand together, which packs well. Names that follow from something else (of
// MPI functions, of functions whose regions are there) are references.
//
//===----------------------------------------------------------------------===//
#include "trace/file/Encoder.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace pilgrim {

SiteNames::SiteNames(const TraceData &T) : T(T) {
  for (const auto &[Id, F] : T.Functions) {
    Known.try_emplace(F.Name, Function{Id, false});
    Known.try_emplace(fortranName(F.Name), Function{Id, true});
  }
}

void SiteNames::name(const std::string &Linkage) {
  auto It = Known.find(Linkage);
  if (It != Known.end() && PlaceOf.try_emplace(It->second.Id, Order.size()).second)
    Order.push_back(It->second.Id);
}

std::vector<uint32_t> SiteNames::inOrder() const {
  std::vector<uint32_t> All = Order;
  for (const auto &[Id, F] : T.Functions)
    if (!PlaceOf.contains(Id))
      All.push_back(Id);
  return All;
}

uint64_t SiteNames::code(const std::string &Linkage) const {
  auto It = Known.find(Linkage);
  return It == Known.end() ? None : PlaceOf.at(It->second.Id) * 2 + It->second.IsFortran;
}

StructureEncoder::StructureEncoder(const TraceData &T)
    : T(T), Sites(T), Used(T.Regions.size()), Places(T.Regions.size(), None) {
  std::vector<std::vector<bool>> Seen(T.Regions.size());
  for (const Group &G : T.Groups)
    for (size_t I = 1; I < G.Nodes.size(); ++I)
      note(G, G.Nodes[I], Seen);
  std::map<uint64_t, std::tuple<std::string, uint32_t>> FirstOf; // of a function: file and first line
  for (uint32_t R = 0; R < Used.size(); ++R) {
    if (Seen[R].empty())
      continue;
    // Arms around what is there.
    const auto &Events = T.Regions[R].Events;
    for (size_t E = Events.size(); E > 0; --E)
      if (Seen[R][E])
        Seen[R][Events[E - 1].Arm] = true;
    for (uint32_t E = 1; E <= Events.size(); ++E)
      if (Seen[R][E])
        Used[R].push_back(E);
    Written.push_back(R);
    const Region &X = T.Regions[R];
    auto [It, New] = FirstOf.try_emplace(X.Function, X.File, X.Line);
    if (!New)
      std::get<1>(It->second) = std::min(std::get<1>(It->second), X.Line);
  }
  // Functions of a file stand together, in its order, but for those that another one calls first.
  std::stable_sort(Written.begin(), Written.end(), [&](uint32_t A, uint32_t B) {
    const Region &X = T.Regions[A], &Y = T.Regions[B];
    if (X.Function != Y.Function)
      return std::tie(FirstOf[X.Function], X.Function) < std::tie(FirstOf[Y.Function], Y.Function);
    return X.Index < Y.Index;
  });
  auto Place = byCalls();
  std::stable_sort(Written.begin(), Written.end(),
                   [&](uint32_t A, uint32_t B) { return Place[T.Regions[A].Function] < Place[T.Regions[B].Function]; });
  for (uint32_t I = 0; I < Written.size(); ++I) {
    const Region &R = T.Regions[Written[I]];
    Places[Written[I]] = I;
    PlaceOf[{R.Function, R.Index}] = I;
    if (I == 0 || T.Regions[Written[I - 1]].Function != R.Function) {
      FunctionNamed.try_emplace(R.Name, static_cast<uint32_t>(Functions.size()));
      Functions.push_back(I);
    }
    for (uint32_t E : Used[Written[I]])
      if (R.Events[E - 1].K == Region::Site)
        Sites.name(R.Events[E - 1].Name);
  }
}

std::map<uint64_t, size_t> StructureEncoder::byCalls() const {
  std::vector<uint64_t> Order; // of functions
  std::map<uint64_t, std::vector<uint32_t>> RegionsOf;
  std::map<std::string, uint64_t> Named;
  std::set<uint64_t> Called;
  for (uint32_t R : Written) {
    const Region &X = T.Regions[R];
    auto &Own = RegionsOf[X.Function];
    if (Own.empty())
      Order.push_back(X.Function);
    Own.push_back(R);
    Named.try_emplace(X.Name, X.Function);
  }
  auto ForCalls = [&](uint64_t Function, auto &&F) {
    for (uint32_t R : RegionsOf[Function])
      for (uint32_t E : Used[R])
        if (const Region::Event &X = T.Regions[R].Events[E - 1]; X.K == Region::Call)
          if (auto It = Named.find(X.Name); It != Named.end() && It->second != Function)
            F(It->second);
  };
  for (uint64_t Function : Order)
    ForCalls(Function, [&](uint64_t Callee) { Called.insert(Callee); });
  // Those that nobody calls, what they call, what these call; then cycles.
  std::stable_partition(Order.begin(), Order.end(), [&](uint64_t Function) { return !Called.contains(Function); });
  std::map<uint64_t, size_t> Place;
  for (uint64_t First : Order) {
    std::vector<uint64_t> Next{First};
    for (size_t I = 0; I < Next.size(); ++I)
      if (Place.try_emplace(Next[I], Place.size()).second)
        ForCalls(Next[I], [&](uint64_t Callee) { Next.push_back(Callee); });
  }
  return Place;
}

void StructureEncoder::note(const Group &G, const NodeData &N, std::vector<std::vector<bool>> &Seen) const {
  auto Mark = [&](uint32_t R, uint32_t E) {
    Seen[R].resize(T.Regions[R].Events.size() + 1);
    Seen[R][0] = Seen[R][E] = true;
  };
  Mark(N.Region, 0);
  if (N.Parent)
    Mark(G.Nodes[N.Parent].Region, N.Event);
  for (const auto &[Id, E] : N.Events)
    Mark(N.Region, Id);
  for (const RankedItems &P : N.Paths)
    for (const Item &I : P.Items)
      for (const Variant &V : G.table(TableId::Paths)[I.Index])
        for (uint32_t E : V.Tokens)
          Mark(N.Region, E);
}

uint32_t StructureEncoder::function(const std::string &Name) const {
  auto It = FunctionNamed.find(Name);
  return It == FunctionNamed.end() ? None : It->second;
}

uint32_t StructureEncoder::expected(uint32_t R, uint32_t Event) const {
  if (Event == 0)
    return None;
  const Region &X = T.Regions[R];
  const Region::Event &E = X.Events[Event - 1];
  std::pair<uint64_t, uint32_t> Key{X.Function, E.Number};
  if (E.K == Region::Call) {
    uint32_t F = function(E.Name);
    if (F == None)
      return None;
    Key = {T.Regions[Written[Functions[F]]].Function, 0};
  } else if (E.K != Region::Loop) {
    return None;
  }
  auto It = PlaceOf.find(Key);
  return It == PlaceOf.end() ? None : It->second;
}

std::string fortranName(std::string_view C) {
  std::string S(C);
  for (char &X : S)
    X = X >= 'A' && X <= 'Z' ? static_cast<char>(X - 'A' + 'a') : X;
  return S + "_";
}

void StructureEncoder::write(ByteWriter &W, TableEncoder &Tables) const {
  // Nobody can join a trace that has all ranks, so nobody needs to know its functions again.
  bool HasIds = T.Ranks.size() != T.World;
  W.varint(Functions.size() << 1 | uint64_t(HasIds));
  auto Function = [&](size_t F) -> const Region & { return T.Regions[Written[Functions[F]]]; };
  int64_t Next = 0;
  for (size_t F = 0; F < Functions.size(); ++F) {
    int64_t Name = Tables.string(Function(F).Name);
    W.svarint(Name - Next);
    Next = Name + 1;
  }
  for (size_t F = 0; F < Functions.size(); ++F)
    W.varint(F && Function(F).File == Function(F - 1).File ? 0 : Tables.string(Function(F).File) + 1);
  for (size_t F = 0; HasIds && F < Functions.size(); ++F)
    W.u64(Function(F).Function);
  for (size_t F = 0; F < Functions.size(); ++F)
    W.varint((F + 1 < Functions.size() ? Functions[F + 1] : Written.size()) - Functions[F] - 1);
  for (uint32_t R : Written)
    W.varint(Used[R].size());
  for (uint32_t R : Written) {
    uint32_t Next = 1;
    for (uint32_t E : Used[R]) {
      W.varint(uint64_t(E - Next) << 2 | T.Regions[R].Events[E - 1].K);
      Next = E + 1;
    }
  }
  writeAbout(W, Tables);
  // What is often 0 throughout.
  for (uint32_t R : Written) {
    uint32_t Arm = 0;
    for (uint32_t E : Used[R]) {
      const Region::Event &X = T.Regions[R].Events[E - 1];
      W.varint(X.Arm == Arm ? 0 : X.Arm ? E - X.Arm + 1 : 1);
      Arm = X.K == Region::Arm ? E : X.Arm;
    }
  }
  for (size_t I = 0, F = 0; I < Written.size(); ++I) {
    bool First = F < Functions.size() && Functions[F] == I;
    F += First;
    uint32_t Index = T.Regions[Written[I]].Index;
    W.varint(First ? Index : Index - T.Regions[Written[I - 1]].Index - 1);
  }
  int64_t Line = 0;
  auto PutLine = [&](int64_t L) {
    W.svarint(L - Line);
    Line = L;
  };
  for (uint32_t R : Written) {
    PutLine(T.Regions[R].Line);
    for (uint32_t E : Used[R])
      PutLine(T.Regions[R].Events[E - 1].Line);
  }
}

/// What events are of. Mostly that follows the one before: the next function, here or of the schema, the next loop.
void StructureEncoder::writeAbout(ByteWriter &W, TableEncoder &Tables) const {
  int64_t NextSite = 0, NextCall = 1, NextLoop = 1;
  for (size_t I = 0; I < Written.size(); ++I) {
    const uint32_t R = Written[I];
    if (I && T.Regions[R].Function != T.Regions[Written[I - 1]].Function)
      NextLoop = 1;
    for (uint32_t E : Used[R]) {
      const Region::Event &X = T.Regions[R].Events[E - 1];
      if (X.K == Region::Arm) {
        W.varint(X.Name.empty() ? X.Number : NamedArm + Tables.string(X.Name));
      } else if (X.K == Region::Loop) {
        W.svarint(X.Number - NextLoop);
        NextLoop = int64_t(X.Number) + 1;
      } else if (X.K == Region::Call) {
        uint32_t F = function(X.Name);
        W.svarint(static_cast<int64_t>(F != None ? F : Functions.size() + Tables.string(X.Name)) - NextCall);
        if (F != None)
          NextCall = std::max(NextCall, int64_t(F) + 1);
      } else if (uint64_t Code = Sites.code(X.Name); Code != SiteNames::None) {
        W.svarint(static_cast<int64_t>(Code) - NextSite);
        NextSite = afterSite(NextSite, Code);
      } else {
        W.svarint(static_cast<int64_t>(2 * T.Functions.size() + Tables.string(X.Name)) - NextSite);
      }
    }
  }
}

} // namespace pilgrim
