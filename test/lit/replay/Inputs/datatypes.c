// Every constructor of datatypes. Each buffer is as large as its data and not larger.
#include <mpi.h>
#include <stdlib.h>

static int Rank, Ranks, Tag;

/// Sends Count elements of a type around a ring, from and to the least memory that holds them.
static void around(int Count, MPI_Datatype Type) {
  MPI_Aint Lb, Extent, TrueLb, TrueExtent;
  MPI_Type_commit(&Type);
  MPI_Type_get_extent(Type, &Lb, &Extent);
  MPI_Type_get_true_extent(Type, &TrueLb, &TrueExtent);
  size_t Bytes = (size_t)((Count - 1) * Extent + TrueLb + TrueExtent);
  char *From = malloc(Bytes), *To = malloc(Bytes);
  MPI_Sendrecv(From, Count, Type, (Rank + 1) % Ranks, Tag, To, Count, Type, (Rank + Ranks - 1) % Ranks, Tag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ++Tag;
  free(From);
  free(To);
  MPI_Type_free(&Type);
}

int main(int Argc, char **Argv) {
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  int Lengths[3] = {2, 0, 3}, Places[3] = {7, 3, 1}, Sizes[2] = {6, 8}, Parts[2] = {3, 2}, Starts[2] = {1, 5};
  MPI_Aint Bytes[3] = {40, 8, 0};
  MPI_Datatype Kinds[3] = {MPI_SHORT, MPI_DOUBLE, MPI_CHAR}, Type, Inner;
  MPI_Type_contiguous(5, MPI_DOUBLE_INT, &Type);
  around(3, Type);
  MPI_Type_vector(4, 2, 5, MPI_INT, &Type);
  around(2, Type);
  MPI_Type_create_hvector(4, 3, 20, MPI_SHORT, &Type);
  around(2, Type);
  MPI_Type_indexed(3, Lengths, Places, MPI_FLOAT, &Type);
  around(2, Type);
  MPI_Type_create_hindexed(3, Lengths, Bytes, MPI_FLOAT, &Type);
  around(2, Type);
  MPI_Type_create_indexed_block(3, 2, Places, MPI_INT, &Type);
  around(2, Type);
  MPI_Type_create_hindexed_block(3, 2, Bytes, MPI_INT, &Type);
  around(2, Type);
  MPI_Type_create_struct(3, Lengths, Bytes, Kinds, &Type);
  around(4, Type);
  MPI_Type_create_subarray(2, Sizes, Parts, Starts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &Type);
  around(2, Type);
  int Global[2] = {8, 8}, Ways[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, Args[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2},
      Grid[2] = {2, 2};
  MPI_Type_create_darray(4, Rank % 4, 2, Global, Ways, Args, Grid, MPI_ORDER_C, MPI_INT, &Type);
  around(1, Type);
  MPI_Type_vector(3, 1, 4, MPI_INT, &Inner);
  MPI_Type_create_resized(Inner, 0, 4, &Type);
  around(4, Type);
  MPI_Type_dup(Inner, &Type);
  around(2, Type);
  MPI_Type_create_struct(1, Lengths, Bytes, &Inner, &Type);
  around(2, Type);
  MPI_Type_free(&Inner);

  // Memory by its address.
  int Variable[4] = {Rank, 0, 0, 0}, *Block = calloc(4, sizeof(int));
  MPI_Aint At[2];
  MPI_Get_address(&Variable[1], &At[0]);
  MPI_Get_address(Block, &At[1]);
  MPI_Type_create_hindexed_block(2, 2, At, MPI_INT, &Type);
  MPI_Type_commit(&Type);
  MPI_Bcast(MPI_BOTTOM, 1, Type, 0, MPI_COMM_WORLD);
  MPI_Type_free(&Type);
  // Packed.
  char Packed[64];
  int Position = 0;
  MPI_Pack(Variable, 2, MPI_INT, Packed, 64, &Position, MPI_COMM_WORLD);
  MPI_Pack(Variable, 1, MPI_INT, Packed, 64, &Position, MPI_COMM_WORLD);
  MPI_Bcast(Packed, Position, MPI_PACKED, 0, MPI_COMM_WORLD);
  Position = 0;
  MPI_Unpack(Packed, 64, &Position, Variable, 3, MPI_INT, MPI_COMM_WORLD);
  // Where the position and what is packed keep changing.
  static int Numbers[64];
  static char More[1024];
  for (int I = 0; I < 200; ++I) {
    Position = I * 5 % 64;
    MPI_Pack(Numbers, I * 7 % 59, MPI_INT, More, 1024, &Position, MPI_COMM_WORLD);
    Position = I * 11 % 64;
    MPI_Unpack(More, 1024, &Position, Numbers, I * 13 % 61, MPI_INT, MPI_COMM_WORLD);
  }
  free(Block);
  MPI_Finalize();
  return 0;
}
