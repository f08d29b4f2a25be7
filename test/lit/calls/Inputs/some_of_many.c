/* Waits for any and some of many requests, in arrays in which things change in many ways. Argument: a seed. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { Most = 200 };
static unsigned long State;
static unsigned random_below(unsigned N) {
  State = State * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(State >> 33) % N;
}

static int In[Most], Out[Most], Sent[Most], Order[Most];
static MPI_Request Q[Most], Sends[Most], Other[Most];
static MPI_Status S[Most];

/* What is sent to the receive at a place; its tag is that place, or the receive has a wildcard. */
static void send(int Place) {
  if (!Sent[Place])
    PMPI_Send(&Out[Place], 1, MPI_INT, 0, Place, MPI_COMM_SELF);
  Sent[Place] = 1;
}
static void receive(MPI_Request *R, int Place, int IsAny) {
  Sent[Place] = 0;
  MPI_Irecv(&In[Place], 1, MPI_INT, IsAny ? MPI_ANY_SOURCE : 0, Place, MPI_COMM_SELF, R);
}
static void shuffle(int N) {
  for (int I = 0; I < N; ++I)
    Order[I] = I;
  for (int I = N; I > 1; --I) {
    int J = (int)random_below((unsigned)I), T = Order[I - 1];
    Order[I - 1] = Order[J];
    Order[J] = T;
  }
}

static void drain(int N, int IsAny) {
  for (int I = 0; I < N; ++I)
    receive(&Q[I], I, IsAny);
  shuffle(N);
  for (int I = 0; I < N; ++I) {
    int Index;
    send(Order[I]);
    MPI_Waitany(N, Q, &Index, I % 2 ? MPI_STATUS_IGNORE : S);
  }
}

/* New requests come in while others are waited for; some complete elsewhere, some move. */
static void pipeline(int N, int Rounds) {
  for (int I = 0; I < N; ++I)
    receive(&Q[I], I, I % 5 == 0);
  for (int R = 0; R < Rounds; ++R) {
    int Place = (int)random_below((unsigned)N), Index, Flag, Count, Places[Most];
    switch (random_below(6)) {
    case 0:
      if (Q[Place] != MPI_REQUEST_NULL) {
        send(Place);
        MPI_Wait(&Q[Place], MPI_STATUS_IGNORE);
      }
      break;
    case 1:
      for (int I = 0; I < N; ++I)
        if (Q[I] == MPI_REQUEST_NULL) {
          receive(&Q[I], I, 0);
          break;
        }
      break;
    case 2:
      if (Q[Place] != MPI_REQUEST_NULL)
        send(Place);
      MPI_Testsome(N, Q, &Count, Places, S);
      break;
    case 3:
      MPI_Testany(N, Q, &Index, &Flag, MPI_STATUS_IGNORE);
      break;
    case 4:
      if (Q[Place] != MPI_REQUEST_NULL) {
        send(Place);
        MPI_Waitsome(N, Q, &Count, Places, MPI_STATUSES_IGNORE);
      }
      break;
    case 5: /* messages that are complete at once: one handle for all of them */
      if (R % 3 == 0) {
        for (int I = 0; I < 40; ++I)
          MPI_Isend(&Out[I], 1, MPI_INT, MPI_PROC_NULL, I, MPI_COMM_SELF, &Sends[I]);
        for (int I = 0; I < 20; ++I)
          MPI_Waitany(40, Sends, &Index, S);
        MPI_Wait(&Sends[39], S);
        memmove(Other, Sends, sizeof Sends);
        for (int I = 0; I < 40; ++I)
          MPI_Waitany(40, Other, &Index, S);
        for (int I = 0; I < 40; ++I)
          Sends[I] = MPI_REQUEST_NULL;
      }
      break;
    }
  }
  for (int I = 0; I < N; ++I)
    if (Q[I] != MPI_REQUEST_NULL)
      send(I);
  MPI_Waitall(N, Q, S);
}

static void persistent(int N, int Rounds) {
  for (int I = 0; I < N; ++I)
    MPI_Recv_init(&In[I], 1, MPI_INT, 0, I, MPI_COMM_SELF, &Q[I]);
  for (int R = 0; R < Rounds; ++R) {
    memset(Sent, 0, sizeof Sent);
    MPI_Startall(N, Q);
    shuffle(N);
    for (int I = 0; I < N; ++I) {
      int Index, Count, Places[Most];
      send(Order[I]);
      if (R % 2)
        MPI_Waitany(N, Q, &Index, S);
      else
        MPI_Waitsome(N, Q, &Count, Places, S);
    }
  }
  for (int I = 0; I < N; ++I)
    MPI_Request_free(&Q[I]);
}

int main(int Argc, char **Argv) {
  MPI_Init(&Argc, &Argv);
  State = (unsigned long)atoi(Argv[1]);
  for (int Round = 0; Round < 4; ++Round) {
    drain(Most, Round % 2);
    drain(5, 0);
    drain(40, 1);
    pipeline(100, 600);
    pipeline(7, 300);
    persistent(60, 3);
    persistent(4, 2);
  }
  MPI_Finalize();
}
