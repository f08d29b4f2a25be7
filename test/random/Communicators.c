// Communicators, groups, and what belongs to them.
#include "RandomCalls.h"

void makeComm(void) {
  if (NumComms == MaxComms)
    return;
  Comm *C = anyComm();
  MPI_Comm New = MPI_COMM_NULL;
  int How = draw(7), Mod = anyParts(), Reverse = draw(2);
  if (IsThread && (How == 3 || How == 5 || How == 6))
    How = 0;
  switch (How) {
  case 0:
    MPI_Comm_dup(C->C, &New);
    break;
  case 1:
  case 2:
    MPI_Comm_split(C->C, C->Rank % Mod, Reverse ? -C->Rank : C->Rank, &New);
    break;
  case 3: {
    MPI_Request R;
    MPI_Comm_idup(C->C, &New, &R);
    MPI_Wait(&R, MPI_STATUS_IGNORE);
    break;
  }
  case 4: {
    MPI_Group All, Half;
    int Ranks[Largest], N = 0;
    for (int I = 0; I < C->Size; ++I)
      if (I % Mod == C->Rank % Mod)
        Ranks[N++] = I;
    MPI_Comm_group(C->C, &All);
    MPI_Group_incl(All, N, Ranks, &Half);
    if (Reverse)
      MPI_Comm_create(C->C, Half, &New);
    else
      MPI_Comm_create_group(C->C, Half, 9, &New);
    MPI_Group_free(&Half);
    MPI_Group_free(&All);
    break;
  }
  case 5:
    MPI_Comm_split_type(C->C, MPI_COMM_TYPE_SHARED, C->Rank, MPI_INFO_NULL, &New);
    break;
  default: {
    int Dims[2] = {0, 0}, Periods[2] = {Reverse, 1};
    MPI_Dims_create(C->Size, 2, Dims);
    MPI_Cart_create(C->C, 2, Dims, Periods, 0, &New);
  }
  }
  if (draw(3) == 0) {
    char Name[32];
    snprintf(Name, sizeof Name, "comm %d", draw(4));
    MPI_Comm_set_name(New, Name);
  }
  setComm(NumComms++, New);
}

void freeComm(void) {
  if (NumComms < 2)
    return;
  int At = 1 + draw(NumComms - 1);
  if (draw(2)) // what is under way goes on
    completeAll();
  MPI_Comm_free(&Comms[At].C);
  Comms[At] = Comms[--NumComms];
}

void neighbours(void) {
  Comm *C = anyComm();
  if (IsThread)
    return;
  int Dims[1], Periods[1] = {draw(2)}, Status;
  MPI_Comm Line;
  Dims[0] = C->Size;
  double From[8] = {0}, To[8] = {0};
  if (draw(2)) {
    MPI_Cart_create(C->C, 1, Dims, Periods, 0, &Line);
  } else {
    int In[2] = {(C->Rank + 1) % C->Size, C->Rank}, Out[2] = {(C->Rank + C->Size - 1) % C->Size, C->Rank};
    MPI_Dist_graph_create_adjacent(C->C, 2, In, MPI_UNWEIGHTED, 2, Out, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &Line);
  }
  MPI_Topo_test(Line, &Status);
  if (Status == MPI_CART) {
    int Coord, Source, Dest, R;
    MPI_Comm_rank(Line, &R);
    MPI_Cart_coords(Line, R, 1, &Coord);
    MPI_Cart_shift(Line, 0, 1, &Source, &Dest);
    MPI_Sendrecv(From, 1, MPI_DOUBLE, Dest, 0, To, 1, MPI_DOUBLE, Source, 0, Line, MPI_STATUS_IGNORE);
  }
  int How = draw(3);
  if (How == 0)
    MPI_Neighbor_allgather(From, 1, MPI_DOUBLE, To, 1, MPI_DOUBLE, Line);
  else if (How == 1)
    MPI_Neighbor_alltoall(From, 2, MPI_DOUBLE, To, 2, MPI_DOUBLE, Line);
  else {
    MPI_Request R;
    MPI_Ineighbor_alltoall(From, 1, MPI_DOUBLE, To, 1, MPI_DOUBLE, Line, &R);
    MPI_Wait(&R, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&Line);
}

void otherTopologies(void) {
  Comm *C = anyComm();
  if (IsThread)
    return;
  MPI_Comm G, Sub;
  int How = draw(3), A[4] = {0}, B[32] = {0};
  if (How == 0) {
    int Index[Largest], Edges[2 * Largest];
    for (int I = 0; I < C->Size; ++I)
      Index[I] = 2 * (I + 1), Edges[2 * I] = (I + 1) % C->Size, Edges[2 * I + 1] = (I + C->Size - 1) % C->Size;
    MPI_Graph_create(C->C, C->Size, Index, Edges, 0, &G);
    MPI_Neighbor_allgather(A, 1, MPI_INT, B, 1, MPI_INT, G);
  } else if (How == 1) {
    int Dims[2] = {0, 0}, Periods[2] = {0, 1}, Keep[2] = {1, 0};
    MPI_Dims_create(C->Size, 2, Dims);
    MPI_Cart_create(C->C, 2, Dims, Periods, 0, &G);
    MPI_Cart_sub(G, Keep, &Sub);
    MPI_Allreduce(A, B, 1, MPI_INT, MPI_SUM, Sub);
    MPI_Comm_free(&Sub);
    int Counts[4] = {1, 1, 1, 1}, Places[4] = {0, 1, 2, 3};
    MPI_Neighbor_alltoallv(A, Counts, Places, MPI_INT, B, Counts, Places, MPI_INT, G);
  } else {
    int Source = C->Rank, Degree = 1, Dest = (C->Rank + 1) % C->Size, In, Out, Weighted;
    MPI_Dist_graph_create(C->C, 1, &Source, &Degree, &Dest, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &G);
    MPI_Dist_graph_neighbors_count(G, &In, &Out, &Weighted);
    MPI_Neighbor_allgather(A, 1, MPI_INT, B, 1, MPI_INT, G);
  }
  MPI_Comm_free(&G);
}

void between(void) { // two halves
  Comm *C = anyComm();
  const int Merges = draw(2);
  if (C->Size < 2 || IsThread)
    return;
  MPI_Comm Half, Inter, Again;
  int Upper = C->Rank >= C->Size / 2, Value = 1, All = 0, Remote;
  MPI_Comm_split(C->C, Upper, C->Rank, &Half);
  MPI_Intercomm_create(Half, 0, C->C, Upper ? 0 : C->Size / 2, 12, &Inter);
  MPI_Comm_remote_size(Inter, &Remote);
  MPI_Allreduce(&Value, &All, 1, MPI_INT, MPI_SUM, Inter);
  int R;
  MPI_Comm_rank(Inter, &R);
  if (R < Remote && R < (Upper ? C->Size - C->Size / 2 : C->Size / 2) && R < C->Size / 2)
    MPI_Sendrecv(&Value, 1, MPI_INT, R, 0, &All, 1, MPI_INT, R, 0, Inter, MPI_STATUS_IGNORE);
  if (Merges) {
    MPI_Intercomm_merge(Inter, Upper, &Again);
    MPI_Barrier(Again);
    MPI_Comm_free(&Again);
  }
  MPI_Comm_free(&Inter);
  MPI_Comm_free(&Half);
}

void groups(void) {
  Comm *C = anyComm();
  MPI_Group A, B, D;
  int Range[1][3] = {{0, C->Size - 1, 2}}, R;
  MPI_Comm_group(C->C, &A);
  MPI_Group_range_incl(A, 1, Range, &B);
  switch (draw(3)) {
  case 0:
    MPI_Group_union(A, B, &D);
    break;
  case 1:
    MPI_Group_intersection(A, B, &D);
    break;
  default:
    MPI_Group_difference(A, B, &D);
  }
  MPI_Group_rank(D, &R);
  if (D != MPI_GROUP_EMPTY)
    MPI_Group_free(&D);
  MPI_Group_free(&B);
  MPI_Group_free(&A);
}

static int copyAttribute(MPI_Comm C, int K, void *Extra, void *In, void *Out, int *Flag) {
  (void)K, (void)Extra;
  int Size;
  MPI_Comm_size(C, &Size);
  *(void **)Out = In;
  *Flag = 1;
  return MPI_SUCCESS;
}

static int deleteAttribute(MPI_Comm C, int K, void *Value, void *Extra) {
  (void)K, (void)Extra;
  int Rank;
  for (int I = (int)((char *)Value - Data) % 4; I > 0; --I)
    MPI_Comm_rank(C, &Rank);
  if (Value == Data + 7)
    MPI_Comm_compare(C, MPI_COMM_SELF, &Rank);
  return MPI_SUCCESS;
}

void attributes(void) {
  Comm *C = anyComm();
  MPI_Comm New;
  int Key, Flag;
  void *Value;
  if (IsThread)
    return;
  MPI_Comm_create_keyval(draw(2) ? copyAttribute : MPI_COMM_DUP_FN, deleteAttribute, &Key, NULL);
  MPI_Comm_set_attr(C->C, Key, Data + draw(16));
  MPI_Comm_dup(C->C, &New);
  MPI_Comm_get_attr(New, Key, &Value, &Flag);
  if (draw(2))
    MPI_Comm_delete_attr(New, Key);
  MPI_Comm_free(&New);
  MPI_Comm_delete_attr(C->C, Key);
  MPI_Comm_free_keyval(&Key);
}

static void handleError(MPI_Comm *C, int *Code, ...) {
  int N;
  for (int I = 0; I < 2; ++I)
    MPI_Comm_size(*C, &N);
  MPI_Error_class(*Code, &N);
}

void errors(void) {
  Comm *C = anyComm();
  MPI_Errhandler H;
  int Class;
  if (IsThread)
    return;
  if (draw(2)) {
    MPI_Comm_create_errhandler(handleError, &H);
    MPI_Comm_set_errhandler(C->C, H);
    MPI_Errhandler_free(&H);
  } else
    MPI_Comm_set_errhandler(C->C, MPI_ERRORS_RETURN);
  int E = MPI_Send(Data, 1, MPI_INT, C->Size + draw(5), 0, C->C);
  MPI_Error_class(E, &Class);
  MPI_Comm_set_errhandler(C->C, MPI_ERRORS_ARE_FATAL);
}
