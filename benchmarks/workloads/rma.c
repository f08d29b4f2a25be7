// One-sided communication: windows made by Win_create and Win_allocate; epochs
// by fence, by lock and unlock, by lock_all with flush, and by
// post/start/complete/wait; Put, Get, Accumulate, Fetch_and_op,
// Compare_and_swap. The one-sided half of the MPI standard, which Pilgrim
// records and most trace compressors leave out (TPDS 2022).
#include "Workload.h"

static void byFence(Workload *W, MPI_Win Window, double *Local, int Next,
                    int Previous, int Step) {
  double *Out = newBuffer(W->Size);
  stamp(Out, W->Size, W->Rank, Next, Step);
  MPI_Win_fence(0, Window);
  MPI_Put(Out, W->Size, MPI_DOUBLE, Next, 0, W->Size, MPI_DOUBLE, Window);
  MPI_Win_fence(0, Window);
  expect(W, Local, W->Size, Previous, W->Rank, Step);
  MPI_Get(Out, W->Size, MPI_DOUBLE, Next, 0, W->Size, MPI_DOUBLE, Window);
  MPI_Win_fence(0, Window);
  expect(W, Out, W->Size, W->Rank, Next, Step);
  free(Out);
}

static void byPostAndStart(Workload *W, MPI_Win Window, double *Local, int Next,
                           int Previous, int Step) {
  double *Out = newBuffer(W->Size);
  MPI_Group World, To, From;
  MPI_Comm_group(MPI_COMM_WORLD, &World);
  MPI_Group_incl(World, 1, &Next, &To);
  MPI_Group_incl(World, 1, &Previous, &From);
  stamp(Out, W->Size, W->Rank, Next, Step);
  MPI_Win_post(From, 0, Window);
  MPI_Win_start(To, 0, Window);
  MPI_Put(Out, W->Size, MPI_DOUBLE, Next, 0, W->Size, MPI_DOUBLE, Window);
  MPI_Win_complete(Window);
  MPI_Win_wait(Window);
  expect(W, Local, W->Size, Previous, W->Rank, Step);
  MPI_Group_free(&From);
  MPI_Group_free(&To);
  MPI_Group_free(&World);
  free(Out);
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 5, 16);
  int Next = (W.Rank + 1) % W.Ranks,
      Previous = (W.Rank + W.Ranks - 1) % W.Ranks;
  double *Local = newBuffer(W.Size);
  MPI_Win Halo, Counters;
  long long *Counter = NULL;
  MPI_Win_create(Local, (MPI_Aint)((size_t)W.Size * sizeof(double)),
                 sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &Halo);
  MPI_Win_allocate(2 * sizeof(long long), sizeof(long long), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &Counter, &Counters);
  Counter[0] = Counter[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);

  for (int Step = 0; Step < W.Iterations; ++Step) {
    byFence(&W, Halo, Local, Next, Previous, Step);
    byPostAndStart(&W, Halo, Local, Next, Previous, Step);
    MPI_Barrier(MPI_COMM_WORLD);

    long long One = 1, Old = -1;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, Counters);
    MPI_Accumulate(&One, 1, MPI_LONG_LONG, 0, 0, 1, MPI_LONG_LONG, MPI_SUM,
                   Counters);
    MPI_Win_unlock(0, Counters);

    MPI_Win_lock_all(0, Counters);
    MPI_Fetch_and_op(&One, &Old, MPI_LONG_LONG, Next, 1, MPI_SUM, Counters);
    MPI_Win_flush(Next, Counters);
    require(&W, Old == 2 * Step);
    long long Expected = 2 * Step + 1, New = 2 * Step + 2;
    MPI_Compare_and_swap(&New, &Expected, &Old, MPI_LONG_LONG, Next, 1,
                         Counters);
    MPI_Win_flush_all(Counters);
    require(&W, Old == Expected);
    MPI_Win_unlock_all(Counters);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, W.Rank, 0, Counters);
  require(&W,
          Counter[0] == (W.Rank == 0 ? (long long)W.Iterations * W.Ranks : 0));
  MPI_Win_unlock(W.Rank, Counters);

  MPI_Win_free(&Counters);
  MPI_Win_free(&Halo);
  free(Local);
  return endWorkload(&W, "rma");
}
