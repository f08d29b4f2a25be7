// Exchanges as LULESH makes them: a cube of ranks, each with up to 26 neighbours over faces, edges and corners;
// receives first, then packed sends, then a wait for each, in two kinds of exchange a step, and the least time step of
// all.
#include <mpi.h>
#include <stdlib.h>

enum { Side = 2, Edge = 6, Steps = 12, Neighbours = 26 };
static int Rank, Here[3], Numbers[Neighbours], Of[Neighbours], Count;
static double *In[Neighbours], *Out[Neighbours];
static MPI_Request Recvs[Neighbours], Sends[Neighbours];

static void find(void) {
  for (int I = 0, Rest = Rank; I < 3; ++I, Rest /= Side)
    Here[I] = Rest % Side;
  for (int Z = -1; Z <= 1; ++Z)
    for (int Y = -1; Y <= 1; ++Y)
      for (int X = -1; X <= 1; ++X) {
        const int At[3] = {Here[0] + X, Here[1] + Y, Here[2] + Z};
        int Is = X || Y || Z, Size = 1;
        for (int I = 0; I < 3; ++I) {
          Is = Is && At[I] >= 0 && At[I] < Side;
          Size *= At[I] == Here[I] ? Edge : 1;
        }
        if (!Is)
          continue;
        Of[Count] = At[0] + Side * (At[1] + Side * At[2]);
        Numbers[Count] = Size;
        In[Count] = calloc(3 * Size, sizeof(double));
        Out[Count++] = calloc(3 * Size, sizeof(double));
      }
}

static void receive(int Fields, int Tag) {
  for (int I = 0; I < Count; ++I)
    MPI_Irecv(In[I], Fields * Numbers[I], MPI_DOUBLE, Of[I], Tag, MPI_COMM_WORLD, &Recvs[I]);
}

static void send(int Fields, int Tag) {
  MPI_Status States[Neighbours];
  for (int I = 0; I < Count; ++I)
    MPI_Isend(Out[I], Fields * Numbers[I], MPI_DOUBLE, Of[I], Tag, MPI_COMM_WORLD, &Sends[I]);
  MPI_Waitall(Count, Sends, States);
}

static void take(void) {
  MPI_Status State;
  for (int I = 0; I < Count; ++I)
    MPI_Wait(&Recvs[I], &State);
}

int main(int Argc, char **Argv) {
  double Step = 1, Least;
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  find();
  receive(1, 1024);
  send(1, 1024);
  take();
  for (int I = 0; I < Steps; ++I) {
    if (I) // the first step is given
      MPI_Allreduce(&Step, &Least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    receive(3, 1025);
    send(3, 1025);
    take();
    receive(2, 1026);
    send(2, 1026);
    take();
  }
  MPI_Reduce(&Step, &Least, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  for (int I = 0; I < Count; ++I) {
    free(In[I]);
    free(Out[I]);
  }
  MPI_Finalize();
  return 0;
}
