// Handles that leave their signatures, since all else in the calls differs, too: null ones and predefined ones among
// those that were made; requests that the other thread waits for, one by one and as arrays, in any order; a datatype
// that is freed by the thread that made it after the other one used it.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { Rounds = 120, Most = 12 };
static pthread_barrier_t Both;
static MPI_Request Sends[Most], Recvs[Most];
static int Count;
static MPI_Datatype Made;
static char In[Most][4096], Out[Most][4096];

static unsigned draw(unsigned *Seed, unsigned Below) {
  *Seed = *Seed * 1664525 + 1013904223;
  return (*Seed >> 10) % Below;
}

static void add(void *A, void *B, int *N, MPI_Datatype *T) {
  (void)A, (void)B, (void)N, (void)T;
}

static void ignore(MPI_Comm *C, int *Code, ...) {
  (void)C, (void)Code;
}

static void *take(void *Unused) {
  unsigned Seed = 99;
  int Size;
  MPI_Comm_size(MPI_COMM_WORLD, &Size); // threads are numbered by their first call
  pthread_barrier_wait(&Both);
  for (int I = 0; I < Rounds; ++I) {
    pthread_barrier_wait(&Both);
    MPI_Pack_size((int)draw(&Seed, 1000), Made, MPI_COMM_SELF, &Size);
    // Some one by one, the others at once, in another order, with holes between them.
    int Alone = (int)draw(&Seed, (unsigned)Count + 1);
    for (int K = 0; K < Alone; ++K) {
      MPI_Wait(&Sends[K], MPI_STATUS_IGNORE);
      MPI_Wait(&Recvs[Alone - 1 - K], MPI_STATUS_IGNORE);
    }
    MPI_Request All[3 * Most];
    int N = 0;
    for (int K = Count - 1; K >= Alone; --K) {
      All[N++] = Sends[K];
      if (draw(&Seed, 3) == 0)
        All[N++] = MPI_REQUEST_NULL;
      All[N++] = Recvs[K];
    }
    MPI_Status Statuses[3 * Most];
    MPI_Waitall(N, All, Statuses);
    pthread_barrier_wait(&Both);
  }
  return Unused;
}

int main(int Argc, char **Argv) {
  int Level, Rank;
  unsigned Seed = 7;
  pthread_t Other;
  MPI_Init_thread(&Argc, &Argv, MPI_THREAD_MULTIPLE, &Level);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  pthread_barrier_init(&Both, NULL, 2);
  pthread_create(&Other, NULL, take, NULL);
  pthread_barrier_wait(&Both);

  MPI_Info Infos[3] = {MPI_INFO_NULL, MPI_INFO_NULL, MPI_INFO_ENV};
  MPI_Info_create(&Infos[0]);
  MPI_Comm Comms[3] = {MPI_COMM_SELF, MPI_COMM_NULL, MPI_COMM_NULL};
  MPI_Comm_dup(MPI_COMM_SELF, &Comms[1]);
  MPI_Comm_dup(MPI_COMM_SELF, &Comms[2]);
  MPI_Op Ops[4] = {MPI_SUM, MPI_MAX, MPI_NO_OP, MPI_REPLACE};
  MPI_Op_create(add, 1, &Ops[2]);
  Ops[3] = MPI_MIN;
  MPI_Group Groups[4] = {MPI_GROUP_EMPTY};
  MPI_Comm_group(MPI_COMM_WORLD, &Groups[1]);
  MPI_Comm_group(MPI_COMM_SELF, &Groups[2]);
  Groups[3] = MPI_GROUP_EMPTY;
  MPI_Errhandler Handlers[3] = {MPI_ERRORS_RETURN, MPI_ERRORS_ARE_FATAL, MPI_ERRHANDLER_NULL};
  MPI_Comm_create_errhandler(ignore, &Handlers[2]);

  for (int I = 0; I < Rounds; ++I) {
    MPI_Datatype Types[4] = {MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_CHAR};
    MPI_Type_contiguous(1 + (int)draw(&Seed, 20), MPI_CHAR, &Made);
    MPI_Type_commit(&Made);
    Types[3] = Made;
    Count = 1 + (int)draw(&Seed, Most);
    for (int K = 0; K < Count; ++K) {
      MPI_Datatype T = Types[draw(&Seed, 4)];
      MPI_Comm C = Comms[draw(&Seed, 3)];
      const int N = (int)draw(&Seed, 100), Tag = K * 1000 + (int)draw(&Seed, 1000);
      MPI_Irecv(In[K], N, T, 0, Tag, C, &Recvs[K]);
      MPI_Isend(Out[K], N, T, 0, Tag, C, &Sends[K]);
    }
    // What a call is given here may be null.
    char Key[40];
    MPI_Comm Dup;
    snprintf(Key, sizeof Key, "%u", Seed);
    MPI_Info_set(Infos[0], Key, Key);
    MPI_Comm_dup_with_info(Comms[draw(&Seed, 3)], Infos[draw(&Seed, 2)], &Dup);
    MPI_Comm_set_errhandler(Dup, Handlers[draw(&Seed, 3)]);
    MPI_Comm_set_name(Dup, Key);
    MPI_Comm_free(&Dup);
    MPI_Reduce_local(In[0], Out[0], (int)draw(&Seed, 200), MPI_INT, Ops[draw(&Seed, 4)]);
    MPI_Group G;
    MPI_Group_union(Groups[draw(&Seed, 4)], Groups[draw(&Seed, 4)], &G);
    if (G != MPI_GROUP_EMPTY)
      MPI_Group_free(&G);
    pthread_barrier_wait(&Both);
    // The other one completes the requests, and uses the datatype.
    pthread_barrier_wait(&Both);
    MPI_Type_free(&Made);
  }
  pthread_join(Other, NULL);
  MPI_Errhandler_free(&Handlers[2]);
  MPI_Op_free(&Ops[2]);
  MPI_Info_free(&Infos[0]);
  for (int K = 1; K < 3; ++K) {
    MPI_Comm_free(&Comms[K]);
    MPI_Group_free(&Groups[K]);
  }
  MPI_Finalize();
  return 0;
}
