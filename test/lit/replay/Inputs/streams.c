// Calls whose parameters leave their signatures: two strings of a call, numbers, buffers, on two threads.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char Memory[1 << 16];

static void *work(void *argument) {
  unsigned seed = 1 + (unsigned)(long)argument;
  MPI_Info info;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Info_create(&info);
  for (int i = 0; i < 1400; ++i) {
    char key[64], value[64];
    seed = seed * 1664525 + 1013904223;
    snprintf(key, sizeof key, "the key %u of %d", seed >> 8, i);
    snprintf(value, sizeof value, "%d: %u", i, seed);
    MPI_Info_set(info, key, value);
    if (i % 3 == 0)
      MPI_Info_delete(info, key);
    MPI_Comm_set_name(comm, i % 7 ? value : "");
    const int n = (int)(seed >> 20) % 50;
    MPI_Sendrecv(Memory + (seed >> 12) % 30000, n, MPI_CHAR, 0, (int)(seed >> 24), Memory + 30000 + n, 100, MPI_CHAR, 0,
                 (int)(seed >> 24), comm, MPI_STATUS_IGNORE);
    MPI_Request r;
    MPI_Irecv(Memory, n, MPI_CHAR, i % 5 ? 0 : MPI_PROC_NULL, i, comm, &r);
    MPI_Send(Memory + n, i % 5 ? n : 0, MPI_CHAR, i % 5 ? 0 : MPI_PROC_NULL, i, comm);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  MPI_Info_free(&info);
  MPI_Comm_free(&comm);
  return argument;
}

int main(int argc, char **argv) {
  int got;
  pthread_t other;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
  work((void *)0);
  pthread_create(&other, NULL, work, (void *)1);
  pthread_join(other, NULL);
  MPI_Finalize();
  return 0;
}
