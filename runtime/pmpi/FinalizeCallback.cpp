//===- FinalizeCallback.cpp - callbacks inside MPI_Finalize ---------------===//
#include "pmpi/FinalizeCallback.h"

#include <atomic>
#include <utility>

namespace pilgrim {

namespace {
struct Pending {
  void *Call;
  void (*Record)(void *Call, int Ret);
  void (*End)();
};
} // namespace

static std::atomic<decltype(RealFunctions::MPI_Comm_create_keyval)> MakeOwnKeyval{nullptr};
static std::atomic<bool> HasWorld{false}, IsSet{false};
/// While MPI_Finalize is under way and the trace has not ended.
static Pending *Finalizing = nullptr;

static int copied(MPI_Comm, int, void *, void *, void *, int *IsCopied) {
  *IsCopied = 0;
  return MPI_SUCCESS;
}

static int deleted(MPI_Comm, int, void *, void *) {
  if (Pending *P = std::exchange(Finalizing, nullptr)) {
    P->Record(P->Call, MPI_SUCCESS);
    P->End();
  }
  return MPI_SUCCESS;
}

static void setAttribute() {
  const auto Make = MakeOwnKeyval.load();
  int Key;
  if (!Make || !HasWorld || IsSet.exchange(true))
    return;
  if (Make(copied, deleted, &Key, nullptr) == MPI_SUCCESS) {
    Real.MPI_Comm_set_attr(MPI_COMM_SELF, Key, nullptr);
    Real.MPI_Comm_free_keyval(&Key); // MPI keeps it as long as there is the attribute
  }
}

void keyvalMade(decltype(RealFunctions::MPI_Comm_create_keyval) Make) {
  MakeOwnKeyval = Make;
  setAttribute();
}

void worldBegun() {
  HasWorld = true;
  setAttribute();
}

int callFinalize(void *Call, void (*Record)(void *Call, int Ret), void (*End)()) {
  Pending Mine{Call, Record, End};
  if (!IsSet) {
    Record(Call, MPI_SUCCESS);
    End();
    return Real.MPI_Finalize();
  }
  Finalizing = &Mine;
  const int Ret = Real.MPI_Finalize();
  if (std::exchange(Finalizing, nullptr))
    Record(Call, Ret);
  return Ret;
}

} // namespace pilgrim
