// Each rank sends round a ring a few times and then ends in the way that the
// first argument names; its output is in the order of the ranks.
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

static int overflow(int Depth) {
  volatile char Room[4096];
  Room[0] = (char)Depth;
  return overflow(Depth + 1) + Room[0];
}

static void onOverflow(int Signal) {
  (void)Signal;
  _exit(7);
}

/// Whether there is no other stack for signals, as the program has not asked for any.
static int hasNoSignalStack(void) {
  stack_t S;
  return sigaltstack(NULL, &S) == 0 && S.ss_flags == SS_DISABLE;
}

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
  if (strcmp(End, "quick_exit") == 0 && Last)
    quick_exit(4);
  if (strcmp(End, "_exit") == 0)
    _exit(4);
  if (strcmp(End, "abort") == 0 && Last)
    abort();
  if (strcmp(End, "MPI_Abort") == 0 && Last)
    MPI_Abort(MPI_COMM_WORLD, 5);
  if (strcmp(End, "kill") == 0 && Last)
    raise(SIGKILL);
  if (strcmp(End, "kill-process") == 0 && Last)
    kill(getpid(), SIGKILL);
  if (strcmp(End, "kill-group") == 0 && Last && setsid() != -1)
    kill(0, SIGKILL);
  if (strcmp(End, "kill-thread") == 0 && Last)
    pthread_kill(pthread_self(), SIGKILL);
  if (strcmp(End, "kill-others") == 0) { // a child, and nobody: this process goes on
    const pid_t Child = fork();
    for (; Child == 0;)
      raise(SIGKILL);
    if (kill(Child, SIGKILL) != 0 || kill(getpid(), 0) != 0 || waitpid(Child, NULL, 0) != Child)
      return 1;
  }
  if (strcmp(End, "overflow") == 0 && Last)
    overflow(1);
  if (strcmp(End, "overflow-unseen") == 0 && hasNoSignalStack())
    overflow(1);
  // By the program itself. When it has given its stack back, it has none again.
  if (strcmp(End, "overflow-seen") == 0) {
    static char Room[65536];
    const stack_t Own = {Room, 0, sizeof Room}, None = {NULL, SS_DISABLE, 0};
    const struct sigaction Action = {.sa_handler = onOverflow, .sa_flags = SA_ONSTACK};
    stack_t Old;
    if (sigaltstack(&Own, &Old) != 0 || Old.ss_flags != SS_DISABLE || sigaltstack(&Old, NULL) != 0 ||
        !hasNoSignalStack() || sigaltstack(&Own, NULL) != 0 || sigaltstack(&None, &Old) != 0 || Old.ss_sp != Room ||
        sigaltstack(&Own, NULL) != 0 || sigaction(SIGSEGV, &Action, NULL) != 0)
      return 1;
    overflow(1);
  }
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
