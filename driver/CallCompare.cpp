//===- CallCompare.cpp - equality of calls up to a renaming ---------------===//
#include "driver/CallCompare.h"
#include "trace/model/Relations.h"
#include "trace/read/Untraced.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace pilgrim {

void CallCompare::restart() {
  Symbols.clear();
  Segments = Mappings = Devices = {};
  Places = {};
  Equal.clear();
  Uses.clear();
  Gone.clear();
}

/// What a call does with the handle in a slot.
Relation CallCompare::use(const FunctionSchema &F, uint32_t Slot) {
  auto [It, New] = Uses.try_emplace(F.Id);
  if (New) {
    const Relations R(F);
    for (uint32_t I = 0; I < F.Slots.size(); ++I)
      It->second.push_back(R.use(I));
  }
  return It->second[Slot];
}

/// Whether a request's name says which other thread made it (RequestName).
static bool isOfOtherThread(int64_t Name) { return Name >> 32 > 0; }

/// Whether all that A and B stood for may be gone.
bool CallCompare::mayBeGone(Kind K, int64_t A, int64_t B) {
  const int64_t *Other = Symbols[K].origin(B);
  auto IsGone = [&](int64_t Name) { return Gone.contains({K, Name}); };
  return (!Symbols[K].partner(A) || IsGone(A)) && (!Other || IsGone(*Other));
}

/// The number of an object that a handle means, if it is not predefined.
static std::optional<int64_t> nameOf(const Value &V, const RankView &View) {
  if (V.T == Tag::Object && View.object(V).Name.empty())
    return View.object(V).Id;
  return V.T == Tag::Word && V.Words[0] >= 0 ? std::optional(V.Words[0]) : std::nullopt;
}

/// Notes requests of other threads that the call may have completed, and groups that it frees: the program may have
/// them several times. Tells whether the call changes what is known to be gone.
bool CallCompare::noteGone(const Call &C) {
  bool HasAny = false;
  auto Note = [&](Kind K, int64_t Name) {
    HasAny = true;
    Gone.insert({K, Name});
  };
  for (uint32_t I = 0; I < C.Slots.size(); ++I) {
    const Value &V = C.Slots[I];
    const Kind K = C.Function->Slots[I].K;
    if (K == Kind::Request && use(*C.Function, I) == Relation::Completes) {
      for (const int64_t Name : V.Words)
        if (isOfOtherThread(Name))
          Note(K, Name);
    } else if (K == Kind::Group) {
      HasAny |= use(*C.Function, I) == Relation::Finds; // it is no longer gone
      if (use(*C.Function, I) == Relation::Frees)
        if (const auto Name = nameOf(V, *C.View))
          Note(K, *Name);
    }
  }
  return HasAny;
}

bool CallCompare::sameSymbol(Kind K, int64_t A, int64_t B, Relation Use) {
  if (K == Kind::Request && A >> 32 != B >> 32) {
    Detail = "was made by another thread";
    return false;
  }
  Bijection<int64_t> &Map = Symbols[K];
  if (!Map.matches(A, B)) {
    const bool MayBeOther = K == Kind::Request || Use == Relation::Finds;
    if (Use != Relation::Makes && !(MayBeOther && mayBeGone(K, A, B))) {
      explain(Map, A, B, [K](int64_t V) { return symbolText(K, V); });
      return false;
    }
    Map.release(A, B);
    Equal.clear();
    Map.matches(A, B);
  }
  if ((K == Kind::Request && isOfOtherThread(A)) || Use == Relation::Finds)
    Gone.erase({K, A});
  return true;
}

/// Names that do not go together say what they have stood for.
void CallCompare::explain(const Bijection<int64_t> &Map, int64_t A, int64_t B,
                          const std::function<std::string(int64_t)> &Symbol) {
  const int64_t *InB = Map.partner(A), *InA = Map.origin(B);
  Detail = "A's " + Symbol(InB ? A : *InA) + " was B's " + Symbol(InB ? *InB : B) + " before";
}

bool CallCompare::sameName(Bijection<int64_t> &Map, const char *Prefix, int64_t A, int64_t B) {
  if (Map.matches(A, B))
    return true;
  explain(Map, A, B, [Prefix](int64_t V) { return Prefix + std::to_string(V); });
  return false;
}

/// Numbers of devices are the machine's business, as long as different ones stay so.
bool CallCompare::sameOnStack(Bijection<int64_t> &Known, int64_t A, int64_t B) {
  const bool IsSame = Known.matches(A, B);
  if (!IsSame)
    Detail = "stands for another place of the stack in the same call";
  return IsSame;
}

bool CallCompare::sameSegment(SegmentName A, SegmentName B) {
  if (A.Kind != B.Kind) {
    Detail = "is memory of another kind";
    return false;
  }
  return (A.Kind == MemoryKind::Heap || sameName(Devices, "device ", A.Device, B.Device)) &&
         sameName(Segments, "seg", A.Number, B.Number);
}

bool CallCompare::sameObject(const ObjectInfo &A, const ObjectInfo &B, Relation Use) {
  if (A.K != B.K || A.Name != B.Name)
    return false;
  if (A.Size != B.Size || A.Rank != B.Rank || A.RemoteSize != B.RemoteSize || A.Leader != B.Leader) {
    if (A.K == Kind::Datatype)
      Detail = fmt::format("size {}, not {}", B.Size, A.Size);
    else if (A.Size != B.Size || A.Rank != B.Rank)
      Detail = fmt::format("size {}, rank {}, not size {}, rank {}", B.Size, B.Rank, A.Size, A.Rank);
    else if (A.RemoteSize != B.RemoteSize)
      Detail = fmt::format("remote size {}, not {}", B.RemoteSize, A.RemoteSize);
    else
      Detail = fmt::format("smallest rank {}, not {}", B.Leader, A.Leader);
    return false;
  }
  return !A.Name.empty() || sameSymbol(A.K, A.Id, B.Id, Use);
}

/// Numbers with names are equal if the names are: the numbers are the MPI
/// library's.
bool CallCompare::sameNamed(const ParamSchema &PA, const ParamSchema &PB, int64_t A, int64_t B) {
  if (PA.Names.empty() && PB.Names.empty())
    return A == B;
  if (PA.IsFlags && PB.IsFlags) {
    std::string TextA, TextB;
    NamesA.appendWord(TextA, PA, A);
    NamesB.appendWord(TextB, PB, B);
    return TextA == TextB;
  }
  const std::string *NameA = NamesA.nameOf(PA, A), *NameB = NamesB.nameOf(PB, B);
  if (NameA && NameB)
    return *NameA == *NameB;
  return !NameA && !NameB && A == B;
}

/// An MPI_Aint is a displacement or an address, as the datatype's maker likes;
/// nothing but an address is so large.
static bool isAddress(Kind K, int64_t V) {
  return (K == Kind::Displacement || K == Kind::Address) && V >= int64_t(1) << 40;
}

bool CallCompare::sameNumber(const ParamSchema &PA, const ParamSchema &PB, int64_t A, int64_t B) {
  if (isHandle(PA.K)) {
    const std::string *NameA = NamesA.nameOf(PA, A), *NameB = NamesB.nameOf(PB, B);
    return A < 0 && B < 0 && (NameA && NameB ? *NameA == *NameB : A == B);
  }
  if (PA.K == Kind::Flag)
    return !A == !B;
  if (isAddress(PA.K, A) && isAddress(PB.K, B))
    return true;
  return sameNamed(PA, PB, A, B);
}

bool CallCompare::sameWord(const Side &A, const Side &B, int64_t WordA, int64_t WordB, Relation Use) {
  if (areSymbols(A.P.K, WordA, WordB))
    return sameSymbol(A.P.K, WordA, WordB, Use);
  return sameNumber(A.P, B.P, WordA, WordB);
}

bool CallCompare::sameStatus(std::span<const int64_t> A, std::span<const int64_t> B) {
  if (A[0] == NoStatus || B[0] == NoStatus)
    return A[0] == B[0];
  auto Same = [&](const char *Key, int64_t X, int64_t Y) {
    ParamSchema P;
    P.Names = Key;
    return sameNamed(P, P, X, Y);
  };
  return Same("rank", A[0], B[0]) && Same("tag", A[1], B[1]) && Same("count", A[2], B[2]) && (A[3] & 1) == (B[3] & 1) &&
         Same("error", A[3] >> 1, B[3] >> 1);
}

bool CallCompare::isOwnFunction(const ParamSchema &P, const Value &V) {
  return P.K == Kind::Function && (V.T == Tag::Data || V.T == Tag::String);
}

bool CallCompare::samePlace(const Value &A, const Value &B) {
  auto PlaceOf = [](const Value &V) { return Place{V.T, V.Ref, V.Words.empty() ? 0 : V.Words[0]}; };
  if (Places.matches(PlaceOf(A), PlaceOf(B)))
    return true;
  Detail = Places.partner(PlaceOf(A)) ? "A's place was another one of B's before"
                                      : "B's place was another one of A's before";
  return false;
}

bool CallCompare::sameSlot(const Side &A, const Side &B, Relation Use) {
  if (A.P.IsMachine && B.P.IsMachine)
    return true;
  const Value &X = A.V, &Y = B.V;
  if (X.T != Y.T && isOwnFunction(A.P, X) && isOwnFunction(B.P, Y))
    return samePlace(X, Y);
  // Of one side, which then has words.
  const bool MayBeStreamed = X.T == Tag::String || X.T == Tag::Object || X.T == Tag::Objects;
  if (X.T != Y.T || (!MayBeStreamed && X.Words.size() != Y.Words.size()) || X.Refs.size() != Y.Refs.size())
    return false;
  switch (X.T) {
  case Tag::Absent:
  case Tag::Null:
  case Tag::Raw:
  case Tag::Stream:
    return true;
  case Tag::Name:
  case Tag::String:
    return A.View.text(X) == B.View.text(Y);
  case Tag::Word:
  case Tag::Array:
    for (size_t I = 0; I < X.Words.size(); ++I)
      if (!sameWord(A, B, X.Words[I], Y.Words[I], Use))
        return false;
    return true;
  case Tag::Object:
    return sameObject(A.View.object(X), B.View.object(Y), Use);
  case Tag::Objects:
    for (size_t I = 0; I < X.Refs.size(); ++I)
      if (!sameObject(A.View.object(X, I), B.View.object(Y, I), Use))
        return false;
    return true;
  case Tag::Heap:
    return X.Words[1] == Y.Words[1] && sameSegment(SegmentName::of(X.Words[0]), SegmentName::of(Y.Words[0]));
  case Tag::Map:
    if (X.Words[0] == MainStackRegion || Y.Words[0] == MainStackRegion)
      return X.Words[0] == Y.Words[0] && sameOnStack(MainStackPlaces, X.Words[1], Y.Words[1]);
    return X.Words[1] == Y.Words[1] && sameName(Mappings, "map", X.Words[0], Y.Words[0]);
  case Tag::Stack:
    return sameOnStack(StackPlaces, X.Words[0], Y.Words[0]);
  case Tag::Data:
    return samePlace(X, Y);
  case Tag::Status:
  case Tag::Statuses:
    for (size_t I = 0; I + StatusWords <= X.Words.size(); I += StatusWords)
      if (!sameStatus(X.Words.subspan(I, StatusWords), Y.Words.subspan(I, StatusWords)))
        return false;
    return true;
  }
  return false;
}

/// The block that was freed, if C is that.
static std::optional<SegmentName> freedBlock(const Call &C) {
  if (!isFreed(*C.Function) || C.Slots.size() <= FreedBlock || C.Slots[FreedBlock].T != Tag::Heap)
    return std::nullopt;
  return SegmentName::of(C.Slots[FreedBlock].Words[0]);
}

bool CallCompare::isCompared(const Call &C) {
  const auto Freed = freedBlock(C);
  return !Freed || Freed->Kind == MemoryKind::Heap;
}

std::string CallCompare::compare(const Call &A, const Call &B) {
  auto IsConstant = [](const Call &C) { return C.View->signatures()[C.Terminal].isConstant(); };
  const bool Constant = IsConstant(A) && IsConstant(B);
  if (Constant && A.Terminal < Equal.size() && Equal[A.Terminal] == B.Terminal + 1)
    return "";
  Detail.clear();
  Compared = 0;
  What = find(A, B, Constant);
  return What.empty() || Detail.empty() ? What : What + " (" + Detail + ")";
}

std::string CallCompare::find(const Call &A, const Call &B, bool IsConstant) {
  StackPlaces = MainStackPlaces = {};
  if (A.Function->Name != B.Function->Name)
    return isUntraced(*A.Function) || isUntraced(*B.Function) ? "calls not traced" : "function";
  if (A.Depth != B.Depth)
    return "depth";
  if (isUntraced(*A.Function)) {
    for (auto &[Kind, Map] : Symbols)
      Map.doubt();
    Equal.clear();
    return untracedCalls(A) == untracedCalls(B) ? "" : "calls not traced";
  }
  const auto &SchemaA = A.Function->Slots, &SchemaB = B.Function->Slots;
  if (SchemaA.size() != SchemaB.size())
    return "number of parameters";
  for (uint32_t I = 0; I < SchemaA.size(); ++I) {
    const ParamSchema &PA = SchemaA[I], &PB = SchemaB[I];
    if (PA.Name != PB.Name || PA.K != PB.K)
      return "parameter " + PA.Name;
    ++Compared;
    if (!sameSlot({A.Slots[I], PA, *A.View}, {B.Slots[I], PB, *B.View}, use(*A.Function, I)))
      return I == 0 ? "return code" : PA.Name;
  }
  if (const auto FreedA = freedBlock(A), FreedB = freedBlock(B); FreedA && FreedB) {
    // The next blocks with these numbers are others.
    Segments.release(FreedA->Number, FreedB->Number);
    Equal.clear();
  } else if (!noteGone(A) && IsConstant) {
    Equal.resize(A.View->signatures().size());
    Equal[A.Terminal] = B.Terminal + 1;
  }
  return "";
}

} // namespace pilgrim
