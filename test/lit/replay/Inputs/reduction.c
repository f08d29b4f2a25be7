// A user's reduction, which calls MPI itself, and one that does not commute.
#include <mpi.h>
#include <stdlib.h>

static void largest(void *In, void *InOut, int *Length, MPI_Datatype *Type) {
  int Size;
  MPI_Type_size(*Type, &Size);
  for (int I = 0; I < *Length * Size / (int)sizeof(int); ++I)
    if (((int *)In)[I] > ((int *)InOut)[I])
      ((int *)InOut)[I] = ((int *)In)[I];
}

static void first(void *In, void *InOut, int *Length, MPI_Datatype *Type) {
  (void)Type;
  for (int I = 0; I < 2 * *Length; ++I)
    ((int *)InOut)[I] = ((int *)In)[I];
}

int main(int Argc, char **Argv) {
  int Rank, *Mine = malloc(8 * sizeof(int)), *All = malloc(8 * sizeof(int));
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Op Largest, First;
  MPI_Datatype Pair;
  MPI_Op_create(largest, 1, &Largest);
  MPI_Op_create(first, 0, &First);
  MPI_Type_contiguous(2, MPI_INT, &Pair);
  MPI_Type_commit(&Pair);
  for (int I = 0; I < 8; ++I)
    Mine[I] = Rank * 8 + I;
  MPI_Allreduce(Mine, All, 4, Pair, Largest, MPI_COMM_WORLD);
  MPI_Reduce(Mine, All, 4, Pair, First, 0, MPI_COMM_WORLD);
  MPI_Scan(Mine, All, 4, Pair, First, MPI_COMM_WORLD);
  MPI_Reduce_local(Mine, All, 4, Pair, Largest);
  MPI_Op_free(&Largest);
  MPI_Op_free(&First);
  MPI_Type_free(&Pair);
  free(Mine);
  free(All);
  MPI_Finalize();
  return 0;
}
