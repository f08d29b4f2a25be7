//===- Prelude.h - what proxies need besides their calls ---------*- C++ -*-===//
//
// Pieces of C that stand at the head of a proxy if its calls need them. Each stands in the file of what it is about
// (SequencePrelude.cpp and its like).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_PROXY_PRELUDE_H
#define PILGRIM_PROXYGEN_PROXY_PRELUDE_H

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pilgrim {

/// Lines of a text that begin with "|" are for programs with several threads, those with "!" for others; those with "<"
/// are for programs that use what lies before a block, those with ">" for others; "@" stands before what each thread
/// has for itself.
struct PreludeHelper {
  std::string_view Name;
  std::vector<std::string_view> Needs;
  const char *Text;
};

std::span<const PreludeHelper> sequencePrelude();
std::span<const PreludeHelper> turnPrelude();
std::span<const PreludeHelper> threadPrelude();
std::span<const PreludeHelper> memoryPrelude();
std::span<const PreludeHelper> requestPrelude();
std::span<const PreludeHelper> callbackPrelude();
std::span<const PreludeHelper> timePrelude();
std::span<const PreludeHelper> filePrelude();
std::span<const PreludeHelper> libraryPrelude();

/// The helpers that a helper needs.
std::vector<std::string_view> preludeNeeds(std::string_view Helper);
/// All words in the texts of helpers that may be names.
std::vector<std::string> preludeNames();
/// The text of these helpers, each behind what it needs. Depth: of the deepest sequence. Threads: their numbers are
/// below this one.
std::string preludeText(const std::set<std::string, std::less<>> &Helpers, unsigned Depth, unsigned Threads);

} // namespace pilgrim

#endif
