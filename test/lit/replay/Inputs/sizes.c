// Datatypes whose numbers are used again and again, each time for another size. Rank 0 prints how many bytes ranks send to
// others. Arguments: sites (the same calls from several places), other (one size is another one), arrays (the types are
// given in arrays; then arrays-sites, arrays-other).
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Steps = 1500, Longest = 4000 };
static int Ints[2][3 * Longest];
static char Packed[4 * Longest + 64];
static int Rank, Size;

// Calls of one site, or of one out of four.
#define FROM(Site, Call) \
  switch (Site) { \
  case 0: Call; break; \
  case 1: Call; break; \
  case 2: Call; break; \
  default: Call; \
  }

static long step(int Length, int Site) {
  MPI_Datatype Line, Pairs;
  FROM(Site, MPI_Type_contiguous(Length, MPI_INT, &Line))
  FROM(Site, MPI_Type_commit(&Line))
  FROM(Site, MPI_Type_vector(Length, 1, 2, MPI_INT, &Pairs))
  FROM(Site, MPI_Type_commit(&Pairs))
  const int Left = (Rank + Size - 1) % Size, Right = (Rank + 1) % Size;
  FROM(Site, MPI_Sendrecv(Ints[0], 1, Pairs, Right, 0, Ints[1], Length, MPI_INT, Left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE))
  FROM(Site, MPI_Bcast(Ints[0], 1, Line, 0, MPI_COMM_WORLD))
  int Position = 4, From = 0;
  FROM(Site, MPI_Pack(Ints[0], 1, Line, Packed, sizeof(Packed), &Position, MPI_COMM_SELF))
  FROM(Site, MPI_Unpack(Packed, Position, &From, Ints[1], 1, Line, MPI_COMM_SELF))
  FROM(Site, MPI_Type_free(&Pairs))
  FROM(Site, MPI_Type_free(&Line))
  return 4L * Length;
}

// The same with arrays of types, one of which is predefined.
static long arrays(int Length, int Site) {
  MPI_Datatype Parts[3] = {MPI_INT, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}, All, Types[64];
  MPI_Type_contiguous(Length, MPI_INT, &Parts[1]);
  MPI_Type_contiguous(Longest - Length, MPI_INT, &Parts[2]);
  const int Lengths[3] = {2, 1, 1};
  const MPI_Aint Places[3] = {0, 8, 8 + 4 * Length};
  FROM(Site, MPI_Type_create_struct(3, Lengths, Places, Parts, &All))
  MPI_Type_commit(&All);
  MPI_Type_commit(&Parts[1]);
  int Counts[64] = {0}, Zeros[64] = {0};
  const int Left = (Rank + Size - 1) % Size, Right = (Rank + 1) % Size;
  for (int I = 0; I < Size; ++I)
    Types[I] = I == Right || I == Left ? Parts[1] : MPI_BYTE;
  Counts[Right] = Counts[Left] = 1;
  FROM(Site, MPI_Alltoallw(Ints[0], Counts, Zeros, Types, Ints[1], Counts, Zeros, Types, MPI_COMM_WORLD))
  FROM(Site, MPI_Send(Ints[0], 1, All, MPI_PROC_NULL, 0, MPI_COMM_WORLD))
  MPI_Type_free(&Parts[1]);
  MPI_Type_free(&Parts[2]);
  MPI_Type_free(&All);
  return 8L * Length;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  const char *Way = argc > 1 ? argv[1] : "";
  const int HasSites = !!strstr(Way, "sites"), IsOther = !!strstr(Way, "other"), HasArrays = !!strstr(Way, "arrays");
  const int Most = argc > 2 ? atoi(argv[2]) : Steps;
  unsigned Random = 1;
  long Sent = 0;
  for (int I = 0; I < Most; ++I) {
    Random = Random * 1103515245 + 12345;
    Sent += (HasArrays ? arrays : step)(1 + (int)(Random >> 8) % (Longest - 1) + (IsOther && I == 140), HasSites ? I % 4 : 0);
  }
  if (!Rank)
    printf("sent %ld\n", Sent * Size);
  MPI_Finalize();
  return 0;
}
