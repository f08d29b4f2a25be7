// Which arm an iteration comes by follows no rule but the sequence, in which some counts depend on the rank.
#include <mpi.h>

int main(int argc, char **argv) {
  int rank, x, y;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 20 + rank; ++i) {
    volatile int phase = i == 0 ? 1 : i < 3 + rank ? 0 : i < 7 + rank ? 1 : i < 9 + rank ? 0 : i < 15 + rank ? 2 : 1;
    if (phase == 0)
      MPI_Comm_size(MPI_COMM_SELF, &x);
    else if (phase == 1)
      MPI_Comm_rank(MPI_COMM_SELF, &x);
    else
      MPI_Get_version(&x, &y);
  }
  MPI_Finalize();
  return 0;
}
