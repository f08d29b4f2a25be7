//===- EncodeItems.cpp - what happens at an event, as bytes ---------------===//
#include "trace/file/EncodeItems.h"
#include "trace/file/JointPaths.h"

#include <algorithm>

namespace pilgrim {

std::vector<ItemEncoder::ItemForm> ItemEncoder::itemForms(const std::vector<RankedItems> &L, const Tally &Numbers,
                                                          TableId Id) {
  std::vector<ItemForm> Out;
  Out.reserve(L.size());
  for (const RankedItems &X : L) {
    ItemForm F{
        X.Ranks, {&X}, {}, X.Items.size() == 1 && X.Order.isOneTerminal(), X.repeats() && X.Order.Chunks.empty()};
    F.Calls.push_back(X.calls(T.World));
    if (F.Always || F.Repeats) {
      Tally Together;
      for (const Tally &Calls : F.Calls[0])
        Together.add(Calls, X.Ranks);
      const bool AllOf = Together.isSame(Numbers, X.Ranks);
      F.Always &= AllOf;
      F.Repeats &= AllOf;
    }
    auto Same = std::find_if(Out.begin(), Out.end(), [&](const ItemForm &O) { return O.Always && canJoin(O, X, Id); });
    if (F.Always && Same != Out.end()) {
      Same->Ranks.unite(F.Ranks);
      Same->Parts.push_back(&X);
      Same->Calls.push_back(std::move(F.Calls[0]));
    } else {
      Out.push_back(std::move(F));
    }
  }
  return Out;
}

bool ItemEncoder::canJoin(const ItemForm &F, const RankedItems &X, TableId T) {
  const Item &A = F.Parts[0]->Items[0], &B = X.Items[0];
  if (A.IsNode || B.IsNode)
    return A == B;
  const Entry &E = G->table(T)[A.Index], &O = G->table(T)[B.Index];
  if (E.size() != 1 || O.size() != 1 || E[0].Tokens != O[0].Tokens || E[0].Words.size() != O[0].Words.size())
    return false;
  for (size_t W = 0; W < E[0].Words.size(); ++W)
    if (!E[0].Words[W].isSingle() || !O[0].Words[W].isSingle() || !(E[0].Words[W].single() == O[0].Words[W].single()))
      return false;
  return true;
}

void ItemEncoder::writeOrder(const RankedItems &X, bool Repeats) {
  if (Repeats) {
    GrammarData Once;
    Once.Rules.assign(X.Order.Rules.begin() + 1, X.Order.Rules.end());
    for (auto &Body : Once.Rules)
      for (GrammarSymbol &S : Body)
        S.Value -= S.IsRule;
    Calls.varint(Once.Rules.size() << 1 | 1);
    Once.writeRules(Calls);
    return;
  }
  std::vector<uint32_t> Open;
  for (const auto &[Place, F] : X.Functions)
    Open.push_back(Place);
  Calls.varint(X.Order.Rules.size() << 1);
  X.Order.writeRules(Calls, Open);
  for (const auto &[Place, F] : X.Functions)
    F.write(Calls);
}

bool ItemEncoder::isWhole(const Item &Path) const {
  return path(Path).size() == 1 && path(Path)[0].Tokens == Structure.events(At.Data->Region);
}

void ItemEncoder::writePaths(const std::vector<ItemForm> &L) {
  auto Write = [&](const std::vector<ItemForm> &Forms) {
    writeForms(Forms, [&](const ItemForm &F, size_t I) { writePath(F, I); });
  };
  auto HasMasks = [&](const ItemForm &F) {
    return std::all_of(F.Parts[0]->Items.begin(), F.Parts[0]->Items.end(),
                       [&](const Item &I) { return maskOf(path(I), F.Ranks).has_value(); });
  };
  std::optional<JointPaths> Joint;
  if (T.Ranks.size() == T.World && std::all_of(L.begin(), L.end(), HasMasks))
    Joint = joinPaths(*G, *At.Data, T.World, Budget.Work);
  const size_t Before = Calls.Data.size();
  Write(L);
  if (!Joint)
    return;
  const std::vector<uint8_t> Separate(Calls.Data.begin() + static_cast<ptrdiff_t>(Before), Calls.Data.end());
  Calls.Data.resize(Before);
  PathTable = &Joint->Paths;
  Write(itemForms({Joint->Sequence}, countVisits(*At.Data, T.World), TableId::Paths));
  PathTable = &G->table(TableId::Paths);
  if (Calls.Data.size() - Before < Separate.size())
    return;
  Calls.Data.resize(Before);
  Calls.bytes(Separate);
}

void ItemEncoder::writePath(const ItemForm &F, size_t Index) {
  const Item &I = F.Parts[0]->Items[Index];
  if (auto Mask = maskOf(path(I), F.Ranks)) {
    if (!Mask->isSingle()) {
      Calls.varint(PathCode::ByRank);
      Mask->write(Calls);
    } else {
      Calls.varint(static_cast<uint64_t>(Mask->single().C) << 1);
    }
    return;
  }
  uint32_t Ref = Tables.entry(TableId::Paths, I.Index);
  Calls.varint(PathCode::Step + (zigzag(static_cast<int64_t>(Ref) - ExpectedPath) << 1));
  ExpectedPath = Ref + 1;
}

std::optional<RankFn> ItemEncoder::maskOf(const Entry &E, const RankSet &Ranks) const {
  std::vector<RankFn::Level> Levels;
  uint64_t Members = 0;
  for (const Variant &V : E) {
    auto M = Mask->of(V.Tokens);
    if (!M)
      return std::nullopt;
    if (E.size() == 1)
      return RankFn(static_cast<int64_t>(*M));
    Members += V.Ranks.size();
    auto Same = std::find_if(Levels.begin(), Levels.end(),
                             [&](const RankFn::Level &L) { return L.Value == static_cast<int64_t>(*M); });
    if (Same == Levels.end())
      Levels.push_back({static_cast<int64_t>(*M), V.Ranks});
    else
      Same->Ranks.unite(V.Ranks);
  }
  if (Members != Ranks.size())
    return std::nullopt;
  std::sort(Levels.begin(), Levels.end(),
            [](const RankFn::Level &A, const RankFn::Level &B) { return A.Value < B.Value; });
  RankFn All = RankFn::ofLevels(Levels);
  All.shorten(Ranks, [](uint32_t) { return RankContext(); });
  return All;
}

void ItemEncoder::writeItem(const ItemForm &F, size_t Index, uint64_t More) {
  const Item &I = F.Parts[0]->Items[Index];
  if (I.IsNode) {
    writeActivation(F, Index, More);
    return;
  }
  uint32_t Ref = Tables.entry(TableId::Signatures, I.Index, &F.Parts[0]->Ranks);
  writeCode(zigzag(static_cast<int64_t>(Ref) - Expected) << 1 | uint64_t(isForNodes()), More);
  Expected = Ref + 1;
  if (!Timed)
    return;
  std::vector<const Entry *> Same;
  for (const RankedItems *X : F.Parts)
    Same.push_back(&G->table(TableId::Signatures)[X->Items[Index].Index]);
  Measures.item(Same);
}

void ItemEncoder::writeActivation(const ItemForm &F, size_t Index, uint64_t More) {
  uint32_t N = F.Parts[0]->Items[Index].Index;
  const NodeData &Data = G->Nodes[N];
  bool IsNew = Number[N] == None;
  const uint64_t IsUnusual = !isForNodes();
  if (IsNew) {
    uint32_t Region = Structure.region(Data.Region);
    bool IsExpected = Event && Structure.expected(At.Data->Region, Event) == Region;
    writeCode(uint64_t(!IsExpected) << 1 | IsUnusual, More);
    if (!IsExpected)
      Calls.varint(Region);
    Number[N] = static_cast<uint32_t>(Nodes.size());
    Made.push_back(N);
    Pending.push_back(Number[N]);
    Nodes.push_back({&Data, {}, {}});
  } else {
    auto Place = std::find(Made.begin(), Made.end(), N);
    writeCode(static_cast<uint64_t>(Place - Made.begin() + 2) << 1 | IsUnusual, More);
  }
  Node &To = Nodes[Number[N]];
  To.Ranks.unite(F.Ranks);
  for (size_t P = 0; P < F.Parts.size(); ++P)
    To.Activations.add(F.Calls[P][Index], F.Parts[P]->Ranks);
}

} // namespace pilgrim
