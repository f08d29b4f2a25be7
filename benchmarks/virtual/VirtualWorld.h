//===- VirtualWorld.h - The state behind the virtual MPI --------*- C++ -*-===//
//
// A world of P ranks of which one is current. beginRank() gives it fresh tables
// of communicators, groups, types and requests, with handles as MPICH makes
// them (kind in the upper bits, the last one freed is reused first); endRank()
// drops them. What outlives a rank is the survey of splits, see SplitSurvey.h.
//
//===----------------------------------------------------------------------===//

#ifndef PILGRIM_BENCHMARKS_VIRTUALWORLD_H
#define PILGRIM_BENCHMARKS_VIRTUALWORLD_H

#include "Group.h"
#include "SplitSurvey.h"

#include <mpi.h>

#include <array>
#include <optional>

namespace pilgrim::virtualranks {

enum class Function {
#define VIRTUAL_MPI(Name) Name,
#include "VirtualMpi.def"
  NumFunctions
};
inline constexpr std::size_t NumFunctions = static_cast<std::size_t>(Function::NumFunctions);

/// "MPI_Send" and so on.
const char *functionName(Function F);

struct Communicator {
  std::uint64_t Id = 0; // the same on all members
  GroupRef Members{};
  int Rank = 0;
  int NumChildren = 0;                               // made by calls collective over all members
  std::unordered_map<std::uint64_t, int> OfGroups{}; // the same for Comm_create_group, by group and tag
  std::vector<int> Dims{}, Periods{};                // of a Cartesian one
  MPI_Group GroupHandle = MPI_GROUP_NULL;            // what Comm_group gave out
};

struct GroupObject {
  GroupRef Members;
  int References = 1;
};

struct Datatype {
  long long Size = 0;
  MPI_Aint Lower = 0, Extent = 0;
};

struct Request {
  bool IsReceive = false;
  int Source = MPI_ANY_SOURCE, Tag = MPI_ANY_TAG;
  long long Bytes = 0;
};

/// Objects by handle: \p Base is what MPICH's first handle of the kind looks
/// like.
template <typename T> class HandleTable {
public:
  explicit HandleTable(unsigned Base) : Base(Base) {}

  int add(T Object) {
    if (Free.empty()) {
      Free.push_back(static_cast<unsigned>(Slots.size()));
      Slots.emplace_back();
    }
    unsigned Slot = Free.back();
    Free.pop_back();
    Slots[Slot] = std::move(Object);
    return static_cast<int>(Base + Slot);
  }
  T *find(int Handle) {
    unsigned Slot = static_cast<unsigned>(Handle) - Base;
    return Slot < Slots.size() && Slots[Slot] ? &*Slots[Slot] : nullptr;
  }
  void remove(int Handle) {
    unsigned Slot = static_cast<unsigned>(Handle) - Base;
    Slots[Slot].reset();
    Free.push_back(Slot);
  }
  void clear() {
    Slots.clear();
    Free.clear();
  }

private:
  unsigned Base;
  std::vector<std::optional<T>> Slots;
  std::vector<unsigned> Free;
};

class VirtualWorld {
public:
  explicit VirtualWorld(int NumRanks) : All(makeFullGroup(NumRanks)) {}

  void beginRank(int Rank);
  void endRank();

  /// Ends a pass over all ranks: see SplitSurvey.
  bool endPass() { return Survey.endPass(); }

  int rank() const { return WorldRank; }
  int numRanks() const { return All->size(); }

  void count(Function F) { ++Counts[static_cast<std::size_t>(F)]; }
  /// Calls of the current rank, or of the last one.
  const std::array<std::uint64_t, NumFunctions> &counts() const { return Counts; }

  // By handle. An unknown one ends the program: workloads are correct.
  Communicator &communicator(MPI_Comm Handle);
  const GroupRef &group(MPI_Group Handle);
  Datatype datatype(MPI_Datatype Handle);

  MPI_Comm addCommunicator(std::uint64_t Id, GroupRef Members, std::vector<int> Dims = {},
                           std::vector<int> Periods = {});
  void freeCommunicator(MPI_Comm Handle);
  MPI_Comm split(Communicator &Parent, int Color, int Key);
  /// The id of the next communicator that all members of \p Parent make
  /// together.
  std::uint64_t nextChildId(Communicator &Parent);

  MPI_Group groupOf(Communicator &Comm);
  MPI_Group addGroup(GroupRef Members);
  void freeGroup(MPI_Group Handle);
  /// The group that \p Make lists from \p A and \p B (may be null). Ranks that
  /// do the same with the same groups share the result; \p Arguments and
  /// \p F tell different uses apart.
  template <typename MakeT>
  MPI_Group deriveGroup(Function F, GroupRef A, GroupRef B, std::vector<int> Arguments, MakeT Make) {
    Derivation Key{F, std::move(A), std::move(B), std::move(Arguments)};
    auto It = Derived.find(Key);
    if (It == Derived.end()) {
      if (Derived.size() >= MaxDerived)
        Derived.clear();
      It = Derived.emplace(std::move(Key), makeGroup(Make())).first;
    }
    return addGroup(It->second);
  }
  /// MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.
  int compareGroups(const GroupRef &A, const GroupRef &B);

  MPI_Datatype addDatatype(Datatype Type) { return Datatypes.add(Type); }
  void freeDatatype(MPI_Datatype Handle) { Datatypes.remove(Handle); }

  MPI_Request startSend(int Dest, long long Bytes);
  MPI_Request startReceive(int Source, int Tag, long long Bytes);
  /// Frees the request, if it is one, and fills \p Status, unless ignored, as
  /// MPICH does.
  void complete(MPI_Request &Handle, MPI_Status *Status);

  enum class Phase { Before, Running, Finalized };
  Phase State = Phase::Before;

private:
  struct Derivation {
    Function F;
    GroupRef A, B;
    std::vector<int> Arguments;
    auto operator<=>(const Derivation &) const = default;
  };
  static constexpr std::size_t MaxDerived = 4096;

  GroupRef All;
  SplitSurvey Survey;
  int WorldRank = -1;
  Communicator World, Self;
  HandleTable<Communicator> Communicators{0x84000000};
  HandleTable<GroupObject> Groups{0x88000000};
  HandleTable<Datatype> Datatypes{0x8c000100};
  HandleTable<Request> Requests{0xac000000};
  std::map<Derivation, GroupRef> Derived;                // of all ranks
  std::map<std::pair<GroupRef, GroupRef>, int> Compared; // of all ranks
  GroupRef Empty = makeGroup({});
  std::array<std::uint64_t, NumFunctions> Counts{};
};

/// Prints one line and ends the program.
[[noreturn]] void fatal(const char *What, int Value = 0);

/// Fills \p Status, unless it is ignored, with what a message that was received
/// says.
void setStatus(MPI_Status *Status, int Source, int Tag, long long Bytes);

} // namespace pilgrim::virtualranks

#endif // PILGRIM_BENCHMARKS_VIRTUALWORLD_H
