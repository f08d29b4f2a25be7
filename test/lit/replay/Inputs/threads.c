// Threads that send to each other's partners, on communicators that the first thread makes.
#include <mpi.h>
#include <pthread.h>

static MPI_Comm Comms[3];
static int Rank, Ranks;
static pthread_barrier_t Begun;

static void *work(void *At) {
  const int Me = (int)(long)At;
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks); // threads are numbered by their first call
  pthread_barrier_wait(&Begun);
  int Out[4] = {Me}, In[4];
  for (int I = 0; I < 20; ++I)
    MPI_Sendrecv(Out, 4, MPI_INT, (Rank + 1) % Ranks, Me, In, 4, MPI_INT, (Rank + Ranks - 1) % Ranks, Me, Comms[Me],
                 MPI_STATUS_IGNORE);
  return 0;
}

int main(int Argc, char **Argv) {
  int Level;
  pthread_t Threads[3];
  MPI_Init_thread(&Argc, &Argv, MPI_THREAD_MULTIPLE, &Level);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  for (int I = 0; I < 3; ++I)
    MPI_Comm_dup(MPI_COMM_WORLD, &Comms[I]);
  for (long I = 1; I < 3; ++I) {
    pthread_barrier_init(&Begun, 0, 2);
    pthread_create(&Threads[I], 0, work, (void *)I);
    pthread_barrier_wait(&Begun);
  }
  pthread_barrier_init(&Begun, 0, 1);
  work(0);
  for (int I = 1; I < 3; ++I)
    pthread_join(Threads[I], 0);
  for (int I = 0; I < 3; ++I)
    MPI_Comm_free(&Comms[I]);
  MPI_Finalize();
  return 0;
}
