//===- RankView.cpp - a trace as one rank sees it -------------------------===//
#include "trace/read/Reader.h"

#include <algorithm>
#include <numeric>

namespace pilgrim {

class ViewBuilder {
public:
  ViewBuilder(const TraceData &T, const Group &G, uint32_t Rank)
      : T(T), G(G), View(std::make_shared<RankView>()), HasObject(G.table(TableId::Objects).size()),
        NodeIndex(G.Nodes.size(), 0) {
    View->Rank = Rank;
    View->G = &G;
  }

  std::shared_ptr<const RankView> build() {
    for (uint32_t I = 0; I < G.table(TableId::Strings).size(); ++I)
      View->Strings.push_back(G.string(I));
    for (const Entry &E : G.table(TableId::Sites))
      View->Sites.push_back({View->Strings[E[0].Tokens[0]], E[0].Words[0].single().C, E[0].Tokens[1]});
    View->Objects.resize(HasObject.size());
    // Nodes first: items refer to those behind them.
    for (uint32_t I = 0; I < G.Nodes.size(); ++I)
      if (I == 0 || G.Nodes[I].Ranks.contains(View->Rank)) {
        NodeIndex[I] = static_cast<uint32_t>(View->Nodes.size());
        NodeView N;
        N.Data = &G.Nodes[I];
        View->Nodes.push_back(std::move(N));
      }
    for (uint32_t I = 0; I < View->Nodes.size(); ++I)
      fill(I, View->Nodes[I]);
    if (auto At = std::ranges::lower_bound(G.Times, View->Rank, {}, &CallTimes::Rank);
        At != G.Times.end() && At->Rank == View->Rank)
      View->Times = &*At;
    return View;
  }

private:
  const IntStreamData *own(const RankedStream &S) {
    return S.Functions.empty() ? &S.Values : &View->OwnStreams.emplace_back(S.of(View->Rank, T.World));
  }
  const IntStreamData *streamOf(const RankedStreams &L) {
    const RankedStream *S = ofRank(L, View->Rank);
    return S ? own(*S) : nullptr;
  }
  const GrammarData *own(const RankedItems &X) {
    return X.Functions.empty() ? &X.Order : &View->Orders.emplace_back(X.of(View->Rank, T.World));
  }

  void fill(uint32_t Index, NodeView &N) {
    uint32_t Rank = View->Rank;
    const NodeData &D = *N.Data;
    size_t Events = 1;
    if (Index) {
      N.Structure = &T.Regions[D.Region];
      Events += N.Structure->Events.size();
      if (const RankedItems *P = ofRank(D.Paths, Rank)) {
        N.PathOrder = own(*P);
        for (const Item &I : P->Items)
          N.Paths.push_back(G.variant(TableId::Paths, I.Index, Rank).Tokens);
      }
      N.Visits = streamOf(D.Visits);
    }
    N.EventIndex.resize(Events);
    for (const auto &[Id, E] : D.Events) {
      EventView V;
      V.Id = Id;
      V.Data = &E;
      V.Items = ofRank(E.Items, Rank);
      if (!V.Items)
        continue;
      V.PassesToChange = streamOf(E.PassesToChange);
      V.UsualItems = streamOf(E.UsualItems);
      addItems(Index, V);
      N.Events.push_back(std::move(V));
      N.EventIndex[Id] = static_cast<uint32_t>(N.Events.size());
    }
  }

  void addItems(uint32_t Node, EventView &V) {
    StreamIndex.clear();
    for (const auto &[Key, Streams] : V.Data->Streams)
      if (const RankedStream *S = ofRank(Streams, View->Rank)) {
        StreamIndex[Key] = static_cast<uint32_t>(View->Streams.size());
        View->Streams.push_back(own(*S));
        View->StreamsOfAll.push_back(&Streams);
      }
    const GrammarData *Order = own(*V.Items);
    auto Counts = Order->terminalCounts();
    std::vector<uint32_t> Own(Counts.size());
    std::iota(Own.begin(), Own.end(), 0);
    bool HasAll = true;
    for (size_t I = 0; I < V.Items->Items.size(); ++I) {
      Item It = V.Items->Items[I];
      if (It.IsNode) {
        It.Index = NodeIndex[It.Index];
      } else {
        const Entry &Of = G.table(TableId::Signatures)[It.Index];
        const Variant *Content = ofRank(Of, View->Rank);
        if (!Content) {
          Own[I] = GrammarData::LeftOut;
          HasAll = false;
          V.Refs.push_back({});
          continue;
        }
        It.Index = static_cast<uint32_t>(View->Signatures.size());
        ResolvedSignature S;
        S.Node = Node;
        S.Event = V.Id;
        S.Of = &Of;
        S.Calls = I < Counts.size() ? Counts[I] : 0;
        if (G.Timed)
          S.Measured = &V.Data->Measures[S.Of->measure(*Content)];
        resolve(*Content, S);
        View->Signatures.push_back(std::move(S));
      }
      V.Refs.push_back(It);
    }
    V.Order = HasAll ? Order : &View->Orders.emplace_back(Order->renamed(Own));
  }

  void resolve(const Variant &V, ResolvedSignature &S) {
    S.Content = &V;
    S.Function = &T.Functions.find(V.Tokens[0])->second;
    S.Site = V.Tokens[1];
    S.Depth = V.Tokens[2];
    const auto [Requests, IsNew] = RequestsOf.try_emplace(V.Tokens[0]);
    if (IsNew)
      Requests->second = RequestSlots::of(*S.Function);
    S.Requests = Requests->second;
    RankContext Ctx = G.context(V.Tokens, View->Rank, T.World);
    S.Words.reserve(V.Words.size());
    for (const RankFn &W : V.Words)
      S.Words.push_back(W.eval(View->Rank, Ctx));
    SlotWalker Walk(V.Tokens);
    for (SlotView Slot; Walk.next(Slot);) {
      Value X;
      X.T = Slot.T == Tag::Stream ? Slot.Inner : Slot.T;
      X.Ref = Slot.T == Tag::Stream && X.T == Tag::String ? Value::NoRef : Slot.Ref;
      if (X.T == Tag::Objects)
        X.Refs = {V.Tokens.data() + Slot.RefToken, Slot.Length};
      if (X.T == Tag::Object || X.T == Tag::Objects)
        for (size_t I = Slot.RefToken; I < Slot.FirstToken + Slot.Tokens; ++I)
          useObject(V.Tokens[I]);
      if (Slot.T == Tag::Stream)
        addStreams(V, Slot, S);
      else
        X.Words = std::span<const int64_t>(S.Words).subspan(Slot.FirstWord, Slot.Words);
      S.Slots.push_back(X);
    }
  }

  /// Columns of a slot stand side by side; a missing one makes the slot
  /// unreadable, which reading reports.
  void addStreams(const Variant &V, const SlotView &Slot, ResolvedSignature &S) {
    SlotStreamKey Key{V.Tokens[0], V.Tokens[1], static_cast<uint32_t>(S.Slots.size()), 0};
    uint32_t Columns = streamColumns(Slot.Inner), First = UINT32_MAX;
    for (Key.Column = 0; Key.Column < Columns; ++Key.Column) {
      auto Found = StreamIndex.find(Key);
      if (Found == StreamIndex.end() || (Key.Column && Found->second != First + Key.Column)) {
        First = UINT32_MAX;
        break;
      }
      if (Key.Column == 0)
        First = Found->second;
    }
    S.Streams.push_back({Key.Slot, Slot.Inner, First, Columns});
  }

  void useObject(uint32_t Index) {
    if (HasObject[Index])
      return;
    HasObject[Index] = true;
    const Variant &V = G.variant(TableId::Objects, Index, View->Rank);
    ObjectInfo &O = View->Objects[Index];
    O = objectOn(View->Rank, static_cast<Kind>(V.Tokens[0]), V.Words, T.World);
    if (V.Tokens[1])
      O.Name = View->Strings[V.Tokens[1] - 1];
  }

  const TraceData &T;
  const Group &G;
  std::shared_ptr<RankView> View;
  std::vector<bool> HasObject;
  std::vector<uint32_t> NodeIndex; ///< of the view, by node of the group
  std::map<SlotStreamKey, uint32_t> StreamIndex;
  std::map<uint32_t, std::optional<RequestSlots>> RequestsOf; ///< by function
};

ObjectInfo objectOn(uint32_t Rank, Kind K, const WordSpan &Words, uint32_t World) {
  auto Word = [&](unsigned W) { return Words[W].eval(Rank, {Rank, World}); };
  ObjectInfo O;
  O.K = K;
  O.Id = Word(0);
  if (K == Kind::Datatype) {
    O.Size = Word(1);
    return O;
  }
  O.Rank = Word(1);
  O.Size = Word(2);
  if (K == Kind::Comm) {
    O.Leader = Word(3);
    O.RemoteSize = Word(4);
  }
  return O;
}

std::shared_ptr<const RankView> Trace::view(uint32_t Rank, uint32_t Thread) const {
  for (const Group &G : Data->Groups)
    if (G.Thread == Thread && G.ranks().contains(Rank))
      return ViewBuilder(*Data, G, Rank).build();
  return nullptr;
}

const Region::Event *RankView::siteEvent(const ResolvedSignature &S) const {
  const Region *R = Nodes[S.Node].Structure;
  if (S.Site || !R || !S.Event)
    return nullptr;
  const Region::Event &E = R->Events[S.Event - 1];
  return E.K == Region::Site ? &E : nullptr;
}

} // namespace pilgrim
