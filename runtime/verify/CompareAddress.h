//===- CompareAddress.h - addresses and their names in a trace ---*- C++ -*-===//
#ifndef PILGRIM_VERIFY_COMPAREADDRESS_H
#define PILGRIM_VERIFY_COMPAREADDRESS_H

#include "trace/read/Reader.h"
#include "verify/Compare.h"

#include <map>
#include <span>
#include <string>
#include <utility>

namespace pilgrim {

/// What the names of one thread's addresses mean. A segment's name means one place until the segment is released, and a
/// place has one name.
class AddressNames {
public:
  AddressNames(const RankView &View, const MpiValues &Mpi) : View(View), Mpi(Mpi) {}
  /// Whether V is an address of an item (RawType::Address). If not, Why says what is wrong.
  bool agrees(std::span<const int64_t> Raw, const Value &V, const ParamSchema &P, std::string &Why);
  /// From now on another thread makes the calls: it has another stack.
  void forgetStack() { Bases.erase({Tag::Stack, ""}); }

private:
  using Name = std::pair<Tag, std::string>;
  struct Base {
    uint64_t Address;
    size_t Releases; ///< how many had happened
  };
  bool segment(const Name &N, int64_t Id, uint64_t Start, size_t Now, std::string &Why);
  bool isReleased(int64_t Id, const Base &Since, size_t Now) const;

  const RankView &View;
  const MpiValues &Mpi;
  std::map<Name, Base> Bases;
  std::map<uint64_t, std::pair<Tag, int64_t>> At; ///< the last name of the block or mapping that begins at an address
};

} // namespace pilgrim

#endif
