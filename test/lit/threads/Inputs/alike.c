/* Threads that do the same, one after the other; what they make last is completed by the main thread. Arguments: threads,
 * rounds. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static int Rounds, Last, In[8], Out[8];
static MPI_Comm Comm;
static MPI_Request Left[8][2];
static pthread_barrier_t Steps;

/* All threads are there at a time, so each has a number of its own. They work in turn. */
static void *work(void *Own) {
  MPI_Request Q[8];
  for (int I = 0; I < *(int *)Own; ++I)
    pthread_barrier_wait(&Steps);
  for (int R = 0; R < Rounds; ++R) {
    for (int I = 0; I < 4; ++I) {
      MPI_Irecv(&In[I], 1, MPI_INT, 0, I, Comm, &Q[I]);
      MPI_Isend(&Out[I], 1, MPI_INT, 0, I, Comm, &Q[4 + I]);
    }
    MPI_Waitall(8, Q, MPI_STATUSES_IGNORE);
  }
  MPI_Irecv(&In[0], 1, MPI_INT, 0, 9, Comm, &Left[*(int *)Own][0]);
  MPI_Isend(&Out[0], 1, MPI_INT, 0, 9, Comm, &Left[*(int *)Own][1]);
  for (int I = *(int *)Own; I <= Last; ++I)
    pthread_barrier_wait(&Steps);
  return NULL;
}

int main(int Argc, char **Argv) {
  int Given;
  MPI_Init_thread(&Argc, &Argv, MPI_THREAD_MULTIPLE, &Given);
  MPI_Comm_dup(MPI_COMM_SELF, &Comm);
  pthread_t Threads[8];
  int N = atoi(Argv[1]), Numbers[8];
  Rounds = atoi(Argv[2]);
  Last = N - 1;
  pthread_barrier_init(&Steps, NULL, (unsigned)N + 1);
  for (int I = 0; I < N; ++I) {
    Numbers[I] = I;
    pthread_create(&Threads[I], NULL, work, &Numbers[I]);
  }
  for (int I = 0; I < N; ++I)
    pthread_barrier_wait(&Steps);
  for (int I = 0; I < N; ++I) {
    pthread_join(Threads[I], NULL);
    MPI_Waitall(2, Left[I], MPI_STATUSES_IGNORE);
  }
  MPI_Comm_free(&Comm);
  MPI_Finalize();
}
