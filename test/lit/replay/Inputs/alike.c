// Requests that are complete at once, to which MPI gives one handle, null requests among others, and requests that
// complete in another order in each run.
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

/// A buffer is used again when any of the operations on some is complete.
static void putInTurn(int Rank) {
  enum { Puts = 6, Steps = 40 };
  MPI_Request Put[Puts], Get;
  MPI_Win Window;
  double *Base, *Data = calloc(Puts * 16, sizeof(double));
  MPI_Win_allocate(Steps * 16 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &Base, &Window);
  MPI_Win_lock_all(0, Window);
  for (int I = 0; I < Steps; ++I) {
    int J = I;
    if (I >= Puts)
      MPI_Waitany(Puts, Put, &J, MPI_STATUS_IGNORE);
    MPI_Rget(Data + 16 * J, 16, MPI_DOUBLE, (Rank + 1) % 3, I * 16, 16, MPI_DOUBLE, Window, &Get);
    MPI_Wait(&Get, MPI_STATUS_IGNORE);
    MPI_Rput(Data + 16 * J, 16, MPI_DOUBLE, (Rank + 1) % 3, I * 16, 16, MPI_DOUBLE, Window, &Put[J]);
  }
  MPI_Waitall(Puts, Put, MPI_STATUSES_IGNORE);
  MPI_Win_unlock_all(Window);
  MPI_Win_free(&Window);
  free(Data);
}

/// Requests of an array in an order without a rule. In the second half, some were completed before.
static void waitForAny(void) {
  enum { Requests = 200, Steps = 12000 };
  MPI_Request Some[Requests];
  unsigned Number = 1;
  for (int I = 0; I < Requests; ++I)
    Some[I] = MPI_REQUEST_NULL;
  for (int I = 0; I < Steps; ++I) {
    Number = Number * 1103515245u + 12345u;
    const unsigned Place = Number / 65536 % Requests;
    if (Some[Place] == MPI_REQUEST_NULL && Number / 7 % 2)
      MPI_Isend(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &Some[Place]);
    else if (Some[Place] == MPI_REQUEST_NULL && (I < Steps / 2 || Number / 7 % 3))
      MPI_Irecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &Some[Place]);
    else
      MPI_Wait(&Some[Place], MPI_STATUS_IGNORE);
  }
  for (int I = 0; I < Requests; ++I)
    MPI_Wait(&Some[I], MPI_STATUS_IGNORE);
}

/// Of two messages to rank 0, that of rank 1 arrives long before that of rank 2.
static void freeWhatArrived(int Rank) {
  if (Rank == 2)
    usleep(300000);
  if (Rank) {
    int Data[100] = {0};
    MPI_Send(Data, 100, MPI_INT, 0, 0, MPI_COMM_WORLD);
    return;
  }
  MPI_Request Both[2];
  int *Data[2], Place;
  for (int I = 0; I < 2; ++I) {
    Data[I] = malloc(100 * sizeof(int));
    MPI_Irecv(Data[I], 100, MPI_INT, 2 - I, 0, MPI_COMM_WORLD, &Both[I]);
  }
  for (int I = 0; I < 2; ++I) {
    MPI_Waitany(2, Both, &Place, MPI_STATUS_IGNORE);
    free(Data[Place]);
    MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  }
}

/// Rank 1 answers only after what rank 2 sends late has been waited for.
static void waitForSome(int Rank) {
  int Data[3] = {0}, Count, Places[3];
  MPI_Request All[3];
  if (Rank == 2)
    usleep(300000);
  if (Rank)
    MPI_Send(Data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (Rank == 1) {
    MPI_Recv(Data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(Data, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  }
  if (Rank)
    return;
  MPI_Irecv(&Data[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &All[0]);
  MPI_Irecv(&Data[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &All[1]);
  MPI_Irecv(&Data[2], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &All[2]);
  MPI_Waitsome(3, All, &Count, Places, MPI_STATUSES_IGNORE);
  MPI_Waitsome(3, All, &Count, Places, MPI_STATUSES_IGNORE);
  MPI_Send(Data, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  MPI_Waitsome(3, All, &Count, Places, MPI_STATUSES_IGNORE);
}

int main(int Argc, char **Argv) {
  int Rank;
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  if (Argc > 2) {
    waitForSome(Rank);
  } else if (Argc > 1) {
    freeWhatArrived(Rank);
  } else {
    putInTurn(Rank);
    waitForAny();
  }
  MPI_Finalize();
  return 0;
}
