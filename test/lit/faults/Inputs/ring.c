// Each rank sends round a ring a few times and then ends in the way that the
// first argument names; its output is in the order of the ranks.
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void round_(int Rank, int Size, int Times) {
  for (int I = 0; I < Times; ++I) {
    int Out = Rank * 100 + I, In = -1;
    MPI_Sendrecv(&Out, 1, MPI_INT, (Rank + 1) % Size, 7, &In, 1, MPI_INT, (Rank + Size - 1) % Size, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (In != (Rank + Size - 1) % Size * 100 + I)
      printf("rank %d: got %d\n", Rank, In);
  }
}

static void atEnd(void) { printf("atexit ran\n"); }

int main(int Argc, char **Argv) {
  const char *End = Argc > 1 ? Argv[1] : "finalize";
  int Rank, Size;
  char Folder[4096];
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  round_(Rank, Size, 10);
  if (Rank == 0)
    printf("%d ranks went round\n", Size);
  // What is to be there after a sudden end has to be on its way before, and the launcher takes its time.
  if (strstr(End, "exit") == NULL)
    fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  int Last = Rank == Size - 1;
  if (Last)
    usleep(50000);
  if (strcmp(End, "exit") == 0) {
    atexit(atEnd);
    exit(3);
  }
  if (strcmp(End, "_exit") == 0)
    _exit(4);
  if (strcmp(End, "abort") == 0 && Last)
    abort();
  if (strcmp(End, "MPI_Abort") == 0 && Last)
    MPI_Abort(MPI_COMM_WORLD, 5);
  if (strcmp(End, "kill") == 0 && Last)
    raise(SIGKILL);
  if (strcmp(End, "term") == 0 && Last)
    raise(SIGTERM);
  if (strcmp(End, "segv") == 0 && Last)
    *(volatile int *)8 = 1;
  // Faults that MPI_Finalize comes after.
  if (strcmp(End, "chdir") == 0 || strcmp(End, "rmdir") == 0) {
    if (*End == 'r' && Rank == 0)
      rmdir(getcwd(Folder, sizeof Folder));
    else if (*End == 'c' && chdir(Argv[2]) != 0)
      return 1;
  } else if (strcmp(End, "fsize") == 0) {
    struct rlimit Limit = {0, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &Limit);
  } else if (strcmp(End, "close") == 0) {
    fclose(stdout);
    fclose(stderr);
    fclose(stdin);
  } else if (strcmp(End, "own") == 0) {
    // A file of the program's own where the standard error was.
    close(2);
    if (open(Argv[2], O_WRONLY | O_CREAT | O_APPEND, 0666) != 2)
      return 1;
  } else if (strcmp(End, "late") == 0) {
    if (Last)
      sleep(atoi(Argv[2]));
  } else if (strcmp(End, "finalize") != 0) {
    MPI_Barrier(MPI_COMM_WORLD); // until somebody's end ends it
  }
  MPI_Finalize();
  if (Rank == 0)
    printf("finalized\n");
  return 0;
}
