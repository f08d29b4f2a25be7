// Windows of every kind with the three ways to synchronise.
#include <mpi.h>
#include <stdlib.h>

int main(int Argc, char **Argv) {
  int Rank, Ranks;
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  int Next = (Rank + 1) % Ranks, Last = (Rank + Ranks - 1) % Ranks;
  int *Mine = calloc(16, sizeof(int)), *Given, *Shared, Own[4] = {Rank};
  MPI_Win Created, Allocated, Common;
  MPI_Win_create(Mine, 16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &Created);
  MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &Given, &Allocated);
  MPI_Win_allocate_shared(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &Shared, &Common);
  MPI_Win_fence(0, Created);
  MPI_Put(Own, 4, MPI_INT, Next, 4, 4, MPI_INT, Created);
  MPI_Win_fence(0, Created);
  MPI_Get(Given, 4, MPI_INT, Last, 0, 4, MPI_INT, Created);
  MPI_Win_fence(0, Created);
  MPI_Group World, To, From;
  MPI_Comm_group(MPI_COMM_WORLD, &World);
  MPI_Group_incl(World, 1, &Next, &To);
  MPI_Group_incl(World, 1, &Last, &From);
  MPI_Win_post(From, 0, Allocated);
  MPI_Win_start(To, 0, Allocated);
  MPI_Accumulate(Own, 4, MPI_INT, Next, 0, 4, MPI_INT, MPI_SUM, Allocated);
  MPI_Win_complete(Allocated);
  MPI_Win_wait(Allocated);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, Next, 0, Common);
  MPI_Put(Own, 1, MPI_INT, Next, 2, 1, MPI_INT, Common);
  MPI_Win_unlock(Next, Common);
  MPI_Win_lock_all(0, Allocated);
  MPI_Request Done;
  MPI_Rput(Own, 1, MPI_INT, Next, 1, 1, MPI_INT, Allocated, &Done);
  MPI_Wait(&Done, MPI_STATUS_IGNORE);
  MPI_Win_flush(Next, Allocated);
  MPI_Win_unlock_all(Allocated);
  MPI_Group_free(&To);
  MPI_Group_free(&From);
  MPI_Group_free(&World);
  MPI_Win_free(&Common);
  MPI_Win_free(&Allocated);
  MPI_Win_free(&Created);
  // The program's own memory, with the name that a window's had, and larger.
  int *After = malloc(4096 * sizeof(int));
  MPI_Bcast(After, 4096, MPI_INT, 0, MPI_COMM_WORLD);
  free(After);
  int *Memory;
  MPI_Alloc_mem(256, MPI_INFO_NULL, &Memory);
  MPI_Bcast(Memory, 64, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Free_mem(Memory);
  // Windows of one name: whose memory goes with them, and whose does not.
  for (int I = 0; I < 4; ++I) {
    MPI_Win Same;
    if (I % 2) {
      MPI_Alloc_mem(64, MPI_INFO_NULL, &Memory);
      MPI_Win_create(Memory, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &Same);
    } else {
      MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &Memory, &Same);
    }
    MPI_Win_free(&Same);
    if (I % 2)
      MPI_Free_mem(Memory);
  }
  // Another rank's part of the memory has a name, too; both go with the window, and their names pass on.
  for (int I = 0; I < 3; ++I) {
    MPI_Win Same;
    MPI_Aint Bytes;
    int Unit, *Theirs;
    MPI_Win_allocate_shared(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &Memory, &Same);
    MPI_Win_shared_query(Same, Next, &Bytes, &Unit, &Theirs);
    MPI_Win_fence(0, Same);
    MPI_Allreduce(MPI_IN_PLACE, Memory, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_free(&Same);
    int *Heap = calloc(256, sizeof(int)), *More = calloc(256, sizeof(int));
    MPI_Allreduce(Heap, More, 256, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    free(Heap);
    free(More);
  }
  free(Mine);
  MPI_Finalize();
  return 0;
}
