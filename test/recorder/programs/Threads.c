// Threads that call MPI at the same time, each with messages of its own on a
// communicator of its own, buffers on its stack and on the heap.

#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { Threads = 3, Rounds = 20, Length = 4 };

// The tracer gives a number again once its thread has ended.
static pthread_barrier_t Ended;

typedef struct {
  int Number;
  MPI_Comm Comm;
} Work;

static void *work(void *Argument) {
  Work *W = Argument;
  int Rank, Size;
  double Local[Length] = {0}, *Heap = malloc(Length * sizeof(double));
  MPI_Comm_rank(W->Comm, &Rank);
  MPI_Comm_size(W->Comm, &Size);
  int Next = (Rank + 1) % Size, Last = (Rank + Size - 1) % Size;
  for (int Round = 0; Round < Rounds + W->Number; ++Round) {
    MPI_Request Requests[2];
    MPI_Status Statuses[2];
    MPI_Irecv(Heap, Length, MPI_DOUBLE, Round % 2 ? Last : MPI_ANY_SOURCE,
              Round, W->Comm, &Requests[0]);
    MPI_Isend(Local, 1 + W->Number, MPI_DOUBLE, Next, Round, W->Comm,
              &Requests[1]);
    MPI_Waitall(2, Requests, Round % 3 ? Statuses : MPI_STATUSES_IGNORE);
  }
  free(Heap);
  pthread_barrier_wait(&Ended);
  return NULL;
}

int main(int Argc, char **Argv) {
  int Provided;
  MPI_Init_thread(&Argc, &Argv, MPI_THREAD_MULTIPLE, &Provided);
  if (Provided == MPI_THREAD_MULTIPLE) {
    pthread_t Ids[Threads];
    Work Works[Threads];
    for (int T = 0; T < Threads; ++T) {
      Works[T].Number = T;
      MPI_Comm_dup(MPI_COMM_WORLD, &Works[T].Comm);
    }
    pthread_barrier_init(&Ended, NULL, Threads);
    for (int T = 0; T < Threads; ++T)
      pthread_create(&Ids[T], NULL, work, &Works[T]);
    for (int T = 0; T < Threads; ++T)
      pthread_join(Ids[T], NULL);
    for (int T = 0; T < Threads; ++T)
      MPI_Comm_free(&Works[T].Comm);
  }
  MPI_Finalize();
  puts("done");
  return 0;
}
