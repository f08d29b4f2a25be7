// Sends with as many different tags as argv[1] says, 50 times.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  const int n = atoi(argv[1]);
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 50; ++i)
    for (int tag = 0; tag < n; ++tag) {
      MPI_Request r;
      int here;
      MPI_Irecv(&here, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &r);
      MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_SELF);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
  MPI_Finalize();
}
