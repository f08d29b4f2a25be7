// Calls with handles that are none, and how often the program's error handler runs for each.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int Runs;
static void onError(MPI_Comm *C, int *Code, ...) { ++Runs; }

#define TRY(Call)                                                                                                      \
  do {                                                                                                                 \
    Runs = 0;                                                                                                          \
    const int Code = Call;                                                                                             \
    printf("%.20s: %s, %d\n", #Call, Code == MPI_SUCCESS ? "succeeds" : "fails", Runs);                                \
  } while (0)

int main(int Argc, char **Argv) {
  MPI_Init(&Argc, &Argv);
  MPI_Errhandler H;
  MPI_Comm_create_errhandler(onError, &H);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, H);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, H);
  int N[64] = {0}, D[64] = {0}, Flag, Type;
  MPI_Datatype T[64], Subtype;
  for (int I = 0; I < 64; ++I)
    T[I] = MPI_INT;
  MPI_Comm Bad[3] = {MPI_COMM_NULL, MPI_COMM_SELF};
  MPI_Comm_dup(MPI_COMM_SELF, &Bad[1]);
  Bad[2] = Bad[1];
  MPI_Comm_free(&Bad[1]);
  for (int I = 0; I < 3; I += 2) {
    const MPI_Comm C = Bad[I];
    MPI_Request R;
    TRY(MPI_Alltoallw(N, N, D, T, N, N, D, T, C));
    TRY(MPI_Alltoallv(N, N, D, MPI_INT, N, N, D, MPI_INT, C));
    TRY(MPI_Allgatherv(N, 0, MPI_INT, N, N, D, MPI_INT, C));
    TRY(MPI_Gatherv(N, 0, MPI_INT, N, N, D, MPI_INT, 0, C));
    TRY(MPI_Scatterv(N, N, D, MPI_INT, N, 0, MPI_INT, 0, C));
    TRY(MPI_Reduce_scatter(N, D, N, MPI_INT, MPI_SUM, C));
    TRY(MPI_Neighbor_alltoallw(N, N, (MPI_Aint[64]){0}, T, N, N, (MPI_Aint[64]){0}, T, C));
    TRY(MPI_Ialltoallv(N, N, D, MPI_INT, N, N, D, MPI_INT, C, &R));
    TRY(MPI_Cart_coords(C, 0, 1, N));
    TRY(MPI_Cart_sub(C, N, &Bad[1]));
    TRY(MPI_Cart_rank(C, N, D));
    TRY(MPI_Graph_neighbors(C, 0, 1, N));
    TRY(MPI_Send(N, 1, MPI_INT, 0, 0, C));
    TRY(MPI_Bcast(N, 1, MPI_INT, 0, C));
  }
  TRY(MPI_Send(N, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_SELF));
  TRY(MPI_Type_get_envelope(MPI_DATATYPE_NULL, N, N + 1, N + 2, &Type));
  TRY(MPI_Type_get_contents(MPI_DATATYPE_NULL, 1, 0, 1, N, NULL, T));
  TRY(MPI_Type_contiguous(2, MPI_DATATYPE_NULL, &Subtype));
  TRY(MPI_Send(N, 1, MPI_INT, 77, 0, MPI_COMM_SELF));
  TRY(MPI_Test(&(MPI_Request){MPI_REQUEST_NULL}, &Flag, MPI_STATUS_IGNORE));
  TRY(MPI_Group_translate_ranks(MPI_GROUP_NULL, 1, N, MPI_GROUP_EMPTY, D));
  MPI_Finalize();
}
