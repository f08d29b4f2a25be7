// What one traced call costs: loops of cheap calls in one process, and a loop
// of two clock reads, the least that a tracer with timing can add. Prints
// nanoseconds an iteration as JSON.
//
//   percall [iterations]      10^7 unless told
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
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

static void commRank(State *S) { MPI_Comm_rank(MPI_COMM_WORLD, &S->Rank); }

static void iprobe(State *S) {
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &S->Flag,
             MPI_STATUS_IGNORE);
}

static void sendrecv(State *S) {
  MPI_Sendrecv(S->Out, Values, MPI_DOUBLE, 0, 1, S->In, Values, MPI_DOUBLE, 0,
               1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void nonblocking(State *S) {
  MPI_Request Requests[2];
  MPI_Irecv(S->In, Values, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &Requests[0]);
  MPI_Isend(S->Out, Values, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &Requests[1]);
  MPI_Waitall(2, Requests, MPI_STATUSES_IGNORE);
}

static void twoClockGettime(State *S) {
  struct timespec T;
  for (int I = 0; I < 2; ++I) {
    clock_gettime(CLOCK_MONOTONIC, &T);
    S->Clock += (unsigned long long)T.tv_nsec;
  }
}

#if defined(__x86_64__)
static void twoRdtsc(State *S) {
  S->Clock += __rdtsc();
  S->Clock += __rdtsc();
}
#endif

// Inlined with a constant body, so that each loop is one of its own call sites
// only.
static inline __attribute__((always_inline)) double
nanoseconds(State *S, long Iterations, void (*Body)(State *)) {
  struct timespec Begin, End;
  for (long I = 0; I < 1000 && I < Iterations; ++I) // warm
    Body(S);
  clock_gettime(CLOCK_MONOTONIC, &Begin);
  for (long I = 0; I < Iterations; ++I)
    Body(S);
  clock_gettime(CLOCK_MONOTONIC, &End);
  return ((double)(End.tv_sec - Begin.tv_sec) * 1e9 +
          (double)(End.tv_nsec - Begin.tv_nsec)) /
         (double)Iterations;
}

int main(int Argc, char **Argv) {
  long Iterations = Argc > 1 ? atol(Argv[1]) : 10000000;
  if (Iterations <= 0) {
    fprintf(stderr, "percall: iterations must be positive\n");
    return 2;
  }
  State S = {{0}, {0}, 0, 0, 0};
  MPI_Init(&Argc, &Argv);
  double Rank = nanoseconds(&S, Iterations, commRank);
  double Probe = nanoseconds(&S, Iterations, iprobe);
  double Exchange = nanoseconds(&S, Iterations, sendrecv);
  double Nonblocking = nanoseconds(&S, Iterations, nonblocking);
  double Gettime = nanoseconds(&S, Iterations, twoClockGettime);
#if defined(__x86_64__)
  double Rdtsc = nanoseconds(&S, Iterations, twoRdtsc);
#else
  double Rdtsc = 0;
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
