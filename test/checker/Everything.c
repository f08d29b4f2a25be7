// What the checker knows of, once or more often: messages of all kinds, their requests, communicators by all the ways to
// make them, and objects of every kind. On four ranks.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { Block = 64 };
static double Out[Block], In[8][Block];
static int Rank, Size;

static void plain(MPI_Comm C) {
  int Me, All;
  MPI_Comm_rank(C, &Me);
  MPI_Comm_size(C, &All);
  int Right = (Me + 1) % All, Left = (Me + All - 1) % All;
  MPI_Status S;
  MPI_Request R[4];
  MPI_Sendrecv(Out, Me + 1, MPI_DOUBLE, Right, Me, In[0], Block, MPI_DOUBLE, Left, MPI_ANY_TAG, C, &S);
  MPI_Sendrecv_replace(In[0], 2, MPI_INT, Left, 7, Right, 7, C, MPI_STATUS_IGNORE);
  MPI_Isendrecv(Out, 3, MPI_INT, Right, 9, In[1], 5, MPI_INT, Left, 9, C, &R[0]);
  MPI_Irecv(In[2], Block, MPI_DOUBLE, Left, 10, C, &R[1]);
  MPI_Irecv(In[3], Block, MPI_DOUBLE, Left, 10, C, &R[2]);
  MPI_Send(Out, 1, MPI_DOUBLE, Right, 10, C);
  MPI_Issend(Out, 2, MPI_DOUBLE, Right, 10, C, &R[3]);
  MPI_Waitall(4, R, MPI_STATUSES_IGNORE);
  // One that nobody answers.
  MPI_Irecv(In[0], 1, MPI_INT, Left, 11, C, &R[0]);
  MPI_Cancel(&R[0]);
  MPI_Wait(&R[0], &S);
  // Two with one tag, taken in their order; a third one overtakes them by its tag.
  MPI_Isend(Out, 4, MPI_INT, Right, 12, C, &R[0]);
  MPI_Isend(Out, 5, MPI_INT, Right, 12, C, &R[1]);
  MPI_Isend(Out, 6, MPI_INT, Right, 13, C, &R[2]);
  MPI_Recv(In[0], Block, MPI_INT, Left, 13, C, &S);
  MPI_Recv(In[0], Block, MPI_INT, Left, MPI_ANY_TAG, C, &S);
  MPI_Recv(In[0], Block, MPI_INT, MPI_ANY_SOURCE, 12, C, MPI_STATUS_IGNORE);
  MPI_Waitall(3, R, MPI_STATUSES_IGNORE);
  MPI_Send(Out, 1, MPI_INT, MPI_PROC_NULL, 1, C);
  MPI_Recv(In[0], 1, MPI_INT, MPI_PROC_NULL, 1, C, &S);
}

static void probes(MPI_Comm C) {
  int Right = (Rank + 1) % Size, Left = (Rank + Size - 1) % Size, Flag = 0, Index;
  MPI_Status S;
  MPI_Message M;
  MPI_Request R[3];
  for (int I = 0; I < 3; ++I)
    MPI_Isend(Out, 1 + I, MPI_INT, Right, 20 + I, C, &R[I]);
  MPI_Mprobe(Left, 21, C, &M, &S);
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, C, MPI_STATUS_IGNORE);
  while (!Flag)
    MPI_Iprobe(Left, 20, C, &Flag, &S);
  MPI_Mrecv(In[0], 8, MPI_INT, &M, MPI_STATUS_IGNORE);
  for (Flag = 0; !Flag;)
    MPI_Improbe(MPI_ANY_SOURCE, 20, C, &Flag, &M, MPI_STATUS_IGNORE);
  MPI_Request Receive;
  MPI_Imrecv(In[0], 8, MPI_INT, &M, &Receive);
  MPI_Wait(&Receive, &S);
  MPI_Recv(In[0], 8, MPI_INT, Left, 22, C, MPI_STATUS_IGNORE);
  do
    MPI_Waitany(3, R, &Index, &S);
  while (Index != MPI_UNDEFINED);
}

static void persistent(MPI_Comm C) {
  int Right = (Rank + 1) % Size, Left = (Rank + Size - 1) % Size, Count, Places[3];
  MPI_Request R[3], P[2];
  MPI_Send_init(Out, 3, MPI_DOUBLE, Right, 30, C, &R[0]);
  MPI_Recv_init(In[0], Block, MPI_DOUBLE, MPI_ANY_SOURCE, 30, C, &R[1]);
  MPI_Bcast_init(In[1], 1, MPI_INT, 0, C, MPI_INFO_NULL, &R[2]);
  for (int I = 0; I < 3; ++I) {
    MPI_Startall(2, R);
    MPI_Start(&R[2]);
    for (int Todo = 2; Todo > 0; Todo -= Count)
      MPI_Testsome(2, R, &Count, Places, MPI_STATUSES_IGNORE);
    MPI_Wait(&R[2], MPI_STATUS_IGNORE);
  }
  for (int I = 0; I < 3; ++I)
    MPI_Request_free(&R[I]);
  MPI_Psend_init(Out, 4, 2, MPI_INT, Right, 31, C, MPI_INFO_NULL, &P[0]);
  MPI_Precv_init(In[0], 4, 2, MPI_INT, Left, 31, C, MPI_INFO_NULL, &P[1]);
  MPI_Startall(2, P);
  MPI_Pready_range(0, 2, P[0]);
  MPI_Pready(3, P[0]);
  MPI_Wait(&P[0], MPI_STATUS_IGNORE);
  MPI_Wait(&P[1], MPI_STATUS_IGNORE);
  MPI_Request_free(&P[0]);
  MPI_Request_free(&P[1]);
}

static void communicators(void) {
  MPI_Comm Dup, Half, Inter, InterCopy, Merged, Cart, Row, Pair, Graph;
  MPI_Group All, Two, Again, Other;
  MPI_Request R;
  int Dims[2] = {2, 2}, Periods[2] = {1, 1}, Keep[2] = {0, 1};
  MPI_Comm_idup(MPI_COMM_WORLD, &Dup, &R);
  MPI_Wait(&R, MPI_STATUS_IGNORE);
  plain(Dup);
  MPI_Comm_split(Dup, Rank % 2, -Rank, &Half);
  plain(Half);
  MPI_Intercomm_create(Half, 0, Dup, Rank % 2 ? 3 - 1 : 3, 5, &Inter);
  MPI_Comm_dup(Inter, &InterCopy);
  int Me;
  MPI_Comm_rank(InterCopy, &Me);
  MPI_Sendrecv(Out, 2 + Rank, MPI_INT, Me, 3, In[0], Block, MPI_INT, Me, 3, InterCopy, MPI_STATUS_IGNORE);
  MPI_Intercomm_merge(InterCopy, Rank % 2, &Merged);
  plain(Merged);
  MPI_Cart_create(Merged, 2, Dims, Periods, 1, &Cart);
  MPI_Cart_sub(Cart, Keep, &Row);
  plain(Row);
  int Next = (Rank + 1) % Size, Before = (Rank + Size - 1) % Size;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &Before, MPI_UNWEIGHTED, 1, &Next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &Graph);
  plain(Graph);
  // Pairs with rank 0 in common, one after the other, by a call that only they make.
  MPI_Comm_group(MPI_COMM_WORLD, &All);
  MPI_Comm_group(MPI_COMM_WORLD, &Again);
  for (int I = 1; I < Size; ++I) {
    MPI_Group_incl(All, 2, (int[]){I, 0}, &Two);
    if (Rank == 0 || Rank == I) {
      MPI_Comm_create_group(MPI_COMM_WORLD, Two, 1, &Pair);
      plain(Pair);
      MPI_Comm_free(&Pair);
    }
    MPI_Group_difference(All, Two, &Other);
    MPI_Comm_create(MPI_COMM_WORLD, Other, &Pair);
    if (Pair != MPI_COMM_NULL) {
      plain(Pair);
      MPI_Comm_disconnect(&Pair);
    }
    MPI_Group_free(&Other);
    MPI_Group_free(&Two);
  }
  MPI_Group_free(&Again);
  MPI_Group_free(&All);
  MPI_Comm *Made[] = {&Graph, &Row, &Cart, &Merged, &InterCopy, &Inter, &Half, &Dup};
  for (int I = 0; I < 8; ++I)
    MPI_Comm_free(Made[I]);
}

static void product(void *A, void *B, int *N, MPI_Datatype *T) {
  for (int I = 0; I < *N; ++I)
    ((int *)B)[I] *= ((int *)A)[I];
}
static void ignore(MPI_Comm *C, int *Error, ...) {}

static void objects(const char *Name) {
  MPI_Datatype Pair, Many, Part[1];
  MPI_Aint Address[1];
  int Length[2], Give[2] = {2, 3};
  MPI_Type_contiguous(2, MPI_INT, &Pair);
  MPI_Type_vector(2, 1, 2, Pair, &Many);
  MPI_Type_commit(&Many);
  MPI_Type_get_contents(Many, 3, 0, 1, (int[3]){0}, Address, Part);
  MPI_Type_free(&Part[0]);
  MPI_Type_free(&Pair);
  MPI_Sendrecv(Out, 2, Many, (Rank + 1) % Size, 1, In[0], 2, Many, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Type_free(&Many);
  MPI_Op Product;
  MPI_Op_create(product, 1, &Product);
  MPI_Allreduce(Give, Length, 2, MPI_INT, Product, MPI_COMM_WORLD);
  MPI_Op_free(&Product);
  MPI_Info Info, Copy;
  MPI_Info_create(&Info);
  MPI_Info_dup(Info, &Copy);
  MPI_Info_free(&Info);
  MPI_Errhandler Handler, Same;
  MPI_Comm_create_errhandler(ignore, &Handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, Handler);
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &Same);
  MPI_Errhandler_free(&Handler);
  MPI_Errhandler_free(&Same);
  MPI_Win Win;
  int *Base;
  MPI_Group Group;
  MPI_Win_allocate(64, 4, Copy, MPI_COMM_WORLD, &Base, &Win);
  MPI_Info_free(&Copy);
  MPI_Win_get_group(Win, &Group);
  MPI_Group_free(&Group);
  MPI_Win_fence(0, Win);
  MPI_Win_free(&Win);
  MPI_File File;
  MPI_File_open(MPI_COMM_SELF, Name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &File);
  MPI_File_write(File, Out, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&File);
  MPI_Session Session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &Session);
  MPI_Session_finalize(&Session);
}

/// Buffers that are there for a while.
static void memory(void) {
  for (int I = 0; I < 5; ++I) {
    int *Kept = malloc(sizeof(int)), *Sum = malloc(sizeof(int));
    *Kept = *Sum = Rank;
    MPI_Reduce_local(Kept, Sum, 1, MPI_INT, MPI_SUM);
    free(Kept);
    MPI_Reduce_local(Sum, Sum, 0, MPI_INT, MPI_SUM);
    free(Sum);
  }
}

int main(int Argc, char **Argv) {
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  char Name[4096];
  snprintf(Name, sizeof Name, "%s.%d", Argv[1], Rank);
  plain(MPI_COMM_WORLD);
  probes(MPI_COMM_WORLD);
  persistent(MPI_COMM_WORLD);
  communicators();
  objects(Name);
  memory();
  // It is sent, and nobody receives it.
  MPI_Request R;
  MPI_Isend(Out, 1, MPI_INT, (Rank + 1) % Size, 99, MPI_COMM_WORLD, &R);
  MPI_Request_free(&R);
  MPI_Finalize();
  return 0;
}
