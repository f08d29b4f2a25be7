//===- Completion.cpp - requests in calls ---------------------------------===//
#include "pmpi/Wrap.h"

namespace pilgrim {

int64_t requestMade(ThreadState &T, uint64_t Site, uint32_t Function, MPI_Request *Request, unsigned Traits) {
  if (*Request == MPI_REQUEST_NULL)
    return NullRequest;
  Process &P = T.P;
  std::lock_guard<BookLock> L(P.Books);
  return P.Pending[P.Pending.made(T.Index, Function, Site, rawHandle(*Request), Request, Traits)].Name.Number;
}

int64_t requestId(const MPI_Request *Request, bool Variable) {
  if (!Request || *Request == MPI_REQUEST_NULL)
    return NullRequest;
  const ThreadState &T = *CurrentThread;
  Process &P = T.P;
  std::lock_guard<BookLock> L(P.Books);
  uint32_t I = P.Pending.findAny(T.Index, rawHandle(*Request), Variable ? Request : nullptr);
  return I == HandleMap::None ? NullRequest - 1 : P.Pending.nameIn(T.Index, I);
}

LeavingRequest requestLeaves(const MPI_Request *Request) {
  if (!Request || *Request == MPI_REQUEST_NULL)
    return {};
  const ThreadState &T = *CurrentThread;
  Process &P = T.P;
  std::lock_guard<BookLock> L(P.Books);
  const uint32_t I = P.Pending.find(T.Index, rawHandle(*Request), Request);
  if (I != HandleMap::None) {
    P.Pending[I].Taken = true;
    return {P.Pending.nameIn(T.Index, I), I};
  }
  const uint32_t Other = P.Pending.findAny(T.Index, rawHandle(*Request), Request);
  return {Other == HandleMap::None ? NullRequest - 1 : P.Pending.nameIn(T.Index, Other)};
}

void requestLeft(LeavingRequest R, bool IsFreed) {
  if (R.Index == HandleMap::None)
    return;
  Process &P = CurrentThread->P;
  std::lock_guard<BookLock> L(P.Books);
  if (IsFreed)
    P.Pending.retire(R.Index);
  else
    P.Pending.putBack(R.Index);
}

void RawWriter::statusOf(MPI_Request Request, const MPI_Status *S, bool Valid) {
  if (S == MPI_STATUS_IGNORE)
    return sentinel(SentinelStatusIgnore);
  if (!Valid)
    return vectorAbsent();
  unsigned Traits = 0;
  {
    std::lock_guard<BookLock> L(T.P.Books);
    uint32_t I = T.P.Pending.findAny(T.Index, rawHandle(Request), nullptr);
    if (I != HandleMap::None)
      Traits = T.P.Pending[I].Traits;
  }
  number(1);
  if (Traits & (RequestReceives | RequestTransfersFile))
    putStatus(*S, Traits & RequestTransfersFile ? StatusOfFile : StatusOfRequest, false);
  else
    noStatus();
}

Completion::Completion(ThreadState &T, unsigned Depth, MPI_Request *Requests, int64_t N, MPI_Status *Given,
                       bool IsArray, bool HasMany)
    : T(T), Depth(Depth), Requests(Requests), Count(Requests && N > 0 ? N : 0), Given(Given), IsArray(IsArray),
      HasMany(HasMany) {
  if (Depth)
    Inner = std::make_unique<Deep>();
  // What was found stays found only where no other thread can complete it.
  if (Count >= Many && IsArray && !Depth && !T.P.Books.Needed) {
    Array = &T.FoundRequests.find(T.P.Pending, T.Index, Requests, static_cast<size_t>(Count));
    Found = Array->Found.data();
    HasWildcard = Array->HasWildcard;
  } else {
    findAll();
  }
  bool Ignored = Given == MPI_STATUS_IGNORE || Given == MPI_STATUSES_IGNORE;
  if (HasWildcard && Ignored) {
    std::vector<MPI_Status> &Statuses = Inner ? Inner->Statuses : T.StatusBuffer;
    if (Statuses.size() < static_cast<size_t>(Count))
      Statuses.resize(static_cast<size_t>(Count));
    Own = Statuses.data();
  }
}

void Completion::findAll() {
  std::vector<uint32_t> &Store = Inner ? Inner->Found : T.RequestBuffer;
  if (Store.size() < static_cast<size_t>(Count))
    Store.resize(static_cast<size_t>(Count));
  Found = Store.data();
  Process &P = T.P;
  std::lock_guard<BookLock> L(P.Books);
  for (int64_t I = 0; I < Count; ++I) {
    if (Requests[I] == MPI_REQUEST_NULL) {
      Found[I] = HandleMap::None;
      continue;
    }
    uint32_t F = P.Pending.find(T.Index, rawHandle(Requests[I]), &Requests[I]);
    Found[I] = F == HandleMap::None ? Unknown : F;
    if (F == HandleMap::None)
      continue;
    P.Pending[F].Taken = true; // the next one with this handle is another request
    HasWildcard |= (P.Pending[F].Traits & RequestWildcard) != 0;
  }
}

Completion::~Completion() {
  Process &P = T.P;
  if (Array) {
    FoundArrays::leave(P.Pending, *Array);
    return;
  }
  std::lock_guard<BookLock> L(P.Books);
  for (int64_t I = 0; I < Count; ++I) {
    if (Found[I] >= Unknown)
      continue;
    // A completed request's handle becomes null, but for persistent ones.
    if (Requests[I] == MPI_REQUEST_NULL)
      P.Pending.retire(Found[I]);
    else
      P.Pending.putBack(Found[I]);
  }
}

void Completion::finish(int Ret, bool Any, int64_t Statuses, const int *At) {
  HasSucceeded = Ret == MPI_SUCCESS;
  Valid = Any && HasSucceeded;
  if (Ret != MPI_SUCCESS) {
    int Class = Ret;
    Real.MPI_Error_class(Ret, &Class);
    WithError = Valid = Class == MPI_ERR_IN_STATUS && Any;
  }
  NumStatuses = Valid ? Statuses : 0;
  Places = At;
}

unsigned Completion::traits(int64_t I) const {
  int64_t Place = Places ? Places[I] : I;
  if (Place < 0 || Place >= Count || Found[Place] >= Unknown)
    return 0;
  return T.P.Pending[Found[Place]].Traits;
}

int64_t Completion::name(int64_t I) const {
  if (Found[I] >= Unknown)
    return Found[I] == Unknown ? NullRequest - 1 : NullRequest;
  return T.P.Pending.nameIn(T.Index, Found[I]);
}

void Completion::requests(RawWriter &W) {
  std::lock_guard<BookLock> L(T.P.Books);
  if (!IsArray)
    return W.number(Count ? name(0) : NullRequest);
  W.ensure(Count + 1);
  W.number(Count);
  for (int64_t I = 0; I < Count; ++I)
    W.number(name(I));
}

void Completion::someRequests(RawWriter &W) {
  if (Count == 0 || !T.Open[Depth].isTraced())
    return W.number(0);
  std::span<const int64_t> Names;
  if (Array) {
    Names = Array->Names;
  } else {
    T.RequestNames.resize(static_cast<size_t>(Count));
    std::lock_guard<BookLock> L(T.P.Books);
    for (int64_t I = 0; I < Count; ++I)
      T.RequestNames[static_cast<size_t>(I)] = name(I);
    Names = T.RequestNames;
  }
  const uint64_t Items = T.Calls.calls();
  std::span<const int64_t> Words = T.Arrays.shorten(Names, Items, Items + T.Freed.size() + 2);
  if (Words.empty())
    Words = Names;
  W.numbers(Words.data(), static_cast<int64_t>(Words.size()));
  for (int64_t I = 0; HasSucceeded && I < NumStatuses; ++I)
    T.Arrays.complete(Places[I]);
}

void Completion::putStatuses(RawWriter &W, const MPI_Status *From, unsigned Wanted) {
  int64_t N = HasMany ? NumStatuses : 1;
  W.ensure(1);
  W.number(N);
  for (int64_t I = 0; I < N; ++I) {
    unsigned Traits = traits(I);
    // An inactive persistent request has the empty status, which no message can have.
    bool Empty = Traits & RequestPersistent && From[I].MPI_SOURCE == MPI_ANY_SOURCE;
    if (Traits & Wanted && !Empty)
      W.putStatus(From[I], Traits & RequestTransfersFile ? StatusOfFile : StatusOfRequest, WithError);
    else
      W.noStatus();
  }
}

void Completion::writeStatuses(RawWriter &W) {
  if (Given == MPI_STATUS_IGNORE || Given == MPI_STATUSES_IGNORE)
    return W.sentinel(HasMany ? SentinelStatusesIgnore : SentinelStatusIgnore);
  if (!Valid || (!HasMany && NumStatuses == 0))
    return W.vectorAbsent();
  std::lock_guard<BookLock> L(T.P.Books);
  putStatuses(W, Given, RequestReceives | RequestTransfersFile);
}

void Completion::matched(RawWriter &W) {
  if (!HasWildcard || !Valid)
    return W.vectorAbsent();
  std::lock_guard<BookLock> L(T.P.Books);
  bool Any = false;
  for (int64_t I = 0; I < NumStatuses; ++I)
    Any |= (traits(I) & RequestWildcard) != 0;
  if (!Any)
    return W.vectorAbsent();
  putStatuses(W, Own ? Own : Given, RequestWildcard);
}

} // namespace pilgrim
