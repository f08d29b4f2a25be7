// Calls that differ in who asked for them. Tests know the lines.
#include <alloca.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#define KEEP __attribute__((noinline))
#define NO_TAIL_CALL __asm__ volatile("")

static int Rank, Size;

KEEP static void helper(void) {
  int Mine = Rank, Theirs;
  MPI_Sendrecv(&Mine, 1, MPI_INT, (Rank + 1) % Size, 7, &Theirs, 1, MPI_INT, (Rank + Size - 1) % Size, 7,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  NO_TAIL_CALL;
}

KEEP static void first(void) {
  helper();
  NO_TAIL_CALL;
}

// Its frame is of another size at each call, and what lay there before is still there.
KEEP static void second(int N) {
  volatile char *Room = alloca((size_t)(N + 1) * 64);
  Room[N] = 1;
  helper();
  NO_TAIL_CALL;
}

// Aligned more than the stack is: its frame is found in another way.
KEEP static void third(void) {
  _Alignas(64) volatile char Room[64];
  Room[0] = 1;
  helper();
  NO_TAIL_CALL;
}

KEEP static void descend(int N) {
  if (N)
    descend(N - 1);
  else
    MPI_Barrier(MPI_COMM_WORLD);
  NO_TAIL_CALL;
}

KEEP static int compare(const void *A, const void *B) {
  int Flag;
  MPI_Initialized(&Flag);
  return *(const int *)A - *(const int *)B;
}

static void operation(void *A, void *B, int *N, MPI_Datatype *Type) {
  int Bytes;
  MPI_Type_size(*Type, &Bytes);
  for (int I = 0; I < *N; ++I)
    ((int *)B)[I] += ((int *)A)[I];
}

int main(int Count, char **Words) {
  int Iterations = Count > 1 ? atoi(Words[1]) : 3;
  MPI_Init(&Count, &Words);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  MPI_Op Op;
  MPI_Op_create(operation, 1, &Op);
  for (int I = 0; I < Iterations; ++I) {
    first();
    second(I % 5);
    third();
    first();
    if (Rank % 2)
      first();
    else
      second(I % 3);
  }
  for (int I = 0; I < Iterations; ++I)
    descend(I % 4);
  int Numbers[2] = {2, 1}, Sum[2];
  qsort(Numbers, 2, sizeof *Numbers, compare);
  MPI_Allreduce(Numbers, Sum, 2, MPI_INT, Op, MPI_COMM_WORLD);
  MPI_Op_free(&Op);
  MPI_Finalize();
  return 0;
}
