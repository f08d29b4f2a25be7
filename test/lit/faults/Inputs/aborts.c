// abort() where SIGABRT is ignored, or has a handler that returns, or one that jumps (argv[1]).
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf target;

static void returns(int s) { write(1, "handled\n", 8); }
static void jumps(int s) { siglongjmp(target, 1); }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 10; ++i)
    MPI_Barrier(MPI_COMM_WORLD);
  signal(SIGABRT, !strcmp(argv[1], "ignored") ? SIG_IGN : !strcmp(argv[1], "jumps") ? jumps : returns);
  if (sigsetjmp(target, 1) == 0)
    abort();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
