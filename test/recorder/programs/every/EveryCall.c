// Makes every call that the recorder covers, most of them often.
//
//   EveryCall FILE [plain]    FILE is written, read and removed; plain:
//   MPI_Init
//                             without arguments, not MPI_Init_thread

#include "EveryCall.h"

int Rank, Size;

// The ranks of two halves, in reversed and in rotated order.
static void onSubsets(void) {
  MPI_Comm Half, Rotated;
  MPI_Comm_split(MPI_COMM_WORLD, Rank % 2, -Rank, &Half);
  MPI_Comm_split(MPI_COMM_WORLD, 0, (Rank + 2) % Size, &Rotated);
  for (int Round = 0; Round < Rounds; ++Round) {
    collectives(Half, Round);
    collectives(Rotated, Round);
  }
  pointToPoint(Rotated);
  MPI_Comm_free(&Half);
  MPI_Comm_free(&Rotated);
}

int main(int Argc, char **Argv) {
  int Version, Subversion, Length, Provided;
  char Name[MPI_MAX_PROCESSOR_NAME];
  MPI_Get_version(&Version, &Subversion);
  if (Argc > 2)
    MPI_Init(NULL, NULL);
  else
    MPI_Init_thread(&Argc, &Argv, MPI_THREAD_FUNNELED, &Provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  if (Size > MaxRanks || Argc < 2) {
    fprintf(stderr, "EveryCall: FILE missing, or more than %d ranks\n",
            MaxRanks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Get_processor_name(Name, &Length);

  for (int Round = 0; Round < Rounds; ++Round) {
    pointToPoint(MPI_COMM_WORLD);
    completion(MPI_COMM_WORLD);
    collectives(MPI_COMM_WORLD, Round);
  }
  persistent(MPI_COMM_WORLD);
  onSubsets();
  neighbors();
  communicators();
  datatypes();
  oneSided();
  files(Argv[1]);

  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (Rank == 0)
    puts("done");
  return 0;
}
