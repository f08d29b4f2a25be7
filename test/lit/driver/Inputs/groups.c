// Sends over communicators that are made from groups, without a parent. Needs four ranks or more, and MPI 4.
#include "truth.h"

static MPI_Group World;

static MPI_Group groupOf(int N, const int *Ranks) {
  MPI_Group G;
  MPI_Group_incl(World, N, Ranks, &G);
  return G;
}

// An intercommunicator of two groups, with leaders of these ranks in their groups. Text: the tag.
static void between(MPI_Group Ours, int Leader, MPI_Group Theirs, int Other, const char *Text, int Ints, int IsHigh) {
  MPI_Comm Inter, Both;
  MPI_Intercomm_create_from_groups(Ours, Leader, Theirs, Other, Text, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &Inter);
  shift(Inter, 1, Ints);
  // What is made of it is known as well.
  MPI_Intercomm_merge(Inter, IsHigh, &Both);
  shift(Both, 1, Ints + 1);
  MPI_Comm_free(&Both);
  MPI_Comm_free(&Inter);
}

// Every two ranks at the same time, with one tag: only the groups tell who belongs to whom.
static void pairs(void) {
  int Other = Rank ^ 1;
  if (Other >= Size)
    return;
  MPI_Group Ours = groupOf(1, &Rank), Theirs = groupOf(1, &Other);
  for (int I = 0; I < 3; ++I)
    between(Ours, 0, Theirs, 0, "pairs", 10 + I, Rank > Other);
  MPI_Group_free(&Ours);
  MPI_Group_free(&Theirs);
}

// Groups of different sizes, made in every way.
static void halves(void) {
  MPI_Group Low, High, Some, Again, Ends;
  int Last = Size / 2, First[] = {Size - 1, Last + 1, -1}, Both[] = {0, Size - 1};
  MPI_Group_range_incl(World, 1, &First, &High); // from behind
  MPI_Group_difference(World, High, &Low);
  const int IsLow = Rank <= Last;
  between(IsLow ? Low : High, IsLow ? Last : 0, IsLow ? High : Low, IsLow ? 0 : Last, "halves", 20, !IsLow);
  // The same members in another order, and without the ends.
  MPI_Group_union(High, Low, &Some);
  MPI_Group_excl(Some, 2, Both, &Again);
  MPI_Group_free(&Some);
  MPI_Group_range_excl(World, 1, (int[1][3]){{1, Size - 2, 1}}, &Ends);
  MPI_Group_difference(World, Ends, &Some);
  const int IsEnd = Rank == 0 || Rank == Size - 1;
  // The first rank of Some has another place there than in World.
  between(IsEnd ? Ends : Some, 1, IsEnd ? Some : Ends, 1, "ends", 30, IsEnd);
  MPI_Group_free(&Again);
  MPI_Group_intersection(World, High, &Again);
  between(IsLow ? Low : Again, 0, IsLow ? Again : Low, 0, "halves", 40, IsLow);
  MPI_Group_free(&Again);
  MPI_Group_free(&Some);
  MPI_Group_free(&Ends);
  MPI_Group_free(&Low);
  MPI_Group_free(&High);
}

// Groups of communicators, also of one that is gone and whose number another one has.
static void ofCommunicators(void) {
  MPI_Comm Part, Inter;
  MPI_Group Ours, Theirs;
  MPI_Comm_split(MPI_COMM_WORLD, Rank % 2, -Rank, &Part);
  MPI_Comm_group(Part, &Ours);
  MPI_Intercomm_create(Part, 0, MPI_COMM_WORLD, Size - 1 - (Size - 1 + Rank + 1) % 2, 5, &Inter);
  MPI_Comm_remote_group(Inter, &Theirs);
  MPI_Comm_free(&Inter);
  MPI_Comm_free(&Part);
  MPI_Comm_split(MPI_COMM_WORLD, 0, Rank, &Part);
  between(Ours, 1, Theirs, 1, "communicators", 50, Rank % 2);
  MPI_Group_free(&Ours);
  MPI_Group_free(&Theirs);
  MPI_Comm_free(&Part);
}

// Intracommunicators of groups; overlapping ones have different tags.
static void ofOneGroup(void) {
  MPI_Comm Comm;
  char Text[32];
  for (int R = 0; R + 1 < Size; ++R) {
    if (Rank != R && Rank != R + 1)
      continue;
    MPI_Group G = groupOf(2, (int[]){R + 1, R});
    snprintf(Text, sizeof Text, "couple %d", R);
    MPI_Comm_create_from_group(G, Text, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &Comm);
    shift(Comm, 1, 60);
    MPI_Comm_free(&Comm);
    MPI_Group_free(&G);
  }
}

int main(int Argc, char **Argv) {
  beginTruth(&Argc, &Argv);
  MPI_Comm_group(MPI_COMM_WORLD, &World);
  pairs();
  halves();
  ofCommunicators();
  ofOneGroup();
  MPI_Group_free(&World);
  return endTruth();
}
