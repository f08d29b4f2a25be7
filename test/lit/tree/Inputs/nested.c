// Calls below nested loops, branches, functions in two contexts, and code that
// is not instrumented. All ranks come by every place.
#include <mpi.h>

void outside(void);

static void exchange(int rank, int size, int tag) {
  int in, out = rank;
  MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, tag, &in, 1, MPI_INT,
               (rank + size - 1) % size, tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void step(int rank, int size, int i) {
  int sum;
  for (int k = 0; k < 3; ++k)
    exchange(rank, size, k);
  if (i % 5 == 0)
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  else if (i % 5 < 3)
    MPI_Iprobe(0, 99, MPI_COMM_WORLD, &sum, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int rank, size, found;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 10; ++i)
    step(rank, size, i);
  for (int k = 0; k < 20; ++k)
    if (k <= rank)
      MPI_Iprobe(0, 99, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  step(rank, size, 0);
  outside();
  MPI_Finalize();
  return 0;
}
