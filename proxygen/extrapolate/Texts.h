//===- Texts.h - texts that traces to be extrapolated have -------*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_TEXTS_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_TEXTS_H

#include "trace/model/TraceData.h"

#include <span>
#include <string>
#include <vector>

namespace pilgrim {

/// A text that a call was given or gave, and that is another one in some trace.
struct DifferentTexts {
  std::string Function;           ///< the call's
  std::vector<std::string> Texts; ///< by trace
};

/// Of the signatures that stand at the same place in all traces and are of one function, but for what comes from the
/// machine, and the program's own arguments. All traces have the same functions. Signatures that are not in all traces
/// are not looked at here.
std::vector<DifferentTexts> differentTexts(std::span<const TraceData> Traces);

} // namespace pilgrim

#endif
