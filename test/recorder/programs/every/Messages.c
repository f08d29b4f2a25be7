// Messages between two, and the completion of requests.

#include "EveryCall.h"

static double Out[MaxRanks][Block], In[MaxRanks][Block];
static int Right, Left, Me, All;

static void place(MPI_Comm C) {
  MPI_Comm_rank(C, &Me);
  MPI_Comm_size(C, &All);
  Right = (Me + 1) % All;
  Left = (Me + All - 1) % All;
}

void pointToPoint(MPI_Comm C) {
  place(C);
  MPI_Status Status;
  int Count;
  MPI_Sendrecv(Out[0], Me % Block + 1, MPI_DOUBLE, Right, Me, In[0], Block,
               MPI_DOUBLE, Left, MPI_ANY_TAG, C, &Status);
  MPI_Get_count(&Status, MPI_DOUBLE, &Count);
  MPI_Sendrecv_replace(In[0], 2, MPI_INT, Left, 7, Right, 7, C,
                       MPI_STATUS_IGNORE);
  // Both receives are posted before either ready send is made.
  MPI_Request Ready[3];
  MPI_Irecv(In[1], 1, MPI_INT, Left, 20, C, &Ready[0]);
  MPI_Irecv(In[2], 1, MPI_INT, Left, 21, C, &Ready[1]);
  MPI_Barrier(C);
  MPI_Rsend(Out[1], 1, MPI_INT, Right, 20, C);
  MPI_Irsend(Out[2], 1, MPI_INT, Right, 21, C, &Ready[2]);
  MPI_Waitall(3, Ready, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(Out[0], 1, MPI_INT, MPI_PROC_NULL, 0, In[0], 1, MPI_INT,
               MPI_PROC_NULL, 0, C, &Status);

  // Everybody to rank 0, whoever comes first.
  static char Space[4096];
  if (Me != 0) {
    MPI_Send(Out[0], Me, MPI_CHAR, 0, 100 + Me, C);
    MPI_Ssend(Out[1], 1, MPI_DOUBLE, 0, 3, C);
    MPI_Buffer_attach(Space, sizeof(Space));
    MPI_Request Request;
    MPI_Bsend(Out[2], 2, MPI_FLOAT, 0, 4, C);
    MPI_Ibsend(Out[3], 1, MPI_FLOAT, MPI_PROC_NULL, 4, C, &Request);
    MPI_Wait(&Request, &Status);
    void *Detached;
    MPI_Buffer_detach(&Detached, &Count);
  } else {
    for (int I = 1; I < All; ++I) {
      int Flag = 0;
      while (!Flag)
        MPI_Iprobe(MPI_ANY_SOURCE, 3, C, &Flag, &Status);
      MPI_Recv(In[0], 1, MPI_DOUBLE, Status.MPI_SOURCE, 3, C,
               MPI_STATUS_IGNORE);
      MPI_Probe(MPI_ANY_SOURCE, 4, C, MPI_STATUS_IGNORE);
      MPI_Recv(In[0], 2, MPI_FLOAT, MPI_ANY_SOURCE, 4, C, MPI_STATUS_IGNORE);
      MPI_Message Message;
      if (I % 2) {
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, C, &Message, &Status);
        MPI_Mrecv(In[0], Block, MPI_CHAR, &Message, &Status);
      } else {
        MPI_Recv(In[0], MaxRanks, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, C,
                 &Status);
      }
      MPI_Get_count(&Status, MPI_CHAR, &Count);
    }
  }
  MPI_Barrier(C);
}

static MPI_Request Requests[2 * MaxRanks];
static MPI_Status Statuses[2 * MaxRanks];
static int Indices[2 * MaxRanks];

// Receives from all, sends to all: 2 * All requests.
static void post(MPI_Comm C, int Wild) {
  for (int I = 0; I < All; ++I)
    MPI_Irecv(In[I], Block, MPI_DOUBLE, Wild ? MPI_ANY_SOURCE : I, 5, C,
              &Requests[I]);
  for (int I = 0; I < All; ++I) {
    int To = (Me + I) % All;
    if (I % 2)
      MPI_Isend(Out[I], 1 + I % Block, MPI_DOUBLE, To, 5, C,
                &Requests[All + I]);
    else
      MPI_Issend(Out[I], 1, MPI_DOUBLE, To, 5, C, &Requests[All + I]);
  }
}

void completion(MPI_Comm C) {
  place(C);
  int Index, Count, Flag;
  int Many = 2 * All;
  post(C, 0);
  MPI_Waitall(Many, Requests, Statuses);
  post(C, 1);
  MPI_Waitall(Many, Requests, MPI_STATUSES_IGNORE);
  post(C, 1);
  do
    MPI_Waitany(Many, Requests, &Index, &Statuses[0]);
  while (Index != MPI_UNDEFINED);
  post(C, 1);
  do
    MPI_Waitsome(Many, Requests, &Count, Indices, Statuses);
  while (Count != MPI_UNDEFINED);
  post(C, 1);
  do
    MPI_Waitsome(Many, Requests, &Count, Indices, MPI_STATUSES_IGNORE);
  while (Count != MPI_UNDEFINED);
  post(C, 1);
  do
    MPI_Testall(Many, Requests, &Flag, Statuses);
  while (!Flag);
  post(C, 1);
  do
    MPI_Testany(Many, Requests, &Index, &Flag, MPI_STATUS_IGNORE);
  while (!Flag || Index != MPI_UNDEFINED);
  post(C, 1);
  do
    MPI_Testsome(Many, Requests, &Count, Indices, Statuses);
  while (Count != MPI_UNDEFINED);
  post(C, 1);
  for (int I = Many - 1; I >= 0; --I) {
    if (I % 2) {
      MPI_Wait(&Requests[I], I % 3 ? &Statuses[0] : MPI_STATUS_IGNORE);
      continue;
    }
    do
      MPI_Test(&Requests[I], &Flag, I % 3 ? &Statuses[0] : MPI_STATUS_IGNORE);
    while (!Flag);
  }
  MPI_Wait(&Requests[0], &Statuses[0]); // MPI_REQUEST_NULL by now
}

void persistent(MPI_Comm C) {
  place(C);
  MPI_Request R[4];
  MPI_Status S[4];
  MPI_Send_init(Out[0], 3, MPI_DOUBLE, Right, 8, C, &R[0]);
  MPI_Ssend_init(Out[1], 2, MPI_DOUBLE, Left, 9, C, &R[1]);
  MPI_Recv_init(In[0], Block, MPI_DOUBLE, Left, 8, C, &R[2]);
  MPI_Recv_init(In[1], Block, MPI_DOUBLE, MPI_ANY_SOURCE, 9, C, &R[3]);
  for (int Round = 0; Round < Rounds; ++Round) {
    MPI_Startall(3, R);
    MPI_Start(&R[3]);
    MPI_Waitall(4, R, Round % 2 ? S : MPI_STATUSES_IGNORE);
  }
  MPI_Wait(&R[2], &S[0]); // inactive
  for (int I = 0; I < 4; ++I)
    MPI_Request_free(&R[I]);
}
