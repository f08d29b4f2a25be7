//===- Prelude.cpp - what proxies need besides their calls ----------------===//
#include "proxygen/proxy/Prelude.h"

#include <cctype>
#include <stdexcept>

namespace pilgrim {

/// In the order in which they stand in a proxy: each behind what it needs.
static std::vector<PreludeHelper> collected() {
  std::vector<PreludeHelper> Out;
  for (auto *Part : {libraryPrelude, sequencePrelude, threadPrelude, memoryPrelude, requestPrelude, callbackPrelude,
                     timePrelude, filePrelude})
    for (const PreludeHelper &H : Part())
      Out.push_back(H);
  return Out;
}

static const std::vector<PreludeHelper> &helpers() {
  static const std::vector<PreludeHelper> All = collected();
  return All;
}

std::vector<std::string_view> preludeNeeds(std::string_view Name) {
  for (const PreludeHelper &H : helpers())
    if (H.Name == Name)
      return H.Needs;
  throw std::logic_error("no helper " + std::string(Name));
}

std::vector<std::string> preludeNames() {
  std::vector<std::string> Out;
  for (const PreludeHelper &H : helpers()) {
    std::string Word;
    for (const char C : std::string_view(H.Text)) {
      if (std::isalnum(static_cast<unsigned char>(C)) || C == '_') {
        Word += C;
      } else if (!Word.empty()) {
        Out.push_back(std::move(Word));
        Word.clear();
      }
    }
  }
  return Out;
}

/// The text of a helper for programs with several threads, or for others; where blocks have something in front of them,
/// or not.
static std::string textFor(std::string_view Text, bool Several, bool HasFront) {
  std::string Out;
  while (!Text.empty()) {
    std::string_view Line = Text.substr(0, Text.find('\n') + 1);
    Text.remove_prefix(Line.size());
    if (Line.starts_with(Several ? '!' : '|') || Line.starts_with(HasFront ? '>' : '<'))
      continue;
    if (Line.starts_with(Several ? '|' : '!') || Line.starts_with(HasFront ? '<' : '>'))
      Line.remove_prefix(1);
    std::string Own(Line);
    if (const size_t At = Own.find("@static "); At != std::string::npos)
      Own.replace(At, 8, Several ? "static _Thread_local " : "static ");
    Out += Own;
  }
  return Out;
}

std::string preludeText(const std::set<std::string, std::less<>> &Used, unsigned Depth, unsigned Threads) {
  std::string Out;
  for (const PreludeHelper &H : helpers()) {
    if (!Used.contains(H.Name))
      continue;
    if (H.Name == "next")
      Out += "\nenum { DEPTH = " + std::to_string(Depth + 2) + " };";
    if (H.Name == "threads")
      Out += "\nenum { THREADS = " + std::to_string(Threads) + " };";
    Out += textFor(H.Text, Threads > 1, Used.contains("front"));
  }
  return Out;
}

} // namespace pilgrim
