//===- RawCopy.cpp - writing plain copies of MPI calls --------------------===//
#include "pmpi/RawCopy.h"
#include "memory/Segments.h"
#include "pmpi/Real.h"
#include "trace/model/Signature.h"

#include <algorithm>
#include <string>

namespace pilgrim {

// Handles.

namespace {
struct PredefinedHandle {
  bool IsThere = false, IsNull = false;
};
} // namespace

static std::map<std::pair<Kind, uint64_t>, PredefinedHandle> *Predefined; // fillPredefined takes a plain function

/// Threads may ask for it at once.
static PredefinedHandle predefined(Kind K, uint64_t Raw) {
  static const auto &Table = *[] {
    Predefined = new std::map<std::pair<Kind, uint64_t>, PredefinedHandle>;
    fillPredefined([](Kind Of, int64_t, const char *Name, uint64_t Value) {
      Predefined->try_emplace({Of, Value}, PredefinedHandle{true, std::strstr(Name, "_NULL") != nullptr});
    });
    return Predefined;
  }();
  auto It = Table.find({K, Raw});
  return It == Table.end() ? PredefinedHandle() : It->second;
}

void RawCopy::enter(Kind K, uint64_t Raw, bool IsKnown) {
  if (!predefined(K, Raw).IsThere)
    verifyBooks().Objects.made(K, Raw, IsKnown, takeTicket());
}

/// The handle of a number: the inverse of rawHandle().
template <typename T> static T asHandle(uint64_t Raw) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(static_cast<uintptr_t>(Raw));
  else
    return static_cast<T>(Raw);
}

/// Asks MPI for the own rank, the size and the smallest world rank of a group, and frees it.
static void measureGroup(MPI_Group G, int64_t *Words, bool WithLeader) {
  int Rank = 0, Size = 0;
  Real.MPI_Group_rank(G, &Rank);
  Real.MPI_Group_size(G, &Size);
  Words[HandleRank] = Rank;
  Words[HandleSize] = Size;
  if (WithLeader) {
    MPI_Group World;
    Real.MPI_Comm_group(MPI_COMM_WORLD, &World);
    std::vector<int> Ours(static_cast<size_t>(Size)), Theirs(static_cast<size_t>(Size), MPI_UNDEFINED);
    for (int I = 0; I < Size; ++I)
      Ours[static_cast<size_t>(I)] = I;
    Real.MPI_Group_translate_ranks(G, Size, Ours.data(), World, Theirs.data());
    Real.MPI_Group_free(&World);
    int64_t Least = -1;
    for (int R : Theirs)
      if (R >= 0 && (Least < 0 || R < Least))
        Least = R;
    Words[HandleLeader] = Least;
  }
  Real.MPI_Group_free(&G);
}

/// Asks MPI what a trace tells of an object.
static void measure(Kind K, uint64_t Raw, int64_t *Words) {
  MPI_Group G;
  if (K == Kind::Comm) {
    const auto C = asHandle<MPI_Comm>(Raw);
    int IsInter = 0, Remote = -1;
    if (Real.MPI_Comm_group(C, &G) != MPI_SUCCESS)
      return;
    measureGroup(G, Words, true);
    Real.MPI_Comm_test_inter(C, &IsInter);
    if (IsInter)
      Real.MPI_Comm_remote_size(C, &Remote);
    Words[HandleRemote] = Remote;
  } else if (K == Kind::Win && Real.MPI_Win_get_group(asHandle<MPI_Win>(Raw), &G) == MPI_SUCCESS) {
    measureGroup(G, Words, false);
  } else if (K == Kind::File && Real.MPI_File_get_group(asHandle<MPI_File>(Raw), &G) == MPI_SUCCESS) {
    measureGroup(G, Words, false);
  } else if (K == Kind::Datatype) {
    MPI_Count Size = 0;
    if (Real.MPI_Type_size_x(asHandle<MPI_Datatype>(Raw), &Size) == MPI_SUCCESS)
      Words[HandleSize] = static_cast<int64_t>(Size);
  }
}

/// MPI_COMM_WORLD is there.
static bool isUp() {
  int IsInitialized = 0, IsFinalized = 0;
  Real.MPI_Initialized(&IsInitialized);
  Real.MPI_Finalized(&IsFinalized);
  return IsInitialized && !IsFinalized;
}

void RawCopy::putHandle(Kind K, uint64_t Raw, bool MayAsk) {
  int64_t Words[HandleWords] = {
      static_cast<int64_t>(Raw), UnknownObject, NotMeasured, NotMeasured, NotMeasured, NotMeasured};
  const PredefinedHandle Known = predefined(K, Raw);
  ObjectBook &Book = verifyBooks().Objects;
  if (!Known.IsThere) {
    Words[HandleSerial] = Book.find(K, Raw);
    if (Words[HandleSerial] == UnknownObject && K == Kind::Tool)
      Words[HandleSerial] = Book.made(K, Raw, false, takeTicket()); // MPI_T hands out pointers in many ways
  }
  // Of another value MPI would tell the program's error handler. Where MPI has called back, it may hold its lock.
  if (MayAsk && !Depth && isTableObject(K) && !Known.IsNull &&
      (Known.IsThere || Words[HandleSerial] != UnknownObject) && isUp())
    measure(K, Raw, Words);
  for (int64_t W : Words)
    word(W);
}

// Requests.

static int64_t serialOf(const RequestBook::Request &R, MPI_Request Handle) {
  return Handle == MPI_REQUEST_NULL ? NoRequest : R.Serial;
}

void RawCopy::request(unsigned Slot, MPI_Request R, const MPI_Request *Variable) {
  put(Slot, RawType::Request, {serialOf(verifyBooks().Requests.find(rawHandle(R), Variable), R)});
}

void RawCopy::requests(unsigned Slot, const MPI_Request *P, int64_t Count) {
  Count = P && Count > 0 ? Count : 0;
  head(Slot, RawType::Requests, Count);
  for (int64_t I = 0; I < Count; ++I)
    word(serialOf(verifyBooks().Requests.find(rawHandle(P[I]), &P[I]), P[I]));
}

void RawCopy::madeRequest(unsigned Slot, const MPI_Request *R, unsigned Traits) {
  int64_t Serial = NoRequest;
  if (*R != MPI_REQUEST_NULL)
    Serial = verifyBooks().Requests.made(rawHandle(*R), R, Traits, Begin, takeTicket());
  put(Slot, RawType::Request, {Serial});
}

void RawCopy::takesRequest(unsigned Slot, const MPI_Request *R) {
  if (!R || *R == MPI_REQUEST_NULL)
    return put(Slot, RawType::Request, {NoRequest});
  RequestBook &Book = verifyBooks().Requests;
  RequestBook::Request Found = Book.take(rawHandle(*R), R);
  if (Found.Serial == UnknownObject)
    Found = Book.find(rawHandle(*R), R);
  put(Slot, RawType::Request, {Found.Serial});
  Taken = {Found};
}

void RawCopy::requestEnded(bool IsFreed) {
  for (const RequestBook::Request &R : Taken)
    if (R.Serial > UnknownObject && IsFreed)
      verifyBooks().Requests.complete(R, Begin);
    else if (R.Serial > UnknownObject)
      verifyBooks().Requests.putBack(R);
}

void RawCopy::takesRequests(unsigned Slot, const MPI_Request *P, int64_t Count, bool IsArray) {
  Count = P && Count > 0 ? Count : 0;
  for (int64_t I = 0; I < Count; ++I)
    Taken.push_back(P[I] == MPI_REQUEST_NULL ? RequestBook::Request{NoRequest}
                                             : verifyBooks().Requests.take(rawHandle(P[I]), &P[I]));
  if (!IsArray)
    return put(Slot, RawType::Request, {Count ? Taken[0].Serial : NoRequest});
  head(Slot, RawType::Requests, Count);
  for (const RequestBook::Request &R : Taken)
    word(R.Serial);
}

unsigned RawCopy::traitsOf(int64_t I, const int *Places) const {
  const int64_t Place = Places ? Places[I] : I;
  return Place < 0 || Place >= static_cast<int64_t>(Taken.size()) ? 0 : Taken[static_cast<size_t>(Place)].Traits;
}

void RawCopy::putStatuses(unsigned Slot, const MPI_Status *From, bool HasMany, int64_t Count, const int *Places,
                          unsigned Wanted, bool TellErrors) {
  head(Slot, HasMany ? RawType::Statuses : RawType::Status, Count * StatusWords);
  for (int64_t I = 0; I < Count; ++I) {
    const unsigned Traits = traitsOf(I, Places);
    // An inactive persistent request has the empty status, which no message can have.
    const bool IsEmpty = Traits & IsPersistent && From[I].MPI_SOURCE == MPI_ANY_SOURCE;
    if (Traits & Wanted && !IsEmpty)
      putStatus(From[I], Traits & TellsFile, true, TellErrors);
    else
      putNoStatus();
  }
}

void RawCopy::completed(unsigned Slot, unsigned Matched, const MPI_Request *P, const MPI_Status *Given,
                        const MPI_Status *Passed, bool HasMany, bool Any, int64_t Count, const int *Places) {
  int Class = MPI_SUCCESS;
  if (Ret != MPI_SUCCESS)
    Real.MPI_Error_class(Ret, &Class);
  const bool InStatus = Class == MPI_ERR_IN_STATUS;
  Any = Any && (Ret == MPI_SUCCESS || InStatus);
  Count = Any ? std::max<int64_t>(Count, 0) : 0;
  const bool IsThere = Any && (HasMany || Count > 0);
  if (Given == MPI_STATUS_IGNORE || Given == MPI_STATUSES_IGNORE)
    sentinel(Slot, HasMany ? "MPI_STATUSES_IGNORE" : "MPI_STATUS_IGNORE");
  else if (!IsThere)
    absent(Slot);
  else
    putStatuses(Slot, Given, HasMany, Count, Places, TellsMessage | TellsFile, InStatus);
  bool HasMatched = false;
  for (int64_t I = 0; I < Count; ++I)
    HasMatched |= (traitsOf(I, Places) & HadWildcard) != 0;
  if (HasMatched)
    putStatuses(Matched, Passed, HasMany, Count, Places, HadWildcard, InStatus);
  else
    absent(Matched);
  for (size_t I = 0; I < Taken.size(); ++I) {
    if (Taken[I].Serial <= UnknownObject)
      continue;
    // A completed request's handle becomes null, but for persistent ones.
    if (P[I] == MPI_REQUEST_NULL)
      verifyBooks().Requests.complete(Taken[I], Begin);
    else
      verifyBooks().Requests.putBack(Taken[I]);
  }
}

// Statuses.

void RawCopy::putNoStatus() {
  for (int64_t V : {NoStatus, int64_t(0), int64_t(0), int64_t(0)})
    word(V);
}

void RawCopy::putStatus(const MPI_Status &S, bool IsFile, bool TellsCancelled, bool TellsError) {
  MPI_Count Bytes = 0;
  int IsCancelled = 0, Class = 0;
  Real.MPI_Get_elements_x(&S, MPI_BYTE, &Bytes);
  if (TellsCancelled && !IsFile) // nobody sets the mark of the latter
    Real.MPI_Test_cancelled(&S, &IsCancelled);
  if (TellsError && S.MPI_ERROR != MPI_SUCCESS)
    Real.MPI_Error_class(S.MPI_ERROR, &Class);
  // A file operation leaves source and tag as they were, and one that was cancelled the size, too.
  word(IsCancelled ? 0 : IsFile ? SizeAlone : S.MPI_SOURCE);
  word(IsFile || IsCancelled ? 0 : S.MPI_TAG);
  word(IsCancelled ? 0 : static_cast<int64_t>(Bytes));
  word(Class * 2 + (IsCancelled != 0));
}

void RawCopy::status(unsigned Slot, const MPI_Status *S, CopiedStatus K) {
  if (S == MPI_STATUS_IGNORE)
    return sentinel(Slot, "MPI_STATUS_IGNORE");
  head(Slot, RawType::Status, StatusWords);
  if (K == CopiedStatus::Nothing)
    putNoStatus();
  else
    putStatus(*S, K == CopiedStatus::File, false, false);
}

void RawCopy::statusOf(unsigned Slot, MPI_Request R, const MPI_Status *S) {
  if (S == MPI_STATUS_IGNORE)
    return sentinel(Slot, "MPI_STATUS_IGNORE");
  const unsigned Traits = verifyBooks().Requests.find(rawHandle(R), nullptr).Traits;
  head(Slot, RawType::Status, StatusWords);
  if (Traits & (TellsMessage | TellsFile))
    putStatus(*S, Traits & TellsFile, true, false);
  else
    putNoStatus();
}

void RawCopy::matched(unsigned Slot, const MPI_Status &S) {
  head(Slot, RawType::Status, StatusWords);
  putStatus(S, false, false, false);
}

// Texts.

void RawCopy::characters(unsigned Slot, RawType T, const char *S, size_t N) {
  head(Slot, T, static_cast<int64_t>(N));
  for (size_t I = 0; I < N; ++I)
    word(static_cast<unsigned char>(S[I]));
}

void RawCopy::string(unsigned Slot, const char *S, int64_t Room) {
  if (!S)
    return put(Slot, RawType::Null);
  characters(Slot, RawType::String, S, Room < 0 ? std::strlen(S) : strnlen(S, static_cast<size_t>(Room)));
}

void RawCopy::strings(unsigned Slot, const char *const *P, int64_t Count) {
  if (!P)
    return put(Slot, RawType::Null);
  std::string All;
  for (int64_t I = 0; Count < 0 ? P[I] != nullptr : I < Count; ++I)
    All.append(P[I] ? P[I] : "").append(1, '\0');
  characters(Slot, RawType::String, All.data(), All.size());
}

void RawCopy::stringss(unsigned Slot, char ***P, int64_t Count) {
  if (!P)
    return put(Slot, RawType::Null);
  std::string All;
  for (int64_t I = 0; I < Count; ++I) {
    for (char **S = P[I]; S && *S; ++S)
      All.append(*S).append(1, '\0');
    All.append(1, '\0');
  }
  characters(Slot, RawType::String, All.data(), All.size());
}

} // namespace pilgrim
