// While one thread makes calls with memory that comes and goes, another one forks. Each child frees memory and ends by
// itself; it has a second for that.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int IsDone;

static void *calls(void *Nothing) {
  while (!IsDone) {
    int *Data[8], Count = 0;
    for (int I = 0; I < 8; ++I)
      Data[I] = malloc(4096 << I);
    for (int I = 0; I < 8; ++I)
      MPI_Get_elements(&(MPI_Status){0}, MPI_INT, &Count);
    for (int I = 0; I < 8; ++I) {
      MPI_Sendrecv(Data[I], 1, MPI_INT, 0, 1, Data[(I + 1) % 8], 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
      free(Data[I]);
      Data[I] = malloc(64);
    }
    for (int I = 0; I < 8; ++I)
      free(Data[I]);
  }
  return Nothing;
}

int main(int Argc, char **Argv) {
  int Level, Late = 0, Bad = 0;
  MPI_Init_thread(&Argc, &Argv, MPI_THREAD_MULTIPLE, &Level);
  int *Mine = malloc(1 << 20);
  MPI_Sendrecv(Mine, 1, MPI_INT, 0, 2, Mine + 10, 1, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  pthread_t Other;
  pthread_create(&Other, NULL, calls, NULL);
  for (int I = 0; I < atoi(Argv[1]); ++I) {
    const pid_t Child = fork();
    if (Child == 0) {
      alarm(1);
      free(Mine);
      for (int K = 0; K < 100; ++K)
        free(malloc(1 << (K % 20)));
      exit(7);
    }
    int Status;
    waitpid(Child, &Status, 0);
    Late += WIFSIGNALED(Status);
    Bad += WIFEXITED(Status) && WEXITSTATUS(Status) != 7;
  }
  IsDone = 1;
  pthread_join(Other, NULL);
  printf("%d late, %d with another exit code\n", Late, Bad);
  MPI_Finalize();
  return 0;
}
