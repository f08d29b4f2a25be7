// Master and workers: rank 0 hands out tasks to whoever asks, receiving with
// MPI_ANY_SOURCE and MPI_ANY_TAG, until all are done. The textbook task farm
// (Gropp, Lusk & Skjellum, Using MPI). Nondeterministic by nature: what matched
// is known only after the fact. The checksum is not: every task is done exactly
// once.
#include "Workload.h"

enum { TagReady = 1, TagResult = 2, TagTask = 3, TagStop = 4 };

static double workOn(int Task, int Size) {
  double Result = 0;
  for (int I = 0; I < Size; ++I)
    Result += mix((unsigned)Task, (unsigned)I, 9) & 0xff;
  return Result;
}

static void master(Workload *W) {
  double Message[2]; // task, result
  int NextTask = 0, Done = 0;
  for (int Working = W->Ranks - 1; Working > 0;) {
    MPI_Status Status;
    MPI_Recv(Message, 2, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG,
             MPI_COMM_WORLD, &Status);
    if (Status.MPI_TAG == TagResult) {
      W->Sum += Message[1];
      require(W, Message[1] == workOn((int)Message[0], W->Size));
      ++Done;
    }
    int More = NextTask < W->Iterations;
    MPI_Send(&NextTask, 1, MPI_INT, Status.MPI_SOURCE, More ? TagTask : TagStop,
             MPI_COMM_WORLD);
    NextTask += More;
    Working -= !More;
  }
  for (; NextTask < W->Iterations; ++NextTask, ++Done) // alone
    W->Sum += workOn(NextTask, W->Size);
  require(W, Done == W->Iterations);
}

static void worker(Workload *W) {
  double Message[2] = {0, 0};
  int Task = 0;
  MPI_Status Status;
  MPI_Send(Message, 2, MPI_DOUBLE, 0, TagReady, MPI_COMM_WORLD);
  for (;;) {
    MPI_Recv(&Task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &Status);
    if (Status.MPI_TAG == TagStop)
      return;
    Message[0] = Task;
    Message[1] = workOn(Task, W->Size);
    MPI_Send(Message, 2, MPI_DOUBLE, 0, TagResult, MPI_COMM_WORLD);
  }
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 100, 1000);
  if (W.Rank == 0)
    master(&W);
  else
    worker(&W);
  return endWorkload(&W, "masterworker");
}
