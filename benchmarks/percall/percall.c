// What one traced call costs: loops of cheap calls in one process, and a loop
// of two clock reads, the least that a tracer with timing can add. Prints
// nanoseconds an iteration as JSON.
//
//   percall [iterations [loop]]      10^7 unless told; of all loops
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { Values = 8 };

typedef struct {
  double Out[Values], In[Values];
  int Rank, Flag;
  unsigned long long Clock;
} State;

static double nanoseconds(const struct timespec *Begin, long Iterations) {
  struct timespec End;
  clock_gettime(CLOCK_MONOTONIC, &End);
  return ((double)(End.tv_sec - Begin->tv_sec) * 1e9 +
          (double)(End.tv_nsec - Begin->tv_nsec)) /
         (double)Iterations;
}

// A loop of the calls themselves, as a program would have it; once to warm up.
#define MEASURE(Result, Name, ...)                                             \
  if (!Only || !strcmp(Only, Name)) {                                          \
    struct timespec Begin;                                                     \
    for (long I = 0; I < 1000 && I < Iterations; ++I)                          \
      __VA_ARGS__                                                              \
    clock_gettime(CLOCK_MONOTONIC, &Begin);                                    \
    for (long I = 0; I < Iterations; ++I)                                      \
      __VA_ARGS__                                                              \
    Result = nanoseconds(&Begin, Iterations);                                  \
  }

int main(int Argc, char **Argv) {
  long Iterations = Argc > 1 ? atol(Argv[1]) : 10000000;
  if (Iterations <= 0) {
    fprintf(stderr, "percall: iterations must be positive\n");
    return 2;
  }
  const char *Only = Argc > 2 ? Argv[2] : NULL;
  State S = {{0}, {0}, 0, 0, 0};
  MPI_Init(&Argc, &Argv);
  double Rank = 0, Probe = 0, Exchange = 0, Nonblocking = 0, Gettime = 0, Rdtsc = 0;
  MEASURE(Rank, "comm_rank", MPI_Comm_rank(MPI_COMM_WORLD, &S.Rank););
  MEASURE(Probe, "iprobe", MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &S.Flag,
                            MPI_STATUS_IGNORE););
  MEASURE(Exchange, "sendrecv",
          MPI_Sendrecv(S.Out, Values, MPI_DOUBLE, 0, 1, S.In, Values,
                       MPI_DOUBLE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE););
  MEASURE(Nonblocking, "nonblocking", {
    MPI_Request Requests[2];
    MPI_Irecv(S.In, Values, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &Requests[0]);
    MPI_Isend(S.Out, Values, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &Requests[1]);
    MPI_Waitall(2, Requests, MPI_STATUSES_IGNORE);
  });
  MEASURE(Gettime, "two_clock_gettime", for (int J = 0; J < 2; ++J) {
    struct timespec T;
    clock_gettime(CLOCK_MONOTONIC, &T);
    S.Clock += (unsigned long long)T.tv_nsec;
  });
#if defined(__x86_64__)
  MEASURE(Rdtsc, "two_rdtsc", {
    S.Clock += __rdtsc();
    S.Clock += __rdtsc();
  });
#endif
  MPI_Finalize();
  printf(
      "{\"iterations\": %ld, \"calls\": {\"comm_rank\": 1, \"iprobe\": 1, "
      "\"sendrecv\": 1, \"nonblocking\": 3},\n"
      " \"ns\": {\"comm_rank\": %.3f, \"iprobe\": %.3f, \"sendrecv\": %.3f, "
      "\"nonblocking\": %.3f,\n"
      "  \"two_rdtsc\": %.3f, \"two_clock_gettime\": %.3f}, \"clock\": %llu}\n",
      Iterations, Rank, Probe, Exchange, Nonblocking, Rdtsc, Gettime,
      S.Clock & 1);
  return 0;
}
