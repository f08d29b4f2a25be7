/* Arrays that calls fill and whose length differs from call to call: places of completed requests, and their statuses.
   The last ones are much longer than those before. */
#include <mpi.h>

enum { Rounds = 300, Most = 5000 };

int main(void) {
  static MPI_Request Requests[Most];
  static MPI_Status Statuses[Most];
  static int Places[Most];
  MPI_Init(0, 0);
  for (int Round = 1; Round <= Rounds; ++Round) {
    int Count = Round == Rounds ? Most : Round, Done = 0, Now;
    for (int I = 0; I < Count; ++I)
      MPI_Irecv(0, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &Requests[I]);
    while (Done < Count) {
      MPI_Waitsome(Count, Requests, &Now, Places, Statuses);
      Done += Now;
    }
  }
  MPI_Finalize();
  return 0;
}
