// Three threads end the process at the same time, by _exit(), exit(), abort(), MPI_Abort() or some of these (argv[1]).
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_barrier_t begin;
static const char *how;

static void *end(void *thread) {
  pthread_barrier_wait(&begin);
  const int other = !strcmp(how, "mixed") && thread;
  if (!strcmp(how, "exit") || other)
    exit(4);
  if (!strcmp(how, "MPI_Abort") || !strcmp(how, "mixed"))
    MPI_Abort(MPI_COMM_WORLD, 4);
  if (!strcmp(how, "abort"))
    abort();
  _exit(4);
  return NULL;
}

int main(int argc, char **argv) {
  char from[64], to[64];
  pthread_t threads[2];
  how = argv[1];
  int got;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
  for (int i = 0; i < 20000; ++i)
    MPI_Sendrecv(from, i % 60, MPI_CHAR, 0, i, to, 64, MPI_CHAR, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  pthread_barrier_init(&begin, NULL, 3);
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, end, &threads[i]);
  end(NULL);
}
