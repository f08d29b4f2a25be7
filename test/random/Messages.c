// Messages.
#include "RandomCalls.h"

void ring(void) {
  Comm *C = anyComm();
  MPI_Datatype T = anyType();
  int N = draw(8), Tag = draw(5), Shift = 1 + draw(3), How = draw(6);
  MPI_Aint Bytes = bytesOf(N, T);
  void *A, *B, *From = buffer(Bytes, &A), *To = buffer(Bytes, &B);
  if (!A && !B) // they may overlap
    To = B = calloc(1, (size_t)Bytes);
  int Next = (C->Rank + Shift) % C->Size, Before = (C->Rank + 3 * C->Size - Shift) % C->Size;
  MPI_Status S;
  MPI_Request R = MPI_REQUEST_NULL;
  switch (How) {
  case 0:
    MPI_Sendrecv(From, N, T, Next, Tag, To, N, T, Before, Tag, C->C, &S);
    break;
  case 1:
    MPI_Irecv(To, N, T, Before, Tag, C->C, &R);
    MPI_Send(From, N, T, Next, Tag, C->C);
    MPI_Wait(&R, &S);
    break;
  case 2:
    MPI_Irecv(To, N, T, Before, MPI_ANY_TAG, C->C, &R);
    MPI_Ssend(From, N, T, Next, Tag, C->C);
    MPI_Wait(&R, MPI_STATUS_IGNORE);
    break;
  case 3:
    MPI_Sendrecv_replace(From, N, T, Next, Tag, Before, Tag, C->C, MPI_STATUS_IGNORE);
    break;
  case 4: {
    int Count, Size;
    MPI_Message M;
    MPI_Isend(From, N, T, Next, Tag, C->C, &R);
    MPI_Mprobe(Before, Tag, C->C, &M, &S);
    MPI_Get_count(&S, T, &Count);
    MPI_Type_size(T, &Size);
    MPI_Mrecv(To, N, T, &M, &S);
    MPI_Wait(&R, MPI_STATUS_IGNORE);
    break;
  }
  default:
    MPI_Isend(From, N, T, Next, Tag, C->C, &R);
    MPI_Probe(Before, Tag, C->C, &S);
    MPI_Recv(To, N, T, S.MPI_SOURCE, S.MPI_TAG, C->C, &S);
    MPI_Wait(&R, &S);
  }
  free(A), free(B);
}

void begun(void) {
  Comm *C = anyComm();
  MPI_Datatype T = anyType();
  int N = draw(6), Tag = 10 + draw(5), Shift = draw(4), Many = 1 + draw(3);
  room(2 * Many);
  for (int I = 0; I < Many; ++I) {
    MPI_Aint Bytes = bytesOf(N, T);
    void *From = calloc(1, (size_t)Bytes), *To = calloc(1, (size_t)Bytes);
    MPI_Irecv(To, N, T, (C->Rank + 4 * C->Size - Shift) % C->Size, Tag, C->C, &pend(To, NULL, NULL)->R);
    MPI_Isend(From, N, T, (C->Rank + Shift) % C->Size, Tag, C->C, &pend(From, NULL, NULL)->R);
  }
}

void borders(void) { // with partners that are none
  Comm *C = anyComm();
  int N = 1 + draw(4), Left = C->Rank ? C->Rank - 1 : MPI_PROC_NULL,
      Right = C->Rank + 1 < C->Size ? C->Rank + 1 : MPI_PROC_NULL;
  double Row[4][8];
  memset(Row, 0, sizeof Row);
  MPI_Request R[4];
  MPI_Irecv(Row[0], N, MPI_DOUBLE, Left, 3, C->C, &R[0]);
  MPI_Irecv(Row[1], N, MPI_DOUBLE, Right, 4, C->C, &R[1]);
  MPI_Isend(Row[2], N, MPI_DOUBLE, Right, 3, C->C, &R[2]);
  MPI_Isend(Row[3], N, MPI_DOUBLE, Left, 4, C->C, &R[3]);
  MPI_Waitall(4, R, MPI_STATUSES_IGNORE);
}

void ownCount(void) { // each rank's own number of elements
  Comm *C = anyComm();
  int N = has('r') ? 3 : mine(20), Got[Largest];
  memset(Got, 0, sizeof Got);
  MPI_Status S;
  MPI_Sendrecv(Data, N, MPI_INT, (C->Rank + 1) % C->Size, 7, Got, Largest, MPI_INT, (C->Rank + C->Size - 1) % C->Size,
               7, C->C, &S);
  MPI_Get_count(&S, MPI_INT, &N);
}

void buffered(void) {
  if (IsThread)
    return;
  Comm *C = anyComm();
  int N = 1 + draw(9), Size;
  void *Attached = malloc(2000 + MPI_BSEND_OVERHEAD);
  double Got[16];
  MPI_Buffer_attach(Attached, 2000 + MPI_BSEND_OVERHEAD);
  MPI_Bsend(Data, N, MPI_DOUBLE, (C->Rank + 1) % C->Size, 2, C->C);
  MPI_Recv(Got, 16, MPI_DOUBLE, (C->Rank + C->Size - 1) % C->Size, 2, C->C, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&Attached, &Size);
  free(Attached);
}

void cancelled(void) {
  Comm *C = anyComm();
  int Is, Flag;
  MPI_Request R;
  MPI_Status S;
  MPI_Irecv(Data, 4, MPI_INT, C->Rank, 77, C->C, &R);
  MPI_Request_get_status(R, &Flag, &S);
  MPI_Cancel(&R);
  MPI_Wait(&R, &S);
  MPI_Test_cancelled(&S, &Is);
}

void persistent(void) {
  Comm *C = anyComm();
  int What = draw(3), N = 1 + draw(5);
  if (What == 0 && NumKept + 2 <= MaxKept && C == &Comms[0]) {
    for (int I = 0; I < 2; ++I) {
      void *B = calloc(16, 8);
      Pending *P = &Kept[NumKept++];
      *P = (Pending){MPI_REQUEST_NULL, {B, NULL, NULL}, NULL};
      if (I)
        MPI_Send_init(B, N, MPI_DOUBLE, (C->Rank + 1) % C->Size, 5, C->C, &P->R);
      else
        MPI_Recv_init(B, N, MPI_DOUBLE, (C->Rank + C->Size - 1) % C->Size, 5, C->C, &P->R);
    }
  } else if (What == 1 && NumKept) {
    int Last = NumKept - 2;
    for (int I = Last; I < NumKept; ++I) {
      MPI_Request_free(&Kept[I].R);
      free(Kept[I].Blocks[0]);
    }
    NumKept = Last;
  } else if (NumKept) {
    MPI_Request R[MaxKept];
    for (int I = 0; I < NumKept; ++I)
      R[I] = Kept[I].R;
    if (draw(2))
      MPI_Startall(NumKept, R);
    else
      for (int I = 0; I < NumKept; ++I)
        MPI_Start(&R[I]);
    MPI_Waitall(NumKept, R, MPI_STATUSES_IGNORE);
  }
}

void partitioned(void) {
  Comm *C = anyComm();
  if (IsThread)
    return;
  MPI_Request S, R;
  int Parts = 1 + draw(4), Times = 1 + draw(2), Flag;
  double *A = calloc(64, 8), *B = calloc(64, 8);
  MPI_Psend_init(A, Parts, 4, MPI_DOUBLE, (C->Rank + 1) % C->Size, 6, C->C, MPI_INFO_NULL, &S);
  MPI_Precv_init(B, Parts, 4, MPI_DOUBLE, (C->Rank + C->Size - 1) % C->Size, 6, C->C, MPI_INFO_NULL, &R);
  for (int T = 0; T < Times; ++T) {
    MPI_Start(&R);
    MPI_Start(&S);
    for (int P = Parts; P-- > 0;)
      MPI_Pready(P, S);
    MPI_Wait(&S, MPI_STATUS_IGNORE);
    MPI_Wait(&R, MPI_STATUS_IGNORE);
  }
  (void)Flag;
  MPI_Request_free(&S);
  MPI_Request_free(&R);
  free(A), free(B);
}

void otherMessages(void) {
  Comm *C = anyComm();
  int N = 1 + draw(6), How = draw(8), Next = (C->Rank + 1) % C->Size, Before = (C->Rank + C->Size - 1) % C->Size;
  double *A = malloc(256), *B = calloc(32, 8);
  memset(A, 0, 256);
  MPI_Request R = MPI_REQUEST_NULL, Q = MPI_REQUEST_NULL, Two[2];
  MPI_Status S, Both[2];
  switch (How) {
  case 0:
    MPI_Isendrecv(A, N, MPI_DOUBLE, Next, 30, B, N, MPI_DOUBLE, Before, 30, C->C, &R);
    MPI_Wait(&R, MPI_STATUS_IGNORE); // MPICH 4.0.2 gives none
    break;
  case 1:
    MPI_Isendrecv_replace(A, N, MPI_DOUBLE, Next, 31, Before, 31, C->C, &R);
    MPI_Wait(&R, MPI_STATUS_IGNORE);
    break;
  case 2:
    MPI_Irecv_c(B, N, MPI_DOUBLE, Before, 32, C->C, &R);
    MPI_Send_c(A, N, MPI_DOUBLE, Next, 32, C->C);
    MPI_Wait(&R, &S);
    break;
  case 3: // the request of a send is given up
    MPI_Irecv(B, N, MPI_DOUBLE, Before, 33, C->C, &R);
    MPI_Isend(A, N, MPI_DOUBLE, Next, 33, C->C, &Q);
    MPI_Request_free(&Q);
    MPI_Wait(&R, &S);
    MPI_Barrier(C->C);
    break;
  case 4:
    MPI_Irecv(B, N, MPI_DOUBLE, Before, 34, C->C, &Two[0]);
    MPI_Issend(A, N, MPI_DOUBLE, Next, 34, C->C, &Two[1]);
    MPI_Waitall(2, Two, Both);
    MPI_Get_elements(&Both[0], MPI_DOUBLE, &N);
    break;
  case 5:
    MPI_Irecv(B, N, MPI_DOUBLE, Before, 35, C->C, &R);
    MPI_Barrier(C->C);
    MPI_Rsend(A, N, MPI_DOUBLE, Next, 35, C->C);
    MPI_Wait(&R, MPI_STATUS_IGNORE);
    break;
  case 6: {
    int Times = 1 + draw(3);
    MPI_Ssend_init(A, N, MPI_DOUBLE, Next, 36, C->C, &Two[0]);
    MPI_Recv_init(B, N, MPI_DOUBLE, Before, 36, C->C, &Two[1]);
    for (int T = 0; T < Times; ++T) {
      MPI_Startall(2, Two);
      MPI_Waitall(2, Two, T % 2 ? MPI_STATUSES_IGNORE : Both);
    }
    MPI_Request_free(&Two[0]);
    MPI_Request_free(&Two[1]);
    break;
  }
  default: {
    MPI_Message M;
    int Flag = 0;
    MPI_Isend(A, N, MPI_DOUBLE, Next, 37, C->C, &Q);
    MPI_Mprobe(Before, 37, C->C, &M, MPI_STATUS_IGNORE);
    MPI_Imrecv(B, N, MPI_DOUBLE, &M, &R);
    MPI_Wait(&R, &S);
    MPI_Wait(&Q, MPI_STATUS_IGNORE);
    MPI_Iprobe(MPI_PROC_NULL, 0, C->C, &Flag, &S);
  }
  }
  free(A), free(B);
}
