/* Which thread makes which of these calls is not known before. */
#include <mpi.h>
#include <omp.h>

static void probe(int Tag) {
  int Flag;
  MPI_Iprobe(MPI_PROC_NULL, Tag, MPI_COMM_WORLD, &Flag, MPI_STATUS_IGNORE);
}

/* A team inside of a team. The outer one makes no calls itself. */
static void nested(void) {
  for (int Step = 0; Step < 20; ++Step) {
#pragma omp parallel num_threads(2)
    for (int I = 0; I < 3; ++I) {
#pragma omp parallel num_threads(2)
      probe(I);
    }
  }
}

/* A team inside of itself: no node. */
static void recursive(int Depth) {
#pragma omp parallel num_threads(2)
  {
    probe(Depth);
    if (Depth)
      recursive(Depth - 1);
  }
}

static void tasks(void) {
#pragma omp parallel num_threads(3)
  {
#pragma omp master
    for (int I = 0; I < 50; ++I) {
#pragma omp task
      probe(I);
    }
#pragma omp barrier
#pragma omp single nowait
    for (int I = 0; I < 50; ++I) {
#pragma omp task
      probe(I);
    }
  }
}

int main(int Argc, char **Argv) {
  int Given;
  MPI_Init_thread(&Argc, &Argv, MPI_THREAD_MULTIPLE, &Given);
  omp_set_max_active_levels(4);
  if (Argc == 1)
    nested();
  else if (Argc == 2)
    tasks();
  else
    recursive(3);
  MPI_Finalize();
  return 0;
}
