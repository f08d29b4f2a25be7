#include "test/unit/RandomTrace.h"

namespace pilgrim::test {

std::string ModelObject::text() const {
  ObjectInfo O;
  O.K = K;
  O.Name = Name;
  O.Id = Words[0];
  if (K == Kind::Datatype) {
    O.Size = Words[1];
  } else {
    O.Rank = Words[1];
    O.Size = Words[2];
  }
  if (K == Kind::Comm) {
    O.Leader = Words[3];
    O.RemoteSize = Words[4];
  }
  return objectText(O);
}

LeafBuilder::LeafBuilder(uint32_t World, uint32_t Rank, uint32_t Thread) : Rank(Rank) {
  T.World = World;
  T.Ranks = RankSet(Rank);
  T.Meta["program"] = "random";
  G.Thread = Thread;
}

void LeafBuilder::scramble(const std::vector<std::string> &Strings) {
  for (const std::string &S : Strings)
    refer(S);
}

void LeafBuilder::add(const ModelCall &C, uint32_t Depth) {
  describe(C, Depth);
  for (const ModelCall &In : C.Inside)
    addInside(In, Depth + 1);
  append(C, Depth);
}

TraceData LeafBuilder::take(bool Timed) {
  setCalls(G, T.Ranks, Calls.data(), Streams, Timed ? 1000 : 0, 10);
  T.Groups.push_back(std::move(G));
  return std::move(T);
}

void LeafBuilder::addInside(const ModelCall &C, uint32_t Depth) {
  for (const ModelCall &In : C.Inside)
    addInside(In, Depth + 1);
  append(C, Depth);
}

void LeafBuilder::describe(const ModelCall &C, uint32_t Depth) {
  std::vector<SiteInfo> Site;
  if (!C.Module.empty())
    Site.push_back({C.Module, C.Offset});
  for (int64_t Caller : C.Callers)
    Site.push_back({C.Module, Caller});
  std::string S = callHead("F" + std::to_string(C.Function), Depth, Site);
  for (const ModelValue &V : C.Slots) {
    std::string Text = V.Text;
    for (size_t I = 0; I < V.Objects.size(); ++I) {
      ModelObject O = V.Objects[I];
      if (V.Streamed)
        O.Words[1] = V.Words[I];
      Text += (Text.empty() ? "" : ";") + O.text();
    }
    S += " " + slotText(V.T, V.Words, Text);
  }
  Lines.push_back(S);
  for (const ModelCall &In : C.Inside)
    describe(In, Depth + 1);
}

uint32_t LeafBuilder::enter(TableId Id, std::vector<uint32_t> Tokens, std::vector<int64_t> Words) {
  auto &Map = Index[static_cast<unsigned>(Id)];
  Table &Tab = G.table(Id);
  auto [It, New] = Map.try_emplace({Tokens, Words}, static_cast<uint32_t>(Tab.size()));
  if (New) {
    Variant V;
    V.Ranks = T.Ranks;
    V.Tokens = std::move(Tokens);
    for (int64_t W : Words)
      V.Words.emplace_back(W);
    Tab.push_back({std::move(V)});
  }
  return It->second;
}

uint32_t LeafBuilder::refer(const ModelObject &O) {
  uint32_t Name = O.Name.empty() ? 0 : refer(O.Name) + 1;
  return enter(TableId::Objects, {static_cast<uint32_t>(O.K), Name}, O.Words);
}

void LeafBuilder::append(const ModelCall &C, uint32_t Depth) {
  FunctionSchema &F = T.Functions[C.Function];
  if (F.Slots.empty()) {
    F.Id = C.Function;
    F.Name = "F" + std::to_string(C.Function);
    F.IsCollective = C.Function & 1;
    F.Slots.resize(C.Slots.size());
    for (size_t I = 0; I < F.Slots.size(); ++I) {
      F.Slots[I].Name = I ? "arg" + std::to_string(I) : "return";
      F.Slots[I].K = static_cast<Kind>(C.Function * 5 % NumKinds);
      F.Slots[I].IsArray = I == 2;
      F.Slots[I].IsOutput = I == 3;
      if (I == 0)
        F.Slots[I].Names = "error";
    }
    if (C.Function >= FreedId) {
      const bool IsFreed = C.Function == FreedId;
      F.Name = IsFreed ? "(freed)" : "(not traced)";
      F.L = Level::Tracer;
      for (size_t I = 1; I < F.Slots.size(); ++I)
        F.Slots[I].K = IsFreed ? Kind::Buffer : Kind::Int;
    }
    T.Names[{"error", 0}] = "MPI_SUCCESS";
  }
  std::vector<uint32_t> Tokens{C.Function, 0, Depth};
  if (!C.Module.empty())
    for (size_t I = C.Callers.size() + 1; I-- > 0;)
      Tokens[1] = enter(TableId::Sites, {refer(C.Module), Tokens[1]}, {I ? C.Callers[I - 1] : C.Offset}) + 1;
  std::vector<int64_t> Words;
  for (uint32_t I = 0; I < C.Slots.size(); ++I)
    appendSlot(C.Slots[I], {C.Function, Tokens[1], I, 0}, Tokens, Words, Streams,
               [&](const auto &X) { return refer(X); });
  Calls.append(enter(TableId::Signatures, std::move(Tokens), std::move(Words)));
}

namespace {

class RandomProgram {
public:
  RandomProgram(uint64_t Seed, uint32_t World) : World(World), Random(Seed) {
    unsigned N = 1 + below(4);
    for (unsigned I = 0; I < N; ++I)
      Body.push_back(node(0));
  }

  Leaf run(uint32_t Rank, uint32_t Thread, bool Scrambled = false) {
    LeafBuilder B(World, Rank, Thread);
    if (Scrambled && Rank % 2)
      B.scramble({"unused", "host1", "MPI_COMM_WORLD", "app", "text"});
    Builder = &B;
    Iteration = 0;
    for (const Node &N : Body)
      runNode(N, Rank);
    Leaf L{Rank, Thread, {}, std::move(B.Lines)};
    L.Data = B.take();
    return L;
  }

private:
  /// An integer as a function of the rank in some communicator.
  struct Pattern {
    unsigned Form = 0;
    int64_t A = 0, B = 1;
  };
  struct SlotPlan {
    Tag T, Else;    ///< tag on even and on odd ranks of a split
    unsigned Split; ///< 0: no split
    bool Streamed;
    unsigned Length, StringForm, Communicator;
    unsigned Follows; ///< an array: 1 and 2: the sums of the one before it, of the same length
    Pattern Words[4];
  };
  struct CallPlan {
    uint32_t Function;
    unsigned SiteForm;
    std::vector<SlotPlan> Slots;
    std::vector<CallPlan> Inside;
  };
  struct Node {
    bool IsLoop = false;
    unsigned Trips = 0, TripForm = 0;
    std::vector<Node> Body;
    CallPlan Call;
  };

  unsigned below(unsigned N) { return static_cast<unsigned>(Random() % N); }

  Pattern pattern() { return {below(14), int64_t(below(7)) - 3, 1 + int64_t(below(4))}; }

  CallPlan call(unsigned Depth) {
    // One function of each number of slots has streams, so that a signature
    // may also be without.
    CallPlan C{below(12), below(4), {}, {}};
    for (unsigned I = 0; I < LeafBuilder::slots(C.Function); ++I) {
      SlotPlan S;
      S.T = static_cast<Tag>(below(NumTags - 1));
      S.Else = static_cast<Tag>(below(NumTags - 1));
      S.Split = below(5) == 0 ? 1 + below(3) : 0;
      S.Streamed = below(4) == 0;
      S.Length = below(4);
      S.StringForm = below(5);
      S.Communicator = below(5);
      S.Follows = below(4);
      for (Pattern &P : S.Words)
        P = pattern();
      // Counts and displacements side by side.
      if (I > 0 && S.Follows == 1) {
        SlotPlan &Counts = C.Slots.back();
        for (SlotPlan *Of : {&Counts, &S}) {
          Of->T = Of->Else = Tag::Array;
          Of->Streamed = false;
          Of->Length = 3;
        }
      }
      C.Slots.push_back(S);
    }
    if (Depth < 3 && below(6) == 0)
      for (unsigned N = 1 + below(3); N--;)
        C.Inside.push_back(call(Depth + 1));
    return C;
  }

  Node node(unsigned Level) {
    Node N;
    N.IsLoop = Level < 3 && below(3) == 0;
    if (!N.IsLoop) {
      N.Call = call(0);
      return N;
    }
    N.Trips = 1 + below(Level ? 3 : 5);
    N.TripForm = below(8);
    for (unsigned I = 1 + below(3); I--;)
      N.Body.push_back(node(Level + 1));
    return N;
  }

  void runNode(const Node &N, uint32_t Rank) {
    if (!N.IsLoop) {
      Builder->add(makeCall(N.Call, Rank));
      return;
    }
    unsigned Trips = N.Trips;
    if (N.TripForm == 0)
      Trips += Rank % 3; // other calls on other ranks
    if (N.TripForm == 1)
      Trips += Iteration % 4;
    for (unsigned I = 0; I < Trips; ++I) {
      ++Iteration;
      for (const Node &B : N.Body)
        runNode(B, Rank);
    }
  }

  ModelObject communicator(unsigned Form, uint32_t Rank) {
    int64_t R = Rank, W = World;
    switch (Form) {
    case 1: { // rows of five, the last one shorter
      int64_t First = R / 5 * 5;
      return {Kind::Comm, "", {1, R - First, std::min(W - First, int64_t(5)), First, -1}};
    }
    case 2: // columns
      return {Kind::Comm, "", {2 + R % 3, R / 3, (W - R % 3 + 2) / 3, R % 3, -1}};
    case 3:
      return {Kind::Datatype, R % 4 ? "" : "MPI_INT", {3, 4 + R % 2}};
    case 4:
      return {R % 2 ? Kind::Win : Kind::File, "", {7, R, W}};
    default:
      return {Kind::Comm, "MPI_COMM_WORLD", {0, R, W, 0, -1}};
    }
  }

  int64_t word(const Pattern &P, uint32_t World1, const RankContext &Ctx) {
    int64_t R = Ctx.Rank, N = Ctx.Size, V = R + P.A;
    switch (P.Form) {
    case 0:
    case 1:
      return P.A * P.B;
    case 2:
      return R + P.A;
    case 3:
      return ((R + P.A) % N + N) % N;
    case 4: // stencil with MPI_PROC_NULL
      return V < 0 || V >= N ? -1 : V;
    case 5: // of a grid
      return R % 4 == 0 ? -2 : R - 1;
    case 6:
      return static_cast<int64_t>((World1 * 0x9e3779b97f4a7c15ull) >> 7);
    case 7:
      return R / 2;
    case 8:
      return R ^ P.B;
    case 9:
      return N - 1 - R;
    case 10:
      return World1 % 2 ? INT64_MAX : INT64_MIN;
    case 11:
      return World1 == 3 ? INT64_MIN + P.B : INT64_MAX - P.B - R;
    case 12:
      return World1 * 1000 + P.A;
    default:
      return World1 < World / 2 ? P.A : P.B + R;
    }
  }

  ModelCall makeCall(const CallPlan &Plan, uint32_t Rank) {
    ModelCall C;
    C.Function = Plan.Function;
    if (Plan.SiteForm) {
      C.Module = Plan.SiteForm == 3 && Rank % 5 == 1 ? "libother.so" : "app";
      C.Offset = 64 * Plan.Function + (Plan.SiteForm == 2 ? Rank : 0);
    }
    // Words are seen from the first communicator of the call.
    RankContext Ctx{Rank, World};
    bool Known = false;
    for (const SlotPlan &S : Plan.Slots) {
      ModelValue V = makeValue(S, Rank);
      if (V.T == Tag::Object && V.Objects[0].K != Kind::Datatype && !Known) {
        Ctx = {V.Objects[0].Words[1], V.Objects[0].Words[2]};
        Known = true;
      }
      C.Slots.push_back(std::move(V));
    }
    for (size_t I = 0; I < C.Slots.size(); ++I)
      fillWords(C.Slots[I], Plan.Slots[I], Rank, Ctx);
    for (size_t I = 1; I < C.Slots.size(); ++I)
      sumUp(C.Slots[I - 1], C.Slots[I], Plan.Slots[I].Follows);
    for (const CallPlan &In : Plan.Inside)
      C.Inside.push_back(makeCall(In, Rank));
    return C;
  }

  static void sumUp(const ModelValue &Counts, ModelValue &V, unsigned Scale) {
    bool Fit = Counts.T == Tag::Array && V.T == Tag::Array && !Counts.Streamed && !V.Streamed;
    if (!Fit || Counts.Words.size() != V.Words.size() || Scale < 1 || Scale > 2)
      return;
    for (size_t I = 1; I < V.Words.size(); ++I)
      V.Words[I] = static_cast<int64_t>(static_cast<uint64_t>(V.Words[I - 1]) +
                                        static_cast<uint64_t>(Counts.Words[I - 1]) * Scale);
  }

  ModelValue makeValue(const SlotPlan &S, uint32_t Rank) {
    ModelValue V;
    bool Other = (S.Split == 1 && Rank % 2) || (S.Split == 2 && Rank == 0) || (S.Split == 3 && Rank >= World / 2);
    V.T = Other ? S.Else : S.T;
    V.Streamed = S.Streamed && streamColumns(V.T);
    if (V.T == Tag::Name || V.T == Tag::String || V.T == Tag::Data) {
      const char *Fixed[] = {"text", "MPI_IN_PLACE", ""};
      V.Text = S.StringForm == 0   ? "host" + std::to_string(Rank / 4)
               : S.StringForm == 1 ? std::string("a\0b\xff '\\", 7) + std::to_string(Rank % 2)
                                   : Fixed[S.StringForm - 2];
      if (V.T == Tag::Data)
        V.Text = "app";
      if (V.T == Tag::String && V.Streamed)
        V.Text += std::string(Iteration % 3, static_cast<char>('x' + Iteration % 2));
    }
    if (V.T == Tag::Object)
      V.Objects.push_back(V.Streamed ? ModelObject{Kind::Datatype, "", {5 + Rank % 2, SizeInStream}}
                                     : communicator(S.Communicator, Rank));
    if (V.T == Tag::Objects)
      for (unsigned I = 0; I < S.Length; ++I)
        V.Objects.push_back(V.Streamed ? ModelObject{Kind::Datatype, "", {5 + (Rank + I) % 2, SizeInStream}}
                                       : communicator((S.Communicator + I) % 5, Rank));
    return V;
  }

  void fillWords(ModelValue &V, const SlotPlan &S, uint32_t Rank, const RankContext &Ctx) {
    const bool AreSizes = V.Streamed && !V.Objects.empty();
    unsigned N = AreSizes ? 1 : wordsOf(V.T);
    unsigned Items = AreSizes ? static_cast<unsigned>(V.Objects.size()) : 1;
    if (V.T == Tag::Array || V.T == Tag::Statuses)
      Items = V.Streamed ? (S.Length + Iteration) % 4 : S.Length;
    for (unsigned I = 0; I < Items; ++I)
      for (unsigned W = 0; W < N; ++W) {
        const Pattern &P = S.Words[(I + W) % 4];
        int64_t Value = word(P, Rank, Ctx);
        if (V.Streamed)
          Value =
              static_cast<int64_t>(static_cast<uint64_t>(Value) +
                                   static_cast<uint64_t>(P.B % 3 ? P.B * int64_t(Iteration) : int64_t(Iteration % 3)));
        V.Words.push_back(Value);
      }
  }

  uint32_t World;
  std::mt19937_64 Random;
  std::vector<Node> Body;
  LeafBuilder *Builder = nullptr;
  uint32_t Iteration = 0;
};

} // namespace

std::vector<Leaf> randomRun(uint64_t Seed, uint32_t World, bool Scrambled) {
  std::vector<Leaf> Leaves;
  RandomProgram Main(Seed, World), Helper(Seed ^ 0xabcdef, World);
  for (uint32_t R = 0; R < World; ++R) {
    Leaves.push_back(Main.run(R, 0, Scrambled));
    if (Seed % 3 == 0 && R % 3 != 1)
      Leaves.push_back(Helper.run(R, 1 + R % 2, Scrambled));
  }
  return Leaves;
}

std::vector<TraceData> rankTraces(const std::vector<Leaf> &Leaves) {
  std::vector<TraceData> Out;
  for (const Leaf &L : Leaves) {
    if (!Out.empty() && Out.back().Ranks.contains(L.Rank)) {
      Out.back().Groups.push_back(L.Data.Groups[0]); // of a later thread
      TraceData Copy = L.Data;
      Out.back().Functions.merge(Copy.Functions);
      Out.back().Names.merge(Copy.Names);
    } else {
      Out.push_back(L.Data);
    }
  }
  return Out;
}

} // namespace pilgrim::test
