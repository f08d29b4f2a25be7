// looked-up LIBRARY [deep]: opens an MPI library for itself alone and looks up its functions; with "deep", a plugin
// that does the same is bound to what it needs before all else.
#include <assert.h>
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(OPEN_MPI)
#define HANDLE(Type, Name, Symbol) ((Type)dlsym(Mpi, Symbol))
#else
#define HANDLE(Type, Name, Symbol) Name
#endif
#define LOOK_UP(Function) __typeof__(Function) *Function##_ = (__typeof__(Function) *)dlsym(Mpi, #Function)

int main(int Argc, char **Argv) {
  if (Argc > 2) {
    void *Plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_DEEPBIND);
    assert(Plugin);
    ((void (*)(void))dlsym(Plugin, "go"))();
    return 0;
  }
  void *Mpi = dlopen(Argv[1], RTLD_NOW | RTLD_LOCAL);
  LOOK_UP(MPI_Init);
  LOOK_UP(MPI_Comm_rank);
  LOOK_UP(PMPI_Barrier);
  LOOK_UP(MPI_Sendrecv);
  LOOK_UP(MPI_Finalize);
  // What is not a function of MPI is what it was, and a lookup that succeeds leaves no error behind.
#if defined(MPICH)
  assert(dlsym(Mpi, "MPI_UNWEIGHTED") && !dlerror());
#endif
  assert(!dlsym(Mpi, "MPI_Nothing") && dlerror());
  void *Stub = dlopen("./stub.so", RTLD_NOW | RTLD_LOCAL);
  assert(Stub && ((int (*)(void))dlsym(Stub, "MPI_Barrier"))() == 4711);
  // Which library is the next one depends on who asks.
  assert(!dlsym(RTLD_NEXT, "MPI_Init") == !getenv("LD_PRELOAD") && dlsym(RTLD_DEFAULT, "strlen"));

  MPI_Comm World = HANDLE(MPI_Comm, MPI_COMM_WORLD, "ompi_mpi_comm_world");
  MPI_Datatype Int = HANDLE(MPI_Datatype, MPI_INT, "ompi_mpi_int");
  int Rank, Other;
  MPI_Init_(&Argc, &Argv);
  MPI_Comm_rank_(World, &Rank);
  for (int I = 0; I < 3; ++I) // past a tool, as whoever looks up PMPI's functions wants
    PMPI_Barrier_(World);
  MPI_Sendrecv_(&Rank, 1, Int, 1 - Rank, 5, &Other, 1, Int, 1 - Rank, 5, World, MPI_STATUS_IGNORE);
#if defined(MPICH)
  void *Fortran = dlopen("libmpichfort.so.12", RTLD_NOW | RTLD_LOCAL);
  MPI_Fint FortranWorld = MPI_COMM_WORLD, Error = 1;
  ((void (*)(MPI_Fint *, MPI_Fint *))dlsym(Fortran, "mpi_barrier_"))(&FortranWorld, &Error);
  assert(!Error);
#endif
  MPI_Finalize_();
  printf("got %d\n", Other);
  return 0;
}
