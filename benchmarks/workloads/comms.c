// Objects made and freed in a loop: communicators (dup, split, create_group),
// groups, and derived types. Handles come back after a free, so a tracer that
// names objects by handle, or never reuses names, mixes them up or grows
// (symbolic ids and their pools in Pilgrim, TPDS 2022, sec. 2.3.3).
#include "Workload.h"

#include <stddef.h>

typedef struct {
  int Id;
  double Place[3];
} Particle;

static void useCommunicators(Workload *W, int Step) {
  MPI_Comm Copy, Half, Even;
  int Rank, Size, One = 1, Sum = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &Copy);
  MPI_Comm_split(Copy, (W->Rank + Step) % 2, -W->Rank, &Half);
  MPI_Comm_rank(Half, &Rank);
  MPI_Comm_size(Half, &Size);
  MPI_Allreduce(&One, &Sum, 1, MPI_INT, MPI_SUM, Half);
  require(W, Sum == Size && Rank == (W->Ranks - 1 - W->Rank) / 2);

  // The even ranks, by a call that only they make.
  MPI_Group World, Evens;
  int Range[1][3] = {{0, W->Ranks - 1, 2}};
  MPI_Comm_group(MPI_COMM_WORLD, &World);
  MPI_Group_range_incl(World, 1, Range, &Evens);
  MPI_Group_rank(Evens, &Rank);
  if (Rank != MPI_UNDEFINED) {
    MPI_Comm_create_group(MPI_COMM_WORLD, Evens, Step % 3, &Even);
    MPI_Comm_size(Even, &Size);
    require(W, Rank == W->Rank / 2 && Size == (W->Ranks + 1) / 2);
    MPI_Bcast(&One, 1, MPI_INT, 0, Even);
    MPI_Comm_free(&Even);
  }
  MPI_Group_free(&Evens);
  MPI_Group_free(&World);
  MPI_Comm_free(&Half);
  MPI_Comm_free(&Copy);
}

static void useGroups(Workload *W) {
  MPI_Group World, First, Rest, Both;
  int Zero = 0, Translated = -1, Size, Result;
  MPI_Comm_group(MPI_COMM_WORLD, &World);
  MPI_Group_incl(World, 1, &Zero, &First);
  MPI_Group_excl(World, 1, &Zero, &Rest);
  MPI_Group_union(Rest, First, &Both);
  MPI_Group_size(Both, &Size);
  MPI_Group_translate_ranks(Both, 1, &Zero, World, &Translated);
  MPI_Group_compare(Both, World, &Result);
  require(W, Size == W->Ranks && Translated == (W->Ranks > 1) &&
                 Result == (W->Ranks > 1 ? MPI_SIMILAR : MPI_IDENT));
  MPI_Group_free(&Both);
  MPI_Group_free(&Rest);
  MPI_Group_free(&First);
  MPI_Group_free(&World);
}

static void useTypes(Workload *W, int Step) {
  MPI_Datatype Column, Block, Fields, Padded, Sparse;
  int Lengths[2] = {1, 3}, Sizes[2] = {8, 8}, Parts[2] = {3, 2},
      Starts[2] = {1, Step % 4};
  int Counts[2] = {2, 1}, Offsets[2] = {0, 4 + Step % 2}, Size;
  MPI_Aint Places[2] = {offsetof(Particle, Id), offsetof(Particle, Place)},
           Lower, Extent;
  MPI_Datatype Kinds[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &Column);
  MPI_Type_create_subarray(2, Sizes, Parts, Starts, MPI_ORDER_C, MPI_DOUBLE,
                           &Block);
  MPI_Type_create_struct(2, Lengths, Places, Kinds, &Fields);
  MPI_Type_create_resized(Fields, 0, sizeof(Particle), &Padded);
  MPI_Type_indexed(2, Counts, Offsets, MPI_INT, &Sparse);
  MPI_Type_commit(&Column);
  MPI_Type_commit(&Block);
  MPI_Type_commit(&Padded);
  MPI_Type_commit(&Sparse);
  MPI_Type_size(Block, &Size);
  MPI_Type_get_extent(Padded, &Lower, &Extent);
  require(W, Size == 48 && Lower == 0 && Extent == sizeof(Particle));

  double Matrix[64] = {0}, Row[8] = {0};
  Particle Mine[2] = {{W->Rank, {1, 2, 3}}, {Step, {4, 5, 6}}},
           Theirs[2] = {{0, {0}}, {0, {0}}};
  int Next = (W->Rank + 1) % W->Ranks,
      Previous = (W->Rank + W->Ranks - 1) % W->Ranks;
  stamp(Row, 8, W->Rank, Next, Step);
  MPI_Sendrecv(Row, 8, MPI_DOUBLE, Next, 1, Matrix, 1, Column, Previous, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int I = 0; I < 8; ++I)
    Row[I] = Matrix[8 * I];
  expect(W, Row, 8, Previous, W->Rank, Step);
  MPI_Sendrecv(Mine, 2, Padded, Next, 2, Theirs, 2, Padded, Previous, 2,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  require(W, Theirs[0].Id == Previous && Theirs[1].Place[2] == 6);
  MPI_Type_free(&Sparse);
  MPI_Type_free(&Padded);
  MPI_Type_free(&Fields);
  MPI_Type_free(&Block);
  MPI_Type_free(&Column);
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 10, 1);
  for (int Step = 0; Step < W.Iterations; ++Step) {
    useCommunicators(&W, Step);
    useGroups(&W);
    useTypes(&W, Step);
  }
  return endWorkload(&W, "comms");
}
