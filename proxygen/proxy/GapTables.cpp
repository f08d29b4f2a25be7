//===- GapTables.cpp - the time before each call, as tables of C ----------===//
#include "proxygen/proxy/GapTables.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

namespace pilgrim {

/// The prelude's helper "gap" has the same.
static constexpr double Least = 1e-8, Step = 1.095;

double GapTables::secondsOf(unsigned Byte) { return Byte ? Least * std::pow(Step, Byte - 1) : 0; }

unsigned GapTables::byteOf(double Seconds) {
  if (Seconds < Least / 2)
    return 0;
  return static_cast<unsigned>(std::clamp(std::round(std::log(Seconds / Least) / std::log(Step)), 0.0, 254.0)) + 1;
}

std::string GapTables::text(std::string_view Bytes) {
  // Compilers need not take long strings. Lines are broken at blanks, and braces counted, so no string has these.
  constexpr size_t Piece = 24;
  std::string Out;
  for (size_t At = 0; At < Bytes.size(); ++At) {
    if (At % Piece == 0)
      Out += At ? "\" \"" : "\"";
    const auto C = static_cast<unsigned char>(Bytes[At]);
    Out += std::isalnum(C) ? std::string(1, static_cast<char>(C)) : fmt::format("\\{:03o}", C);
  }
  return Out.empty() ? "0" : Out + "\"";
}

std::expected<std::string, std::string> GapTables::write(Source &S, const Trace &T, uint32_t Thread) {
  std::string Names;
  for (uint32_t Rank = 0; Rank < T.world(); ++Rank) {
    auto View = T.view(Rank, Thread);
    if (!View) {
      Names += std::string(Rank ? ", " : "") + "NULL";
      continue;
    }
    std::string Bytes;
    CallCursor Calls = Trace::timedCalls(View);
    double End = 0, Owed = 0;
    for (Call C; Calls.next(C);) {
      if (!isCall(*C.Function) || C.Depth)
        continue;
      if (C.Timed != Call::Time::None) {
        if (!Bytes.empty())
          Owed += std::max(C.Start - End, 0.0);
        End = C.Start + C.Duration;
      }
      const unsigned Byte = byteOf(Owed);
      Owed -= secondsOf(Byte);
      Bytes += static_cast<char>(Byte);
    }
    if (!Calls.error().empty())
      return std::unexpected(Calls.error());
    Names += (Rank ? ", " : "") + S.table("const char", "gaps_", text(Bytes));
  }
  return S.table("const char *const", "gaps_", Names);
}

} // namespace pilgrim
