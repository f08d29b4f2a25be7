// Probes and tests that find nothing, and would find something when they are made again: a message of another size, an
// epoch that has ended. And an intercommunicator made of groups, of which one means something at the leaders alone.
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int Argc, char **Argv) {
  int Rank, Ranks, Found, Count;
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  double *Buffer = calloc(4096, sizeof(double));
  MPI_Message Message;
  MPI_Status Status;
  // Rank 0 asks for messages before they are sent, of ranks in an order without a pattern. Without the pauses they are
  // there sooner, and the next one of the same rank is longer.
  static const int Order[] = {1, 3, 2, 2, 1, 3, 3, 1, 2, 1, 2, 3, 2, 1, 1, 3};
  for (int I = 0; I < 16; ++I) {
    const int From = Order[I] % Ranks;
    if (Rank == From) {
      MPI_Send(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD);
      usleep(3000);
      MPI_Send(Buffer, 1 + 200 * I, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    } else if (Rank == 0) {
      MPI_Recv(NULL, 0, MPI_INT, From, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      do {
        usleep(I % 3 ? 300 : 0);
        MPI_Iprobe(From, 1, MPI_COMM_WORLD, &Found, MPI_STATUS_IGNORE);
        MPI_Improbe(From, 1, MPI_COMM_WORLD, &Found, &Message, &Status);
      } while (!Found);
      MPI_Get_count(&Status, MPI_DOUBLE, &Count);
      MPI_Mrecv(Buffer, Count, MPI_DOUBLE, &Message, &Status);
    }
  }
  // Tags that nothing else says.
  unsigned Tag = 12345;
  for (int I = 0; I < 100; ++I) {
    Tag = Tag * 1103515245u + 12345u;
    const int This = (int)(Tag >> 17);
    if (Rank == 1)
      MPI_Send(Buffer, 1, MPI_DOUBLE, 0, This, MPI_COMM_WORLD);
    if (Rank > 0)
      continue;
    do
      MPI_Iprobe(1 % Ranks, This, MPI_COMM_WORLD, &Found, MPI_STATUS_IGNORE);
    while (!Found);
    MPI_Recv(Buffer, 1, MPI_DOUBLE, 1 % Ranks, This, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  // Statuses that are asked late, of messages that differ in their sizes alone, and of a receive that is cancelled.
  if (Rank == 1)
    for (int I = 1; I <= 3; ++I)
      MPI_Send(Buffer, I, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
  if (Rank == 0) {
    MPI_Status Statuses[3], Cancelled;
    MPI_Request Request;
    for (int I = 0; I < 3; ++I)
      MPI_Recv(Buffer, 3, MPI_DOUBLE, 1 % Ranks, 2, MPI_COMM_WORLD, &Statuses[I]);
    for (int I = 0; I < 3; ++I)
      MPI_Get_count(&Statuses[I], MPI_DOUBLE, &Count);
    MPI_Irecv(Buffer, 3, MPI_DOUBLE, 1 % Ranks, 3, MPI_COMM_WORLD, &Request);
    MPI_Cancel(&Request);
    MPI_Wait(&Request, &Cancelled);
    MPI_Test_cancelled(&Cancelled, &Found);
    MPI_Test_cancelled(&Statuses[0], &Found);
  }
  MPI_Win Window;
  MPI_Group World, Mine, Others;
  MPI_Comm Inter;
  MPI_Comm_group(MPI_COMM_WORLD, &World);
  MPI_Win_create(Buffer, 4096 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &Window);
  for (int I = 0; I < 5; ++I)
    if (Rank == 0) {
      MPI_Win_post(World, 0, Window);
      MPI_Win_start(World, 0, Window);
      MPI_Win_complete(Window);
      do
        MPI_Win_test(Window, &Found);
      while (!Found);
    } else {
      usleep(1000);
      MPI_Win_post(World, 0, Window);
      MPI_Win_start(World, 0, Window);
      MPI_Win_complete(Window);
      MPI_Win_wait(Window);
    }
  MPI_Win_free(&Window);
  int Range[2][3] = {{0, Ranks / 2 - 1, 1}, {Ranks / 2, Ranks - 1, 1}};
  MPI_Group_range_incl(World, 1, &Range[Rank >= Ranks / 2], &Mine);
  MPI_Group_range_incl(World, 1, &Range[Rank < Ranks / 2], &Others);
  MPI_Intercomm_create_from_groups(Mine, 0, Others, 0, "halves", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &Inter);
  MPI_Barrier(Inter);
  MPI_Comm_free(&Inter);
  MPI_Group_free(&Mine);
  MPI_Group_free(&Others);
  MPI_Group_free(&World);
  free(Buffer);
  MPI_Finalize();
  return 0;
}
