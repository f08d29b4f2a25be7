//===- CallText.h - a call as one line of text, for comparisons -*- C++ -*-===//
//
// What tests compare calls by. test/format/reader.py prints the same lines.
//
//   FUNCTION depth=D site=MODULE+OFFSET SLOT SLOT... @START+DURATION
//   N calls not traced depth=D @START+DURATION
//
// Times are nanoseconds, and stand there where the trace has them.
//
// A slot is "-" (absent), "null", "@NAME", a number, "[numbers]", "'string'",
// "object" or "{objects}", or TAG(numbers); "data" has its module in front.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TEST_UNIT_CALLTEXT_H
#define PILGRIM_TEST_UNIT_CALLTEXT_H

#include "trace/read/Reader.h"

#include <string>

namespace pilgrim::test {

std::string escaped(const std::string &S);

std::string numbers(std::span<const int64_t> Words);

std::string objectText(const ObjectInfo &O);

/// Text is the string of a Name, String or Data, or what objects are.
std::string slotText(Tag T, std::span<const int64_t> Words, const std::string &Text);

/// Site: where the call was made, then the callers.
std::string callHead(const std::string &Function, uint32_t Depth, const std::vector<SiteInfo> &Site);

std::string callText(const Call &C);

/// All calls of a rank and thread; what went wrong, if anything, is the last
/// line.
std::vector<std::string> callLines(const Trace &T, uint32_t Rank, uint32_t Thread);

} // namespace pilgrim::test

#endif
