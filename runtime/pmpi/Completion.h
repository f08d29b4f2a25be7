//===- Completion.h - requests in calls --------------------------*- C++ -*-===//
//
// Keeps the books of requests around a call: enters new requests, names them, and finds out which ones a wait or test
// call has completed.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_COMPLETION_H
#define PILGRIM_PMPI_COMPLETION_H

#include "pmpi/RequestArrays.h"
#include "pmpi/Wrap.h"

namespace pilgrim {

/// Enters a request that a call made. Returns its name.
int64_t requestMade(ThreadState &T, uint64_t Site, uint32_t Function, MPI_Request *Request, unsigned Traits);
/// The name of a request. Variable: Request is the program's own variable, and not a copy.
int64_t requestId(const MPI_Request *Request, bool Variable);

/// A request that a call frees.
struct LeavingRequest {
  int64_t Name = NullRequest;
  uint32_t Index = HandleMap::None; ///< of its record; HandleMap::None: it is not known
};
/// To be called before the call, so that no other thread's call takes the same one of those with this handle.
LeavingRequest requestLeaves(const MPI_Request *Request);
/// The call has returned.
void requestLeft(LeavingRequest R, bool IsFreed);

/// Writes the names of an array of requests that a call does not complete.
class RequestIds {
public:
  RequestIds(const MPI_Request *P, int64_t N) : P(P), N(P ? N : 0) {}
  void write(RawWriter &W) const {
    W.ensure(N + 1);
    W.number(std::max<int64_t>(N, 0));
    for (int64_t I = 0; I < N; ++I)
      W.number(requestId(&P[I], true));
  }

private:
  const MPI_Request *P;
  int64_t N;
};

class Completion {
public:
  Completion(ThreadState &T, unsigned Depth, MPI_Request *Requests, int64_t Count, MPI_Status *Given, bool IsArray,
             bool HasMany);
  /// Takes the requests that are complete off the books.
  ~Completion();
  /// The statuses to pass to MPI.
  MPI_Status *statuses() { return Own ? Own : Given; }
  /// Wait, Test, Waitall, Testall.
  void complete(int Ret, int Flag) { finish(Ret, Flag != 0, Count, nullptr); }
  /// Waitany, Testany.
  void complete(int Ret, int Flag, const int *Index) {
    finish(Ret, Flag && Index && *Index != MPI_UNDEFINED && *Index >= 0, 1, Index);
  }
  /// Waitsome, Testsome.
  void complete(int Ret, int, const int *OutCount, const int *Indices) {
    bool Some = OutCount && *OutCount != MPI_UNDEFINED;
    finish(Ret, true, Some ? *OutCount : 0, Indices);
  }
  void requests(RawWriter &W);
  /// The same of Waitany, Testany, Waitsome and Testsome: what has changed since the thread's last call with such an
  /// array.
  void someRequests(RawWriter &W);
  void writeStatuses(RawWriter &W);
  void matched(RawWriter &W);

private:
  void finish(int Ret, bool Any, int64_t Statuses, const int *Places);
  /// Traits of the request that status I belongs to.
  unsigned traits(int64_t I) const;
  void putStatuses(RawWriter &W, const MPI_Status *From, unsigned Wanted);

  void findAll();
  int64_t name(int64_t I) const;

  ThreadState &T;
  unsigned Depth;
  MPI_Request *Requests;
  int64_t Count;
  MPI_Status *Given, *Own = nullptr;
  bool IsArray;              ///< the call has an array of requests
  bool HasMany;              ///< the call has an array of statuses
  uint32_t *Found = nullptr; ///< index of each request in the books, or None, Unknown
  struct Deep {
    std::vector<uint32_t> Found;
    std::vector<MPI_Status> Statuses;
  };
  std::unique_ptr<Deep> Inner; ///< of a call in a callback, which must not overwrite the outer call's
  FoundArray *Array = nullptr; ///< of a large array, what is known of it; Found is in it
  static constexpr uint32_t Unknown = UnknownRequest;
  static constexpr int64_t Many = 32;
  bool HasSucceeded = false, Valid = false, WithError = false, HasWildcard = false;
  int64_t NumStatuses = 0;
  const int *Places = nullptr;
};

} // namespace pilgrim

#endif
