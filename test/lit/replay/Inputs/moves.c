// Datatypes of blocks that are allocated anew each time: their addresses come again, and are those of other blocks.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { Most = 6 };

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int Rounds = atoi(argv[1]);
  int Rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  for (int Round = 0; Round < Rounds; ++Round) {
    const int Number = 1 + Round % Most;
    char *Blocks[Most];
    int Lengths[Most], Sum = 0;
    MPI_Aint Asked[Most], Places[Most];
    for (int I = 0; I < Number; ++I) {
      const int Size = 8 * (1 + (Round * 7 + I * 5 + Rank) % 40);
      Blocks[I] = malloc((size_t)Size);
      memset(Blocks[I], I, (size_t)Size);
      MPI_Get_address(Blocks[I], &Asked[I]);
      // As they were asked for, or the other way round.
      const int At = Round % 4 ? I : Number - 1 - I;
      Lengths[At] = Size - Round % 3;
      Places[At] = Asked[I];
      Sum += Lengths[At];
    }
    MPI_Datatype Type;
    if (Round % 5 == 4) {
      MPI_Count Large[Most], Far[Most];
      for (int I = 0; I < Number; ++I) {
        Large[I] = Lengths[I];
        Far[I] = Places[I];
      }
      MPI_Type_create_hindexed_c(Number, Large, Far, MPI_BYTE, &Type);
    } else {
      MPI_Type_create_hindexed(Number, Lengths, Places, MPI_BYTE, &Type);
    }
    MPI_Type_commit(&Type);
    char *To = malloc((size_t)Sum);
    MPI_Sendrecv(MPI_BOTTOM, 1, Type, 0, Round, To, Sum, MPI_BYTE, 0, Round, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Type_free(&Type);
    free(To);
    for (int I = 0; I < Number; ++I)
      free(Blocks[I]);
  }
  MPI_Finalize();
  return 0;
}
