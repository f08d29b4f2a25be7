//===- DecodeItems.cpp - what happens at an event, from bytes -------------===//
#include "trace/file/DecodeItems.h"
#include "trace/file/PathMask.h"

#include <algorithm>

namespace pilgrim {

/// Whether a region has the events of a path.
static bool isOn(const Region &X, const Entry &Path) {
  for (const Variant &V : Path)
    for (uint32_t Event : V.Tokens)
      if (Event == 0 || Event > X.Events.size() || X.Events[Event - 1].K == Region::Unknown)
        return false;
  return true;
}

std::vector<Tally::Part> ItemDecoder::parts(const Tally &Numbers, const RankSet &Ranks) {
  auto Parts = Numbers.of(Ranks, &R);
  for (const Tally::Part &P : Parts)
    if (P.N == 0 || P.N >= Tally::Unknown)
      R.fail();
  // What differs by rank is found rank by rank.
  R.spend(sizeof(RankedStream) + sizeof(RankedItems) + (Parts.size() > 1 ? Ranks.size() * 64 : 0));
  return R.ok() ? std::move(Parts) : std::vector<Tally::Part>();
}

// Items and paths.

void ItemDecoder::readItems(std::vector<RankedItems> &To, const Tally &Numbers, bool ArePaths) {
  readVariants([&](RankSet Ranks) {
    R.spend(sizeof(RankedItems));
    const uint64_t Head = R.varintMax(R.remaining() * 2 + 1), Rules = Head >> 1;
    if (Head == 0) {
      readAlways(To, Ranks, Numbers, ArePaths, R.varint());
      return;
    }
    RankedItems X;
    X.Ranks = std::move(Ranks);
    if (Head & 1)
      readRepeated(X, Rules, parts(Numbers, X.Ranks));
    else
      readOrder(X, Rules);
    uint32_t Terminals = X.Order.terminals();
    if (Terminals > R.remaining())
      R.fail();
    if (!R.ok())
      return;
    const Shares All = X.shares(T.World);
    for (const RankedItems::Share &S : All)
      R.spend(S.Calls.size() * sizeof(uint64_t));
    for (uint32_t I = 0; I < Terminals && R.ok(); ++I)
      readItem(X, All, ArePaths, R.varint());
    To.push_back(std::move(X));
  });
}

void ItemDecoder::readOrder(RankedItems &X, size_t Rules) {
  std::vector<uint32_t> Open;
  X.Order = GrammarData::read(R, Rules, &Open);
  for (uint32_t Place : Open) {
    R.spend(sizeof *X.Counts.begin());
    if (R.ok())
      X.Counts.emplace(Place, RankFn::read(R, X.Ranks, T.World));
  }
  if (R.ok() && !X.Counts.empty() && !X.isSane(R, T.World))
    R.fail();
  // For what is found rank by rank from here on.
  R.spend(X.Counts.empty() ? 0 : X.Ranks.size() * X.Counts.size() * sizeof(uint64_t));
}

void ItemDecoder::readRepeated(RankedItems &X, size_t Rules, std::vector<Tally::Part> Parts) {
  GrammarData Once = GrammarData::read(R, Rules);
  const uint64_t Length = R.ok() ? Once.length() : 0;
  if (Parts.empty() || Length < 2)
    return R.fail();
  for (Tally::Part &P : Parts) {
    if (P.N % Length)
      R.fail();
    P.N /= Length;
  }
  if (!R.ok())
    return;
  for (auto &Body : Once.Rules)
    for (GrammarSymbol &S : Body)
      S.Value += S.IsRule;
  X.Order.Rules = {{{1, true, Parts.size() == 1 ? Parts[0].N : 2}}};
  X.Order.Rules.insert(X.Order.Rules.end(), Once.Rules.begin(), Once.Rules.end());
  if (Parts.size() > 1)
    X.Counts.emplace(0, numbersOf(Parts));
}

void ItemDecoder::readAlways(std::vector<RankedItems> &To, const RankSet &Ranks, const Tally &Numbers, bool IsPath,
                             uint64_t Code) {
  auto Parts = parts(Numbers, Ranks);
  if (Parts.empty())
    return;
  RankedItems X{Ranks, {}, {}};
  X.Order.Rules = {{{0, false, Parts.size() == 1 ? Parts[0].N : 2}}};
  if (Parts.size() > 1)
    X.Counts.emplace(0, numbersOf(Parts));
  Shares All;
  for (Tally::Part &P : Parts)
    All.push_back({std::move(P.Ranks), {P.N}});
  readItem(X, All, IsPath, Code);
  To.push_back(std::move(X));
}

void ItemDecoder::readItem(RankedItems &X, const Shares &All, bool IsPath, uint64_t Code) {
  if (!R.ok())
    return;
  if (IsPath) {
    readPath(X, Code);
  } else if ((Code & 1) != isForNodes()) {
    addActivation(X, All, Code >> 1);
  } else {
    addEntry(X, TableId::Signatures, Expected, Code >> 1);
  }
}

bool ItemDecoder::areIn(const Entry &E, const RankSet &Ranks) {
  for (const Variant &V : E) {
    R.spend(V.Ranks.intervals().size() + Ranks.intervals().size());
    if (!R.ok() || !(V.Ranks == Ranks || V.Ranks.without(Ranks).empty()))
      return false;
  }
  return true;
}

void ItemDecoder::addEntry(RankedItems &X, TableId Table, uint32_t &Next, uint64_t Step) {
  uint64_t Ref = Next + static_cast<uint64_t>(unzigzag(Step));
  if (Ref >= D.table(Table).size()) {
    R.fail();
    return;
  }
  Next = static_cast<uint32_t>(Ref + 1);
  const Entry &E = D.table(Table)[Ref];
  // An entry is for ranks of the sequence.
  bool IsRanked = E.size() > 1 || !E[0].Ranks.empty();
  if (IsRanked && !areIn(E, X.Ranks))
    R.fail();
  if (!R.ok())
    return;
  X.Items.push_back({false, L->add(Table, static_cast<uint32_t>(Ref), X.Ranks)});
  if (R.ok() && Table == TableId::Paths && !isOn(T.Regions[N.Region], G.table(Table)[X.Items.back().Index]))
    R.fail();
}

void ItemDecoder::readPath(RankedItems &X, uint64_t Code) {
  if (Code & 1 && Code >= PathCode::Step)
    return addEntry(X, TableId::Paths, ExpectedPath, (Code - PathCode::Step) >> 1);
  const PathMask Masks(T.Regions[N.Region], Events);
  Entry E;
  auto Add = [&](RankSet Own, uint64_t Mask) {
    if (Mask >> Masks.bits())
      R.fail();
    R.spend(sizeof(Variant) + sizeOf(Own) + Events.size() * sizeof(uint32_t));
    if (R.ok())
      E.push_back({std::move(Own), Masks.path(Mask), {}});
  };
  if (Code & 1) {
    const RankFn Mask = RankFn::read(R, X.Ranks, T.World);
    R.spend(X.Ranks.size() * 64); // each rank's own is looked at
    for (RankSet &Own : R.ok() ? ranksAlike({{0, Mask}}, X.Ranks, T.World) : std::vector<RankSet>()) {
      const uint32_t First = Own.first();
      Add(std::move(Own), static_cast<uint64_t>(Mask.eval(First, {First, T.World})));
    }
  } else {
    Add(X.Ranks, Code >> 1);
  }
  if (!R.ok())
    return;
  Table &Paths = G.table(TableId::Paths);
  X.Items.push_back({false, static_cast<uint32_t>(Paths.size())});
  Paths.push_back(std::move(E));
}

void ItemDecoder::addActivation(RankedItems &X, const Shares &All, uint64_t Which) {
  uint64_t To = Usual; // that of a new node
  if (Which == 1)
    To = R.varint();
  if (Which < 2 ? To >= T.Regions.size() : Which - 2 >= Made.size())
    R.fail();
  R.spend(Which < 2 ? sizeof(NodeData) + sizeof(Tally) : 0);
  if (!R.ok())
    return;
  if (Which < 2) {
    Made.push_back(static_cast<uint32_t>(G.Nodes.size()));
    Pending.push_back(Made.back());
    NodeData &New = G.Nodes.emplace_back();
    New.Parent = Index;
    New.Event = Id;
    New.Region = static_cast<uint32_t>(To);
    Activations.emplace_back();
  }
  uint32_t Node = Which < 2 ? Made.back() : Made[Which - 2];
  spendFor(X.Ranks);
  spendFor(G.Nodes[Node].Ranks);
  if (!R.ok())
    return;
  G.Nodes[Node].Ranks.unite(X.Ranks);
  for (const RankedItems::Share &S : All)
    Activations[Node].add(S.Ranks, S.Calls[X.Items.size()], &R);
  X.Items.push_back({true, Node});
}

} // namespace pilgrim
