/* Calls of MPI in everything that OpenMP makes of a function, with two threads. */
#include <mpi.h>
#include <omp.h>

static void probe(int Tag) {
  int Flag;
  MPI_Iprobe(MPI_PROC_NULL, Tag, MPI_COMM_WORLD, &Flag, MPI_STATUS_IGNORE);
}

static void solve(int Steps) {
  for (int Step = 0; Step < Steps; ++Step) {
#pragma omp parallel
    probe(omp_get_thread_num());
  }
}

static void constructs(void) {
#pragma omp parallel
  {
#pragma omp master
    MPI_Barrier(MPI_COMM_SELF);
#pragma omp barrier
    for (int I = 0; I < 3; ++I)
      probe(I);
#pragma omp critical
    probe(3);
#pragma omp for
    for (int I = 0; I < 4; ++I)
      probe(I);
#pragma omp sections
    {
#pragma omp section
      probe(4);
#pragma omp section
      probe(5);
    }
#pragma omp single
    if (omp_get_thread_num() < 0)
      MPI_Barrier(MPI_COMM_SELF);
  }
}

static void tasks(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
  {
    for (int I = 0; I < 2; ++I) {
#pragma omp task
      probe(I);
    }
#pragma omp taskwait
#pragma omp taskloop grainsize(2)
    for (int I = 0; I < 6; ++I)
      probe(I);
  }
}

int main(int Argc, char **Argv) {
  int Given, Steps = 5;
  MPI_Init_thread(&Argc, &Argv, MPI_THREAD_MULTIPLE, &Given);
  omp_set_num_threads(2);
  for (int Step = 0; Step < Steps; ++Step)
    constructs();
  solve(2);
  for (int Step = 0; Step < Steps; ++Step)
    if (Step != 2)
      solve(Step);
#pragma omp parallel if (Argc > 1)
  probe(6);
  tasks();
#pragma omp parallel num_threads(Argc + 1)
#pragma omp master
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
