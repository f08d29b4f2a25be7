//===- Objects.cpp - names of communicators, datatypes and the like -------===//
#include "pmpi/Objects.h"
#include "platform/Generation.h"
#include "pmpi/Real.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace pilgrim {

/// The handle of a number: the inverse of rawHandle().
template <typename T> static T handleOf(uint64_t Raw) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(static_cast<uintptr_t>(Raw));
  else
    return static_cast<T>(Raw);
}

static Objects *Filling; // fillPredefined takes a plain function

Objects::Objects() {
  Filling = this;
  fillPredefined([](Kind K, int64_t Code, const char *Name, uint64_t Raw) {
    if (Filling->find(K, Raw))
      return; // two names for one value: the first one counts
    Filling->Maps[static_cast<unsigned>(K)].insert(Raw, static_cast<uint32_t>(Filling->Store.size()));
    Object O;
    O.Name = Name;
    O.Words[0] = Code;
    if (isTableObject(K))
      O.NumWords = objectWords(K);
    Filling->Store.push_back(O);
  });
}

Objects::Object *Objects::find(Kind K, uint64_t Raw) {
  uint32_t *I = Maps[static_cast<unsigned>(K)].find(Raw);
  return I ? &Store[*I] : nullptr;
}

Objects::Object &Objects::enter(Kind K, uint64_t Raw) {
  uint32_t I;
  if (!Free.empty()) {
    I = Free.back();
    Free.pop_back();
    Store[I] = {};
  } else {
    I = static_cast<uint32_t>(Store.size());
    Store.emplace_back();
  }
  Maps[static_cast<unsigned>(K)].insert(Raw, I);
  Object &O = Store[I];
  O.Words[0] = Ids[static_cast<unsigned>(K)].alloc();
  if (isTableObject(K))
    O.NumWords = objectWords(K);
  return O;
}

bool Objects::isUp() const {
#if MPI_VERSION >= 4
  return HasWorld || !Sessions.empty();
#else
  return HasWorld;
#endif
}

bool Objects::worldGroup(MPI_Group &G) const {
  if (HasWorld)
    return Real.MPI_Comm_group(MPI_COMM_WORLD, &G) == MPI_SUCCESS;
#if MPI_VERSION >= 4
  return !Sessions.empty() && Real.MPI_Group_from_session_pset(Sessions.back(), "mpi://WORLD", &G) == MPI_SUCCESS;
#else
  return false;
#endif
}

/// Own rank and size in a group, and its smallest world rank.
void Objects::measureGroup(MPI_Group G, int64_t *Words, bool WithLeader) const {
  int Rank = 0, Size = 0;
  Real.MPI_Group_rank(G, &Rank);
  Real.MPI_Group_size(G, &Size);
  Words[1] = Rank;
  Words[2] = Size;
  if (!WithLeader || Size == 0)
    return;
  MPI_Group World;
  if (!worldGroup(World))
    return;
  // Processes of another world (spawned, connected) have no rank in ours. The first member is usually rank 0 of ours.
  constexpr int Chunk = 256;
  int Ours[Chunk], Theirs[Chunk], Least = -1;
  for (int From = 0, N; From < Size && Least != 0; From += N) {
    N = std::min(Size - From, Chunk);
    std::iota(Ours, Ours + N, From);
    if (Real.MPI_Group_translate_ranks(G, N, Ours, World, Theirs) != MPI_SUCCESS)
      break;
    for (int I = 0; I < N; ++I)
      if (Theirs[I] >= 0 && (Least < 0 || Theirs[I] < Least))
        Least = Theirs[I];
  }
  Words[3] = Least;
  Real.MPI_Group_free(&World);
}

/// What is used in callbacks first: there, MPI may hold its lock, and cannot be asked.
void Objects::initialized() {
  HasWorld = true;
  for (MPI_Comm C : {MPI_COMM_WORLD, MPI_COMM_SELF})
    if (Object *O = find(Kind::Comm, rawHandle(C)))
      measure(Kind::Comm, rawHandle(C), *O);
}

void Objects::measure(Kind K, uint64_t Raw, Object &O) {
  // With sessions alone, there are no predefined communicators to ask about.
  if (O.Measured || !isUp() || (O.Name && K == Kind::Comm && !HasWorld))
    return;
  O.Measured = true;
  if (K == Kind::Comm)
    O.Words[4] = -1;
  if (O.Name && std::strstr(O.Name, "_NULL"))
    return;
  MPI_Group G;
  switch (K) {
  case Kind::Comm: {
    MPI_Comm C = handleOf<MPI_Comm>(Raw);
    if (Real.MPI_Comm_group(C, &G) != MPI_SUCCESS)
      return;
    measureGroup(G, O.Words, true);
    Real.MPI_Group_free(&G);
    int Inter = 0, Remote = 0;
    if (Real.MPI_Comm_test_inter(C, &Inter) == MPI_SUCCESS && Inter &&
        Real.MPI_Comm_remote_size(C, &Remote) == MPI_SUCCESS)
      O.Words[4] = Remote;
    return;
  }
  case Kind::Win:
    if (Real.MPI_Win_get_group(handleOf<MPI_Win>(Raw), &G) == MPI_SUCCESS) {
      measureGroup(G, O.Words, false);
      Real.MPI_Group_free(&G);
    }
    return;
  case Kind::File:
    if (Real.MPI_File_get_group(handleOf<MPI_File>(Raw), &G) == MPI_SUCCESS) {
      measureGroup(G, O.Words, false);
      Real.MPI_Group_free(&G);
    }
    return;
  case Kind::Datatype: {
    MPI_Count Size = 0;
    if (Real.MPI_Type_size_x(handleOf<MPI_Datatype>(Raw), &Size) == MPI_SUCCESS)
      O.Words[1] = Size;
    return;
  }
  default:
    return;
  }
}

static Renewal renewalOf(Kind K) { return K == Kind::Comm ? Renewal::Lasting : Renewal::Fleeting; }

/// Makes the entry of a new object. Null if the object has one already.
Objects::Object *Objects::begin(Kind K, uint64_t Raw, bool Ref) {
  if (Object *O = find(K, Raw)) {
    if (O->Name)
      return nullptr;
    if (Ref) {
      ++O->References;
      return nullptr;
    }
    if (O->IsLeaving) {
      // The call that frees it has not been recorded yet.
      Maps[static_cast<unsigned>(K)].erase(Raw);
      newGeneration(renewalOf(K));
    } else {
      // MPI hands out a handle that is on the books: the object was freed where we could not see it.
      O->References = 1;
      freed(K, Raw);
    }
  }
  return &enter(K, Raw);
}

void Objects::made(Kind K, uint64_t Raw, bool Ref) {
  if (Object *O = begin(K, Raw, Ref))
    measure(K, Raw, *O);
}

void Objects::duplicated(uint64_t Parent, uint64_t Raw) {
  Object *O = begin(Kind::Comm, Raw, false), *P = find(Kind::Comm, Parent);
  if (!O)
    return;
  // MPI must not be asked about it yet.
  O->Measured = true;
  O->Words[4] = -1;
  if (!P)
    return;
  measure(Kind::Comm, Parent, *P);
  std::copy(P->Words + 1, P->Words + 5, O->Words + 1);
}

void Objects::freed(Kind K, uint64_t Raw) {
  HandleMap &Map = Maps[static_cast<unsigned>(K)];
  uint32_t *I = Map.find(Raw);
  if (!I || Store[*I].Name || --Store[*I].References > 0)
    return;
  release(K, *I);
  Map.erase(Raw);
}

void Objects::release(Kind K, uint32_t Index) {
  Ids[static_cast<unsigned>(K)].free(static_cast<uint32_t>(Store[Index].Words[0]));
  Free.push_back(Index);
  newGeneration(renewalOf(K));
}

uint32_t Objects::leaving(Kind K, uint64_t Raw) {
  uint32_t *I = Maps[static_cast<unsigned>(K)].find(Raw);
  if (!I || Store[*I].Name || Store[*I].References > 1)
    return HandleMap::None;
  Store[*I].IsLeaving = true;
  return *I;
}

const void *Objects::left(const LeavingObject &L, bool IsFreed) {
  uint32_t *I = Maps[static_cast<unsigned>(L.K)].find(L.Raw);
  bool HasHandle = L.Index == HandleMap::None || (I && *I == L.Index);
  uint32_t Index = HasHandle && I ? *I : L.Index;
  if (Index == HandleMap::None)
    return nullptr;
  Store[Index].IsLeaving = false;
  if (!IsFreed)
    return nullptr;
  const void *Memory = L.K == Kind::Win ? Store[Index].Memory : nullptr;
  if (HasHandle)
    freed(L.K, L.Raw);
  else
    release(L.K, Index);
  return Memory;
}

bool Objects::canBeAsked(Kind K, uint64_t Raw) {
  const Object *O = find(K, Raw);
  return O && !(O->Name && std::strstr(O->Name, "_NULL"));
}

void Objects::encode(Kind K, uint64_t Raw, SlotSink &Sink, const LeavingObject &Leaving) {
  bool IsLeaving = Leaving.Index != HandleMap::None && Leaving.K == K && Leaving.Raw == Raw;
  Object *O = IsLeaving ? &Store[Leaving.Index] : find(K, Raw);
  if (!O && K == Kind::Tool)
    O = &enter(K, Raw); // MPI_T hands out pointers in many ways; each is a name
  if (!isTableObject(K)) {
    if (O)
      Sink.put(Tag::Word, O->Words[0], 0);
    else
      Sink.put(Tag::Raw, static_cast<int64_t>(Raw), 0);
    return;
  }
  if (!O) {
    // Either the value does not matter and is garbage, or the object was made where we could not see it.
    int64_t Words[5] = {static_cast<int64_t>(Raw), 0, 0, 0, -1};
    Sink.putObject(K, "invalid", {Words, objectWords(K)}, nullptr);
    return Sink.doNotKeep(); // it may be a handle's value soon
  }
  measure(K, Raw, *O);
  Sink.putObject(K, O->Name, {O->Words, O->NumWords}, &O->Memo);
}

void Objects::setWindowMemory(uint64_t Raw, const void *Base) {
  if (Object *O = find(Kind::Win, Raw))
    O->Memory = Base;
}

} // namespace pilgrim
