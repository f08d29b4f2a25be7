// What all workloads share: arguments, start and end, deterministic hashes, and
// stamped messages.
//
// A workload imitates who sends how much to whom and when, not the numerical
// method. Instead of computing, a sender stamps a message with values derived
// from (sender, receiver, step) and the receiver checks them, so a misrouted or
// truncated message is noticed. The sum of all received values, reduced on rank
// 0, is the checksum.
//
// Rules that every workload keeps, so that benchmarks/virtual can run thousands
// of ranks of it in one process: no mutable file-scope state, no exit(),
// everything allocated is freed, and control flow, peers and sizes never depend
// on received values. With PILGRIM_VIRTUAL no data arrives: stamps and checks
// vanish, calls stay.
#ifndef PILGRIM_BENCHMARKS_WORKLOAD_H
#define PILGRIM_BENCHMARKS_WORKLOAD_H

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
  int Rank, Ranks;
  int Iterations, Size; // the two arguments
  double Bad;           // received values that were not the expected ones
  double Sum;           // of the values received
  struct timespec Start;
} Workload;

static inline int argumentOr(int Argc, char **Argv, int Index, int Default) {
  int Value = Argc > Index ? atoi(Argv[Index]) : Default;
  return Value > 0 ? Value : Default;
}

static inline void beginWorkload(Workload *W, int Argc, char **Argv, int Iterations, int Size) {
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &W->Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &W->Ranks);
  W->Iterations = argumentOr(Argc, Argv, 1, Iterations);
  W->Size = argumentOr(Argc, Argv, 2, Size);
  W->Bad = W->Sum = 0;
  clock_gettime(CLOCK_MONOTONIC, &W->Start);
}

// Counts a failed check.
static inline void require(Workload *W, int Condition) {
#ifndef PILGRIM_VIRTUAL
  W->Bad += !Condition;
#else
  (void)W, (void)Condition;
#endif
}

// Reduces the checks, prints the one line of rank 0 and finalizes. Returns the
// exit code. With PILGRIM_BENCH_TIME set, rank 0 also prints the seconds
// between MPI_Init and MPI_Finalize to stderr.
static inline int endWorkload(Workload *W, const char *Name) {
  double Mine[2] = {W->Bad, W->Sum}, All[2] = {0, 0};
  MPI_Reduce(Mine, All, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
#ifndef PILGRIM_VIRTUAL
  if (W->Rank == 0) {
    struct timespec End;
    clock_gettime(CLOCK_MONOTONIC, &End);
    printf("%s %s %.0f\n", Name, All[0] == 0 ? "ok" : "FAILED", All[1]);
    if (getenv("PILGRIM_BENCH_TIME"))
      fprintf(stderr, "pilgrim-bench: seconds %.9f\n",
              (double)(End.tv_sec - W->Start.tv_sec) + (double)(End.tv_nsec - W->Start.tv_nsec) * 1e-9);
  }
#else
  (void)Name;
#endif
  MPI_Finalize();
  return All[0] != 0;
}

static inline void *allocate(size_t Count, size_t Bytes) {
  void *Memory = calloc(Count ? Count : 1, Bytes);
  if (!Memory)
    abort();
  return Memory;
}

static inline double *newBuffer(int Count) { return (double *)allocate((size_t)Count, sizeof(double)); }

// A hash of three numbers, the same on every rank.
static inline unsigned mix(unsigned A, unsigned B, unsigned C) {
  unsigned H = A * 0x9e3779b1u ^ (B + 0x7f4a7c15u) * 0x85ebca6bu ^ (C + 0x165667b1u) * 0xc2b2ae35u;
  H = (H ^ H >> 15) * 0x2c1b3c6du;
  H = (H ^ H >> 12) * 0x297a2d39u;
  return H ^ H >> 15;
}

static inline void stamp(double *Buffer, int Count, int From, int To, int Step) {
#ifndef PILGRIM_VIRTUAL
  double Base = mix((unsigned)From, (unsigned)To, (unsigned)Step) & 0xfffff;
  for (int I = 0; I < Count; ++I)
    Buffer[I] = Base + I;
#else
  (void)Buffer, (void)Count, (void)From, (void)To, (void)Step;
#endif
}

// Checks what From stamped. Nothing is expected from MPI_PROC_NULL.
static inline void expect(Workload *W, const double *Buffer, int Count, int From, int To, int Step) {
#ifndef PILGRIM_VIRTUAL
  if (From < 0)
    return;
  double Base = mix((unsigned)From, (unsigned)To, (unsigned)Step) & 0xfffff;
  for (int I = 0; I < Count; ++I) {
    W->Bad += Buffer[I] != Base + I;
    W->Sum += Buffer[I];
  }
#else
  (void)W, (void)Buffer, (void)Count, (void)From, (void)To, (void)Step;
#endif
}

// The nearest-to-square factors of Ranks, the larger one first.
static inline void factorGrid(int Ranks, int *Nx, int *Ny) {
  *Ny = 1;
  for (int D = 1; D * D <= Ranks; ++D)
    if (Ranks % D == 0)
      *Ny = D;
  *Nx = Ranks / *Ny;
}

static inline int largestPowerOfTwo(int Limit) {
  int Power = 1;
  while (Power <= Limit / 2)
    Power *= 2;
  return Power;
}

#endif // PILGRIM_BENCHMARKS_WORKLOAD_H
