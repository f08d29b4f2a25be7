//===- Quantity.h - numbers and times as users write them -------*- C++ -*-===//
//
// The options of a run and those of the tools take the same numbers and times.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_API_QUANTITY_H
#define PILGRIM_API_QUANTITY_H

#include <charconv>
#include <cmath>
#include <string_view>

namespace pilgrim {

/// Takes a decimal number (1.5, 2e3) that is not negative off the front of Text. False: there is none. Unlike strtod,
/// takes no hexadecimal digits, no infinity, no space, and does not depend on the program's locale.
inline bool takeDecimal(std::string_view &Text, double &Number) {
  const char *End = Text.data() + Text.size();
  const auto [Rest, Error] = std::from_chars(Text.data(), End, Number);
  if (Error != std::errc() || !std::isfinite(Number) || std::signbit(Number))
    return false;
  Text = std::string_view(Rest, static_cast<size_t>(End - Rest));
  return true;
}

/// "1.5", "1.5s", "200ms", "3us", "5ns": seconds. False: it is none.
inline bool parseSeconds(std::string_view Text, double &Seconds) {
  static constexpr struct {
    std::string_view Name;
    double Seconds;
  } Units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  if (!takeDecimal(Text, Seconds))
    return false;
  for (const auto &Unit : Units)
    if (Text == Unit.Name) {
      Seconds *= Unit.Seconds;
      return true;
    }
  return false;
}

} // namespace pilgrim

#endif
