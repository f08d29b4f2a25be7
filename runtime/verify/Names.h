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
#include "verify/RequestUses.h"

#include <map>
#include <string>

namespace pilgrim {

class Names {
public:
  /// The objects and requests of a rank, which must outlive this. HasThreads: several threads made calls.
  Names(const ObjectLives &Objects, const ObjectLives &Requests, bool HasThreads = false)
      : Objects(Objects), Requests(Requests), HasThreads(HasThreads) {}
  /// Whether a use of an object under a name agrees with all others so far. If not, Why says what is wrong.
  bool agrees(Kind K, int64_t Serial, int64_t Name, std::string &Why);
  /// The same of a request. U: where its name is. With threads, whether a name that is another request's is wrong is
  /// left to clash().
  bool agrees(int64_t Serial, RequestUse U, std::string &Why);
  /// Calls were not traced, so not all uses are known.
  void lacksUses() { HasAllUses = false; }
  /// Two objects that had one name at the same time, or a request that had another one's name which it could not have;
  /// empty if there are none.
  std::string clash() const;

private:
  const ObjectLives &livesOf(Kind K) const { return K == Kind::Request ? Requests : Objects; }
  std::string misfit() const;
  const ObjectLives &Objects, &Requests;
  const bool HasThreads;
  bool HasAllUses = true;
  RequestUses Uses;                          ///< only with threads
  std::map<uint64_t, std::string> Exchanged; ///< handles whose requests had names of each other; what was noticed first
  std::map<std::pair<bool, int64_t>, std::pair<Kind, int64_t>>
      NameOf; ///< by whether it is a request, and serial number
};

} // namespace pilgrim

#endif
