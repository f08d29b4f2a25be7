// Points are divided among the columns of a grid of ranks, and among its rows, which do not divide them: each rank
// sends its share to the next one in its column, and writes its share of a row to where it begins in a file.
#include <mpi.h>
#include <stdlib.h>

static int Length;

#if WAY == 0 // the first ones have one more
static int begin(int N, int At) { return At * (N / Length) + (At < N % Length ? At : N % Length); }
#elif WAY == 1 // as a line on a screen
static int begin(int N, int At) { return At * N / Length; }
#else          // all but the last ones have as many
static int begin(int N, int At) {
  const int Begin = At * ((N + Length - 1) / Length);
  return Begin < N ? Begin : N;
}
#endif

int main(int argc, char **argv) {
  enum { Columns = 101, Rows = 306 };
  int Rank, Ranks;
  MPI_File File;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  while (Length * Length < Ranks)
    ++Length;
  const int Row = Rank / Length, Column = Rank % Length;
  const int Wide = begin(Columns, Column + 1) - begin(Columns, Column), High = begin(Rows, Row + 1) - begin(Rows, Row);
  double *Points = calloc(2 * Rows, sizeof(double));
  MPI_File_open(MPI_COMM_WORLD, "points", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &File);
  for (int Step = 0; Step < 3; ++Step) {
    MPI_Sendrecv(Points, 2 * Wide, MPI_DOUBLE, (Rank + Length) % Ranks, 1, Points + Rows, 2 * Wide, MPI_DOUBLE,
                 (Rank + Ranks - Length) % Ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_File_write_at(File, (MPI_Offset)(16 + 8 * begin(Rows, Row)), Points, High + 3, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&File);
  free(Points);
  MPI_Finalize();
  return 0;
}
