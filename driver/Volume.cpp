//===- Volume.cpp - how many bytes a call moves ---------------------------===//
#include "driver/Volume.h"

#include <algorithm>

namespace pilgrim {

VolumeRule::VolumeRule(const FunctionSchema &F, const NameTable &Names) : F(F), R(F) {
  for (const auto &[Key, Name] : Names)
    if (Key.first == "rank" && Name == "MPI_PROC_NULL")
      ProcNull = Key.second;
  // Data leave the process if others take part in the call, or a file does.
  bool HasPeer = F.IsCollective, HasType = false;
  for (uint32_t I = 1; I < F.Slots.size(); ++I) {
    const Kind K = F.Slots[I].K;
    HasPeer |= K == Kind::Rank || K == Kind::Message || K == Kind::File;
    if (K == Kind::Message)
      Message = I;
  }
  for (const BufferRelations &B : R.buffers())
    HasType |= B.Datatype != 0;
  Moves = HasPeer && HasType;
}

bool VolumeRule::uses(uint32_t Slot) const {
  if (!Moves || Slot == 0)
    return false;
  if (Slot == R.root() || Slot == Message)
    return true;
  return std::ranges::any_of(R.buffers(), [Slot](const BufferRelations &B) {
    return B.Datatype && (B.Count == Slot || B.Datatype == Slot || B.Factor == Slot || B.To == Slot || B.From == Slot);
  });
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

VolumeRule::Members VolumeRule::members(std::span<const Value> Slots, const ObjectFn &ObjectOf) const {
  if (!R.comm() || Slots[R.comm()].T != Tag::Object)
    return {};
  const ObjectInfo O = ObjectOf(Slots[R.comm()].Ref);
  Members M{O.Rank, std::max<int64_t>(O.Size, 0), 0, O.RemoteSize >= 0};
  M.Peers = M.HasTwoGroups ? O.RemoteSize : M.Size;
  return M;
}

bool VolumeRule::isNobody(uint32_t Slot, std::span<const Value> Slots) const {
  return Slot && ProcNull && Slots[Slot].T == Tag::Word && Slots[Slot].Words[0] == *ProcNull;
}

/// Between two groups the root says MPI_ROOT, the others of its group MPI_PROC_NULL, and the other group the root's
/// rank.
VolumeRule::Place VolumeRule::place(const Members &M, std::span<const Value> Slots) const {
  if (!R.root() || Slots[R.root()].T != Tag::Word)
    return Place::Other;
  const int64_t Root = Slots[R.root()].Words[0];
  if (isNobody(R.root(), Slots))
    return Place::Idle;
  return (M.HasTwoGroups ? Root < 0 : Root == M.Own) ? Place::Root : Place::Other;
}

bool VolumeRule::isSignificant(uint32_t Slot, const Members &M, Place At) const {
  switch (R.significance(Slot)) {
  case Relation::AtRoot:
    return At == Place::Root;
  case Relation::NotAtRoot:
    return At == Place::Other;
  default:
    return At == Place::Other || (At == Place::Root && !M.HasTwoGroups);
  }
}

int64_t VolumeRule::bytes(const BufferRelations &B, const Members &M, std::span<const Value> Slots,
                          const ObjectFn &ObjectOf) const {
  const Value &Type = Slots[B.Datatype];
  auto SizeOf = [&](uint32_t Ref, size_t I = 0) {
    return std::max<int64_t>(withSizeOf(Type, ObjectOf(Ref), I).Size, 0);
  };
  if (!B.Count)
    return Type.T == Tag::Object ? SizeOf(Type.Ref) : 0;
  const Value &Count = Slots[B.Count];
  int64_t Sum = 0;
  for (size_t I = 0; I < Count.Words.size(); ++I) {
    int64_t N = Count.Words[I];
    if (N <= 0 || (B.IsOwnCount && static_cast<int64_t>(I) != M.Own))
      continue;
    if (Type.T == Tag::Object)
      Sum = plus(Sum, times(N, SizeOf(Type.Ref)));
    else if (Type.T == Tag::Objects && I < Type.Refs.size())
      Sum = plus(Sum, times(N, SizeOf(Type.Refs[I], I)));
  }
  if (B.Factor && Slots[B.Factor].T == Tag::Word)
    Sum = times(Sum, std::max<int64_t>(Slots[B.Factor].Words[0], 0));
  return B.Per == Relation::PerProcess ? times(Sum, M.Peers) : B.Per == Relation::PerMember ? times(Sum, M.Size) : Sum;
}

Volume VolumeRule::of(std::span<const Value> Slots, const ObjectFn &ObjectOf) const {
  Volume Sum;
  if (!Moves || Slots.size() < F.Slots.size())
    return Sum;
  const Members M = members(Slots, ObjectOf);
  const Place At = place(M, Slots);
  // A message of nobody is predefined, as are all handles below zero.
  const bool IsEmptyMessage = Message && Slots[Message].T == Tag::Word && Slots[Message].Words[0] < 0;
  for (const BufferRelations &B : R.buffers()) {
    if (!B.Datatype)
      continue;
    bool Sent = B.IsRead, Received = B.IsWritten;
    if (B.IsReadAtRoot) {
      Sent = At == Place::Root;
      Received = At == Place::Other;
    } else if (R.root() && !isSignificant(B.Slot, M, At)) {
      continue;
    }
    const int64_t N = bytes(B, M, Slots, ObjectOf);
    if (Sent && !isNobody(B.To, Slots))
      Sum.Sent = plus(Sum.Sent, N);
    if (Received && !isNobody(B.From, Slots) && !IsEmptyMessage)
      Sum.Received = plus(Sum.Received, N);
  }
  return Sum;
}

} // namespace pilgrim
