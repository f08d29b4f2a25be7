// Collectives, neighbourhoods, communicators and groups.

#include "EveryCall.h"

enum { Room = MaxRanks * MaxRanks };
static int Out[Room], In[Room], Counts[MaxRanks], Displs[MaxRanks];
static int OutCounts[MaxRanks], OutDispls[MaxRanks];

// Makes a covered call within a collective.
static void larger(void *Ours, void *Theirs, int *Length, MPI_Datatype *Type) {
  (void)Type;
  int Asked;
  MPI_Comm_rank(MPI_COMM_WORLD, &Asked);
  for (int I = 0; I < *Length; ++I)
    if (((int *)Ours)[I] > ((int *)Theirs)[I])
      ((int *)Theirs)[I] = ((int *)Ours)[I];
}

static void vectors(MPI_Comm C, int Me, int All, int Round) {
  int Root = Round % All;
  for (int I = 0; I < All; ++I) {
    Counts[I] = (I + Round) % 3;
    Displs[I] = 3 * I;
  }
  MPI_Gatherv(Out, Counts[Me], MPI_INT, In, Me == Root ? Counts : NULL,
              Me == Root ? Displs : NULL, MPI_INT, Root, C);
  MPI_Scatterv(Me == Root ? Out : NULL, Counts, Displs,
               Me == Root ? MPI_INT : MPI_DATATYPE_NULL, In, Counts[Me],
               MPI_INT, Root, C);
  MPI_Scatterv(Out, Counts, Displs, MPI_INT, Me == Root ? MPI_IN_PLACE : In,
               Counts[Me], MPI_INT, Root, C);
  MPI_Allgatherv(Out, Counts[Me], MPI_INT, In, Counts, Displs, MPI_INT, C);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, In, Counts, Displs,
                 MPI_INT, C);
  MPI_Reduce_scatter(Out, In, Counts, MPI_INT, MPI_SUM, C);
  MPI_Reduce_scatter_block(Out, In, 2, MPI_INT, MPI_SUM, C);

  // What Me sends to I is what I receives from Me.
  MPI_Datatype Types[MaxRanks];
  for (int I = 0; I < All; ++I) {
    OutCounts[I] = (Me + 2 * I + Round) % 4;
    Counts[I] = (I + 2 * Me + Round) % 4;
    OutDispls[I] = Displs[I] = 4 * I;
    Types[I] = I % 2 ? MPI_INT : MPI_FLOAT;
  }
  MPI_Alltoallv(Out, OutCounts, OutDispls, MPI_INT, In, Counts, Displs, MPI_INT,
                C);
  MPI_Request Request;
  MPI_Ialltoallv(Out, OutCounts, OutDispls, MPI_INT, In, Counts, Displs,
                 MPI_INT, C, &Request);
  MPI_Wait(&Request, MPI_STATUS_IGNORE);
  for (int I = 0; I < All; ++I)
    OutDispls[I] = Displs[I] = 16 * I;
  MPI_Datatype Mine[MaxRanks];
  for (int I = 0; I < All; ++I)
    Mine[I] = Me % 2 ? MPI_INT : MPI_FLOAT;
  MPI_Alltoallw(Out, OutCounts, OutDispls, Types, In, Counts, Displs, Mine, C);
}

void collectives(MPI_Comm C, int Round) {
  int Me, All;
  MPI_Comm_rank(C, &Me);
  MPI_Comm_size(C, &All);
  int Root = (Round + 1) % All;
  MPI_Request R[3];
  MPI_Bcast(Out, 1 + Round, MPI_INT, Root, C);
  MPI_Reduce(Out, Me == Root ? In : NULL, 4, MPI_INT, MPI_MAX, Root, C);
  MPI_Reduce(Me == Root ? MPI_IN_PLACE : Out, In, 4, MPI_INT, MPI_MIN, Root, C);
  MPI_Allreduce(MPI_IN_PLACE, In, 2, MPI_DOUBLE, MPI_SUM, C);
  MPI_Gather(Out, 2, MPI_INT, In, Me == Root ? 2 : -1, MPI_INT, Root, C);
  MPI_Scatter(Out, 2, MPI_INT, In, 2, MPI_INT, Root, C);
  MPI_Allgather(Out, 2, MPI_INT, In, 2, MPI_INT, C);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, In, 2, MPI_INT, C);
  MPI_Alltoall(Out, 1, MPI_INT, In, 1, MPI_INT, C);
  MPI_Scan(Out, In, 3, MPI_INT, MPI_SUM, C);
  MPI_Exscan(Out, In, 3, MPI_INT, MPI_SUM, C);
  MPI_Ibarrier(C, &R[0]);
  MPI_Ibcast(In, 4, MPI_INT, Root, C, &R[1]);
  MPI_Iallreduce(Out, &In[100], 4, MPI_INT, MPI_SUM, C, &R[2]);
  MPI_Waitall(3, R, MPI_STATUSES_IGNORE);
  vectors(C, Me, All, Round);
  MPI_Op Larger;
  MPI_Op_create(larger, 1, &Larger);
  MPI_Allreduce(Out, In, 2, MPI_INT, Larger, C);
  MPI_Op_free(&Larger);
}

void neighbors(void) {
  int Dims[2] = {0, 0}, Periods[2] = {1, 0}, Coords[2], From, To, Me;
  MPI_Comm Cart, Row, Ring;
  MPI_Dims_create(Size, 2, Dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, Dims, Periods, 0, &Cart);
  MPI_Comm_rank(Cart, &Me);
  MPI_Cart_coords(Cart, Me, 2, Coords);
  for (int Axis = 0; Axis < 2; ++Axis) {
    MPI_Cart_shift(Cart, Axis, 1, &From, &To);
    MPI_Sendrecv(Out, 5, MPI_INT, To, Axis, In, 5, MPI_INT, From, Axis, Cart,
                 MPI_STATUS_IGNORE);
  }
  MPI_Neighbor_alltoall(Out, 1, MPI_INT, In, 1, MPI_INT, Cart);
  MPI_Neighbor_allgather(Out, 1, MPI_INT, In, 1, MPI_INT, Cart);
  int Remain[2] = {0, 1};
  MPI_Cart_sub(Cart, Remain, &Row);
  MPI_Barrier(Row);

  // To the next two, from the last one and, twice as much, the one before.
  int Sources[2] = {(Rank + Size - 1) % Size, (Rank + Size - 2) % Size};
  int Targets[2] = {(Rank + 1) % Size, (Rank + 2) % Size};
  int Weights[2] = {1, 2}, Lengths[2] = {1, 2}, Starts[2] = {0, 1};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, Sources, Weights, 2,
                                 Targets, Weights, MPI_INFO_NULL, 0, &Ring);
  MPI_Neighbor_alltoallv(Out, Lengths, Starts, MPI_INT, In, Lengths, Starts,
                         MPI_INT, Ring);
  MPI_Comm_free(&Ring);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, Sources, MPI_UNWEIGHTED, 1,
                                 Targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &Ring);
  MPI_Neighbor_alltoall(Out, 1, MPI_INT, In, 1, MPI_INT, Ring);
  MPI_Comm_free(&Ring);
  MPI_Comm_free(&Row);
  MPI_Comm_free(&Cart);
}

void communicators(void) {
  MPI_Comm Dup, Some, Half, Inter, Merged;
  MPI_Group World, Evens, Odds, Both;
  MPI_Info Info;
  MPI_Info_create(&Info);
  MPI_Info_set(Info, "a \"key\"", "a\\value");
  MPI_Info_free(&Info);
  MPI_Comm_dup(MPI_COMM_WORLD, &Dup);
  MPI_Comm_group(Dup, &World);
  int Ranks[MaxRanks], Count = 0, Remote;
  for (int I = Size - 1; I >= 0; --I)
    if (I % 2 == 0)
      Ranks[Count++] = I;
  MPI_Group_incl(World, Count, Ranks, &Evens);
  MPI_Group_excl(World, Count, Ranks, &Odds);
  MPI_Group_union(Odds, Evens, &Both);
  if (Rank % 2 == 0) {
    MPI_Comm_create_group(Dup, Evens, 3, &Some);
    MPI_Bcast(Out, 1, MPI_INT, 0, Some);
    MPI_Comm_free(&Some);
  }
  MPI_Comm_create(Dup, Evens, &Some);
  if (Some != MPI_COMM_NULL)
    MPI_Comm_free(&Some);
  MPI_Comm_split(Dup, Rank == 0 ? MPI_UNDEFINED : 1, 0, &Some);
  if (Some != MPI_COMM_NULL)
    MPI_Comm_free(&Some);
  if (Size > 1) {
    MPI_Comm_split(Dup, Rank % 2, Rank, &Half);
    MPI_Intercomm_create(Half, 0, Dup, 1 - Rank % 2, 11, &Inter);
    MPI_Comm_remote_size(Inter, &Remote);
    int Root = Rank % 2 ? 0 : Rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(Out, 2, MPI_INT, Root, Inter);
    MPI_Allgather(Out, 1, MPI_INT, In, 1, MPI_INT, Inter);
    MPI_Intercomm_merge(Inter, Rank % 2, &Merged);
    MPI_Barrier(Merged);
    MPI_Comm_free(&Merged);
    MPI_Comm_free(&Inter);
    MPI_Comm_free(&Half);
  }
  MPI_Group_free(&Both);
  MPI_Group_free(&Odds);
  MPI_Group_free(&Evens);
  MPI_Group_free(&World);
  MPI_Comm_free(&Dup);
}
