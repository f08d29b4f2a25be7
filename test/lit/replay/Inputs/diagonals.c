// A torus of SIDE x SIDE ranks that have blocks on diagonals, and send them on step by step: tags and sizes say which
// block it is; those at the boundary are smaller.
#include <mpi.h>

static double Out[40000], In[40000];

static int around(int V) { return (V % SIDE + SIDE) % SIDE; }
static int length(int Block) { return 60 / SIDE - (Block == 0) - (Block == SIDE - 1); }

int main(int argc, char **argv) {
  int Rank;
  MPI_Request Request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  const int Row = Rank / SIDE, Column = Rank % SIDE;
  const int To = Row * SIDE + around(Column + 1), From = Row * SIDE + around(Column - 1);
  for (int Iteration = 0; Iteration < 3; ++Iteration)
    for (int Step = 0; Step < SIDE - 1; ++Step) {
      // Of the rank before, which is one column to the left.
      const int A = around(Column - Row - Step), B = around(Row + Step), Before = around(Column - 1 - Row - Step);
      MPI_Irecv(In, length(Before) * length(B), MPI_DOUBLE, From, 100 + Before + SIDE * B, MPI_COMM_WORLD, &Request);
      MPI_Send(Out, length(A) * length(B), MPI_DOUBLE, To, 100 + A + SIDE * B, MPI_COMM_WORLD);
      MPI_Wait(&Request, MPI_STATUS_IGNORE);
    }
  MPI_Finalize();
  return 0;
}
