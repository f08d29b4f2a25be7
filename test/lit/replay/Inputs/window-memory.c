// What frees a window is the same each time, and what makes it is not: a proxy has the one in a function that stands
// before the other. The memory's name passes on to a larger block.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (int I = 1; I < 5; ++I) {
    MPI_Win Window;
    void *Memory;
    MPI_Win_allocate(64 * I, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &Memory, &Window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&Window);
    int *Heap = calloc(65536, sizeof(int)), *More = calloc(65536, sizeof(int));
    MPI_Allreduce(Heap, More, 65536, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    free(Heap);
    free(More);
  }
  MPI_Finalize();
  return 0;
}
