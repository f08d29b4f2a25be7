// Threads that take over what another one made: requests, communicators and datatypes, and blocks of the heap that are
// freed while others call MPI.
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { Rounds = 10, Count = 100 };
static int Rank, Ranks, Left, Right;
static pthread_barrier_t Both;
static MPI_Request Recv, Send, Kept;
static MPI_Comm Made;
static MPI_Datatype Pairs;
static int *In, *Out;

static void *take(void *Unused) {
  (void)Unused;
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks); // threads are numbered by their first call
  pthread_barrier_wait(&Both);
  for (int I = 0; I < Rounds; ++I) {
    pthread_barrier_wait(&Both);
    MPI_Wait(&Recv, MPI_STATUS_IGNORE);
    MPI_Wait(&Send, MPI_STATUS_IGNORE);
    free(In);
    free(Out);
    pthread_barrier_wait(&Both);
    MPI_Start(&Kept);
    MPI_Wait(&Kept, MPI_STATUS_IGNORE);
    // This one makes a communicator that the first thread uses, and frees.
    MPI_Comm_dup(MPI_COMM_WORLD, &Made);
    pthread_barrier_wait(&Both);
  }
  return 0;
}

int main(int Argc, char **Argv) {
  int Level;
  pthread_t Other;
  MPI_Init_thread(&Argc, &Argv, MPI_THREAD_MULTIPLE, &Level);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  Left = (Rank + Ranks - 1) % Ranks;
  Right = (Rank + 1) % Ranks;
  pthread_barrier_init(&Both, 0, 2);
  pthread_create(&Other, 0, take, 0);
  pthread_barrier_wait(&Both);
  MPI_Recv_init(0, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &Kept);
  for (int I = 0; I < Rounds; ++I) {
    In = malloc(Count * sizeof(int));
    Out = calloc(Count, sizeof(int));
    MPI_Type_contiguous(2, MPI_INT, &Pairs);
    MPI_Type_commit(&Pairs);
    MPI_Irecv(In, Count / 2, Pairs, Left, 5, MPI_COMM_WORLD, &Recv);
    MPI_Isend(Out, Count / 2, Pairs, Right, 5, MPI_COMM_WORLD, &Send);
    pthread_barrier_wait(&Both);
    pthread_barrier_wait(&Both);
    MPI_Type_free(&Pairs);
    pthread_barrier_wait(&Both);
    MPI_Barrier(Made);
    MPI_Comm_free(&Made);
  }
  MPI_Request_free(&Kept);
  pthread_join(Other, 0);
  MPI_Finalize();
  return 0;
}
