//===- CompareAddress.h - addresses and their names in a trace ---*- C++ -*-===//
#ifndef PILGRIM_VERIFY_COMPAREADDRESS_H
#define PILGRIM_VERIFY_COMPAREADDRESS_H

#include "trace/read/Reader.h"
#include "verify/Compare.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace pilgrim {

/// What the names of one thread's addresses mean. A segment's name means one place until the segment is released, and a
/// place has one name. Only what MPI handed out may begin where another segment begins: it lies in memory that MPI has
/// mapped or allocated.
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
  /// IsHandedOut: MPI's answer to a call that asks for memory.
  bool segment(const Name &N, int64_t Id, uint64_t Start, size_t Now, std::string &Why, bool IsHandedOut = false);
  bool isReleased(int64_t Id, const Base &Since, size_t Now) const;

  bool isFromMpi(const std::pair<Tag, int64_t> &N) const { return N.first == Tag::Heap && FromMpi.contains(N.second); }

  const RankView &View;
  const MpiValues &Mpi;
  std::set<int64_t> FromMpi; ///< numbers of blocks that MPI handed out
  std::map<Name, Base> Bases;
  std::map<uint64_t, std::pair<Tag, int64_t>> At; ///< the last name of the block or mapping that begins at an address
};

} // namespace pilgrim

#endif
