//===- ShellWord.h - a word as a shell has to be given it -------*- C++ -*-===//
#ifndef PILGRIM_DRIVER_SHELLWORD_H
#define PILGRIM_DRIVER_SHELLWORD_H

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace pilgrim {

/// The word in sh's quotes, or as it is where it needs none.
inline std::string quoted(const std::string &Word) {
  static constexpr std::string_view Plain = "@%+=:,./_-^";
  if (!Word.empty() && std::all_of(Word.begin(), Word.end(), [](unsigned char C) {
        return C >= 0x80 || std::isalnum(C) || Plain.find(static_cast<char>(C)) != Plain.npos;
      }))
    return Word;
  std::string Out = "'";
  for (char C : Word)
    Out += C == '\'' ? std::string("'\\''") : std::string(1, C);
  return Out + "'";
}

} // namespace pilgrim

#endif
