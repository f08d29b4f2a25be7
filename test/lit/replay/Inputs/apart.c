// A datatype that goes from one block to others, by how far these are from it. "far": to one that lies elsewhere
// altogether.
#include <mpi.h>
#include <stdlib.h>

int main(int Argc, char **Argv) {
  enum { Size = 1 << 20, Parts = 3 };
  MPI_Init(&Argc, &Argv);
  char *Blocks[Parts], *Small = calloc(1, 64);
  MPI_Aint At[Parts];
  int Lengths[Parts] = {40, 40, 40}, Rank;
  MPI_Datatype Type;
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  for (int I = 0; I < Parts; ++I) {
    Blocks[I] = calloc(64, Size); // each is mapped by itself
    MPI_Get_address(Blocks[I], &At[I]);
  }
  if (Argc > 1) // the heap lies below what is mapped
    MPI_Get_address(Small, &At[0]);
  // From the one in the middle, so that the others lie before it and behind it.
  const MPI_Aint From = At[1];
  for (int I = 0; I < Parts; ++I)
    At[I] -= From;
  MPI_Type_create_hindexed(Parts, Lengths, At, MPI_BYTE, &Type);
  MPI_Type_commit(&Type);
  for (int I = 0; I < 10; ++I) {
    MPI_Bcast(Blocks[1], 1, Type, 0, MPI_COMM_WORLD);
    MPI_Sendrecv(Blocks[1], 1, Type, Rank ^ 1, 0, Blocks[1] + 64, Size, MPI_BYTE, Rank ^ 1, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&Type);
  for (int I = 0; I < Parts; ++I)
    free(Blocks[I]);
  free(Small);
  MPI_Finalize();
  return 0;
}
