//===- SequenceTables.h - grammars and streams as tables of C ----*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_PROXY_SEQUENCETABLES_H
#define PILGRIM_PROXYGEN_PROXY_SEQUENCETABLES_H

#include "proxygen/proxy/Source.h"
#include "trace/sequences/IntStream.h"

namespace pilgrim {

struct RuleTables {
  std::string Rules, First; ///< names of the table of all rules, and of the first one
};
/// The tables of a grammar's rules. OwnCounts: by place, a count that depends on the rank, as an expression.
RuleTables ruleTables(Source &S, const GrammarData &G, const std::map<uint32_t, std::string> &OwnCounts = {});

/// The table of a stream's runs. IsShared: as of Source::table().
std::string runTable(Source &S, const IntStreamData &D, bool IsShared);
/// A statement that begins a stream with these runs, `struct ints Name`.
std::string startInts(Source &S, const std::string &Name, const IntStreamData &D, const std::string &Runs);

/// Of many numbers, a stream that is at most half as long in C; nullopt: there is none.
std::optional<IntStreamData> shorterStream(const std::vector<int64_t> &Numbers);

} // namespace pilgrim

#endif
