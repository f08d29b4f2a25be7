#include "test/unit/RandomThread.h"

#include <memory>

namespace pilgrim::test {

namespace {

class ThreadMaker {
public:
  explicit ThreadMaker(uint64_t Seed) : Random(Seed) {}

  TraceData make() {
    makeSignatures();
    Nodes.push_back(std::make_unique<Node>());
    Nodes[0]->Events.resize(1);
    const unsigned Tops = 1 + below(3);
    for (unsigned I = 0; I < Tops; ++I)
      Nodes[0]->Events[0].Choices.push_back({true, makeNode(0, 0, 0)});
    Nodes[0]->Events[0].Choices.push_back(callItem());
    for (unsigned I = 1 + below(12); I--;)
      item(*Nodes[0], Nodes[0]->Events[0]);
    return write();
  }

private:
  struct Event {
    std::vector<Item> Choices; ///< of nodes: their index; of calls: of a prototype
    unsigned Form = 0;         ///< of the number of items
    uint64_t Number = 1;       ///< of items, for a while
    // What is written down.
    Grammar Order;
    std::vector<Item> Items; ///< by terminal
    IntStream PassesToChange, UsualItems;
    bool Changes = false;
    uint64_t Usual = 1, Since = 0;
    SlotColumns Streams;
  };
  struct Node {
    uint32_t Parent = 0, At = 0;
    std::vector<Event> Events;
    std::vector<std::vector<uint32_t>> Choices; ///< paths
    unsigned Form = 0;
    Grammar Order;
    std::vector<uint32_t> Paths; ///< by terminal: of Choices
    IntStream Visits;
    bool IsActivated = false;
  };

  uint64_t below(uint64_t N) { return Random() % N; }

  /// One of each kind of call; what an event has is a copy.
  void makeSignatures() {
    LeafBuilder B(4, 1, 0);
    auto Word = [](int64_t V) { return value(Tag::Word, {V}); };
    B.add({0, "app", 1, {Word(0)}, {}});
    B.add({1, "app", 2, {Word(0), Word(7)}, {}});
    B.add({5, "app", 3, {Word(0), streamed(Word(0))}, {}});
    B.add({5, "app", 3, {Word(3), streamed(Word(0))}, {}}); // shares that stream
    B.add({2, "app", 4, {Word(0), streamed(value(Tag::Array, {1, 2})), streamed(Word(0))}, {}});
    B.add({UntracedId, "", 0, {Word(0), Word(11)}, {}});
    B.add({UntracedId, "app", 5, {Word(0), streamed(Word(4))}, {}});
    B.add({FreedId, "", 0, {Word(0), Word(11)}, {}});
    B.add({4, "app", 6, {Word(0)}, {{1, "app", 7, {Word(0), Word(9)}, {}}}});
    T = B.take();
    Group &G = T.Groups[0];
    Prototypes = G.table(TableId::Signatures);
    G.table(TableId::Signatures).clear();
    for (uint32_t I = 0; I < Prototypes.size(); ++I)
      if (Prototypes[I][0].Tokens[2])
        Inner = I;
    G.Nodes[0].Events.clear();
  }
  Item callItem() { return {false, static_cast<uint32_t>(below(Prototypes.size()))}; }

  uint32_t makeNode(uint32_t Parent, uint32_t At, unsigned Depth) {
    const auto Index = static_cast<uint32_t>(Nodes.size());
    Nodes.push_back(std::make_unique<Node>());
    Node &N = *Nodes.back();
    N.Parent = Parent;
    N.At = At;
    N.Form = static_cast<unsigned>(below(4));
    N.Events.resize(2 + below(4));
    for (uint32_t E = 0; E < N.Events.size(); ++E) {
      Event &X = N.Events[E];
      X.Usual = X.Number = E ? 1 : 0;
      X.Form = E == 1 ? 0 : static_cast<unsigned>(below(5)); // event 1 has an item in each visit
      const unsigned Below = E > 1 && Depth < 3 ? static_cast<unsigned>(below(3)) : 0;
      for (unsigned I = 0; I < Below; ++I)
        X.Choices.push_back({true, makeNode(Index, E, Depth + 1)});
      for (unsigned I = 1 + static_cast<unsigned>(below(2)); I--;)
        X.Choices.push_back(callItem());
    }
    for (unsigned I = 1 + static_cast<unsigned>(below(3)); I--;) {
      std::vector<uint32_t> Path{1};
      for (uint32_t E = 2; E < N.Events.size(); ++E)
        if (below(3))
          Path.push_back(E);
      N.Choices.push_back(Path);
    }
    return Index;
  }

  void pass(Node &N, Event &E, bool IsUsual) {
    if (!IsUsual)
      E.Number = E.Form == 2 ? below(4) : E.Form == 3 ? E.Since % 3 : below(6) ? E.Number : below(9);
    if (E.Number != E.Usual) {
      E.PassesToChange.append(static_cast<int64_t>(E.Since));
      E.UsualItems.append(static_cast<int64_t>(E.Number));
      E.Changes = true;
      E.Usual = E.Number;
      E.Since = 0;
    }
    ++E.Since;
    for (uint64_t I = E.Number; I--;)
      item(N, E);
  }

  void item(Node &, Event &E) {
    const Item It = E.Choices[below(E.Choices.size())];
    if (!It.IsNode)
      return call(E, It.Index);
    note(E, It);
    Node &N = *Nodes[It.Index];
    N.IsActivated = true;
    const uint64_t Visits = N.Form == 0 ? 1 : N.Form == 1 ? 3 : 1 + below(5);
    N.Visits.append(static_cast<int64_t>(Visits));
    for (uint64_t V = 0; V < Visits; ++V) {
      const auto Path = static_cast<uint32_t>(N.Form < 3 ? V % N.Choices.size() : below(N.Choices.size()));
      auto Known = std::ranges::find(N.Paths, Path);
      N.Order.append(static_cast<uint32_t>(Known - N.Paths.begin()));
      if (Known == N.Paths.end())
        N.Paths.push_back(Path);
      pass(N, N.Events[0], N.Events[0].Form < 2);
      for (uint32_t Id : N.Choices[Path])
        pass(N, N.Events[Id], N.Events[Id].Form < 2);
    }
  }

  void note(Event &E, Item It) {
    auto Known = std::ranges::find(E.Items, It);
    E.Order.append(static_cast<uint32_t>(Known - E.Items.begin()));
    if (Known == E.Items.end())
      E.Items.push_back(It);
  }

  void call(Event &E, uint32_t Prototype) {
    note(E, {false, Prototype});
    const Variant &V = Prototypes[Prototype][0];
    SlotWalker Walk(V.Tokens);
    SlotView S;
    for (uint32_t I = 0; Walk.next(S); ++I) {
      if (S.T != Tag::Stream)
        continue;
      const SlotStreamKey Key{V.Tokens[0], V.Tokens[1], I, 0};
      const bool IsVector = hasLength(S.Inner);
      std::vector<int64_t> Words;
      for (uint64_t N = IsVector ? below(3) : 1; N--;)
        Words.push_back(static_cast<int64_t>(below(2) ? ++Value : below(5)));
      appendColumns(E.Streams, Key, Words, 1, IsVector);
      for (SlotStreamKey Column = Key; Column.Column < streamColumns(S.Inner); ++Column.Column)
        E.Streams[Column];
    }
    // A callback's call stands before the call that it is made in.
    if (V.Tokens[2] && Prototype == Inner && below(3))
      call(E, 0);
  }

  TraceData write() {
    Group &G = T.Groups[0];
    const RankSet Own(1);
    std::vector<uint32_t> Number(Nodes.size(), 0);
    uint32_t Used = 0;
    for (uint32_t I = 0; I < Nodes.size(); ++I)
      if (!I || Nodes[I]->IsActivated)
        Number[I] = Used++;
    G.Nodes.assign(Used, {});
    for (uint32_t I = 0; I < Nodes.size(); ++I) {
      Node &N = *Nodes[I];
      if (I && !N.IsActivated)
        continue;
      NodeData &D = G.Nodes[Number[I]];
      D.Ranks = Own;
      if (I)
        writeVisits(G, N, D, Number[N.Parent]);
      for (uint32_t E = 0; E < N.Events.size(); ++E)
        if (N.Events[E].Items.size())
          writeEvent(G, N.Events[E], D.Events[E], Number);
    }
    measureCalls(G, 1024, 16);
    return std::move(T);
  }

  void writeVisits(Group &G, Node &N, NodeData &D, uint32_t Parent) {
    const RankSet Own(1);
    D.Parent = Parent;
    D.Event = N.At;
    D.Region = static_cast<uint32_t>(T.Regions.size());
    Region R;
    R.Function = 77;
    R.Index = D.Region;
    R.Name = "f";
    R.File = "f.c";
    for (size_t E = 1; E < N.Events.size(); ++E)
      R.Events.push_back({Region::Site, static_cast<uint32_t>(E), 0, 0, "F0"});
    T.Regions.push_back(R);
    D.Visits = {{Own, N.Visits.data()}};
    RankedItems X;
    X.Ranks = Own;
    X.Order = N.Order.data();
    for (uint32_t P : N.Paths) {
      X.Items.push_back({false, static_cast<uint32_t>(G.table(TableId::Paths).size())});
      G.table(TableId::Paths).push_back({{Own, N.Choices[P], {}}});
    }
    D.Paths = {X};
  }

  void writeEvent(Group &G, Event &E, EventData &D, const std::vector<uint32_t> &Number) {
    const RankSet Own(1);
    RankedItems X;
    X.Ranks = Own;
    X.Order = E.Order.data();
    for (Item It : E.Items) {
      if (It.IsNode) {
        X.Items.push_back({true, Number[It.Index]});
        continue;
      }
      X.Items.push_back({false, static_cast<uint32_t>(G.table(TableId::Signatures).size())});
      G.table(TableId::Signatures).push_back(Prototypes[It.Index]);
    }
    D.Items = {X};
    if (E.Changes) {
      D.PassesToChange = {{Own, E.PassesToChange.data()}};
      D.UsualItems = {{Own, E.UsualItems.data()}};
    }
    for (auto &[Key, S] : E.Streams)
      D.Streams[Key] = {{Own, S.data()}};
  }

  std::mt19937_64 Random;
  TraceData T;
  Table Prototypes;
  uint32_t Inner = 0;
  int64_t Value = 0;
  std::vector<std::unique_ptr<Node>> Nodes;
};

} // namespace

TraceData RandomThread::make() const { return ThreadMaker(Seed).make(); }

} // namespace pilgrim::test
