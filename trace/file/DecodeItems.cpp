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

bool ItemDecoder::happens(const Tally &Numbers, const RankSet &Ranks, uint64_t Factor) {
  if (!Numbers.isMultiple(Ranks, Factor))
    R.fail("a sequence whose length does not follow from the structure");
  return R.ok();
}

const RankFn &ItemDecoder::numbers(const Tally &Numbers, const RankSet &Ranks, uint64_t Factor) {
  if (!Last || Last->Factor != Factor || !(Last->Ranks == Ranks) || !(Last->Of == Numbers)) {
    Last = {Numbers, Ranks, Factor, Numbers.function(Ranks, Factor)};
    R.spend(Last->Numbers.memory());
  }
  return Last->Numbers;
}

// Items and paths.

void ItemDecoder::readItems(std::vector<RankedItems> &To, const Tally &Numbers, bool ArePaths) {
  readVariants([&](RankSet Ranks) {
    const uint64_t Head = R.varintMax(R.remaining() * 2 + 1), Rules = Head >> 1;
    if (Head == 0) {
      readAlways(To, Ranks, Numbers, ArePaths, R.varint());
      return;
    }
    R.spend(sizeof(RankedItems));
    RankedItems X;
    X.Ranks = std::move(Ranks);
    if (Head & 1)
      readRepeated(X, Rules, Numbers);
    else
      readOrder(X, Rules);
    uint32_t Terminals = X.Order.terminals();
    if (Terminals > R.remaining())
      R.fail("more terminals than bytes are left");
    if (!R.ok())
      return;
    for (uint32_t I = 0; I < Terminals && R.ok(); ++I)
      readItem(X, ArePaths, R.varint());
    if (R.ok() && std::ranges::any_of(X.Items, &Item::IsNode)) {
      const std::vector<Tally> Calls = X.calls(T.World);
      for (size_t I = 0; I < X.Items.size(); ++I)
        addActivations(X, I, Calls[I]);
    }
    To.push_back(std::move(X));
  });
}

void ItemDecoder::readOrder(RankedItems &X, size_t Rules) {
  std::vector<uint32_t> Open;
  X.Order = GrammarData::read(R, Rules, &Open, true);
  for (uint32_t Place : Open) {
    R.spend(sizeof *X.Functions.begin());
    if (R.ok())
      X.Functions.emplace(Place, RankFn::read(R, X.Ranks, D.scope()));
  }
  if (R.ok() && !X.Functions.empty() && !X.isSane(T.World))
    R.fail("a count of a loop that is out of range");
  // Numbers that all differ are found rank by rank, terminal by terminal.
  R.spend(X.Functions.empty() ? 0 : X.Ranks.size() * X.Order.terminals());
}

void ItemDecoder::readRepeated(RankedItems &X, size_t Rules, const Tally &Numbers) {
  GrammarData Once = GrammarData::read(R, Rules);
  const uint64_t Length = R.ok() ? Once.length() : 0;
  if (Length < 2)
    R.fail("a sequence too short to be repeated");
  if (!R.ok() || !happens(Numbers, X.Ranks, Length))
    return;
  for (auto &Body : Once.Rules)
    for (GrammarSymbol &S : Body)
      S.Value += S.IsRule;
  X.Order.Rules = {{{1, true, 1}}};
  X.Order.Rules.insert(X.Order.Rules.end(), Once.Rules.begin(), Once.Rules.end());
  setLength(X, numbers(Numbers, X.Ranks, Length));
}

/// Of a start of one symbol.
void ItemDecoder::setLength(RankedItems &X, const RankFn &Length) {
  X.Order.Rules[0][0].Count = Length.isConst() ? static_cast<uint64_t>(Length.single().C) : 2;
  if (!Length.isConst())
    X.Functions.emplace(0, Length);
}

void ItemDecoder::readAlways(std::vector<RankedItems> &To, const RankSet &Ranks, const Tally &Numbers, bool IsPath,
                             uint64_t Code) {
  R.spend(sizeof(RankedItems));
  if (!happens(Numbers, Ranks))
    return;
  RankedItems X{Ranks, {}, {}};
  X.Order.Rules = {{{0, false, 1}}};
  setLength(X, numbers(Numbers, Ranks));
  readItem(X, IsPath, Code);
  if (R.ok())
    addActivations(X, 0, Numbers);
  To.push_back(std::move(X));
}

void ItemDecoder::readItem(RankedItems &X, bool IsPath, uint64_t Code) {
  if (!R.ok())
    return;
  if (IsPath) {
    readPath(X, Code);
  } else if ((Code & 1) != isForNodes()) {
    readActivation(X, Code >> 1);
  } else {
    addEntry(X, TableId::Signatures, Expected, Code >> 1);
  }
}

bool ItemDecoder::areIn(const Entry &E, const RankSet &Ranks) {
  for (const Variant &V : E) {
    R.spend(V.Ranks.isShared(Ranks) ? 0 : V.Ranks.intervals().size());
    if (!R.ok() || !V.Ranks.isIn(Ranks))
      return false;
  }
  return true;
}

void ItemDecoder::addEntry(RankedItems &X, TableId Table, uint32_t &Next, uint64_t Step) {
  uint64_t Ref = Next + static_cast<uint64_t>(unzigzag(Step));
  if (Ref >= D.table(Table).size()) {
    R.fail("no such entry");
    return;
  }
  Next = static_cast<uint32_t>(Ref + 1);
  const Entry &E = D.table(Table)[Ref];
  // An entry is for ranks of the sequence.
  bool IsRanked = E.size() > 1 || !E[0].Ranks.empty();
  if (IsRanked && !areIn(E, X.Ranks))
    R.fail("an entry of ranks that lack the sequence");
  if (!R.ok())
    return;
  X.Items.push_back({false, L->add(Table, static_cast<uint32_t>(Ref), X.Ranks)});
  if (R.ok() && Table == TableId::Paths && !isOn(T.Regions[N.Region], G.table(Table)[X.Items.back().Index]))
    R.fail("a path with an event that its region lacks");
}

/// Adds the variant of a path for ranks that take the region's events so.
void ItemDecoder::addPath(Entry &E, const RankSet &Ranks, uint64_t Mask) {
  const PathMask Masks(T.Regions[N.Region], Events);
  if (Mask >> Masks.bits())
    R.fail("a path with bits of no event");
  R.spend(sizeof(Variant) + Events.size() * sizeof(uint32_t));
  if (R.ok())
    E.push_back({Ranks, Masks.path(Mask), {}});
}

void ItemDecoder::readPath(RankedItems &X, uint64_t Code) {
  constexpr size_t MaxMasks = size_t(1) << 16; ///< of ranks that come by different events
  if (Code & 1 && Code >= PathCode::Step)
    return addEntry(X, TableId::Paths, ExpectedPath, (Code - PathCode::Step) >> 1);
  Entry E;
  if (Code & 1) {
    const RankFn Mask = RankFn::read(R, X.Ranks, D.scope());
    const auto Levels = Mask.levels(X.Ranks, [&](uint32_t Rank) { return RankContext{Rank, T.World}; }, MaxMasks);
    if (!Levels)
      R.failTooLarge("paths of a visit that ranks have", MaxMasks);
    for (size_t I = 0; R.ok() && I < Levels->size(); ++I)
      addPath(E, (*Levels)[I].Ranks, static_cast<uint64_t>((*Levels)[I].Value));
  } else {
    Entry &Known = PathOf[{N.Region, Code >> 1}];
    R.spend(sizeof *PathOf.begin());
    if (Known.empty() || !Known[0].Ranks.isShared(X.Ranks)) {
      Known = {};
      addPath(Known, X.Ranks, Code >> 1);
    }
    E = Known;
  }
  if (!R.ok())
    return;
  Table &Paths = G.table(TableId::Paths);
  X.Items.push_back({false, static_cast<uint32_t>(Paths.size())});
  Paths.push_back(std::move(E));
}

void ItemDecoder::readActivation(RankedItems &X, uint64_t Which) {
  uint64_t To = Usual; // that of a new node
  if (Which == 1)
    To = R.varint();
  if (Which < 2 ? To >= T.Regions.size() : Which - 2 >= Made.size())
    R.fail("no such node or region");
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
  RankSet &Its = G.Nodes[Node].Ranks;
  R.spend(Its.isShared(X.Ranks) ? 0 : Its.intervals().size() + X.Ranks.intervals().size());
  if (!R.ok())
    return;
  Its.unite(X.Ranks);
  X.Items.push_back({true, Node});
}

void ItemDecoder::addActivations(const RankedItems &X, size_t I, const Tally &Times) {
  if (X.Items[I].IsNode)
    Activations[X.Items[I].Index].add(Times, X.Ranks, &R);
}

} // namespace pilgrim
