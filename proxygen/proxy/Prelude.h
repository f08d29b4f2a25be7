//===- Prelude.h - what proxies need besides their calls ---------*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_PROXY_PRELUDE_H
#define PILGRIM_PROXYGEN_PROXY_PRELUDE_H

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pilgrim {

/// The helpers that a helper needs.
std::vector<std::string_view> preludeNeeds(std::string_view Helper);
/// All words in the texts of helpers that may be names.
std::vector<std::string> preludeNames();
/// The text of these helpers, each behind what it needs. Depth: of the deepest sequence. Threads: their numbers are
/// below this one.
std::string preludeText(const std::set<std::string, std::less<>> &Helpers, unsigned Depth, unsigned Threads);

} // namespace pilgrim

#endif
