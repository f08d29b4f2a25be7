//===- Shortener.h - functions of the rank in their shortest form --*- C++ -*-===//
//
// Calls at many places have the same functions of the rank. To find the shortest form takes long, so it is found once
// for each function (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_SHORTENER_H
#define PILGRIM_TRACE_RANKS_SHORTENER_H

#include "trace/base/Hash.h"
#include "trace/ranks/RankFn.h"

namespace pilgrim {

/// For functions of one context.
class Shortener {
public:
  /// The same as F.shorten(Ranks, Ctx). Ctx must be the same function at each call.
  void shorten(RankFn &F, const RankSet &Ranks, const RankFn::ContextFn &Ctx);

private:
  struct Function {
    RankSet Ranks;
    RankFn Long, Short;
  };
  std::vector<Function> Known;
  Finder Find{0};
};

} // namespace pilgrim

#endif
