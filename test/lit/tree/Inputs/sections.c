#include <mpi.h>
#include <omp.h>
static int probe(int Tag) {
  int Flag;
  MPI_Iprobe(MPI_ANY_SOURCE, Tag, MPI_COMM_SELF, &Flag, MPI_STATUS_IGNORE);
  return Flag;
}
int main(int Count, char **Words) {
  int Provided, Sum = 0;
  MPI_Init_thread(&Count, &Words, MPI_THREAD_MULTIPLE, &Provided);
#pragma omp parallel num_threads(2) reduction(+ : Sum)
  {
#pragma omp critical
    probe(1);
    probe(2);
    if (Count == 1) {
#pragma omp critical(update)
      {
        if (Count > 1)
          probe(3);
        else
          MPI_Barrier(MPI_COMM_SELF);
        for (int I = 0; I < 2; I++)
          probe(4);
#pragma omp critical(inner)
        probe(5);
        probe(6);
      }
      probe(7);
    }
#pragma omp critical
    Sum++;
#pragma omp for schedule(static, 1) ordered
    for (int I = 0; I < 4; I++) {
      if (I < 2)
        probe(8);
#pragma omp ordered
      probe(9);
      probe(10);
    }
#pragma omp master
#pragma omp critical
    probe(11);
  }
  MPI_Finalize();
  return Sum != 2;
}
