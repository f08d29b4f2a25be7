// Three threads end the process at the same time, by _exit() or abort() (argv[1]).
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_barrier_t begin;
static const char *how;

static void *end(void *unused) {
  pthread_barrier_wait(&begin);
  if (!strcmp(how, "abort"))
    abort();
  _exit(4);
  return unused;
}

int main(int argc, char **argv) {
  char from[64], to[64];
  pthread_t threads[2];
  how = argv[1];
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 20000; ++i)
    MPI_Sendrecv(from, i % 60, MPI_CHAR, 0, i, to, 64, MPI_CHAR, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  pthread_barrier_init(&begin, NULL, 3);
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, end, NULL);
  end(NULL);
}
