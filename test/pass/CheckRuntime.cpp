//===- CheckRuntime.cpp - Checks what instrumented code tells -------------===//
//
// Stands in for the runtime and for MPI under programs built with the plugin,
// and shares no code with either but the assembly that markers call. Each fake MPI call looks at all open frames,
// as the runtime does; each path number that the program then tells must decode
// to exactly what was seen. A difference ends the program with status 86.
//
// PILGRIM_CHECK_FLAGS: which copies with markers are switched on: all (as if not
// set), none, or a number that begins a random choice.
//
//===----------------------------------------------------------------------===//
#include "api/Markers.h"
#include "runtime/pmpi/MarkerEntries.cpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" {
__thread PilgrimFrame *__pilgrim_top __attribute__((tls_model("initial-exec"), visibility("default")));
}

namespace {

struct Way {
  uint64_t Target, Value, Arm;
};
struct Event {
  uint8_t Kind;
  uint64_t Line, Arm, Number; ///< Number: region of a loop, successor of an arm
  std::string Name;
};
struct Node {
  uint64_t Event;
  std::vector<Way> Ways;
};
struct Start {
  uint64_t Base, Node;
};
struct Region {
  uint64_t Line, Closing; ///< the site that ends visits whose sum is 0; 0: none
  std::vector<Event> Events;
  std::vector<Node> Nodes;
  std::vector<Start> Starts;
};
struct Function {
  std::string Name, File;
  uint64_t Line;
  bool HasSite;
  std::vector<uint64_t> Callees;
  std::vector<Region> Regions;
};

/// An open activation of a region, as far as it was seen.
struct Activation {
  const PilgrimFrame *Frame;
  const Function *Of;
  const Region *At;
  std::vector<std::pair<uint32_t, uint64_t>> Seen; ///< events and sums in this visit
};

std::map<const PilgrimFunction *, Function> Functions;
uint64_t Calls, Visits, Foreign, Registered;

[[noreturn]] void fail(const Activation *A, const std::string &What) {
  std::fprintf(stderr, "check: %s", What.c_str());
  if (A)
    std::fprintf(stderr, ", in %s, region %d", A->Of->Name.c_str(), int(A->At - A->Of->Regions.data()));
  std::fprintf(stderr, "\n");
  _exit(86);
}

class Reader {
public:
  explicit Reader(const unsigned char *At) : At(At) {}
  uint8_t byte() { return *At++; }
  uint64_t number() {
    uint64_t Value = 0;
    for (unsigned Shift = 0;; Shift += 7) {
      uint8_t Byte = byte();
      Value |= uint64_t(Byte & 0x7f) << Shift;
      if (Byte < 0x80)
        return Value;
    }
  }
  std::string string() {
    uint64_t Size = number();
    std::string Text(reinterpret_cast<const char *>(At), Size);
    At += Size;
    return Text;
  }
  uint64_t word() {
    uint64_t Value;
    std::memcpy(&Value, At, 8);
    At += 8;
    return Value;
  }

private:
  const unsigned char *At;
};

/// Critical and ordered sections are arms that begin with a node, branches are not.
bool isBranch(const Event &E) {
  constexpr unsigned Ordered = PilgrimCriticalArm + 1;
  return E.Kind == PilgrimArm && E.Number != PilgrimCriticalArm && E.Number != Ordered;
}

Region readRegion(Reader &In) {
  Region R;
  R.Line = In.number();
  for (uint64_t N = In.number(); N; --N) {
    Event E;
    E.Kind = In.byte();
    E.Line = In.number();
    E.Arm = In.number();
    E.Number = 0;
    if (E.Kind == PilgrimSite || E.Kind == PilgrimCall)
      E.Name = In.string();
    else
      E.Number = In.number();
    if (E.Kind == PilgrimArm && E.Number == PilgrimCriticalArm)
      E.Name = In.string();
    if (E.Arm > R.Events.size() || (E.Arm && R.Events[E.Arm - 1].Kind != PilgrimArm))
      fail(nullptr, "a bad arm");
    R.Events.push_back(E);
  }
  uint64_t Size = In.number();
  for (uint64_t I = 0; I < Size; ++I) {
    Node N;
    N.Event = In.number();
    if (N.Event > R.Events.size() || (N.Event && isBranch(R.Events[N.Event - 1])))
      fail(nullptr, "a bad event");
    for (uint64_t W = In.number(); W; --W) {
      Way Way;
      Way.Target = In.number();
      Way.Value = In.number();
      Way.Arm = In.number();
      if (Way.Target <= I || Way.Target > Size || (N.Ways.empty() ? Way.Value != 0 : Way.Value <= N.Ways.back().Value))
        fail(nullptr, "a bad edge");
      if (Way.Arm && (Way.Arm > R.Events.size() || R.Events[Way.Arm - 1].Kind != PilgrimArm))
        fail(nullptr, "a bad arm of an edge");
      N.Ways.push_back(Way);
    }
    if (N.Ways.empty())
      fail(nullptr, "a node without edges");
    R.Nodes.push_back(N);
  }
  for (uint64_t N = In.number(); N; --N) {
    Start S;
    S.Base = In.number();
    S.Node = In.number();
    if (S.Node >= Size || (R.Starts.empty() ? S.Base || S.Node : S.Base <= R.Starts.back().Base))
      fail(nullptr, "a bad start");
    R.Starts.push_back(S);
  }
  if (R.Starts.empty())
    fail(nullptr, "no start");
  return R;
}

/// A site on path 0 behind which every node has one way, and none an event.
uint64_t closingOf(const Region &R) {
  uint64_t Site = 0;
  for (uint64_t N = 0; N < R.Nodes.size(); N = R.Nodes[N].Ways[0].Target) {
    uint64_t E = R.Nodes[N].Event;
    if (R.Nodes[N].Ways.size() > 1)
      Site = 0;
    else if (E)
      Site = R.Events[E - 1].Kind == PilgrimSite ? E : 0;
  }
  return Site;
}

const Function &functionOf(const PilgrimFunction *Record) {
  auto Found = Functions.find(Record);
  if (Found != Functions.end())
    return Found->second;
  Reader In(reinterpret_cast<const unsigned char *>(&Record->Table) + Record->Table);
  Function F;
  F.Name = In.string();
  F.File = In.string();
  F.Line = In.number();
  F.HasSite = In.byte();
  for (uint64_t N = In.number(); N; --N)
    F.Callees.push_back(In.word());
  for (uint64_t N = In.number(); N; --N)
    F.Regions.push_back(readRegion(In)), F.Regions.back().Closing = 0;
  for (size_t I = 1; I < F.Regions.size(); ++I)
    F.Regions[I].Closing = closingOf(F.Regions[I]);
  for (const Region &R : F.Regions)
    for (const Event &E : R.Events)
      if (E.Kind == PilgrimLoop && (E.Number == 0 || E.Number >= F.Regions.size()))
        fail(nullptr, "a bad region of a loop");
  return Functions.emplace(Record, F).first->second;
}

/// The events of a path; up to Last only, if that is not 0, which must be on it. The whole sum must be used up.
std::vector<uint32_t> decode(const Activation &A, uint64_t Sum, uint32_t Last) {
  const Region &R = *A.At;
  std::vector<uint32_t> Events;
  size_t At = R.Starts.size() - 1;
  while (R.Starts[At].Base > Sum)
    --At;
  uint64_t Rest = Sum - R.Starts[At].Base;
  for (uint64_t N = R.Starts[At].Node; N < R.Nodes.size();) {
    const Node &Node = R.Nodes[N];
    if (Node.Event)
      Events.push_back(Node.Event);
    size_t W = Node.Ways.size() - 1;
    while (Node.Ways[W].Value > Rest)
      --W;
    Rest -= Node.Ways[W].Value;
    N = Node.Ways[W].Target;
  }
  if (Rest)
    fail(&A, "path " + std::to_string(Sum) + " does not end");
  auto End = std::find(Events.begin(), Events.end(), Last);
  if (Last && End == Events.end())
    fail(&A, "path " + std::to_string(Sum) + " does not have event " + std::to_string(Last));
  if (Last)
    Events.erase(End + 1, Events.end());
  return Events;
}

/// The end of a visit, at which its path is known.
void endVisit(Activation &A, uint64_t Sum) {
  ++Visits;
  std::vector<uint32_t> Path = decode(A, Sum, 0);
  size_t At = 0;
  for (auto [Event, Prefix] : A.Seen) {
    if (!Event)
      continue;
    size_t From = At;
    while (At < Path.size() && Path[At] != Event)
      ++At;
    if (At == Path.size())
      fail(&A,
           "path " + std::to_string(Sum) + " lacks event " + std::to_string(Event) + ", or has it in another place");
    // A site on the way would have been seen.
    for (size_t I = From; I < At; ++I)
      if (A.At->Events[Path[I] - 1].Kind == PilgrimSite)
        fail(&A, "path " + std::to_string(Sum) + " has a site that was not passed");
    if (decode(A, Prefix, Event) != std::vector<uint32_t>(Path.begin(), Path.begin() + At + 1))
      fail(&A, "path " + std::to_string(Sum) + " does not begin with " + std::to_string(Prefix));
    ++At;
  }
  for (; At < Path.size(); ++At)
    if (A.At->Events[Path[At] - 1].Kind == PilgrimSite)
      fail(&A, "path " + std::to_string(Sum) + " ends with a site that was not passed");
  A.Seen.clear();
}

Activation &activation(PilgrimFrame *Frame) {
  if (!Frame->Node) {
    auto *Record = reinterpret_cast<const PilgrimFunction *>(reinterpret_cast<const char *>(&Frame->Region->Function) +
                                                             Frame->Region->Function);
    const Function &F = functionOf(Record);
    if (Frame->Touched)
      fail(nullptr, "a new frame of " + F.Name + " is touched");
    if (Frame->Region->Index >= F.Regions.size())
      fail(nullptr, "a bad region of " + F.Name);
    Frame->Node = new Activation{Frame, &F, &F.Regions[Frame->Region->Index], {}};
  }
  auto *A = static_cast<Activation *>(Frame->Node);
  if (A->Frame != Frame)
    fail(A, "a frame has another's node");
  return *A;
}

void traced(const char *Name, int Line) {
  ++Calls;
  const Activation *Inner = nullptr;
  size_t Depth = 0;
  for (PilgrimFrame *Frame = __pilgrim_top; Frame; Frame = Frame->Parent) {
    if (++Depth > 100000)
      fail(Inner, "frames in a circle");
    Activation &A = activation(Frame);
    if (!Frame->Touched && !A.Seen.empty())
      fail(&A, "a visit was not ended");
    Frame->Touched = 1;
    if (Frame->Event > A.At->Events.size())
      fail(&A, "a bad event");
    if (Frame->Event)
      decode(A, Frame->Sum, Frame->Event);
    if (A.Seen.empty() || A.Seen.back().first != Frame->Event)
      A.Seen.push_back({Frame->Event, Frame->Sum});
    else if (Frame->Event && decode(A, A.Seen.back().second, Frame->Event) != decode(A, Frame->Sum, Frame->Event))
      fail(&A, "the path to one event changes");
    const Event *E = Frame->Event ? &A.At->Events[Frame->Event - 1] : nullptr;
    if (!Inner) {
      // Called by the innermost frame's function, unless that has no markers.
      bool IsSite = E && E->Kind == PilgrimSite;
      if (IsSite && (E->Name != Name || (Line && E->Line && E->Line != uint64_t(Line))))
        fail(&A, std::string("a call of ") + Name + " in line " + std::to_string(Line) + " is told as " + E->Name +
                     " in line " + std::to_string(E->Line));
      Foreign += !IsSite;
    } else if (Inner->At != &Inner->Of->Regions[0]) {
      if (Inner->Of != A.Of || !E || E->Kind != PilgrimLoop || &A.Of->Regions[E->Number] != Inner->At)
        fail(&A, "a loop is not where its function says");
    } else {
      Foreign += !E || E->Kind != PilgrimCall || E->Name != Inner->Of->Name;
    }
    Inner = &A;
  }
  if (!Inner)
    ++Foreign;
  if (PilgrimFrame *Frame = __pilgrim_top) {
    Activation &A = activation(Frame);
    if (Frame->Event && Frame->Event == A.At->Closing && Frame->Sum == 0) {
      endVisit(A, 0);
      Frame->Touched = 0;
    }
  }
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

void __pilgrim_visit(PilgrimFrame *Frame) {
  if (!Frame->Touched)
    fail(nullptr, "a visit without calls is told");
  endVisit(activation(Frame), Frame->Sum);
  Frame->Touched = 0;
}

void __pilgrim_leave(PilgrimFrame *Frame) {
  if (!Frame->Node)
    fail(nullptr, "an activation without calls is told");
  auto *A = static_cast<Activation *>(Frame->Node);
  if (__pilgrim_top != Frame)
    fail(A, "a frame that is not the innermost is left");
  if (Frame->Touched)
    endVisit(activation(Frame), Frame->Sum);
  delete A;
}

/// Small, so that it leaves the first field of the frames as it was.
void __pilgrim_drop() {
  while (__pilgrim_top && __pilgrim_top < __builtin_frame_address(0))
    __pilgrim_top = __pilgrim_top->Parent;
}

void __pilgrim_register(const PilgrimModule *Module) {
  if (Module->Version != PILGRIM_MARKERS_VERSION || Module->Size != sizeof(*Module))
    fail(nullptr, "a module of another version");
  const char *Flags = std::getenv("PILGRIM_CHECK_FLAGS");
  uint64_t Random = Flags ? std::strtoull(Flags, nullptr, 10) : 0;
  ++Registered;
  for (const PilgrimFunction *F = Module->Begin; F != Module->End; ++F) {
    functionOf(F);
    Random = Random * 6364136223846793005u + 1442695040888963407u;
    bool On = !Flags || !std::strcmp(Flags, "all") || (std::strcmp(Flags, "none") && (Random >> 40 & 1));
    if (F->Flag)
      *const_cast<char *>(reinterpret_cast<const char *>(&F->Flag) + F->Flag) = On;
  }
}

void __pilgrim_unregister(const PilgrimModule *) { --Registered; }

// What instrumented programs print of themselves.
void check_report(void) {
  std::fprintf(stderr, "check: %llu modules, %zu functions, %llu calls, %llu visits, %llu foreign\n",
               static_cast<unsigned long long>(Registered), Functions.size(), static_cast<unsigned long long>(Calls),
               static_cast<unsigned long long>(Visits), static_cast<unsigned long long>(Foreign));
}

// MPI, as far as it is needed here.
int MPI_Init(int *, char ***) { return traced("MPI_Init", 0), 0; }
int MPI_Finalize(void) { return traced("MPI_Finalize", 0), 0; }
int MPI_Send(int Line) { return std::printf("%d\n", Line), traced("MPI_Send", Line), 0; }
int MPI_Recv(int Line) { return std::printf("-%d\n", Line), traced("MPI_Recv", Line), 0; }
void mpi_barrier_(int *, int *Error) { std::printf("b\n"), traced("mpi_barrier_", 0), *Error = 0; }

#pragma GCC visibility pop
}
