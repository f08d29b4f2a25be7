// Persistent and partitioned requests, generalized ones, cancelled ones.
#include <mpi.h>
#include <stdlib.h>

static int query(void *State, MPI_Status *Status) {
  (void)State;
  MPI_Status_set_elements(Status, MPI_INT, 3);
  MPI_Status_set_cancelled(Status, 0);
  Status->MPI_SOURCE = 5;
  Status->MPI_TAG = 6;
  return MPI_SUCCESS;
}
static int release(void *State) {
  (void)State;
  return MPI_SUCCESS;
}
static int cancel(void *State, int Complete) {
  (void)State;
  (void)Complete;
  return MPI_SUCCESS;
}

int main(int Argc, char **Argv) {
  int Rank, Ranks;
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  const int Next = (Rank + 1) % Ranks, Last = (Rank + Ranks - 1) % Ranks;
  double *Out = calloc(64, sizeof(double)), *In = calloc(64, sizeof(double));
  MPI_Request Both[2], One;
  MPI_Status Statuses[2], Status;
  MPI_Send_init(Out, 16, MPI_DOUBLE, Next, 1, MPI_COMM_WORLD, &Both[0]);
  MPI_Recv_init(In, 16, MPI_DOUBLE, Last, 1, MPI_COMM_WORLD, &Both[1]);
  for (int I = 0; I < 5; ++I) {
    MPI_Startall(2, Both);
    MPI_Waitall(2, Both, Statuses);
  }
  MPI_Request_free(&Both[0]);
  MPI_Request_free(&Both[1]);
  MPI_Allreduce_init(Out, In, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &One);
  for (int I = 0; I < 3; ++I) {
    MPI_Start(&One);
    MPI_Wait(&One, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&One);
  MPI_Psend_init(Out, 4, 16, MPI_DOUBLE, Next, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &Both[0]);
  MPI_Precv_init(In, 4, 16, MPI_DOUBLE, Last, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &Both[1]);
  for (int I = 0; I < 3; ++I) {
    MPI_Startall(2, Both);
    MPI_Pready_range(0, 1, Both[0]);
    int Rest[2] = {3, 2};
    MPI_Pready_list(2, Rest, Both[0]);
    MPI_Waitall(2, Both, Statuses);
  }
  MPI_Request_free(&Both[0]);
  MPI_Request_free(&Both[1]);
  MPI_Grequest_start(query, release, cancel, NULL, &One);
  MPI_Grequest_complete(One);
  MPI_Wait(&One, &Status);
  MPI_Irecv(In, 16, MPI_DOUBLE, Last, 77, MPI_COMM_WORLD, &One);
  MPI_Cancel(&One);
  MPI_Wait(&One, &Status);
  int Flag;
  MPI_Test_cancelled(&Status, &Flag);
  // Nonblocking collectives need their arrays until they complete.
  int *Counts = malloc((size_t)Ranks * sizeof(int)), *Places = malloc((size_t)Ranks * sizeof(int));
  for (int R = 0; R < Ranks; ++R) {
    Counts[R] = 2;
    Places[R] = 3 * R;
  }
  MPI_Ialltoallv(Out, Counts, Places, MPI_DOUBLE, In, Counts, Places, MPI_DOUBLE, MPI_COMM_WORLD, &One);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Wait(&One, MPI_STATUS_IGNORE);
  free(Counts);
  free(Places);
  free(Out);
  free(In);
  MPI_Finalize();
  return 0;
}
