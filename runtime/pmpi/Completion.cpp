//===- Completion.cpp - requests in calls ---------------------------------===//
#include "pmpi/Wrap.h"

namespace pilgrim {

int64_t requestMade(ThreadState &T, uint64_t Site, uint32_t Function, MPI_Request *Request, unsigned Traits) {
  if (*Request == MPI_REQUEST_NULL)
    return NullRequest;
  Process &P = T.P;
  std::lock_guard<BookLock> L(P.Books);
  return P.Pending[P.Pending.made(Function, Site, rawHandle(*Request), Request, Traits)].Number;
}

int64_t requestId(const MPI_Request *Request, bool Variable) {
  if (!Request || *Request == MPI_REQUEST_NULL)
    return NullRequest;
  Process &P = CurrentThread->P;
  std::lock_guard<BookLock> L(P.Books);
  uint32_t I = P.Pending.findAny(rawHandle(*Request), Variable ? Request : nullptr);
  return I == HandleMap::None ? NullRequest - 1 : int64_t(P.Pending[I].Number);
}

void requestFreed(MPI_Request Before, const MPI_Request *Variable) {
  Process &P = CurrentThread->P;
  std::lock_guard<BookLock> L(P.Books);
  uint32_t I = P.Pending.find(rawHandle(Before), Variable);
  if (I != HandleMap::None)
    P.Pending.retire(I);
}

void RawWriter::statusOf(MPI_Request Request, const MPI_Status *S, bool Valid) {
  if (S == MPI_STATUS_IGNORE)
    return sentinel(SentinelStatusIgnore);
  if (!Valid)
    return vectorAbsent();
  unsigned Traits = 0;
  {
    std::lock_guard<BookLock> L(T.P.Books);
    uint32_t I = T.P.Pending.findAny(rawHandle(Request), nullptr);
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
    : T(T), Requests(Requests), Count(Requests && N > 0 ? N : 0), Given(Given), IsArray(IsArray), HasMany(HasMany) {
  std::vector<uint32_t> &Store = Depth ? DeepFound : T.RequestBuffer;
  if (Store.size() < static_cast<size_t>(Count))
    Store.resize(static_cast<size_t>(Count));
  Found = Store.data();
  Process &P = T.P;
  {
    std::lock_guard<BookLock> L(P.Books);
    for (int64_t I = 0; I < Count; ++I) {
      if (Requests[I] == MPI_REQUEST_NULL) {
        Found[I] = HandleMap::None;
        continue;
      }
      uint32_t F = P.Pending.find(rawHandle(Requests[I]), &Requests[I]);
      Found[I] = F == HandleMap::None ? Unknown : F;
      if (F == HandleMap::None)
        continue;
      P.Pending[F].Taken = true; // the next one with this handle is another request
      HasWildcard |= (P.Pending[F].Traits & RequestWildcard) != 0;
    }
  }
  bool Ignored = Given == MPI_STATUS_IGNORE || Given == MPI_STATUSES_IGNORE;
  if (HasWildcard && Ignored) {
    std::vector<MPI_Status> &Statuses = Depth ? DeepStatuses : T.StatusBuffer;
    if (Statuses.size() < static_cast<size_t>(Count))
      Statuses.resize(static_cast<size_t>(Count));
    Own = Statuses.data();
  }
}

Completion::~Completion() {
  Process &P = T.P;
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
  Valid = Any && Ret == MPI_SUCCESS;
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

void Completion::requests(RawWriter &W) {
  auto Name = [&](int64_t I) -> int64_t {
    if (Found[I] >= Unknown)
      return Found[I] == Unknown ? NullRequest - 1 : NullRequest;
    return T.P.Pending[Found[I]].Number;
  };
  std::lock_guard<BookLock> L(T.P.Books);
  if (!IsArray)
    return W.number(Count ? Name(0) : NullRequest);
  W.ensure(Count + 1);
  W.number(Count);
  for (int64_t I = 0; I < Count; ++I)
    W.number(Name(I));
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
