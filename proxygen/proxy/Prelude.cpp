//===- Prelude.cpp - what proxies need besides their calls ----------------===//
#include "proxygen/proxy/Prelude.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace pilgrim {

/// In the order in which they stand in a proxy: each behind what it needs.
static std::vector<PreludeHelper> collected() {
  std::vector<PreludeHelper> Out;
  for (auto *Part : {libraryPrelude, sequencePrelude, turnPrelude, threadPrelude, memoryPrelude, requestPrelude,
                     callbackPrelude, timePrelude, filePrelude})
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

namespace {
/// What some programs have. Lines of a helper that only they need, or only the others, begin with a mark.
struct Feature {
  char With, Without;
  bool Has;
};
} // namespace

static std::string textFor(std::string_view Text, bool Several, std::span<const Feature> Features) {
  auto Find = [&](std::string_view Line) {
    return std::ranges::find_if(
        Features, [&](const Feature &F) { return Line.starts_with(F.With) || Line.starts_with(F.Without); });
  };
  std::string Out;
  while (!Text.empty()) {
    std::string_view Line = Text.substr(0, Text.find('\n') + 1);
    Text.remove_prefix(Line.size());
    if (const auto F = Find(Line); F != Features.end()) {
      if (!Line.starts_with(F->Has ? F->With : F->Without))
        continue;
      Line.remove_prefix(1);
    }
    std::string Own(Line);
    if (const size_t At = Own.find("@static "); At != std::string::npos)
      Own.replace(At, 8, Several ? "static _Thread_local " : "static ");
    Out += Own;
  }
  return Out;
}

std::string preludeText(const std::set<std::string, std::less<>> &Used, unsigned Depth, unsigned Threads) {
  const bool Several = Threads > 1;
  const Feature Features[] = {
      {'|', '!', Several}, {'<', '>', Used.contains("front")}, {'^', '~', Used.contains("persistent")}};
  std::string Out;
  for (const PreludeHelper &H : helpers()) {
    if (!Used.contains(H.Name))
      continue;
    if (H.Name == "next")
      Out += "\nenum { DEPTH = " + std::to_string(Depth + 2) + " };";
    if (H.Name == "turns")
      Out += "\nenum { THREADS = " + std::to_string(Threads) + " };";
    Out += textFor(H.Text, Several, Features);
  }
  return Out;
}

} // namespace pilgrim
