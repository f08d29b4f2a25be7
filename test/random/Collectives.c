// Collectives.
#include "RandomCalls.h"

/// How many elements a rank has.
static int countOf(int Rank, int Most) { return has('r') ? Most : 1 + Rank % Most; }

void collective(void) {
  Comm *C = anyComm();
  int N = 1 + draw(5), Root = anyRoot(C), How = draw(12), InPlace = draw(3) == 0;
  MPI_Datatype T = draw(2) ? MPI_INT : MPI_DOUBLE;
  MPI_Op O = draw(3) ? MPI_SUM : Sum;
  void *A, *B;
  void *From = buffer(8 * N * C->Size + 8, &A);
  void *To = B = calloc((size_t)(N * C->Size + 1), 8);
  void *In = InPlace ? MPI_IN_PLACE : From;
  int Counts[Largest], Places[Largest];
  for (int I = 0; I < C->Size; ++I)
    Counts[I] = countOf(I + Seed, N), Places[I] = I * N;
  switch (How) {
  case 0:
    MPI_Bcast(To, N, T, Root, C->C);
    break;
  case 1:
    MPI_Reduce(InPlace && C->Rank == Root ? MPI_IN_PLACE : From, To, N, T, O, Root, C->C);
    break;
  case 2:
    MPI_Allreduce(In, To, N, T, O, C->C);
    break;
  case 3:
    MPI_Allgather(In, N, T, To, N, T, C->C);
    break;
  case 4:
    MPI_Alltoall(In, N, T, To, N, T, C->C);
    break;
  case 5:
    MPI_Gather(InPlace && C->Rank == Root ? MPI_IN_PLACE : From, N, T, To, N, T, Root, C->C);
    break;
  case 6:
    MPI_Scatter(To, N, T, InPlace && C->Rank == Root ? MPI_IN_PLACE : From, N, T, Root, C->C);
    break;
  case 7:
    MPI_Scan(In, To, N, T, O, C->C);
    break;
  case 8:
    MPI_Allgatherv(From, Counts[C->Rank], T, To, Counts, Places, T, C->C);
    break;
  case 9:
    MPI_Reduce_scatter_block(From, To, 1, T, O, C->C);
    break;
  case 10:
    MPI_Gatherv(From, Counts[C->Rank], T, To, Counts, Places, T, Root, C->C);
    break;
  default:
    MPI_Barrier(C->C);
  }
  free(A), free(B);
}

void begunCollective(void) {
  Comm *C = anyComm();
  int N = 1 + draw(5), Root = anyRoot(C), How = draw(7);
  room(1);
  void *A = calloc((size_t)(N * C->Size), 8), *B = calloc((size_t)(N * C->Size), 8);
  MPI_Datatype *T = NULL;
  Pending *P = pend(A, B, NULL);
  switch (How) {
  case 0:
    MPI_Ibcast(A, N, MPI_INT, Root, C->C, &P->R);
    break;
  case 1:
    MPI_Iallreduce(A, B, N, MPI_DOUBLE, draw(2) ? MPI_MAX : Sum, C->C, &P->R);
    break;
  case 2:
    MPI_Ibarrier(C->C, &P->R);
    break;
  case 3:
    MPI_Iallgather(A, N, MPI_INT, B, N, MPI_INT, C->C, &P->R);
    break;
  case 4:
    MPI_Igather(A, N, MPI_INT, B, N, MPI_INT, Root, C->C, &P->R);
    break;
  case 5: {
    int *Counts = malloc(sizeof(int) * 4 * (size_t)C->Size);
    T = malloc(sizeof *T * 2 * (size_t)C->Size);
    for (int I = 0; I < C->Size; ++I) {
      Counts[I] = Counts[C->Size + I] = 1;
      Counts[2 * C->Size + I] = Counts[3 * C->Size + I] = 8 * I;
      T[I] = T[C->Size + I] = MPI_INT;
    }
    P->Blocks[2] = Counts;
    P->Types = T;
    MPI_Ialltoallw(A, Counts, Counts + 2 * C->Size, T, B, Counts + C->Size, Counts + 3 * C->Size, T + C->Size, C->C,
                   &P->R);
    break;
  }
  default:
    MPI_Iscan(A, B, N, MPI_INT, MPI_SUM, C->C, &P->R);
  }
}

void otherCollectives(void) {
  Comm *C = anyComm();
  int N = 1 + draw(4), Root = anyRoot(C), How = draw(14), P = C->Size;
  int *A = calloc((size_t)(N * P + 8), 4), *B = calloc((size_t)(N * P + 8), 4);
  int *Counts = malloc(sizeof(int) * 4 * (size_t)P), *Places = Counts + P;
  MPI_Datatype *T = malloc(sizeof *T * (size_t)P);
  MPI_Request R = MPI_REQUEST_NULL;
  for (int I = 0; I < P; ++I)
    Counts[I] = countOf(I, N), Places[I] = I * N, T[I] = MPI_INT, Counts[2 * P + I] = 4 * I * N;
  switch (How) {
  case 0:
    MPI_Scatterv(A, Counts, Places, MPI_INT, B, Counts[C->Rank], MPI_INT, Root, C->C);
    break;
  case 1:
    for (int I = 0; I < P; ++I)
      Counts[3 * P + I] = countOf(C->Rank, N); // what each rank gets is said by its own number
    MPI_Alltoallv(A, Counts, Places, MPI_INT, B, Counts + 3 * P, Places, MPI_INT, C->C);
    break;
  case 2:
    for (int I = 0; I < P; ++I)
      Counts[I] = 1;
    MPI_Alltoallw(A, Counts, Counts + 2 * P, T, B, Counts, Counts + 2 * P, T, C->C);
    break;
  case 3:
    MPI_Reduce_scatter(A, B, Counts, MPI_INT, MPI_SUM, C->C);
    break;
  case 4:
    MPI_Exscan(A, B, N, MPI_INT, Sum, C->C);
    break;
  case 5:
    MPI_Reduce_local(A, B, N, MPI_INT, MPI_MAX);
    break;
  case 6:
    MPI_Ireduce(A, B, N, MPI_INT, MPI_SUM, Root, C->C, &R), MPI_Wait(&R, MPI_STATUS_IGNORE);
    break;
  case 7:
    MPI_Igatherv(A, Counts[C->Rank], MPI_INT, B, Counts, Places, MPI_INT, Root, C->C, &R),
        MPI_Wait(&R, MPI_STATUS_IGNORE);
    break;
  case 8:
    MPI_Ialltoall(A, N, MPI_INT, B, N, MPI_INT, C->C, &R), MPI_Wait(&R, MPI_STATUS_IGNORE);
    break;
  case 9:
    MPI_Allreduce_init(A, B, N, MPI_INT, MPI_SUM, C->C, MPI_INFO_NULL, &R);
    for (int I = 0; I < 2; ++I)
      MPI_Start(&R), MPI_Wait(&R, MPI_STATUS_IGNORE);
    MPI_Request_free(&R);
    break;
  case 10:
    MPI_Iallgatherv(A, Counts[C->Rank], MPI_INT, B, Counts, Places, MPI_INT, C->C, &R), MPI_Wait(&R, MPI_STATUS_IGNORE);
    break;
  case 11:
    MPI_Ireduce_scatter_block(A, B, 1, MPI_INT, MPI_SUM, C->C, &R), MPI_Wait(&R, MPI_STATUS_IGNORE);
    break;
  case 12:
    MPI_Allgather_c(A, N, MPI_INT, B, N, MPI_INT, C->C);
    break;
  default:
    MPI_Iscatter(A, N, MPI_INT, B, N, MPI_INT, Root, C->C, &R), MPI_Wait(&R, MPI_STATUS_IGNORE);
  }
  free(A), free(B), free(Counts), free(T);
}

void packed(void) {
  Comm *C = anyComm();
  int Place = 0, Size;
  char Bytes[256];
  double D[4] = {0};
  MPI_Pack_size(2, MPI_DOUBLE, C->C, &Size);
  MPI_Pack(D, 2, MPI_DOUBLE, Bytes, 256, &Place, C->C);
  MPI_Pack(&Size, 1, MPI_INT, Bytes, 256, &Place, C->C);
  MPI_Bcast(Bytes, Place, MPI_PACKED, 0, C->C);
  Place = 0;
  MPI_Unpack(Bytes, 256, &Place, D, 2, MPI_DOUBLE, C->C);
}
