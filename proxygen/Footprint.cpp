//===- Footprint.cpp - the memory that a rank's calls use -----------------===//
#include "proxygen/Footprint.h"
#include "trace/model/SegmentName.h"
#include "trace/read/RankCursor.h"

#include <algorithm>

namespace pilgrim {

std::optional<MemoryPlace> placeOf(const Value &V, const RankView &View) {
  switch (V.T) {
  case Tag::Heap:
    return MemoryPlace{{Tag::Heap, SegmentName::of(V.Words[0]).Number, ""}, V.Words[1]};
  case Tag::Map:
    return MemoryPlace{{Tag::Map, V.Words[0], ""}, V.Words[1]};
  case Tag::Stack:
    return MemoryPlace{{Tag::Stack, View.thread(), ""}, V.Words[0]};
  case Tag::Data:
    return MemoryPlace{{Tag::Data, 0, View.string(V.Ref)}, V.Words[0]};
  case Tag::Raw:
    return MemoryPlace{{Tag::Raw, V.Words[0], ""}, 0};
  default:
    return std::nullopt;
  }
}

std::optional<MemoryPlace> RecordedAddresses::fromBases(int64_t Address) const {
  const MemoryPlace *Best = nullptr;
  for (const MemoryPlace &Place : Asked)
    if (auto It = Bases.find(Place.In);
        It != Bases.end() && Place.Offset == Address - It->second && (!Best || Place.In < Best->In))
      Best = &Place;
  return Best ? std::optional(*Best) : std::nullopt;
}

bool RecordedAddresses::areGivenBy(const std::string &Function) {
  return Function == "MPI_Get_address" || Function == "MPI_Address";
}
static bool makesType(const std::string &Function) { return Function.starts_with("MPI_Type_"); }

bool RecordedAddresses::mayFollow(const Call &C) { return areGivenBy(C.Function->Name) || makesType(C.Function->Name); }

void RecordedAddresses::follow(const Call &C) {
  const std::string &Name = C.Function->Name;
  if (areGivenBy(Name)) {
    const Value *Location = slotNamed(C, "location");
    if (auto At = Location ? placeOf(*Location, *C.View) : std::nullopt; At && Asked.size() < Most)
      Asked.push_back(*At);
    return;
  }
  if (!makesType(Name))
    return;
  const Value *Places = slotNamed(C, "array_of_displacements");
  std::vector<int64_t> Addresses;
  for (size_t I = 0; Places && Places->T == Tag::Array && I < Places->Words.size(); ++I)
    if (isAddress(Places->Words[I]))
      Addresses.push_back(Places->Words[I]);
  if (Addresses.empty() || Known.size() >= Most)
    return;
  // As many as were asked for last, in this order.
  size_t Next = Asked.size() - std::min(Asked.size(), Addresses.size());
  for (int64_t Address : Addresses) {
    auto At = fromBases(Address);
    if (!At && Next < Asked.size()) {
      At = Asked[Next];
      Bases[At->In] = Address - At->Offset;
    }
    ++Next;
    if (!At)
      continue;
    auto [It, IsNew] = Known.try_emplace(Address, *At);
    AreReused |= !IsNew && It->second != *At;
    It->second = *At;
  }
  Asked.clear();
}

std::optional<MemoryPlace> RecordedAddresses::find(int64_t Address) const {
  // The nearest one: programs use an address, or that of a member some bytes behind.
  auto After = Known.upper_bound(Address);
  auto Best = After == Known.begin() ? Known.end() : std::prev(After);
  if (Best == Known.end())
    return std::nullopt;
  MemoryPlace At = Best->second;
  At.Offset += Address - Best->first;
  return At.Offset - Best->second.Offset < FirstAddress ? std::optional(At) : std::nullopt;
}

void Footprint::include(const MemoryPlace &At, ByteSpan Bytes) {
  // At least the place itself, so that a buffer without content has an address, too.
  ByteSpan Place{At.Offset, At.Offset + 1};
  Place.include({At.Offset + Bytes.First, At.Offset + Bytes.End});
  Pieces[At.In].include(Place);
}

/// Notes how many neighbours a communicator has, where C says it.
void Footprint::followNeighbours(const Call &C) {
  const Value *In = slotNamed(C, "indegree"), *Out = slotNamed(C, "outdegree"), *Dims = slotNamed(C, "ndims"),
              *Kept = slotNamed(C, "remain_dims");
  int64_t Most = std::max(wordOf(In), wordOf(Out));
  if (Kept && Kept->T == Tag::Array)
    Most = 2 * static_cast<int64_t>(Kept->Words.size());
  else if (Dims)
    Most = 2 * wordOf(Dims);
  if (!In && !Out && !Dims && !Kept)
    return;
  // The communicator that the call makes, or asks about, is the last one.
  for (size_t I = C.Slots.size(); I-- > 1;)
    if (C.Slots[I].T == Tag::Object && C.Function->Slots[I].K == Kind::Comm) {
      Neighbours[C.View->object(C.Slots[I].Ref).Id] = Most;
      return;
    }
}

/// What the count of a buffer is multiplied by.
int64_t Footprint::factorOf(const Call &C, const BufferRelations &B) const {
  int64_t Factor = B.Factor ? wordOf(&C.Slots[B.Factor], 0, 1) : 1;
  if (B.Per == Relation::None)
    return Factor;
  for (size_t I = 1; I < C.Slots.size(); ++I) {
    if (C.Function->Slots[I].K != Kind::Comm || C.Slots[I].T != Tag::Object)
      continue;
    const ObjectInfo &Comm = C.View->object(C.Slots[I].Ref);
    if (B.Per == Relation::PerSource || B.Per == Relation::PerDestination) {
      auto It = Neighbours.find(Comm.Id);
      return Factor * (It != Neighbours.end() ? It->second : World); // of a general graph it is not known
    }
    return Factor * (B.Per == Relation::PerProcess && Comm.RemoteSize >= 0 ? Comm.RemoteSize : Comm.Size);
  }
  return Factor * World;
}

void Footprint::addBuffer(const Call &C, const BufferRelations &B) {
  auto At = placeOf(C.Slots[B.Slot], *C.View);
  if (!At)
    return addFromBottom(C, B);
  const Value *Count = B.Count ? &C.Slots[B.Count] : nullptr;
  const Value *Type = B.Datatype ? &C.Slots[B.Datatype] : nullptr;
  const Value *Displacements = B.Displacements ? &C.Slots[B.Displacements] : nullptr;
  auto TypeAt = [&](size_t I) {
    TypeExtent Bytes{0, 1, {0, 1}, 1};
    if (Type && Type->T == Tag::Object)
      return Types.of(C.View->object(*Type));
    if (Type && Type->T == Tag::Objects)
      return I < Type->Refs.size() ? Types.of(C.View->object(*Type, I)) : TypeExtent();
    return Type ? TypeExtent() : Bytes;
  };
  ByteSpan All;
  if (Count && Count->T == Tag::Array) {
    int64_t Next = 0; // where no displacements say it, parts follow each other
    for (size_t I = 0; I < Count->Words.size(); ++I) {
      const TypeExtent T = TypeAt(I);
      const ByteSpan Part = TypeExtents::span(T, Count->Words[I]);
      const bool InBytes = Type && Type->T == Tag::Objects;
      const int64_t Place = Displacements ? wordOf(Displacements, I) * (InBytes ? 1 : T.extent()) : Next;
      All.include({Part.First + Place, Part.End + Place});
      Next += Count->Words[I] * T.extent();
    }
  } else {
    All = TypeExtents::span(TypeAt(0), wordOf(Count, 0, Count ? 0 : 1) * factorOf(C, B));
  }
  include(*At, All);
}

/// Memory that a datatype names by its address.
void Footprint::addAbsolute(const Call &C) {
  const Value *Places = slotNamed(C, "array_of_displacements"), *Made = slotNamed(C, "newtype");
  if (!Places || Places->T != Tag::Array || !Made || Made->T != Tag::Object)
    return;
  const Value *Types = slotNamed(C, "array_of_types"), *Old = slotNamed(C, "oldtype"),
              *Lengths = slotNamed(C, "array_of_blocklengths");
  std::vector<AbsolutePart> &Parts = Absolute[C.View->object(Made->Ref).Id];
  Parts.clear();
  for (size_t I = 0; I < Places->Words.size(); ++I) {
    if (!isAddress(Places->Words[I]))
      continue;
    const Value *Type = Types ? Types : Old;
    TypeExtent T;
    if (Type && Type->T == Tag::Object)
      T = this->Types.of(C.View->object(*Type));
    else if (Type && Type->T == Tag::Objects && I < Type->Refs.size())
      T = this->Types.of(C.View->object(*Type, I));
    const int64_t Length = Lengths ? wordOf(Lengths, I) : wordOf(slotNamed(C, "blocklength"));
    if (auto At = Addresses.find(Places->Words[I])) {
      include(*At, TypeExtents::span(T, Length));
      Parts.push_back({*At, TypeExtents::span(T, Length), Length * T.extent()});
    }
  }
}

/// A buffer at MPI_BOTTOM: its datatype says where it is.
void Footprint::addFromBottom(const Call &C, const BufferRelations &B) {
  const Value *Type = B.Datatype ? &C.Slots[B.Datatype] : nullptr;
  if (!Type || Type->T != Tag::Object || !B.Count)
    return;
  auto It = Absolute.find(C.View->object(Type->Ref).Id);
  const int64_t Last = wordOf(&C.Slots[B.Count]) - 1;
  if (It != Absolute.end() && C.View->object(Type->Ref).Name.empty() && Last > 0)
    for (const AbsolutePart &P : It->second)
      include(P.At, {P.Bytes.First, P.Bytes.End + Last * P.Extent});
}

void Footprint::add(const Call &C, const Relations &R) {
  Addresses.follow(C);
  followNeighbours(C);
  for (const BufferRelations &B : R.buffers())
    if (B.Slot < C.Slots.size())
      addBuffer(C, B);
  for (size_t I = 1; I < C.Slots.size() && I < C.Function->Slots.size(); ++I)
    if (Kind K = C.Function->Slots[I].K; K == Kind::Pointer || K == Kind::Buffer)
      if (auto At = placeOf(C.Slots[I], *C.View); At && At->In.T != Tag::Raw)
        include(*At, {});
  addAbsolute(C);
}

/// Whether each address that stands in the call as a number is one that the program asked for.
bool Footprint::knowsAddresses(const Call &C) const {
  for (size_t I = 1; I < C.Slots.size() && I < C.Function->Slots.size(); ++I) {
    const Kind K = C.Function->Slots[I].K;
    const Value &V = C.Slots[I];
    if ((K != Kind::Address && K != Kind::Displacement) || C.Function->Slots[I].IsOutput ||
        (V.T != Tag::Word && V.T != Tag::Array))
      continue;
    for (int64_t Word : V.Words)
      if (isAddress(Word) && !isRemotePlace(C.Function->Slots[I]) && !Addresses.find(Word))
        return false;
  }
  return true;
}

static bool isOnDevice(const Value &V) {
  return V.T == Tag::Heap && SegmentName::of(V.Words[0]).Kind != MemoryKind::Heap;
}

static bool isStreamed(const ResolvedSignature &S, uint32_t Slot) {
  return Slot && std::ranges::any_of(S.Streams, [&](const auto &X) { return X.Slot == Slot; });
}

/// Whether calls with this signature have addresses as numbers, or memory of an accelerator.
static bool hasAddresses(const ResolvedSignature &S) {
  for (uint32_t I = 1; I < S.Slots.size(); ++I) {
    const Kind K = S.Function->Slots[I].K;
    if ((K == Kind::Address || K == Kind::Displacement) &&
        (isStreamed(S, I) || std::ranges::any_of(S.Slots[I].Words, isAddress)))
      return true;
    if (!isStreamed(S, I) && isOnDevice(S.Slots[I]))
      return true;
  }
  return false;
}

/// Whether the memory that they need depends on neither earlier calls nor streams.
static bool isAlone(const ResolvedSignature &S, const Relations &R) {
  for (const BufferRelations &B : R.buffers())
    if (B.Per == Relation::PerSource || B.Per == Relation::PerDestination || isStreamed(S, B.Slot) ||
        isStreamed(S, B.Count) || isStreamed(S, B.Datatype) || isStreamed(S, B.Displacements) ||
        isStreamed(S, B.Factor))
      return false;
  for (uint32_t I = 1; I < S.Slots.size(); ++I)
    if (const Kind K = S.Function->Slots[I].K; isStreamed(S, I) && (K == Kind::Pointer || K == Kind::Buffer))
      return false;
  return !hasAddresses(S);
}

/// From each different call, once; nullopt: this does not say all.
std::optional<Footprint> Footprint::ofSignatures(const Trace &T, uint32_t Rank) {
  Footprint Out(T, Rank);
  Out.World = T.world();
  std::map<uint32_t, Relations> Known; // by function
  for (uint32_t Thread : T.threads(Rank)) {
    const auto View = T.view(Rank, Thread);
    for (uint32_t Terminal = 0; Terminal < View->signatures().size(); ++Terminal) {
      const ResolvedSignature &S = View->signatures()[Terminal];
      if (!isCall(*S.Function))
        continue;
      const Relations &R = Known.try_emplace(S.Function->Id, *S.Function).first->second;
      Call C;
      C.Function = S.Function;
      C.View = View.get();
      C.Terminal = Terminal;
      C.Slots = C.Stored = S.Slots;
      if (!isAlone(S, R) || Out.Types.follow(C))
        return std::nullopt;
      Out.add(C, R);
    }
  }
  return Out;
}

std::string Footprint::whyNot(const Trace &T) {
  auto IsInDoubt = [&](uint32_t Rank) {
    return std::ranges::any_of(T.threads(Rank), [&](uint32_t Thread) {
      const auto View = T.view(Rank, Thread);
      return std::ranges::any_of(View->signatures(),
                                 [](const ResolvedSignature &S) { return isCall(*S.Function) && hasAddresses(S); });
    });
  };
  AttachedByRank Attached(T);
  for (uint32_t Rank = 0; Rank < T.world(); ++Rank)
    if (IsInDoubt(Rank))
      if (auto Uses = of(T, Rank, &Attached); !Uses)
        return Uses.error();
  return "";
}

std::expected<Footprint, std::string> Footprint::of(const Trace &T, uint32_t Rank, AttachedByRank *Attached) {
  auto Out = ofCalls(T, Rank, Attached);
  if (!Out)
    return Out;
  // A datatype may go from one block to others, by how far these are from it.
  constexpr int64_t MostBefore = int64_t(1) << 32;
  for (const auto &[Piece, Span] : Out->Pieces)
    if (Piece.T == Tag::Heap && Span.First < -MostBefore)
      return std::unexpected("rank " + std::to_string(Rank) + " uses what lies " + std::to_string(-Span.First) +
                             " bytes before a block of memory together with the block: that far is not made again");
  return Out;
}

std::expected<Footprint, std::string> Footprint::ofCalls(const Trace &T, uint32_t Rank, AttachedByRank *Attached) {
  if (auto Alone = ofSignatures(T, Rank))
    return std::move(*Alone);
  Footprint Out(T, Rank);
  Out.World = T.world();
  const std::vector<uint32_t> Threads = T.threads(Rank);
  RankCursor Cursor(T, Rank, Threads);
  std::map<uint32_t, Relations> Known; // by function
  // A call that is always the same needs memory that is known, until its datatypes are others.
  std::map<uint32_t, std::vector<uint64_t>> Seen; // by thread and signature: the time at which it was looked at
  uint64_t Now = 1;
  for (Call C; Cursor.next(C);) {
    if (!isCall(*C.Function))
      continue;
    Now += Out.Remote.follow(C);
    std::vector<uint64_t> &Times = Seen[C.View->thread()];
    Times.resize(C.View->signatures().size());
    if (C.View->signatures()[C.Terminal].isConstant()) {
      if (Times[C.Terminal] == Now)
        continue;
      Times[C.Terminal] = Now;
    }
    for (const Value &V : C.Slots)
      if (isOnDevice(V))
        return std::unexpected("rank " + std::to_string(Rank) + " has buffers on an accelerator (" + C.Function->Name +
                               "), which are not made again");
    Out.add(C, Known.try_emplace(C.Function->Id, *C.Function).first->second);
    if (!Out.knowsAddresses(C) || !Out.Remote.note(C))
      return std::unexpected("rank " + std::to_string(Rank) +
                             " uses an address that MPI_Get_address did not give it (" + C.Function->Name +
                             "): what is there is not known");
    if (Out.Types.follow(C)) {
      ++Now;
      // The call itself may come again at once, and make the same datatype.
      if (C.View->signatures()[C.Terminal].isConstant())
        Times[C.Terminal] = 0;
    }
  }
  if (!Cursor.error().empty())
    return std::unexpected(Cursor.error());
  AttachedByRank Own(T);
  if (const std::string What = Out.Remote.resolve(Attached ? *Attached : Own); !What.empty())
    return std::unexpected("rank " + std::to_string(Rank) + " uses addresses of another rank " + What);
  return Out;
}

} // namespace pilgrim
