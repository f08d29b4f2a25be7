// Does one thing N times, on one rank, and says what it took: seconds of the processor, kB of memory at the most.
//
//   many pending N     requests of receives that all are alive at once
//   many shared N      the same of sends that are complete at once: MPICH gives them one handle
//   many reversed N    those, each in a call of its own, the last one first
//   many moved N       those, from copies of the variables
//   many comms N       communicators made and freed
//   many types N       datatypes made, used and freed
//   many kept N        datatypes that all are alive at once
//   many nothing N     none of these

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char Out, In;

static void complete(MPI_Request *R, int N) { MPI_Waitall(N, R, MPI_STATUSES_IGNORE); }

static void pending(int N) {
  MPI_Request *R = malloc(N * sizeof *R);
  for (int I = 0; I < N; ++I)
    MPI_Irecv(&In, 1, MPI_BYTE, 0, 1, MPI_COMM_SELF, &R[I]);
  for (int I = 0; I < N; ++I)
    MPI_Send(&Out, 1, MPI_BYTE, 0, 1, MPI_COMM_SELF);
  complete(R, N);
  free(R);
}

static MPI_Request *share(int N) {
  MPI_Request *R = malloc(N * sizeof *R);
  for (int I = 0; I < N; ++I)
    MPI_Isend(&Out, 1, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_SELF, &R[I]);
  return R;
}
static void shared(int N) {
  MPI_Request *R = share(N);
  complete(R, N);
  free(R);
}
static void reversed(int N) {
  MPI_Request *R = share(N);
  while (N--)
    MPI_Wait(&R[N], MPI_STATUS_IGNORE);
  free(R);
}
static void moved(int N) {
  MPI_Request *R = share(N), *Copy = malloc(N * sizeof *Copy);
  memcpy(Copy, R, N * sizeof *Copy);
  complete(Copy, N);
  free(Copy);
  free(R);
}

static void comms(int N) {
  MPI_Comm C;
  while (N--) {
    MPI_Comm_dup(MPI_COMM_SELF, &C);
    MPI_Comm_free(&C);
  }
}

static void types(int N) {
  MPI_Datatype T;
  while (N--) {
    MPI_Type_contiguous(4, MPI_INT, &T);
    MPI_Type_commit(&T);
    MPI_Type_free(&T);
  }
}

static void kept(int N) {
  MPI_Datatype *T = malloc(N * sizeof *T);
  for (int I = 0; I < N; ++I)
    MPI_Type_contiguous(4, MPI_INT, &T[I]);
  for (int I = 0; I < N; ++I)
    MPI_Type_free(&T[I]);
  free(T);
}

static void nothing(int N) {}

static const struct {
  const char *Name;
  void (*Do)(int);
} Things[] = {{"pending", pending}, {"shared", shared}, {"reversed", reversed}, {"moved", moved},
              {"comms", comms},     {"types", types},   {"kept", kept},         {"nothing", nothing}};

static long memory(void) {
  char Line[256];
  long Most = 0;
  FILE *F = fopen("/proc/self/status", "r");
  while (fgets(Line, sizeof Line, F))
    sscanf(Line, "VmHWM: %ld", &Most);
  fclose(F);
  return Most;
}

int main(int Argc, char **Argv) {
  MPI_Init(&Argc, &Argv);
  clock_t Begin = clock();
  for (unsigned I = 0; I < sizeof Things / sizeof *Things; ++I)
    if (!strcmp(Argv[1], Things[I].Name))
      Things[I].Do(atoi(Argv[2]));

  MPI_Finalize();
  printf("%.4f %ld\n", (double)(clock() - Begin) / CLOCKS_PER_SEC, memory());
  return 0;
}
