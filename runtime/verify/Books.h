//===- Books.h - which object a handle means, for --verify -------*- C++ -*-===//
//
// MPI uses the values of handles again. So each object gets a serial number when it is made, which no other object ever
// has. In a trace an object must have one name at all times, and no two objects that live at the same time may have the
// same name (Names.h). These books share nothing with those of the recorder.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_VERIFY_BOOKS_H
#define PILGRIM_VERIFY_BOOKS_H

#include "trace/model/Schema.h"
#include "verify/VerifyLock.h"

#include <cstdint>
#include <map>
#include <vector>

namespace pilgrim {

constexpr int64_t UnknownObject = 0; ///< the serial number of a handle that no call has made

/// When an object was there, in tickets (CallLog.h): at least from From to To.
struct ObjectLife {
  Kind K = {};
  uint64_t From = 0, To = ~uint64_t(0);
  // Only of a request:
  uint64_t Raw = 0;  ///< its handle
  uint64_t Made = 0; ///< when the call began that made it
};

/// What a status of a request tells. The numbers are those of the table's attributes.
enum : unsigned { TellsMessage = 1, HadWildcard = 2, IsPersistent = 4, TellsFile = 8 };

/// All objects that were made, by serial number. Index 0 is not used.
using ObjectLives = std::vector<ObjectLife>;

/// All members may be called by several threads at a time.
class ObjectBook {
public:
  /// A call made an object, at time Now. IsKnown: it may be one that was there, which then has one more reference.
  /// Returns its serial number.
  int64_t made(Kind K, uint64_t Raw, bool IsKnown, uint64_t Now);
  /// The object that a handle means, or UnknownObject.
  int64_t find(Kind K, uint64_t Raw) const;
  /// A call that may free the object begins. Returns its serial number if this is the last reference.
  int64_t leaving(Kind K, uint64_t Raw);
  /// That call, which began at Since, has freed the object, or has not.
  void left(Kind K, uint64_t Raw, int64_t Serial, bool IsFreed, uint64_t Since);
  /// To be called when no thread makes calls any more.
  const ObjectLives &lives() const { return Lives; }

protected:
  int64_t begin(Kind K, uint64_t Now);
  ObjectLives Lives{1};

private:
  using Handle = std::pair<Kind, uint64_t>;
  struct Live {
    int64_t Serial;
    unsigned References = 1;
  };
  std::map<Handle, Live> ByHandle;
  std::map<Handle, int64_t> Leaving; ///< objects that calls under way may free
};

/// Requests. One handle may stand for several. A completion takes the one that this variable was given last, else the
/// oldest that this thread made, else the oldest.
class RequestBook : private ObjectBook {
public:
  struct Request {
    int64_t Serial = UnknownObject;
    uint64_t Raw = 0;
    const void *Variable = nullptr; ///< nullptr: another one was made in it
    unsigned Traits = 0;
    uint64_t Thread = 0; ///< that made it
  };
  using ObjectBook::lives;
  /// A call that began at Since has made a request.
  int64_t made(uint64_t Raw, const void *Variable, unsigned Traits, uint64_t Since, uint64_t Now);
  /// Finds a request and takes it off the books, since the next one with this handle is another. Serial:
  /// UnknownObject if there is none.
  Request take(uint64_t Raw, const void *Variable);
  /// The same for a call that does not complete the request. It stays on the books.
  Request find(uint64_t Raw, const void *Variable) const;
  /// A request that was taken is complete, by a call that began at Since.
  void complete(const Request &R, uint64_t Since);
  /// A request that was taken is not complete.
  void putBack(const Request &R);

private:
  void enter(const Request &R);
  void leave(const Request &R);
  const Request *look(uint64_t Raw, const void *Variable) const;
  std::map<std::pair<uint64_t, int64_t>, Request> Open;            ///< by handle and serial number
  std::map<std::pair<uint64_t, const void *>, int64_t> ByVariable; ///< the serial number of what was made in it last
  std::map<std::pair<uint64_t, int64_t>, Request> Taken;
};

struct VerifyBooks {
  ObjectBook Objects;
  RequestBook Requests;
};
/// The books of this process.
VerifyBooks &verifyBooks();

} // namespace pilgrim

#endif
