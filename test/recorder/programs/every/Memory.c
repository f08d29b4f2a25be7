// Datatypes, one-sided communication, files.

#include "EveryCall.h"

#include <stddef.h>

static int Data[1024];

void datatypes(void) {
  typedef struct {
    int Number;
    double Value[2];
  } Item;
  int Lengths[2] = {1, 2}, Places[2] = {3, 0};
  MPI_Aint Offsets[2] = {offsetof(Item, Number), offsetof(Item, Value)};
  MPI_Datatype Kinds[2] = {MPI_INT, MPI_DOUBLE}, T[10];
  int Sizes[2] = {8, 4 + Rank}, Parts[2] = {2, 2}, Starts[2] = {1, Rank};
  for (int Round = 0; Round < Rounds; ++Round) {
    MPI_Type_contiguous(3 + Round, MPI_INT, &T[0]);
    MPI_Type_vector(2, 1, 3 + Rank, T[0], &T[1]);
    MPI_Type_create_hvector(2, 1, 256, MPI_LONG_LONG, &T[2]);
    MPI_Type_indexed(2, Lengths, Places, MPI_SHORT, &T[3]);
    MPI_Type_create_hindexed(2, Lengths, Offsets, MPI_UNSIGNED, &T[4]);
    MPI_Type_create_indexed_block(2, 2, Places, MPI_CHAR, &T[5]);
    MPI_Type_create_struct(2, Lengths, Offsets, Kinds, &T[6]);
    MPI_Type_create_resized(T[6], 0, sizeof(Item), &T[7]);
    MPI_Type_create_subarray(2, Sizes, Parts, Starts,
                             Round % 2 ? MPI_ORDER_C : MPI_ORDER_FORTRAN,
                             MPI_FLOAT, &T[8]);
    MPI_Type_dup(T[8], &T[9]);
    for (int I = 0; I < 10; ++I)
      MPI_Type_commit(&T[I]);
    for (int I = 0; I < 10; ++I)
      MPI_Sendrecv_replace(Data, 1, T[I], (Rank + 1) % Size, I,
                           (Rank + Size - 1) % Size, I, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE);
    for (int I = 9; I >= 0; --I)
      MPI_Type_free(&T[I]);
  }
}

void oneSided(void) {
  static int Exposed[64];
  int *Base, Next = (Rank + 1) % Size;
  MPI_Win Win, Own;
  MPI_Win_create(Exposed, sizeof(Exposed), sizeof(int), MPI_INFO_NULL,
                 MPI_COMM_WORLD, &Win);
  MPI_Win_allocate(256, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &Base, &Own);
  for (int Round = 0; Round < Rounds; ++Round) {
    MPI_Win_fence(Round ? 0 : MPI_MODE_NOPRECEDE, Win);
    MPI_Put(&Data[Round], 2, MPI_INT, Next, 2 * Round, 2, MPI_INT, Win);
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, Win);
    MPI_Get(&Data[10], 2, MPI_INT, Next, Round, 2, MPI_INT, Win);
    MPI_Win_fence(0, Win);
    MPI_Win_fence(0, Own);
    MPI_Accumulate(&Data[20], 1, MPI_INT, Next, Rank, 1, MPI_INT, MPI_SUM, Own);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, Own);
  }
  MPI_Send(Base, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Win_free(&Own);
  MPI_Win_free(&Win);
}

void files(const char *Path) {
  MPI_File File;
  MPI_Status Status;
  MPI_Datatype Every;
  int Count;
  MPI_Type_vector(4, 1, Size, MPI_INT, &Every);
  MPI_Type_commit(&Every);
  if (MPI_File_open(MPI_COMM_WORLD, "/does/not/exist", MPI_MODE_RDONLY,
                    MPI_INFO_NULL, &File) == MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_File_open(MPI_COMM_WORLD, Path,
                MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &File);
  MPI_File_set_view(File, Rank * sizeof(int), MPI_INT, Every, "native",
                    MPI_INFO_NULL);
  for (int Round = 0; Round < Rounds; ++Round) {
    MPI_File_write_at(File, 4 * Round, Data, 4, MPI_INT, &Status);
    MPI_Get_count(&Status, MPI_INT, &Count);
    MPI_File_write_at_all(File, 4 * Round, Data, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(File, 4 * Round, &Data[32], 4, MPI_INT, &Status);
  }
  MPI_File_close(&File);
  MPI_Type_free(&Every);
}
