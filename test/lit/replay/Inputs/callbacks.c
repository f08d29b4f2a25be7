// An error handler that returns, and attributes whose functions call MPI.
#include <mpi.h>

static int copy(MPI_Comm From, int Key, void *State, void *In, void *Out, int *Flag) {
  int Size;
  (void)Key;
  (void)State;
  MPI_Comm_size(From, &Size);
  *(void **)Out = In;
  *Flag = 1;
  return MPI_SUCCESS;
}
static int drop(MPI_Comm From, int Key, void *Value, void *State) {
  int Rank;
  (void)Key;
  (void)Value;
  (void)State;
  MPI_Comm_rank(From, &Rank);
  return MPI_SUCCESS;
}
static void handle(MPI_Comm *Comm, int *Code, ...) {
  int Class;
  (void)Comm;
  MPI_Error_class(*Code, &Class);
}

int main(int Argc, char **Argv) {
  int Rank, Ranks, Key, Flag, Value = 1;
  MPI_Comm Copy;
  MPI_Errhandler Handler;
  void *Got;
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  MPI_Comm_create_keyval(copy, drop, &Key, &Value);
  MPI_Comm_set_attr(MPI_COMM_WORLD, Key, &Value);
  MPI_Comm_dup(MPI_COMM_WORLD, &Copy);
  MPI_Comm_get_attr(Copy, Key, &Got, &Flag);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &Got, &Flag);
  MPI_Comm_free(&Copy);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, Key);
  MPI_Comm_free_keyval(&Key);
  MPI_Comm_create_errhandler(handle, &Handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, Handler);
  MPI_Send(&Value, 1, MPI_INT, Ranks + 3, 0, MPI_COMM_WORLD);
  MPI_Send(&Value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  MPI_Errhandler_free(&Handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Bcast(&Value, 1, MPI_INT, -5, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
