//===- Lengths.cpp - how long arrays are ----------------------------------===//
#include "pmpi/Lengths.h"
#include "platform/Generation.h"
#include "pmpi/Constants.h"
#include "pmpi/Real.h"
#include "pmpi/State.h"

#include <mutex>

namespace pilgrim {

/// Whether MPI can be asked about a handle without an error that the program would see.
template <typename H> static bool canAsk(Kind K, H Handle) {
  ThreadState *T = CurrentThread;
  if (!T)
    return false;
  const uint64_t Raw = rawHandle(Handle), Now = generation();
  auto &Last = T->Asked;
  if (Last.Raw == Raw && Last.K == K && Last.Generation == Now)
    return true;
  std::lock_guard<BookLock> L(T->P.Books);
  if (!T->P.Handles.canBeAsked(K, Raw))
    return false;
  Last = {K, Raw, Now};
  return true;
}
static bool canAsk(MPI_Comm C) { return canAsk(Kind::Comm, C); }

static bool isInter(MPI_Comm C) {
  int Inter = 0;
  return Real.MPI_Comm_test_inter(C, &Inter) == MPI_SUCCESS && Inter;
}

int64_t localsizeOf(MPI_Comm C) {
  int N = 0;
  if (canAsk(C))
    Real.MPI_Comm_size(C, &N);
  return N;
}

int64_t sizeOf(MPI_Comm C) {
  int N = 0;
  if (!canAsk(C))
    return 0;
  if (isInter(C))
    Real.MPI_Comm_remote_size(C, &N);
  else
    Real.MPI_Comm_size(C, &N);
  return N;
}

int64_t winsizeOf(MPI_Win W) {
  MPI_Group G;
  int N = 0;
  if (canAsk(Kind::Win, W) && Real.MPI_Win_get_group(W, &G) == MPI_SUCCESS) {
    Real.MPI_Group_size(G, &N);
    Real.MPI_Group_free(&G);
  }
  return N;
}

int ownRank(MPI_Comm C) {
  int R = 0;
  if (canAsk(C))
    Real.MPI_Comm_rank(C, &R);
  return R;
}

static int topology(MPI_Comm C) {
  int T = MPI_UNDEFINED;
  if (canAsk(C))
    Real.MPI_Topo_test(C, &T);
  return T;
}

int64_t ndimsOf(MPI_Comm C) {
  int N = 0;
  if (topology(C) == MPI_CART)
    Real.MPI_Cartdim_get(C, &N);
  return N;
}

static void graphSize(MPI_Comm C, int &Nodes, int &Edges) {
  Nodes = Edges = 0;
  if (topology(C) == MPI_GRAPH)
    Real.MPI_Graphdims_get(C, &Nodes, &Edges);
}

int64_t nnodesOf(MPI_Comm C) {
  int N, E;
  graphSize(C, N, E);
  return N;
}

int64_t nedgesOf(MPI_Comm C) {
  int N, E;
  graphSize(C, N, E);
  return E;
}

int64_t neighborsOf(MPI_Comm C, int Rank) {
  int N = 0;
  if (topology(C) == MPI_GRAPH)
    Real.MPI_Graph_neighbors_count(C, Rank, &N);
  return N;
}

static int64_t degree(MPI_Comm C, bool In) {
  int T = topology(C), I = 0, O = 0, W = 0;
  if (T == MPI_CART)
    return 2 * ndimsOf(C);
  if (T == MPI_GRAPH)
    return neighborsOf(C, ownRank(C));
  if (T == MPI_DIST_GRAPH)
    Real.MPI_Dist_graph_neighbors_count(C, &I, &O, &W);
  return In ? I : O;
}

int64_t indegreeOf(MPI_Comm C) { return degree(C, true); }
int64_t outdegreeOf(MPI_Comm C) { return degree(C, false); }

namespace {
struct Envelope {
  MPI_Count Integers = 0, Addresses = 0, Counts = 0, Datatypes = 0;
};
} // namespace

static Envelope envelope(MPI_Datatype D) {
  Envelope E;
  int Combiner = 0;
  if (!canAsk(Kind::Datatype, D))
    return E;
#if MPI_VERSION >= 4
  Real.MPI_Type_get_envelope_c(D, &E.Integers, &E.Addresses, &E.Counts, &E.Datatypes, &Combiner);
#else
  int I = 0, A = 0, T = 0;
  Real.MPI_Type_get_envelope(D, &I, &A, &T, &Combiner);
  E.Integers = I;
  E.Addresses = A;
  E.Datatypes = T;
#endif
  return E;
}

int64_t nintegersOf(MPI_Datatype D) { return envelope(D).Integers; }
int64_t naddressesOf(MPI_Datatype D) { return envelope(D).Addresses; }
int64_t nlargecountsOf(MPI_Datatype D) { return envelope(D).Counts; }
int64_t ndatatypesOf(MPI_Datatype D) { return envelope(D).Datatypes; }

static int64_t inCategory(int Category, int Which) {
  int N[3] = {};
  Real.MPI_T_category_get_info(Category, nullptr, nullptr, nullptr, nullptr, &N[0], &N[1], &N[2]);
  return N[Which];
}

int64_t ncvarsOf(int Category) { return inCategory(Category, 0); }
int64_t npvarsOf(int Category) { return inCategory(Category, 1); }
int64_t ncategoriesOf(int Category) { return inCategory(Category, 2); }
int64_t neventsOf([[maybe_unused]] int Category) {
  int N = 0;
#if MPI_VERSION >= 4
  Real.MPI_T_category_get_num_events(Category, &N);
#endif
  return N;
}

bool isAt(MPI_Comm C, int Root) {
  if (Root == MPI_ROOT)
    return true;
  if (Root < 0 || !canAsk(C) || isInter(C))
    return false;
  return ownRank(C) == Root;
}

bool isAtInGroup(MPI_Group G, int Root) {
  int R = MPI_UNDEFINED;
  return canAsk(Kind::Group, G) && Real.MPI_Group_rank(G, &R) == MPI_SUCCESS && R == Root;
}

} // namespace pilgrim
