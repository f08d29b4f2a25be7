// Windows to which ranks attach memory of all kinds; the others reach it by addresses that they get in messages.
#include <mpi.h>
#include <stdlib.h>

static double Data[4][64];

int main(int Argc, char **Argv) {
  enum { Places = 4 };
  int Rank, Ranks, Stack[32] = {0};
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  MPI_Aint Own[Places], *All = malloc((size_t)Ranks * Places * sizeof(MPI_Aint));
  MPI_Win Window;
  // Large, so that it lies by itself on all ranks: where two blocks meet, an address could be of either.
  enum { Many = 1 << 18 };
  int *Heap = calloc(Many, sizeof(int)), *FromMpi;
  double Value[64] = {0};
  MPI_Alloc_mem(64 * sizeof(int), MPI_INFO_NULL, &FromMpi);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &Window);
  MPI_Win_attach(Window, Data[1], sizeof Data[1]);
  MPI_Win_attach(Window, Heap, 256 * sizeof(int));
  MPI_Win_attach(Window, Stack, sizeof Stack);
  MPI_Win_attach(Window, FromMpi, 64 * sizeof(int));
  MPI_Get_address(Data[1], &Own[0]);
  MPI_Get_address(Heap, &Own[1]);
  MPI_Get_address(Stack, &Own[2]);
  MPI_Get_address(FromMpi, &Own[3]);
  MPI_Allgather(Own, Places, MPI_AINT, All, Places, MPI_AINT, MPI_COMM_WORLD);
  const int Next = (Rank + 1) % Ranks;
  const MPI_Aint *Of = &All[Next * Places];
  for (int I = 0; I < 5; ++I) {
    MPI_Win_fence(0, Window);
    MPI_Put(Value, 8, MPI_DOUBLE, Next, Of[0] + 128, 8, MPI_DOUBLE, Window);
    MPI_Accumulate(&Rank, 1, MPI_INT, Next, Of[1] + 1000, 1, MPI_INT, MPI_SUM, Window);
    MPI_Win_fence(0, Window);
  }
  MPI_Win_lock_all(0, Window);
  for (int I = 0; I < 3; ++I) {
    MPI_Request Done;
    MPI_Rget(&Value[8], 4, MPI_INT, Next, Of[2] + 16, 4, MPI_INT, Window, &Done);
    MPI_Wait(&Done, MPI_STATUS_IGNORE);
    int One = 1, Was;
    MPI_Fetch_and_op(&One, &Was, MPI_INT, Next, Of[3] + 4 * I, MPI_SUM, Window);
    MPI_Win_flush(Next, Window);
  }
  MPI_Win_unlock_all(Window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_detach(Window, Heap);
  MPI_Win_detach(Window, Data[1]);
  MPI_Win_detach(Window, Stack);
  MPI_Win_detach(Window, FromMpi);
  // Some other memory in the same place, and the same once more.
  free(Heap);
  Heap = calloc(Many, sizeof(int));
  MPI_Win_attach(Window, Heap, 512 * sizeof(int));
  MPI_Win_attach(Window, Data[1], sizeof Data[1]);
  MPI_Get_address(Heap, &Own[1]);
  MPI_Allgather(Own, Places, MPI_AINT, All, Places, MPI_AINT, MPI_COMM_WORLD);
  MPI_Win_fence(0, Window);
  MPI_Put(&Rank, 1, MPI_INT, Next, Of[1] + 2040, 1, MPI_INT, Window);
  MPI_Get(Value, 8, MPI_DOUBLE, Next, Of[0], 8, MPI_DOUBLE, Window);
  MPI_Win_fence(0, Window);
  MPI_Win_detach(Window, Heap);
  MPI_Win_detach(Window, Data[1]);
  MPI_Win_free(&Window);
  MPI_Free_mem(FromMpi);
  free(Heap);
  free(All);
  MPI_Finalize();
  return 0;
}
