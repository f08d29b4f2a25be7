//===- Markers.cpp - what instrumented code calls -------------------------===//
//
// Modules register their tables before their constructors run; then it is decided which of their functions keep frames.
// The markers' calls go to the context tree of the calling thread, if it is traced.
//
//===----------------------------------------------------------------------===//
#include "pmpi/Markers.h"
#include "core/Join.h"
#include "core/Structure.h"
#include "pmpi/State.h"

#include <atomic>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

namespace pilgrim {

namespace {
/// A loaded module, and where it lies.
struct Loaded {
  std::atomic<const PilgrimModule *> Module{nullptr};
  uintptr_t Begin = 0, End = 0;
};
constexpr unsigned MaxModules = 512; // those of more keep no frames: their calls are their callers'
Loaded Modules[MaxModules];
std::atomic<unsigned> NumModules{0};

void findRange(Loaded &L, const void *Inside) {
  struct Search {
    uintptr_t Address, Begin = 0, End = 0;
  } S{reinterpret_cast<uintptr_t>(Inside)};
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Data) {
        auto &S = *static_cast<Search *>(Data);
        uintptr_t Begin = UINTPTR_MAX, End = 0;
        bool Found = false;
        for (unsigned I = 0; I < Info->dlpi_phnum; ++I) {
          const auto &H = Info->dlpi_phdr[I];
          uintptr_t At = Info->dlpi_addr + H.p_vaddr;
          if (H.p_type != PT_LOAD)
            continue;
          Found |= S.Address >= At && S.Address < At + H.p_memsz;
          Begin = At < Begin ? At : Begin;
          End = At + H.p_memsz > End ? At + H.p_memsz : End;
        }
        if (Found) {
          S.Begin = Begin;
          S.End = End;
        }
        return Found ? 1 : 0;
      },
      &S);
  L.Begin = S.Begin;
  L.End = S.End;
}

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
    if (!M || At < Modules[I].Begin || At + sizeof(PilgrimRegion) > Modules[I].End || At % alignof(PilgrimRegion))
      continue;
    const PilgrimFunction *F = functionOf(R);
    return F >= M->Begin && F < M->End &&
           (reinterpret_cast<uintptr_t>(F) - reinterpret_cast<uintptr_t>(M->Begin)) % sizeof(PilgrimFunction) == 0;
  }
  return false;
}

/// Kept by the dynamic linker: the main thread's stack pointer at its start.
extern "C" void *InitialStackPointer asm("__libc_stack_end");

uintptr_t stackEnd() {
  uintptr_t End = UINTPTR_MAX;
  if (getpid() == gettid())
    return reinterpret_cast<uintptr_t>(InitialStackPointer);
  pthread_attr_t Attributes;
  if (pthread_getattr_np(pthread_self(), &Attributes) != 0)
    return End;
  void *Low = nullptr;
  size_t Size = 0;
  if (pthread_attr_getstack(&Attributes, &Low, &Size) == 0)
    End = reinterpret_cast<uintptr_t>(Low) + Size;
  pthread_attr_destroy(&Attributes);
  return End;
}

/// The calling thread's tree, or null where nothing is traced (any more).
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
    tell(-1, "a module was built by another version of pilgrim-cc (markers %u, here %u): its structure is not used",
         Module->Version, static_cast<unsigned>(PILGRIM_MARKERS_VERSION));
    return;
  }
  unsigned N = NumModules.load(), I = 0;
  while (I < N && Modules[I].Module.load())
    ++I;
  if (I == MaxModules)
    return;
  findRange(Modules[I], Module->Begin);
  Modules[I].Module.store(Module, std::memory_order_release);
  if (I == N)
    NumModules.store(N + 1, std::memory_order_release);
  join();
}

PILGRIM_EXPORT void __pilgrim_unregister(const PilgrimModule *Module) {
  for (unsigned I = 0; I < NumModules.load(); ++I)
    if (Modules[I].Module.load() == Module)
      Modules[I].Module.store(nullptr, std::memory_order_release);
}
}
