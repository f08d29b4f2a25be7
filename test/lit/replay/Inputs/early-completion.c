// Tests that find nothing here find something in a replay, where nobody waits for the files: rank 1 sends at once then.
// What the later calls complete was completed already, and the receive that is left is not sent before they return.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { Tests = 20000 };
static const char *folder;

static void say(const char *what, int round) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%d", folder, what, round);
  fclose(fopen(path, "w"));
}

static void wait_for(const char *what, int round) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%d", folder, what, round);
  while (access(path, F_OK))
    usleep(100);
}

static void receive(int round) {
  const int is_persistent = round & 1, how = round >> 1;
  int in[3], flag, index, count, indices[3];
  MPI_Request r[3];
  for (int i = 0; i < 3; ++i)
    if (is_persistent)
      MPI_Recv_init(&in[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &r[i]);
    else
      MPI_Irecv(&in[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &r[i]);
  if (is_persistent)
    MPI_Startall(3, r);
  for (int i = 0; i < Tests; ++i)
    if (how == 0)
      MPI_Testany(3, r, &index, &flag, MPI_STATUS_IGNORE);
    else if (how == 1)
      MPI_Testsome(3, r, &count, indices, MPI_STATUSES_IGNORE);
    else if (how == 2)
      MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE);
    else
      MPI_Testall(2, r + 1, &flag, MPI_STATUSES_IGNORE);
  say("go", round);
  wait_for("sent", round);
  for (int done = 0; done < 2;)
    if (how == 0) {
      MPI_Waitany(3, r, &index, MPI_STATUS_IGNORE);
      ++done;
    } else if (how == 1) {
      MPI_Waitsome(3, r, &count, indices, MPI_STATUSES_IGNORE);
      done += count;
    } else if (how == 2) {
      MPI_Testany(3, r, &index, &flag, MPI_STATUS_IGNORE);
      done += flag;
    } else {
      MPI_Testsome(3, r, &count, indices, MPI_STATUSES_IGNORE);
      done += count;
    }
  MPI_Send(&round, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  // Once more, all in order.
  for (int i = 0; is_persistent && i < 3; ++i) {
    MPI_Start(&r[i]);
    MPI_Waitany(3, r, &index, MPI_STATUS_IGNORE);
  }
  for (int i = 0; is_persistent && i < 3; ++i)
    MPI_Request_free(&r[i]);
}

static void send(int round) {
  int acknowledged;
  wait_for("go", round);
  MPI_Send(&round, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  MPI_Send(&round, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  say("sent", round);
  MPI_Recv(&acknowledged, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&round, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  for (int i = 0; round & 1 && i < 3; ++i)
    MPI_Send(&round, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
}

/// Tests requests in random order, each until it is complete.
static void test_many(int rank) {
  enum { Many = 200 };
  MPI_Request r[Many];
  int in[Many], order[Many];
  unsigned random = 1;
  for (int i = 0; i < Many; ++i) {
    random = random * 1103515245u + 12345u;
    const int other = (int)(random >> 16) % (i + 1);
    order[i] = order[other];
    order[other] = i;
  }
  for (int i = 0; i < Many; ++i)
    MPI_Irecv(&in[i], 1, MPI_INT, !rank, i, MPI_COMM_WORLD, &r[i]);
  for (int i = 0; i < Many; ++i)
    MPI_Send(&rank, 1, MPI_INT, !rank, order[i], MPI_COMM_WORLD);
  for (int i = 0; i < Many; ++i)
    for (int flag = 0; !flag;)
      MPI_Test(&r[order[i]], &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  folder = argv[1];
  const int rounds = atoi(argv[2]);
  if (!rounds)
    test_many(rank);
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
      receive(round);
    else
      send(round);
  }
  MPI_Finalize();
  return 0;
}
