#include <memory>
#include <mpi.h>
#include <vector>
struct Guard {
  ~Guard() { MPI_Barrier(MPI_COMM_SELF); }
};
static void mayThrow(int Value) {
  MPI_Comm_size(MPI_COMM_SELF, &Value);
  if (Value > 1)
    throw 1;
}
int main(int Count, char **Words) {
  int Provided;
  MPI_Init_thread(&Count, &Words, MPI_THREAD_MULTIPLE, &Provided);
#pragma omp parallel num_threads(2)
  {
    std::vector<int> Values(3);
#pragma omp critical(guarded)
    {
      Guard Here;
      std::vector<int> Others(Values);
      try {
        mayThrow(Count);
      } catch (int) {
        MPI_Barrier(MPI_COMM_SELF);
      }
      for (int &Each : Others)
        MPI_Comm_rank(MPI_COMM_SELF, &Each);
    }
    mayThrow(Count);
  }
  MPI_Finalize();
}
