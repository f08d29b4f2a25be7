/* Parts of arrays, drawn at random, put where their first byte is the first byte of a block, and structs of complex
   numbers. Whoever makes these calls again has to know where the data of each datatype lie. */
#include <mpi.h>
#include <stdlib.h>

static unsigned State;

static int draw(int Below) {
  State = State * 1103515245u + 12345u;
  return (int)(State >> 16) % Below;
}

/* A part of an array of Old. */
static MPI_Datatype array(MPI_Datatype Old) {
  enum { Most = 3 };
  int Sizes[Most], Parts[Most], Starts[Most], Ways[Most], Args[Most], Grid[Most], Processes = 1;
  const int Dimensions = 1 + draw(Most), Order = draw(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  const int IsSub = draw(2);
  MPI_Datatype Type;
  for (int D = 0; D < Dimensions; ++D) {
    Sizes[D] = 1 + draw(9);
    Parts[D] = 1 + draw(Sizes[D]);
    Starts[D] = draw(Sizes[D] - Parts[D] + 1);
    Ways[D] = (int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE}[draw(3)];
    Grid[D] = Ways[D] == MPI_DISTRIBUTE_NONE ? 1 : 1 + draw(3);
    Args[D] = Ways[D] == MPI_DISTRIBUTE_NONE || draw(2) ? MPI_DISTRIBUTE_DFLT_DARG
              : Ways[D] == MPI_DISTRIBUTE_BLOCK         ? (Sizes[D] + Grid[D] - 1) / Grid[D] + draw(2)
                                                        : 1 + draw(3);
    Processes *= Grid[D];
  }
  if (IsSub)
    MPI_Type_create_subarray(Dimensions, Sizes, Parts, Starts, Order, Old, &Type);
  else
    MPI_Type_create_darray(Processes, draw(Processes), Dimensions, Sizes, Ways, Args, Grid, Order, Old, &Type);
  return Type;
}

/* Type, begun where its data begin: sends and receives two of it. */
static void use(MPI_Datatype Type) {
  MPI_Aint First, Bytes, Lower, Extent;
  MPI_Datatype Moved, Whole;
  MPI_Type_get_true_extent(Type, &First, &Bytes);
  MPI_Type_get_extent(Type, &Lower, &Extent);
  First = -First;
  MPI_Type_create_hindexed(1, (int[]){1}, &First, Type, &Moved);
  MPI_Type_create_resized(Moved, 0, Extent, &Whole);
  MPI_Type_commit(&Whole);
  const size_t Size = (size_t)(Bytes + (Extent > 0 ? Extent : 0));
  char *From = calloc(1, Size + 1), *To = calloc(1, Size + 1);
  int Packed;
  MPI_Type_size(Whole, &Packed);
  if (Packed) {
    MPI_Sendrecv(From, 2, Whole, 0, 1, To, 2, Whole, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
  free(From);
  free(To);
  MPI_Type_free(&Whole);
  MPI_Type_free(&Moved);
}

int main(int Count, char **Arguments) {
  int Rank;
  MPI_Init(&Count, &Arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  State = 7 + (unsigned)Rank;
  const MPI_Datatype Plain[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX,
                                MPI_2INT};
  for (int I = 0; I < 60; ++I) {
    const MPI_Datatype Old = Plain[draw(7)];
    /* Padded at its end, as its parts are aligned. */
    MPI_Datatype Pair, Part, Nested;
    MPI_Type_create_struct(7, (int[]){1, 1, 1, 1, 1, 1, 1}, (MPI_Aint[]){draw(2) * 8, 32, 48, 64, 80, 96, 112},
                           (MPI_Datatype[]){Old, Old, Old, Old, Old, Old, MPI_CHAR}, &Pair);
    Part = array(draw(2) ? Pair : Old);
    use(Part);
    Nested = array(Part);
    use(Nested);
    MPI_Type_free(&Nested);
    MPI_Type_free(&Part);
    MPI_Type_free(&Pair);
  }
  MPI_Finalize();
  return 0;
}
