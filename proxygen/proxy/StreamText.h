//===- StreamText.h - sequences of a trace as tables of C --------*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_PROXY_STREAMTEXT_H
#define PILGRIM_PROXYGEN_PROXY_STREAMTEXT_H

#include "proxygen/proxy/RankText.h"
#include "proxygen/proxy/SequenceTables.h"
#include "trace/read/Walk.h"

namespace pilgrim {

class StreamText {
public:
  StreamText(Source &S, const Walk &W) : S(S), W(W), Ranks(S, W.world()) {}

  /// A cursor that gives the terminals of each rank's sequence; its name.
  std::string cursor(const std::vector<RankedItems> &L, const RankSet &Among, const std::string &Prefix);
  /// A stream of integers; its name. Streams with the same Key are one.
  std::string ints(const RankedStreams &L, const RankSet &Among, const std::string &Key);
  /// The next text of a stream, as an element of a table; empty: it needs fewer lines as integers, or is long, or
  /// depends on the rank. Texts have lengths in one stream and bytes in another. Streams with the same Key are one.
  std::string text(const RankedStreams &Lengths, const RankedStreams &Bytes, const RankSet &Among,
                   const std::string &Key);
  /// The value that all elements of the streams have, as an expression of the rank; empty: there is no such value.
  std::string onlyValue(const RankedStreams &L, const RankSet &Among);
  /// The tables of a grammar's rules. Functions: counts that depend on the rank, by place.
  RuleTables rules(const GrammarData &G, const ByRank &Functions, const RankSet &Of);

private:
  struct TextTable;
  bool collectTexts(const RankedStream &Lengths, const RankedStream &Bytes, TextTable &Into) const;
  std::string start(const std::string &Statement, const RankSet &Of, const RankSet &Among);

  Source &S;
  const Walk &W;
  RankText Ranks;
  std::map<std::string, std::string> Known;
  std::map<std::string, std::string> Texts; ///< by key
};

} // namespace pilgrim

#endif
