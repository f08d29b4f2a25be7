//===- Names.h - constants of this MPI by name -------------------*- C++ -*-===//
//
// A trace may come from another MPI library, where MPI_ANY_TAG or MPI_INT have other values. It has their names.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REPLAY_NAMES_H
#define PILGRIM_PROXYGEN_REPLAY_NAMES_H

#include "trace/read/Reader.h"

#include <map>
#include <string>

namespace pilgrim {

class Names {
public:
  explicit Names(const Trace &T);

  /// A number of a slot as this MPI has it.
  int64_t number(const ParamSchema &P, int64_t V) const;
  /// A predefined handle by its name; nullopt: this MPI does not have it.
  static std::optional<uint64_t> handle(Kind K, const std::string &Name);
  /// The predefined handle that a word below zero stands for.
  std::optional<uint64_t> handle(const ParamSchema &P, int64_t Word) const;
  /// MPI_IN_PLACE and its kin; null: this MPI does not have it.
  static const void *sentinel(const std::string &Name);
  /// The name of a number, or null.
  const std::string *nameOf(const ParamSchema &P, int64_t V) const;

private:
  Trace T;
  /// By key: numbers of the trace that are others here.
  std::map<std::string, std::map<int64_t, int64_t>> Others;
};

} // namespace pilgrim

#endif
