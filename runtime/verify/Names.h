//===- Names.h - names in a trace and the objects behind them ----*- C++ -*-===//
//
// An object has one name in a trace, from the call that makes it to its end. Two objects that are there at the same
// time have different names. Serial numbers (Books.h) tell objects apart, so the order of threads' calls does not
// matter.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_VERIFY_NAMES_H
#define PILGRIM_VERIFY_NAMES_H

#include "verify/Books.h"

#include <map>
#include <string>

namespace pilgrim {

class Names {
public:
  /// The objects and requests of a rank, which must outlive this.
  Names(const ObjectLives &Objects, const ObjectLives &Requests) : Objects(Objects), Requests(Requests) {}
  /// Whether a use of an object under a name agrees with all others so far. If not, Why says what is wrong.
  /// A request's name is that in calls of thread 0.
  bool agrees(Kind K, int64_t Serial, int64_t Name, std::string &Why);
  /// Two objects that had one name at the same time; empty if there are none.
  std::string clash() const;

private:
  const ObjectLives &livesOf(Kind K) const { return K == Kind::Request ? Requests : Objects; }
  const ObjectLives &Objects, &Requests;
  std::map<std::pair<bool, int64_t>, std::pair<Kind, int64_t>>
      NameOf; ///< by whether it is a request, and serial number
};

} // namespace pilgrim

#endif
