// The worst that instrumentation can meet: small functions in hot loops, none
// of which communicates, behind calls that might.
//
//   untouched [iterations]      10^6 unless told
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

unsigned long outer(long, unsigned long);

int main(int Argc, char **Argv) {
  long Iterations = Argc > 1 ? atol(Argv[1]) : 1000000;
  MPI_Init(&Argc, &Argv);
  printf("untouched ok %lx\n", outer(Iterations, 7));
  MPI_Finalize();
  return 0;
}
