// A grid of SIDE x SIDE ranks without neighbours beyond its borders, built for this number of ranks: each has buffers
// of its share of the points, where the linker puts them, and requests of the neighbours that it has.
#include <mpi.h>

enum { Points = 3600 / SIDE };
static double Out[Points], In[4][Points + SIDE];
static MPI_Request Requests[4];
static int Count;

static inline __attribute__((always_inline)) void receive(int From, double *To, int Tag) {
  MPI_Irecv(To, Points, MPI_DOUBLE, From, Tag, MPI_COMM_WORLD, &Requests[Count++]);
}
static inline __attribute__((always_inline)) void send(int To, int Tag) {
  MPI_Send(Out, Points, MPI_DOUBLE, To, Tag, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  int Rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  const int Row = Rank / SIDE, Column = Rank % SIDE;
  for (int Step = 0; Step < 5; ++Step) {
    Count = 0;
    if (Row > 0)
      receive(Rank - SIDE, In[0], 0);
    if (Row + 1 < SIDE)
      receive(Rank + SIDE, In[1], 1);
    if (Column > 0)
      receive(Rank - 1, In[2], 2);
    if (Column + 1 < SIDE)
      receive(Rank + 1, In[3], 3);
    if (Row > 0)
      send(Rank - SIDE, 1);
    if (Row + 1 < SIDE)
      send(Rank + SIDE, 0);
    if (Column > 0)
      send(Rank - 1, 3);
    if (Column + 1 < SIDE)
      send(Rank + 1, 2);
    for (int I = 0; I < Count; ++I)
      MPI_Wait(&Requests[I], MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
