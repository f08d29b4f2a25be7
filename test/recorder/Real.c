// Questions to the MPI library itself.
//
// A PMPI_ call from here would be answered, and recorded, by a tracer that is
// preloaded behind this library. So the functions are looked up in the MPI
// library by its handle.

#define _GNU_SOURCE
#include "Recorder.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  void *Library;
  char Path[4096];
  int (*CommRank)(MPI_Comm, int *);
  int (*CommSize)(MPI_Comm, int *);
  int (*RemoteSize)(MPI_Comm, int *);
  int (*TestInter)(MPI_Comm, int *);
  int (*TopoTest)(MPI_Comm, int *);
  int (*CartdimGet)(MPI_Comm, int *);
  int (*GraphNeighborsCount)(MPI_Comm, int, int *);
  int (*DistGraphNeighborsCount)(MPI_Comm, int *, int *, int *);
  int (*ErrorClass)(int, int *);
  int (*GetElements)(const MPI_Status *, MPI_Datatype, MPI_Count *);
  int (*TestCancelled)(const MPI_Status *, int *);
} Real;

static int isMpi(struct dl_phdr_info *Info, size_t Size, void *Data) {
  (void)Size;
  (void)Data;
  const char *Slash = strrchr(Info->dlpi_name, '/');
  if (strncmp(Slash ? Slash + 1 : "", "libmpi", 6) != 0)
    return 0;
  void *Library = dlopen(Info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!Library || !dlsym(Library, "PMPI_Init"))
    return 0;
  Real.Library = Library;
  snprintf(Real.Path, sizeof(Real.Path), "%s", Info->dlpi_name);
  return 1;
}

static void *find(const char *Name) {
  void *Symbol = Real.Library ? dlsym(Real.Library, Name) : NULL;
  if (!Symbol) {
    fprintf(stderr, "recorder: no %s in an MPI library\n", Name);
    abort();
  }
  return Symbol;
}

__attribute__((constructor)) static void findAll(void) {
  dl_iterate_phdr(isMpi, NULL);
  if (!Real.Library)
    return; // Not an MPI program: a shell or launcher on the way to one.
  Real.CommRank = find("PMPI_Comm_rank");
  Real.CommSize = find("PMPI_Comm_size");
  Real.RemoteSize = find("PMPI_Comm_remote_size");
  Real.TestInter = find("PMPI_Comm_test_inter");
  Real.TopoTest = find("PMPI_Topo_test");
  Real.CartdimGet = find("PMPI_Cartdim_get");
  Real.GraphNeighborsCount = find("PMPI_Graph_neighbors_count");
  Real.DistGraphNeighborsCount = find("PMPI_Dist_graph_neighbors_count");
  Real.ErrorClass = find("PMPI_Error_class");
  Real.GetElements = find("PMPI_Get_elements_x");
  Real.TestCancelled = find("PMPI_Test_cancelled");
}

static bool isInter(MPI_Comm C) {
  int Flag = 0;
  Real.TestInter(C, &Flag);
  return Flag;
}

bool isRoot(MPI_Comm C, int Root) {
  if (isInter(C))
    return Root == MPI_ROOT;
  int Rank = -1;
  Real.CommRank(C, &Rank);
  return Rank == Root;
}

int localSize(MPI_Comm C) {
  int Size = 0;
  Real.CommSize(C, &Size);
  return Size;
}

int peers(MPI_Comm C) {
  if (!isInter(C))
    return localSize(C);
  int Size = 0;
  Real.RemoteSize(C, &Size);
  return Size;
}

int dimensions(MPI_Comm C) {
  int Count = 0;
  Real.CartdimGet(C, &Count);
  return Count;
}

void degrees(MPI_Comm C, int *In, int *Out) {
  int Topology = MPI_UNDEFINED, Rank = 0, Weighted;
  *In = *Out = 0;
  Real.TopoTest(C, &Topology);
  Real.CommRank(C, &Rank);
  if (Topology == MPI_CART)
    *In = *Out = 2 * dimensions(C);
  else if (Topology == MPI_GRAPH && !Real.GraphNeighborsCount(C, Rank, In))
    *Out = *In;
  else if (Topology == MPI_DIST_GRAPH)
    Real.DistGraphNeighborsCount(C, In, Out, &Weighted);
}

int worldRank(void) {
  int Rank = -1;
  Real.CommRank(MPI_COMM_WORLD, &Rank);
  return Rank;
}

int errorClass(int Code) {
  int Class = Code;
  if (Code != MPI_SUCCESS)
    Real.ErrorClass(Code, &Class);
  return Class;
}

long long bytesOf(const MPI_Status *S) {
  MPI_Count Count = -1;
  Real.GetElements(S, MPI_BYTE, &Count);
  return Count;
}

bool wasCancelled(const MPI_Status *S) {
  int Flag = 0;
  Real.TestCancelled(S, &Flag);
  return Flag;
}

bool isLibrary(void *Caller) {
  Dl_info Info;
  return dladdr(Caller, &Info) && Info.dli_fname &&
         strcmp(Info.dli_fname, Real.Path) == 0;
}
