//===- RankText.h - sets and functions of the rank as C ----------*- C++ -*-===//
//
// What differs between ranks is a condition or an expression of `rank` and `size`, as long as the trace has it in this
// form: a proxy is then as long for a million ranks as for ten.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_PROXY_RANKTEXT_H
#define PILGRIM_PROXYGEN_PROXY_RANKTEXT_H

#include "proxygen/proxy/Source.h"
#include "trace/ranks/RankFn.h"

#include <functional>

namespace pilgrim {

class RankText {
public:
  RankText(Source &S, uint32_t World) : S(S), World(World) {}

  /// Whether `rank` is in Ranks; "1" where it always is. Among: the ranks that come here.
  std::string condition(const RankSet &Ranks, const RankSet &Among);
  /// How a value is written that is the same for some ranks.
  using ValueFn = std::function<std::string(int64_t)>;
  /// The value of F for the ranks of Among. Own, Size: C expressions of the rank and the size that F's words refer to.
  std::string expression(const RankFn &F, const RankSet &Among, const std::string &Own, const std::string &Size,
                         const ValueFn &Value = numberText);

  /// How many of Ranks are below `rank`, which is one of them.
  std::string place(const RankSet &Ranks);

private:
  std::string whenIn(const RankSet &Ranks, const RankSet &Among);
  /// A variable that is set when the rank is known, of all ranks or of those for which a condition is true.
  std::string variable(const std::string &Type, const std::string &Name, const std::string &Value,
                       const std::string &When = "1");
  /// Where rank is in a set of very many intervals, in a variable; -1: it is not. Empty: there are few, or no rule.
  std::string placeVariable(const RankSet &Ranks);
  std::string list(const RankFn::Piece &P);
  std::string piece(const RankFn::Piece &P, const std::string &Own, const std::string &Size, const ValueFn &Value);
  std::string candidates(const Candidates &C, const std::string &Own, const std::string &Size, const ValueFn &Value);
  std::string grid(const Grid &G, const std::string &X, const std::string &Size);
  std::string fewValues(const RankFn::Piece &P, const ValueFn &Value);

  Source &S;
  uint32_t World;
};

} // namespace pilgrim

#endif
