//===- RequestUses.h - requests that have one handle -------------*- C++ -*-===//
//
// MPI may give several requests one handle, as MPICH does with sends that are complete at once. Nobody can tell then
// which of them a call completes. If several threads make and complete such requests at the same time, the recorder
// and the books (Books.h) may take different ones, since each notes at its own moment what was made. Either is as good
// as the other. So the names in a trace are compared with each other: a name stands for one request from the call that
// makes it to the call that completes it, and only calls that were given this request's handle have it.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_VERIFY_REQUESTUSES_H
#define PILGRIM_VERIFY_REQUESTUSES_H

#include <cstdint>
#include <map>
#include <vector>

namespace pilgrim {

/// A name of a request in a call. Times are tickets (CallLog.h).
struct RequestUse {
  enum class Role : uint8_t { Makes, Names, Completes };
  int64_t Name = 0; ///< as in calls of thread 0
  uint64_t Raw = 0; ///< the handle
  Role R = Role::Names;
  uint64_t Begin = 0, End = ~uint64_t(0); ///< of the call; of one that makes the request: when it was known to have it
  uint32_t Thread = 0;                    ///< whose call it is
  uint64_t Call = 0;                      ///< its number in that thread
};

class RequestUses {
public:
  void add(const RequestUse &U) { ByName[U.Raw][U.Name].push_back(U); }
  /// A use of a name, in calls that were given this handle, that fits none of the requests with the handle that had the
  /// name. Null: there is none.
  const RequestUse *misfit(uint64_t Raw) const;

private:
  std::map<uint64_t, std::map<int64_t, std::vector<RequestUse>>> ByName; ///< by handle
};

} // namespace pilgrim

#endif
