#include "VirtualWorld.h"

#include <cstdio>
#include <cstdlib>

namespace pilgrim::virtualranks {

// Sends of up to this many bytes are over when MPI_Isend returns, and then
// MPICH gives the same handle to all of them.
static constexpr long long EagerBytes = 16384;
static constexpr MPI_Request DoneSend = 0x6c000001, DoneReceive = 0x6c000002;

// Ids of the two predefined communicators. Self has one per rank.
static constexpr std::uint64_t WorldId = 1, SelfId = 2;

const char *functionName(Function F) {
  static constexpr const char *Names[] = {
#define VIRTUAL_MPI(Name) "MPI_" #Name,
#include "VirtualMpi.def"
  };
  return Names[static_cast<std::size_t>(F)];
}

void fatal(const char *What, int Value) {
  std::fprintf(stderr, "virtual-ranks: %s (0x%x)\n", What, static_cast<unsigned>(Value));
  std::exit(1);
}

void setStatus(MPI_Status *Status, int Source, int Tag, long long Bytes) {
  if (Status == MPI_STATUS_IGNORE)
    return;
  Status->MPI_SOURCE = Source;
  Status->MPI_TAG = Tag;
  Status->count_lo = static_cast<int>(Bytes);
  Status->count_hi_and_cancelled = static_cast<int>(Bytes >> 32) << 1;
}

void VirtualWorld::beginRank(int Rank) {
  WorldRank = Rank;
  World = Communicator{.Id = WorldId, .Members = All, .Rank = Rank};
  Self = Communicator{.Id = hashInto(SelfId, static_cast<std::uint64_t>(Rank)), .Members = makeGroup({Rank})};
  Counts.fill(0);
  State = Phase::Before;
}

void VirtualWorld::endRank() {
  Communicators.clear();
  Groups.clear();
  Datatypes.clear();
  Requests.clear();
}

Communicator &VirtualWorld::communicator(MPI_Comm Handle) {
  if (Handle == MPI_COMM_WORLD)
    return World;
  if (Handle == MPI_COMM_SELF)
    return Self;
  if (Communicator *Found = Communicators.find(Handle))
    return *Found;
  fatal("unknown communicator", Handle);
}

const GroupRef &VirtualWorld::group(MPI_Group Handle) {
  if (Handle == MPI_GROUP_EMPTY)
    return Empty;
  if (GroupObject *Found = Groups.find(Handle))
    return Found->Members;
  fatal("unknown group", Handle);
}

Datatype VirtualWorld::datatype(MPI_Datatype Handle) {
  if (const Datatype *Found = Datatypes.find(Handle))
    return *Found;
  // A predefined type's handle holds its size.
  const auto Bits = static_cast<unsigned>(Handle);
  if (Bits >> 24 != 0x4c)
    fatal("unknown datatype", Handle);
  const int Size = static_cast<int>(Bits >> 8 & 0xff);
  return {Size, 0, Size};
}

std::uint64_t VirtualWorld::nextChildId(Communicator &Parent) {
  return hashInto(Parent.Id, static_cast<std::uint64_t>(Parent.NumChildren++));
}

MPI_Comm VirtualWorld::addCommunicator(std::uint64_t Id, GroupRef Members, std::vector<int> Dims,
                                       std::vector<int> Periods) {
  Communicator New;
  New.Id = Id;
  New.Rank = Members->rankOf(WorldRank);
  New.Members = std::move(Members);
  New.Dims = std::move(Dims);
  New.Periods = std::move(Periods);
  return Communicators.add(std::move(New));
}

void VirtualWorld::freeCommunicator(MPI_Comm Handle) {
  const MPI_Group Own = communicator(Handle).GroupHandle;
  if (Own != MPI_GROUP_NULL)
    freeGroup(Own);
  Communicators.remove(Handle);
}

MPI_Comm VirtualWorld::split(Communicator &Parent, int Color, int Key) {
  const SplitSurvey::Split Name{Parent.Id, Parent.NumChildren};
  const std::uint64_t Id = hashInto(nextChildId(Parent), static_cast<std::uint64_t>(Color));
  Survey.note(Name, WorldRank, Color, Key);
  if (Color == MPI_UNDEFINED)
    return MPI_COMM_NULL;
  return addCommunicator(Id, Survey.answer(Name, *Parent.Members, WorldRank, Color));
}

// MPICH gives the same handle each time, with one reference more, and the
// communicator keeps one itself.
MPI_Group VirtualWorld::groupOf(Communicator &Comm) {
  if (Comm.GroupHandle == MPI_GROUP_NULL)
    Comm.GroupHandle = addGroup(Comm.Members);
  ++Groups.find(Comm.GroupHandle)->References;
  return Comm.GroupHandle;
}

MPI_Group VirtualWorld::addGroup(GroupRef Members) {
  return Members->size() == 0 ? MPI_GROUP_EMPTY : Groups.add({std::move(Members), 1});
}

void VirtualWorld::freeGroup(MPI_Group Handle) {
  if (Handle == MPI_GROUP_EMPTY)
    return;
  group(Handle);
  if (--Groups.find(Handle)->References == 0)
    Groups.remove(Handle);
}

int VirtualWorld::compareGroups(const GroupRef &A, const GroupRef &B) {
  if (A == B)
    return MPI_IDENT;
  if (Compared.size() >= MaxDerived)
    Compared.clear();
  auto [It, IsNew] = Compared.try_emplace({A, B}, MPI_IDENT);
  std::vector<int> First, Second;
  if (IsNew && A->members() != B->members()) {
    First = A->members();
    Second = B->members();
    std::ranges::sort(First);
    std::ranges::sort(Second);
    It->second = First == Second ? MPI_SIMILAR : MPI_UNEQUAL;
  }
  return It->second;
}

MPI_Request VirtualWorld::startSend(int Dest, long long Bytes) {
  return Dest == MPI_PROC_NULL || Bytes <= EagerBytes ? DoneSend : Requests.add({});
}

MPI_Request VirtualWorld::startReceive(int Source, int Tag, long long Bytes) {
  return Source == MPI_PROC_NULL ? DoneReceive : Requests.add({true, Source, Tag, Bytes});
}

void VirtualWorld::complete(MPI_Request &Handle, MPI_Status *Status) {
  if (Handle == MPI_REQUEST_NULL) {
    setStatus(Status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    return;
  }
  if (Handle == DoneReceive) {
    setStatus(Status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
  } else if (Handle != DoneSend) { // of a send, the status is left as it is
    const Request *Found = Requests.find(Handle);
    if (!Found)
      fatal("unknown request", Handle);
    if (Found->IsReceive)
      setStatus(Status, Found->Source, Found->Tag, Found->Bytes);
    Requests.remove(Handle);
  }
  Handle = MPI_REQUEST_NULL;
}

} // namespace pilgrim::virtualranks
