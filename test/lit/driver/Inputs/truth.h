// What a program knows of its own sends: each rank notes a line for each message, in ranks of MPI_COMM_WORLD as the MPI
// library knows them, "message FROM TO BYTES", and writes them to truth.RANK.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int Rank, Size;
static char Truth[1 << 20];
static size_t Length;

static void note(MPI_Comm Comm, int To, int Bytes) {
  MPI_Group Peers, World;
  int IsInter, There;
  MPI_Comm_test_inter(Comm, &IsInter);
  if (IsInter)
    MPI_Comm_remote_group(Comm, &Peers);
  else
    MPI_Comm_group(Comm, &Peers);
  MPI_Comm_group(MPI_COMM_WORLD, &World);
  MPI_Group_translate_ranks(Peers, 1, &To, World, &There);
  MPI_Group_free(&Peers);
  MPI_Group_free(&World);
  Length += (size_t)snprintf(Truth + Length, sizeof Truth - Length, "message %d %d %d\n", Rank, There, Bytes);
}

static int peersOf(MPI_Comm Comm) {
  int IsInter, N;
  MPI_Comm_test_inter(Comm, &IsInter);
  if (IsInter)
    MPI_Comm_remote_size(Comm, &N);
  else
    MPI_Comm_size(Comm, &N);
  return N;
}

// Every member sends Ints numbers, and as many more as its own rank, to the peer that is By further; each receives what
// is sent to it.
static void shift(MPI_Comm Comm, int By, int Ints) {
  int Own, Local, Peers = peersOf(Comm);
  static int Out[4096], In[4096];
  MPI_Comm_rank(Comm, &Own);
  MPI_Comm_size(Comm, &Local);
  MPI_Request Requests[64];
  int N = 0;
  int To = (Own + By) % Peers;
  note(Comm, To, (Ints + Own) * (int)sizeof(int));
  MPI_Isend(Out, Ints + Own, MPI_INT, To, 5, Comm, &Requests[N++]);
  // Where several send to one, a wildcard could take what another receive waits for.
  for (int From = 0; From < Peers; ++From)
    if ((From + By) % Local == Own)
      MPI_Irecv(In, 4096, MPI_INT, Local >= Peers && From % 2 ? MPI_ANY_SOURCE : From, 5, Comm, &Requests[N++]);
  MPI_Waitall(N, Requests, MPI_STATUSES_IGNORE);
}

static void beginTruth(int *Argc, char ***Argv) {
  MPI_Init(Argc, Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
}

static int endTruth(void) {
  MPI_Finalize();
  char Name[32];
  snprintf(Name, sizeof Name, "truth.%d", Rank);
  FILE *F = fopen(Name, "w");
  fwrite(Truth, 1, Length, F);
  return fclose(F);
}
