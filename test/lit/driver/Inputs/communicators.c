// Sends over communicators of all kinds. Needs four ranks or more.
#include "truth.h"

static void overIntercommunicator(void) {
  MPI_Comm Half, Inter, Copy, Merged, Again, Peer, Parts;
  int Low = Rank < Size / 2, Own;
  // Own ranks from behind.
  MPI_Comm_split(MPI_COMM_WORLD, Low, -Rank, &Half);
  MPI_Comm_rank(Half, &Own);
  shift(Half, 1, 3);
  // The leaders are not the smallest world ranks.
  MPI_Intercomm_create(Half, 1, MPI_COMM_WORLD, Low ? Size - 2 : Size / 2 - 2, 9, &Inter);
  shift(Inter, 1, 10);
  MPI_Comm_dup(Inter, &Copy);
  shift(Copy, 0, 20);
  MPI_Intercomm_merge(Copy, Low, &Merged);
  shift(Merged, 2, 30);
  // With a peer communicator that is made, and another intercommunicator of the same sizes.
  MPI_Comm_dup(Merged, &Peer);
  int There;
  MPI_Group Of, World;
  int Leader = Low ? Size - 1 : 0;
  MPI_Comm_group(Peer, &Of);
  MPI_Comm_group(MPI_COMM_WORLD, &World);
  MPI_Group_translate_ranks(World, 1, &Leader, Of, &There);
  int Mine = Low ? 0 : Size - 1, Here;
  MPI_Group Local;
  MPI_Comm_group(Half, &Local);
  MPI_Group_translate_ranks(World, 1, &Mine, Local, &Here);
  MPI_Intercomm_create(Half, Here, Peer, There, 10, &Again);
  shift(Again, 1, 40);
  // Parts of an intercommunicator: those of even and odd own ranks.
  MPI_Comm_split(Inter, Own % 2, Own, &Parts);
  if (Parts != MPI_COMM_NULL) {
    shift(Parts, 0, 50);
    MPI_Comm_free(&Parts);
  }
  MPI_Group_free(&Of);
  MPI_Group_free(&World);
  MPI_Group_free(&Local);
  MPI_Comm_free(&Again);
  MPI_Comm_free(&Peer);
  MPI_Comm_free(&Merged);
  MPI_Comm_free(&Copy);
  MPI_Comm_free(&Inter);
  MPI_Comm_free(&Half);
}

static void withOneself(void) {
  // Every two ranks, one process on each side.
  MPI_Comm Inter, Both;
  int Other = Rank ^ 1;
  if (Other >= Size)
    return;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, Other, 3, &Inter);
  shift(Inter, 0, 60);
  MPI_Intercomm_merge(Inter, Rank > Other, &Both);
  shift(Both, 1, 70);
  MPI_Comm_free(&Both);
  MPI_Comm_free(&Inter);
}

static void overGroups(void) {
  MPI_Comm Even, Grid, Line, Reversed, Three;
  MPI_Group World, Some;
  int *Ranks = malloc(sizeof(int) * (size_t)Size), N = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &World);
  for (int R = Size - 1; R >= 0; --R)
    if (R % 2 == 0)
      Ranks[N++] = R;
  MPI_Group_incl(World, N, Ranks, &Some);
  MPI_Comm_create(MPI_COMM_WORLD, Some, &Even);
  if (Even != MPI_COMM_NULL) {
    shift(Even, 1, 80);
    MPI_Comm_free(&Even);
  }
  if (Rank % 2 == 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, Some, 7, &Even);
    shift(Even, 1, 90);
    MPI_Comm_free(&Even);
  }
  MPI_Group_free(&Some);
  // In the opposite order, with rank 0 in a group of its own leader and size.
  for (int R = 0; R < Size; ++R)
    Ranks[R] = Size - 1 - R;
  MPI_Group_incl(World, Size, Ranks, &Some);
  MPI_Comm_create(MPI_COMM_WORLD, Some, &Reversed);
  shift(Reversed, 1, 100);
  MPI_Group_free(&Some);
  int Dims[2] = {0, 0}, Periods[2] = {1, 1};
  MPI_Dims_create(Size, 2, Dims);
  MPI_Cart_create(Reversed, 2, Dims, Periods, 1, &Grid);
  shift(Grid, 1, 110);
  // Rows and columns: rank 0 leads two of one size.
  for (int D = 0; D < 2; ++D) {
    int Remain[2] = {D == 0, D == 1};
    MPI_Comm Keep;
    MPI_Cart_sub(Grid, Remain, &Line);
    shift(Line, 1, 120 + 10 * D);
    MPI_Comm_dup(Line, &Keep);
    MPI_Comm_free(&Line);
    shift(Keep, 1, 140 + 10 * D);
    MPI_Comm_free(&Keep);
  }
  // Groups that overlap, one after the other on the same parent with the same tag.
  for (int R = 1; R + 1 < Size; ++R) {
    int Of[3] = {0, R, R + 1};
    if (Rank != 0 && Rank != R && Rank != R + 1)
      continue;
    MPI_Group_incl(World, 3, Of, &Some);
    MPI_Comm_create_group(MPI_COMM_WORLD, Some, R, &Three);
    shift(Three, 1, 160);
    MPI_Group_free(&Some);
    MPI_Comm_free(&Three);
  }
  MPI_Comm_free(&Reversed);
  MPI_Comm_free(&Grid);
  MPI_Group_free(&World);
  free(Ranks);
}

// One number for communicators with the same size and smallest rank, but not the same members.
static void numbersThatComeAgain(void) {
  for (int I = 0; I < 6; ++I) {
    MPI_Comm Part;
    int Color = I % 2 ? Rank % 2 : Rank >= Size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, Color, Rank, &Part);
    shift(Part, 1, 200);
    MPI_Comm_free(&Part);
  }
}

static void requests(void) {
  static int Out[64], In[64];
  int Right = (Rank + 1) % Size, Left = (Rank + Size - 1) % Size;
  MPI_Request R[2];
  // Twice, in other directions: the requests have the same numbers.
  for (int Way = 0; Way < 2; ++Way) {
    int To = Way ? Left : Right, From = Way ? Right : Left;
    MPI_Send_init(Out, 11 + Way, MPI_INT, To, 1, MPI_COMM_WORLD, &R[0]);
    MPI_Recv_init(In, 64, MPI_INT, From, 1, MPI_COMM_WORLD, &R[1]);
    for (int I = 0; I < 5 + Way; ++I) {
      note(MPI_COMM_WORLD, To, (11 + Way) * (int)sizeof(int));
      MPI_Startall(2, R);
      MPI_Waitall(2, R, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&R[0]);
    MPI_Request_free(&R[1]);
  }
  // One that is never started.
  MPI_Ssend_init(Out, 64, MPI_INT, Right, 2, MPI_COMM_WORLD, &R[0]);
  MPI_Request_free(&R[0]);
  for (int I = 0; I < 3; ++I) {
    note(MPI_COMM_WORLD, Right, 8);
    MPI_Sendrecv(Out, 1, MPI_DOUBLE, Right, 4, In, 1, MPI_DOUBLE, Left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    note(MPI_COMM_WORLD, Left, 16);
    MPI_Sendrecv_replace(Out, 4, MPI_INT, Left, 4, Right, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(Out, 5, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD);
  }
  // Every one another size and receiver: these leave the signature.
  for (int I = 0; I < 200; ++I) {
    int By = (I * I + I / 7) % Size, Count = I % 61;
    note(MPI_COMM_WORLD, (Rank + By) % Size, Count * (int)sizeof(int));
    MPI_Isend(Out, Count, MPI_INT, (Rank + By) % Size, 6, MPI_COMM_WORLD, &R[0]);
    MPI_Recv(In, 64, MPI_INT, (Rank + Size - By) % Size, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&R[0], MPI_STATUS_IGNORE);
  }
}

int main(int Argc, char **Argv) {
  beginTruth(&Argc, &Argv);
  overIntercommunicator();
  withOneself();
  overGroups();
  numbersThatComeAgain();
  requests();
  return endTruth();
}
