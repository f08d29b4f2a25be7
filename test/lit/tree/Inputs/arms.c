#include <mpi.h>

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static int asked(int N) {
  MPI_Comm_size(MPI_COMM_WORLD, &N);
  return N;
}

int main(int Argc, char **Argv) {
  int Rank, X = 0;
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  for (int I = 0; I < 6; ++I) {
    if (I % 3 == 0)
      MPI_Barrier(MPI_COMM_WORLD);
    else
      MPI_Bcast(&X, 1, MPI_INT, 0, MPI_COMM_WORLD);
    // What is done if the condition holds is "true", however the compiler tests it.
    if (!(I & 1))
      MPI_Barrier(MPI_COMM_WORLD);
    if (!(I % 3)) {
      MPI_Barrier(MPI_COMM_WORLD);
    } else {
      MPI_Bcast(&X, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (I > 1 && I < 4)
      barrier();
    if (I != 5 || asked(I))
      MPI_Bcast(&X, 1, MPI_INT, 0, MPI_COMM_WORLD);
    X = I > 2 ? asked(I) : X;
  }
  for (int I = 0; I < 8; ++I)
    switch (I - 2) {
    case -1:
      MPI_Barrier(MPI_COMM_WORLD);
      break;
    case 3:
    case 4:
      MPI_Bcast(&X, 1, MPI_INT, 0, MPI_COMM_WORLD);
      break;
    default:
      MPI_Allreduce(MPI_IN_PLACE, &X, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
  MPI_Finalize();
  return 0;
}
