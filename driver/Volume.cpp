//===- Volume.cpp - how many bytes a call moves ---------------------------===//
#include "driver/Volume.h"

#include <algorithm>
#include <cctype>

namespace pilgrim {

/// The name without what does not change where data goes: MPI_, I, _c, _init.
static std::string stem(std::string Name) {
  if (Name.starts_with("MPI_"))
    Name.erase(0, 4);
  if (Name.ends_with("_c"))
    Name.resize(Name.size() - 2);
  if (Name.ends_with("_init"))
    Name.resize(Name.size() - 5);
  if (Name.size() > 1 && Name[0] == 'I' && std::islower(Name[1])) {
    Name.erase(0, 1);
    Name[0] = static_cast<char>(std::toupper(Name[0]));
  }
  return Name;
}

VolumeRule::VolumeRule(const FunctionSchema &F, const TraceData &T) : F(F) {
  for (const auto &[Key, Name] : T.Names)
    if (Key.first == "rank" && Name == "MPI_PROC_NULL")
      ProcNull = Key.second;
  std::string Stem = stem(F.Name);
  auto Is = [&](std::initializer_list<const char *> Names) {
    return std::find(Names.begin(), Names.end(), Stem) != Names.end();
  };
  if (Is({"Pack", "Unpack", "Pack_external", "Unpack_external", "Reduce_local"}))
    return; // nothing leaves the process
  // A count per process of the communicator.
  SentPerPeer = Is({"Alltoall", "Scatter", "Reduce_scatter_block"});
  ReceivedPerPeer = Is({"Alltoall", "Gather", "Allgather"});
  RootSends = Stem == "Bcast";
  bool Both = Stem == "Sendrecv_replace";
  for (uint32_t I = 1; I < F.Slots.size(); ++I) {
    const ParamSchema &P = F.Slots[I];
    int Slot = static_cast<int>(I);
    if (P.IsHidden)
      continue;
    if (P.K == Kind::Comm && Comm == None && !P.IsOutput)
      Comm = Slot;
    if (P.K == Kind::Rank) {
      if (P.Name == "root")
        Root = Slot;
      else if (P.Name == "dest" || P.Name == "target_rank")
        Dest = Slot;
      else if (P.Name == "source")
        Source = Slot;
    }
    if (P.K != Kind::Buffer)
      continue;
    Buffer B;
    B.Slot = I;
    B.Received = P.IsOutput;
    B.Sent = !P.IsOutput || Both;
    // Up to the datatype; another buffer may stand between, which then has the
    // same count.
    for (size_t J = I + 1; J < F.Slots.size(); ++J) {
      const ParamSchema &Next = F.Slots[J];
      if (Next.K == Kind::Count) {
        B.Count = static_cast<int>(J);
      } else if (Next.K == Kind::Int && Next.Name == "partitions") {
        B.Times = static_cast<int>(J);
      } else if (Next.K == Kind::Datatype && !Next.IsOutput) {
        B.Type = static_cast<int>(J);
        break;
      } else if (Next.K != Kind::Buffer && Next.K != Kind::Displacement) {
        break;
      }
    }
    if (B.Type != None)
      Buffers.push_back(B);
  }
}

bool VolumeRule::uses(uint32_t Slot) const {
  int S = static_cast<int>(Slot);
  if (Buffers.empty())
    return false;
  if (S == Root || S == Dest || S == Source)
    return true;
  for (const Buffer &B : Buffers)
    if (B.Count == S || B.Type == S || B.Times == S)
      return true;
  return false;
}

/// Products and sums of damaged or wild values stay at the limits.
static int64_t times(int64_t A, int64_t B) {
  int64_t R;
  return __builtin_mul_overflow(A, B, &R) ? INT64_MAX : R;
}
static int64_t plus(int64_t A, int64_t B) {
  int64_t R;
  return __builtin_add_overflow(A, B, &R) ? INT64_MAX : R;
}

int64_t VolumeRule::bytes(const Buffer &B, std::span<const Value> Slots, const RankView &View) const {
  const Value &Type = Slots[static_cast<size_t>(B.Type)];
  auto SizeOf = [&](uint32_t Ref) { return std::max<int64_t>(View.object(Ref).Size, 0); };
  if (Slots[B.Slot].T == Tag::Absent)
    return 0;
  if (B.Count == None)
    return Type.T == Tag::Object ? SizeOf(Type.Ref) : 0;
  const Value &Count = Slots[static_cast<size_t>(B.Count)];
  int64_t Sum = 0;
  for (size_t I = 0; I < Count.Words.size(); ++I) {
    int64_t N = Count.Words[I];
    if (N <= 0)
      continue;
    if (Type.T == Tag::Object)
      Sum = plus(Sum, times(N, SizeOf(Type.Ref)));
    else if (Type.T == Tag::Objects && I < Type.Refs.size())
      Sum = plus(Sum, times(N, SizeOf(Type.Refs[I])));
  }
  if (B.Times != None) {
    const Value &Times = Slots[static_cast<size_t>(B.Times)];
    if (Times.T == Tag::Word)
      Sum = times(Sum, std::max<int64_t>(Times.Words[0], 0));
  }
  return Sum;
}

bool VolumeRule::isNobody(int Slot, std::span<const Value> Slots) const {
  if (Slot == None || !ProcNull)
    return false;
  const Value &V = Slots[static_cast<size_t>(Slot)];
  return V.T == Tag::Word && V.Words[0] == *ProcNull;
}

Volume VolumeRule::of(std::span<const Value> Slots, const RankView &View) const {
  Volume Sum;
  if (Buffers.empty() || Slots.size() < F.Slots.size())
    return Sum;
  int64_t Peers = 1, Own = -1;
  if (Comm != None) {
    const Value &C = Slots[static_cast<size_t>(Comm)];
    if (C.T == Tag::Object) {
      const ObjectInfo &O = View.object(C.Ref);
      Peers = std::max<int64_t>(O.RemoteSize >= 0 ? O.RemoteSize : O.Size, 0);
      Own = O.Rank;
    }
  }
  for (const Buffer &B : Buffers) {
    int64_t N = bytes(B, Slots, View);
    bool Sent = B.Sent, Received = B.Received;
    if (RootSends && Root != None) {
      // Between two groups the root says MPI_ROOT, which is below zero.
      const Value &R = Slots[static_cast<size_t>(Root)];
      bool Nobody = isNobody(Root, Slots);
      Sent = R.T == Tag::Word && !Nobody && (R.Words[0] == Own || R.Words[0] < 0);
      Received = !Sent && !Nobody;
    }
    if (Sent && !isNobody(Dest, Slots))
      Sum.Sent = plus(Sum.Sent, SentPerPeer ? times(N, Peers) : N);
    // A get has no source but a target.
    if (Received && !isNobody(Source != None ? Source : Dest, Slots))
      Sum.Received = plus(Sum.Received, ReceivedPerPeer ? times(N, Peers) : N);
  }
  return Sum;
}

} // namespace pilgrim
