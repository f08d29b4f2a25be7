// Communicators, topologies, groups and types of the virtual MPI.
#include "VirtualMpi.h"
#include "VirtualWorld.h"

#include <cmath>
#include <set>

namespace pilgrim::virtualranks {

static VirtualWorld &enter(Function F) {
  VirtualWorld &World = currentWorld();
  World.count(F);
  return World;
}

// Splits \p Nodes into factors, none larger than \p Limit, as even as possible:
// the largest one first, as small as it can be, then the same for the rest.
static bool factorEvenly(int Nodes, int *Factors, int NumFactors, int Limit) {
  if (NumFactors == 0)
    return Nodes == 1;
  for (int Largest = 1; Largest <= std::min(Nodes, Limit); ++Largest) {
    if (Nodes % Largest != 0 || std::pow(Largest, NumFactors) < Nodes - 0.5)
      continue;
    Factors[0] = Largest;
    if (factorEvenly(Nodes / Largest, Factors + 1, NumFactors - 1, Largest))
      return true;
  }
  return false;
}

static int memberOf(const Group &Of, int Rank) { return Of.members().at(static_cast<std::size_t>(Rank)); }

static int cartRank(const Communicator &Comm, const int *Coords) {
  int Rank = 0;
  for (std::size_t I = 0; I < Comm.Dims.size(); ++I) {
    const int Dim = Comm.Dims[I];
    int Coord = Coords[I];
    if (Coord < 0 || Coord >= Dim) {
      if (!Comm.Periods[I])
        return MPI_PROC_NULL;
      Coord = (Coord % Dim + Dim) % Dim;
    }
    Rank = Rank * Dim + Coord;
  }
  return Rank;
}

static void cartCoords(const Communicator &Comm, int Rank, int NumDims, int *Coords) {
  for (int I = static_cast<int>(Comm.Dims.size()); I-- > 0; Rank /= Comm.Dims[static_cast<std::size_t>(I)])
    if (I < NumDims)
      Coords[I] = Rank % Comm.Dims[static_cast<std::size_t>(I)];
}

extern "C" {

int PMPI_Comm_rank(MPI_Comm Comm, int *Rank) {
  *Rank = enter(Function::Comm_rank).communicator(Comm).Rank;
  return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm Comm, int *Size) {
  *Size = enter(Function::Comm_size).communicator(Comm).Members->size();
  return MPI_SUCCESS;
}

int PMPI_Comm_test_inter(MPI_Comm Comm, int *Flag) {
  enter(Function::Comm_test_inter).communicator(Comm);
  *Flag = 0;
  return MPI_SUCCESS;
}

int PMPI_Comm_dup(MPI_Comm Comm, MPI_Comm *New) {
  VirtualWorld &World = enter(Function::Comm_dup);
  Communicator &Parent = World.communicator(Comm);
  const std::uint64_t Id = World.nextChildId(Parent);
  *New = World.addCommunicator(Id, Parent.Members, Parent.Dims, Parent.Periods);
  return MPI_SUCCESS;
}

int PMPI_Comm_split(MPI_Comm Comm, int Color, int Key, MPI_Comm *New) {
  VirtualWorld &World = enter(Function::Comm_split);
  *New = World.split(World.communicator(Comm), Color, Key);
  return MPI_SUCCESS;
}

int PMPI_Comm_create_group(MPI_Comm Comm, MPI_Group Group, int Tag, MPI_Comm *New) {
  VirtualWorld &World = enter(Function::Comm_create_group);
  Communicator &Parent = World.communicator(Comm);
  const GroupRef Members = World.group(Group);
  *New = MPI_COMM_NULL;
  if (Members->rankOf(World.rank()) < 0)
    return MPI_SUCCESS;
  std::uint64_t Id = hashInto(hashInto(Parent.Id, Members->hash()), static_cast<std::uint64_t>(Tag));
  Id = hashInto(Id, static_cast<std::uint64_t>(Parent.OfGroups[Id]++));
  *New = World.addCommunicator(Id, Members);
  return MPI_SUCCESS;
}

int PMPI_Comm_free(MPI_Comm *Comm) {
  enter(Function::Comm_free).freeCommunicator(*Comm);
  *Comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int PMPI_Comm_group(MPI_Comm Comm, MPI_Group *Group) {
  VirtualWorld &World = enter(Function::Comm_group);
  *Group = World.groupOf(World.communicator(Comm));
  return MPI_SUCCESS;
}

int PMPI_Dims_create(int Nodes, int NumDims, int Dims[]) {
  enter(Function::Dims_create);
  std::vector<int> Open; // dimensions to choose
  for (int I = 0; I < NumDims; ++I)
    if (Dims[I] > 0)
      Nodes /= Dims[I];
    else
      Open.push_back(I);
  std::vector<int> Factors(Open.size(), 1);
  factorEvenly(Nodes, Factors.data(), static_cast<int>(Factors.size()), Nodes);
  for (std::size_t I = 0; I < Open.size(); ++I)
    Dims[Open[I]] = Factors[I];
  return MPI_SUCCESS;
}

int PMPI_Cart_create(MPI_Comm Comm, int NumDims, const int Dims[], const int Periods[], int, MPI_Comm *New) {
  VirtualWorld &World = enter(Function::Cart_create);
  Communicator &Parent = World.communicator(Comm);
  const std::uint64_t Id = World.nextChildId(Parent);
  int Size = 1;
  for (int I = 0; I < NumDims; ++I)
    Size *= Dims[I];
  *New = MPI_COMM_NULL;
  if (Parent.Rank >= Size)
    return MPI_SUCCESS;
  GroupRef Members = Parent.Members;
  if (Size < Members->size())
    Members = makeGroup({Members->members().begin(), Members->members().begin() + Size});
  *New = World.addCommunicator(Id, std::move(Members), {Dims, Dims + NumDims}, {Periods, Periods + NumDims});
  return MPI_SUCCESS;
}

int PMPI_Topo_test(MPI_Comm Comm, int *Status) {
  *Status = enter(Function::Topo_test).communicator(Comm).Dims.empty() ? MPI_UNDEFINED : static_cast<int>(MPI_CART);
  return MPI_SUCCESS;
}

int PMPI_Cartdim_get(MPI_Comm Comm, int *NumDims) {
  *NumDims = static_cast<int>(enter(Function::Cartdim_get).communicator(Comm).Dims.size());
  return MPI_SUCCESS;
}

int PMPI_Cart_get(MPI_Comm Comm, int NumDims, int Dims[], int Periods[], int Coords[]) {
  const Communicator &Cart = enter(Function::Cart_get).communicator(Comm);
  std::copy_n(Cart.Dims.begin(), NumDims, Dims);
  std::copy_n(Cart.Periods.begin(), NumDims, Periods);
  cartCoords(Cart, Cart.Rank, NumDims, Coords);
  return MPI_SUCCESS;
}

int PMPI_Cart_rank(MPI_Comm Comm, const int Coords[], int *Rank) {
  *Rank = cartRank(enter(Function::Cart_rank).communicator(Comm), Coords);
  return MPI_SUCCESS;
}

int PMPI_Cart_coords(MPI_Comm Comm, int Rank, int NumDims, int Coords[]) {
  cartCoords(enter(Function::Cart_coords).communicator(Comm), Rank, NumDims, Coords);
  return MPI_SUCCESS;
}

int PMPI_Cart_shift(MPI_Comm Comm, int Axis, int Distance, int *Source, int *Dest) {
  const Communicator &Cart = enter(Function::Cart_shift).communicator(Comm);
  std::vector<int> Coords(Cart.Dims.size());
  cartCoords(Cart, Cart.Rank, static_cast<int>(Coords.size()), Coords.data());
  int &Coord = Coords[static_cast<std::size_t>(Axis)];
  const int Own = Coord;
  Coord = Own + Distance;
  *Dest = cartRank(Cart, Coords.data());
  Coord = Own - Distance;
  *Source = cartRank(Cart, Coords.data());
  return MPI_SUCCESS;
}

int PMPI_Group_rank(MPI_Group Group, int *Rank) {
  VirtualWorld &World = enter(Function::Group_rank);
  const int Found = World.group(Group)->rankOf(World.rank());
  *Rank = Found >= 0 ? Found : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int PMPI_Group_size(MPI_Group Group, int *Size) {
  *Size = enter(Function::Group_size).group(Group)->size();
  return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group Group, int Count, const int Ranks[], MPI_Group Into, int Translated[]) {
  VirtualWorld &World = enter(Function::Group_translate_ranks);
  const GroupRef From = World.group(Group), To = World.group(Into);
  for (int I = 0; I < Count; ++I) {
    if (Ranks[I] == MPI_PROC_NULL) {
      Translated[I] = MPI_PROC_NULL;
      continue;
    }
    const int Found = To->rankOf(memberOf(*From, Ranks[I]));
    Translated[I] = Found >= 0 ? Found : MPI_UNDEFINED;
  }
  return MPI_SUCCESS;
}

int PMPI_Group_compare(MPI_Group A, MPI_Group B, int *Result) {
  VirtualWorld &World = enter(Function::Group_compare);
  *Result = World.compareGroups(World.group(A), World.group(B));
  return MPI_SUCCESS;
}

int PMPI_Group_incl(MPI_Group Group, int Count, const int Ranks[], MPI_Group *New) {
  VirtualWorld &World = enter(Function::Group_incl);
  const GroupRef From = World.group(Group);
  const std::vector<int> Chosen(Ranks, Ranks + Count);
  *New = World.deriveGroup(Function::Group_incl, From, nullptr, Chosen, [&] {
    std::vector<int> Members;
    for (int Rank : Chosen)
      Members.push_back(memberOf(*From, Rank));
    return Members;
  });
  return MPI_SUCCESS;
}

int PMPI_Group_excl(MPI_Group Group, int Count, const int Ranks[], MPI_Group *New) {
  VirtualWorld &World = enter(Function::Group_excl);
  const GroupRef From = World.group(Group);
  const std::vector<int> Dropped(Ranks, Ranks + Count);
  *New = World.deriveGroup(Function::Group_excl, From, nullptr, Dropped, [&] {
    std::vector<int> Members;
    const std::set<int> Left(Dropped.begin(), Dropped.end());
    for (int Rank = 0; Rank < From->size(); ++Rank)
      if (!Left.contains(Rank))
        Members.push_back(memberOf(*From, Rank));
    return Members;
  });
  return MPI_SUCCESS;
}

int PMPI_Group_range_incl(MPI_Group Group, int Count, int Ranges[][3], MPI_Group *New) {
  VirtualWorld &World = enter(Function::Group_range_incl);
  const GroupRef From = World.group(Group);
  const std::vector<int> Given(&Ranges[0][0], &Ranges[0][0] + 3 * Count);
  *New = World.deriveGroup(Function::Group_range_incl, From, nullptr, Given, [&] {
    std::vector<int> Members;
    for (int I = 0; I < Count; ++I) {
      const auto [First, Last, Stride] = Ranges[I];
      for (int Rank = First; Stride > 0 ? Rank <= Last : Rank >= Last; Rank += Stride)
        Members.push_back(memberOf(*From, Rank));
    }
    return Members;
  });
  return MPI_SUCCESS;
}

int PMPI_Group_union(MPI_Group A, MPI_Group B, MPI_Group *New) {
  VirtualWorld &World = enter(Function::Group_union);
  const GroupRef First = World.group(A), Second = World.group(B);
  *New = World.deriveGroup(Function::Group_union, First, Second, {}, [&] {
    std::vector<int> Members = First->members();
    for (int Member : Second->members())
      if (First->rankOf(Member) < 0)
        Members.push_back(Member);
    return Members;
  });
  return MPI_SUCCESS;
}

int PMPI_Group_free(MPI_Group *Group) {
  enter(Function::Group_free).freeGroup(*Group);
  *Group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

int PMPI_Type_size(MPI_Datatype Type, int *Size) {
  *Size = static_cast<int>(enter(Function::Type_size).datatype(Type).Size);
  return MPI_SUCCESS;
}

int PMPI_Type_size_x(MPI_Datatype Type, MPI_Count *Size) {
  *Size = enter(Function::Type_size_x).datatype(Type).Size;
  return MPI_SUCCESS;
}

int PMPI_Type_get_extent(MPI_Datatype Type, MPI_Aint *Lower, MPI_Aint *Extent) {
  const Datatype Found = enter(Function::Type_get_extent).datatype(Type);
  *Lower = Found.Lower;
  *Extent = Found.Extent;
  return MPI_SUCCESS;
}

int PMPI_Type_commit(MPI_Datatype *Type) {
  enter(Function::Type_commit).datatype(*Type);
  return MPI_SUCCESS;
}

int PMPI_Type_free(MPI_Datatype *Type) {
  enter(Function::Type_free).freeDatatype(*Type);
  *Type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

int PMPI_Type_create_resized(MPI_Datatype Type, MPI_Aint Lower, MPI_Aint Extent, MPI_Datatype *New) {
  VirtualWorld &World = enter(Function::Type_create_resized);
  *New = World.addDatatype({World.datatype(Type).Size, Lower, Extent});
  return MPI_SUCCESS;
}

int PMPI_Type_vector(int Count, int Length, int Stride, MPI_Datatype Type, MPI_Datatype *New) {
  VirtualWorld &World = enter(Function::Type_vector);
  const Datatype Old = World.datatype(Type);
  const MPI_Aint Span = (MPI_Aint(Count - 1) * Stride + Length) * Old.Extent;
  *New = World.addDatatype({Old.Size * Count * Length, Old.Lower, Count > 0 ? Span : 0});
  return MPI_SUCCESS;
}

int PMPI_Type_indexed(int Count, const int Lengths[], const int Offsets[], MPI_Datatype Type, MPI_Datatype *New) {
  VirtualWorld &World = enter(Function::Type_indexed);
  const Datatype Old = World.datatype(Type);
  long long Elements = 0;
  MPI_Aint First = Count > 0 ? Offsets[0] : 0, Last = First;
  for (int I = 0; I < Count; ++I) {
    Elements += Lengths[I];
    First = std::min<MPI_Aint>(First, Offsets[I]);
    Last = std::max<MPI_Aint>(Last, Offsets[I] + Lengths[I]);
  }
  *New = World.addDatatype({Old.Size * Elements, First * Old.Extent + Old.Lower, (Last - First) * Old.Extent});
  return MPI_SUCCESS;
}

int PMPI_Type_create_subarray(int NumDims, const int Sizes[], const int Parts[], const int[], int, MPI_Datatype Type,
                              MPI_Datatype *New) {
  VirtualWorld &World = enter(Function::Type_create_subarray);
  const Datatype Old = World.datatype(Type);
  Datatype Made{Old.Size, 0, Old.Extent};
  for (int I = 0; I < NumDims; ++I) {
    Made.Size *= Parts[I];
    Made.Extent *= Sizes[I];
  }
  *New = World.addDatatype(Made);
  return MPI_SUCCESS;
}

// Without the padding at the end that the alignment of the members asks for.
int PMPI_Type_create_struct(int Count, const int Lengths[], const MPI_Aint Offsets[], const MPI_Datatype Types[],
                            MPI_Datatype *New) {
  VirtualWorld &World = enter(Function::Type_create_struct);
  Datatype Made;
  MPI_Aint Last = 0;
  for (int I = 0; I < Count; ++I) {
    const Datatype Old = World.datatype(Types[I]);
    Made.Size += Old.Size * Lengths[I];
    Made.Lower = I == 0 ? Offsets[I] : std::min(Made.Lower, Offsets[I]);
    Last = std::max(Last, Offsets[I] + Old.Extent * Lengths[I]);
  }
  Made.Extent = Last - Made.Lower;
  *New = World.addDatatype(Made);
  return MPI_SUCCESS;
}

} // extern "C"

} // namespace pilgrim::virtualranks
