//===- Markers.cpp - what instrumented code calls -------------------------===//
//
// A module registers its tables before its constructors run. That decides which of its functions keep frames. Calls of
// markers go to the context tree of the calling thread, if it is traced.
//
//===----------------------------------------------------------------------===//
#include "pmpi/Markers.h"
#include "core/Join.h"
#include "core/Structure.h"
#include "platform/Launch.h"
#include "platform/LoadedModules.h"
#include "platform/Stacks.h"
#include "platform/Tell.h"
#include "pmpi/State.h"

#include <atomic>

namespace pilgrim {

namespace {
/// A loaded module, and where it lies.
struct Loaded {
  std::atomic<const PilgrimModule *> Module{nullptr};
  AddressRange Span;
};
constexpr unsigned MaxModules = 512; // functions of further modules keep no frames: their calls count as their callers'
Loaded Modules[MaxModules];
std::atomic<unsigned> NumModules{0};

void join() {
  const PilgrimModule *All[MaxModules];
  unsigned N = 0;
  for (unsigned I = 0; I < NumModules.load(); ++I)
    if (const PilgrimModule *M = Modules[I].Module.load())
      All[N++] = M;
  joinModules({All, N});
}
} // namespace

bool isLoadedRegion(const PilgrimRegion *R) {
  auto At = reinterpret_cast<uintptr_t>(R);
  unsigned N = NumModules.load(std::memory_order_acquire);
  for (unsigned I = 0; I < N; ++I) {
    const PilgrimModule *M = Modules[I].Module.load(std::memory_order_acquire);
    if (!M || At < Modules[I].Span.Begin || At + sizeof(PilgrimRegion) > Modules[I].Span.End ||
        At % alignof(PilgrimRegion))
      continue;
    const PilgrimFunction *F = functionOf(R);
    return F >= M->Begin && F < M->End &&
           (reinterpret_cast<uintptr_t>(F) - reinterpret_cast<uintptr_t>(M->Begin)) % sizeof(PilgrimFunction) == 0;
  }
  return false;
}

bool hasRegions() { return NumModules.load(std::memory_order_acquire) != 0; }

/// The calling thread's tree. Null if the thread is not traced, or not any more.
static Contexts *currentTree(PilgrimFrame *Frame) {
  ThreadState *T = CurrentThread;
  if (T && T->P.Tracing.load(std::memory_order_relaxed))
    return &T->Calls.Tree;
  Frame->Touched = 0;
  Frame->Node = nullptr;
  return nullptr;
}

} // namespace pilgrim

using namespace pilgrim;

extern "C" {
#define PILGRIM_EXPORT __attribute__((visibility("default")))

PILGRIM_EXPORT __thread PilgrimFrame *__pilgrim_top __attribute__((tls_model("initial-exec"))) = nullptr;

PILGRIM_EXPORT void __pilgrim_visit(PilgrimFrame *Frame) {
  if (Contexts *Tree = currentTree(Frame))
    Tree->endVisit(Frame);
}

PILGRIM_EXPORT void __pilgrim_leave(PilgrimFrame *Frame) {
  if (Contexts *Tree = currentTree(Frame))
    Tree->leave(Frame);
}

// Called under the loader's lock, or before there are threads.
PILGRIM_EXPORT void __pilgrim_register(const PilgrimModule *Module) {
  if (Module->Version != PILGRIM_MARKERS_VERSION || Module->Size < sizeof(PilgrimModule)) {
    ModulePlace Place;
    if (isFirstOfLaunch())
      tell(TellLevel::Error,
           "%s was built by another version of pilgrim-cc (markers %u, here %u): its structure is not used",
           moduleAt(Module, Place) && Place.Path ? Place.Path : "a module", Module->Version,
           static_cast<unsigned>(PILGRIM_MARKERS_VERSION));
    return;
  }
  unsigned N = NumModules.load(), I = 0;
  while (I < N && Modules[I].Module.load())
    ++I;
  if (I == MaxModules)
    return;
  ModulePlace Place;
  moduleAt(Module->Begin, Place);
  Modules[I].Span = Place.Span;
  Modules[I].Module.store(Module, std::memory_order_release);
  if (I == N)
    NumModules.store(N + 1, std::memory_order_release);
  learnStack();
  join();
}

PILGRIM_EXPORT void __pilgrim_unregister(const PilgrimModule *Module) {
  for (unsigned I = 0; I < NumModules.load(); ++I)
    if (Modules[I].Module.load() == Module)
      Modules[I].Module.store(nullptr, std::memory_order_release);
}
}
