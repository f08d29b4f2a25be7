// Datatypes whose numbers are used again and again, each time for another size. Rank 0 prints how many bytes ranks send to
// others. Arguments: sites (the same calls from several places), other (one size is another one).
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

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  const int HasSites = argc > 1 && !strcmp(argv[1], "sites"), IsOther = argc > 1 && !strcmp(argv[1], "other");
  const int Most = argc > 2 ? atoi(argv[2]) : Steps;
  unsigned Random = 1;
  long Sent = 0;
  for (int I = 0; I < Most; ++I) {
    Random = Random * 1103515245 + 12345;
    Sent += step(1 + (int)(Random >> 8) % (Longest - 1) + (IsOther && I == 140), HasSites ? I % 4 : 0);
  }
  if (!Rank)
    printf("sent %ld\n", Sent * Size);
  MPI_Finalize();
  return 0;
}
