//===- Input.cpp - opening traces for a command ---------------------------===//
#include "driver/Input.h"
#include "driver/Command.h"
#include "trace/base/Counted.h"
#include "trace/read/Soundness.h"
#include "trace/read/Walk.h"

#include <algorithm>
#include <charconv>

namespace pilgrim {

std::expected<Trace, TraceError> readSound(const std::string &File, bool CheckUnknown) {
  auto T = Trace::open(File, CheckUnknown);
  if (!T)
    return T;
  if (std::string Problem = findInconsistency(*T); !Problem.empty())
    return std::unexpected(TraceError{Problem});
  return T;
}

std::optional<Trace> openTrace(const std::string &File, bool CheckUnknown) {
  auto T = readSound(File, CheckUnknown);
  if (!T) {
    fail(File, T.error().What);
    return std::nullopt;
  }
  return std::move(*T);
}

static bool parseNumber(const char *&P, const char *End, uint32_t &N) {
  auto [Rest, Error] = std::from_chars(P, End, N);
  if (Error != std::errc() || N >= 1u << 24)
    return false;
  P = Rest;
  return true;
}

bool parseRanks(const std::string &Text, RankSet &Ranks) {
  const char *P = Text.data(), *End = P + Text.size();
  for (;;) {
    uint32_t First, Last;
    if (!parseNumber(P, End, First))
      return false;
    Last = First;
    if (P < End && *P == '-' && !parseNumber(++P, End, Last))
      return false;
    if (Last < First)
      return false;
    Ranks.unite(RankSet::below(Last + 1).without(RankSet::below(First)));
    if (P == End)
      return true;
    if (*P++ != ',')
      return false;
  }
}

bool chooseRanks(const std::string &File, const Trace &T, const std::string &Text, RankSet &Ranks) {
  const RankSet &Known = T.ranks();
  if (Text.empty()) {
    Ranks = Known;
    return true;
  }
  if (!parseRanks(Text, Ranks)) {
    fail("--rank " + Text + ": expected ranks, such as 3 or 0-3,8");
    return false;
  }
  RankSet Missing = Ranks.without(Known);
  if (!Missing.empty())
    fail(File, "no " + numbered("rank", Missing) + "; the trace has " + numbered("rank", Known));
  return Missing.empty();
}

bool chooseThreads(const std::string &File, const Trace &T, const RankSet &Ranks, const std::string &Text,
                   RankSet &Threads) {
  if (!parseRanks(Text, Threads)) {
    fail("--thread " + Text + ": expected threads, such as 0 or 0-3");
    return false;
  }
  RankSet Known;
  const Walk W(T);
  for (const ThreadShape &Thread : W.threads())
    if (!Thread.Ranks.common(Ranks).empty())
      Known.unite(RankSet(Thread.Number));
  const RankSet Missing = Threads.without(Known);
  if (!Missing.empty())
    fail(File, "no " + numbered("thread", Missing) +
                   (Ranks == T.ranks()  ? "; the trace has "
                    : Ranks.size() == 1 ? "; this rank has "
                                        : "; these ranks have ") +
                   numbered("thread", Known));
  return Missing.empty();
}

std::string rankText(const RankSet &Ranks, size_t Most) {
  std::string Out;
  size_t N = 0;
  for (const RankSet::Interval &I : Ranks.intervals()) {
    if (++N > Most)
      return Out + ",...";
    if (!Out.empty())
      Out += ',';
    Out += std::to_string(I.First);
    if (I.Last != I.First)
      Out += '-' + std::to_string(I.Last);
  }
  return Out;
}

std::string numbered(const char *What, const RankSet &Numbers, size_t Most) {
  return plural(Numbers.size(), What) + " " + rankText(Numbers, Most);
}

bool parseNumbers(const std::string &Text, uint64_t &First, uint64_t &Last) {
  const char *End = Text.data() + Text.size();
  auto [Rest, Error] = std::from_chars(Text.data(), End, First);
  Last = First;
  if (Error == std::errc() && Rest != End && *Rest == '-') {
    auto [Behind, ErrorOfLast] = std::from_chars(Rest + 1, End, Last);
    Rest = Behind;
    Error = ErrorOfLast;
  }
  return Error == std::errc() && Rest == End && First <= Last;
}

} // namespace pilgrim
