//===- HostList.cpp - names of many hosts ---------------------------------===//
#include "trace/merge/HostList.h"
#include "trace/ranks/RankSet.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace pilgrim {

namespace {
constexpr size_t MaxDigits = 7; // of a number; those of longer ones are part of the name

/// What stands before and behind a number, and the number's width if it has a leading zero, else 0. Width None: there
/// is no number.
struct Pattern {
  static constexpr size_t None = SIZE_MAX;
  std::string Before, Behind;
  size_t Width = None;
  auto operator<=>(const Pattern &) const = default;
};
using Hosts = std::map<Pattern, RankSet>;

bool isDigit(char C) { return C >= '0' && C <= '9'; }

/// Digits, at most MaxDigits.
uint32_t number(std::string_view Digits) {
  uint32_t N = 0;
  for (char C : Digits)
    N = N * 10 + static_cast<uint32_t>(C - '0');
  return N;
}

size_t widthOf(std::string_view Digits) { return Digits.size() > 1 && Digits[0] == '0' ? Digits.size() : 0; }

/// By the last number before the domain.
void addName(Hosts &To, std::string_view Name) {
  const size_t Domain = std::min(Name.find('.'), Name.size());
  size_t End = Domain;
  while (End && !isDigit(Name[End - 1]))
    --End;
  size_t Begin = End;
  while (Begin && End - Begin < MaxDigits && isDigit(Name[Begin - 1]))
    --Begin;
  Pattern P;
  P.Before = hostList(Begin == End ? Name : Name.substr(0, Begin));
  if (Begin != End) {
    P.Behind = hostList(Name.substr(End));
    P.Width = widthOf(Name.substr(Begin, End - Begin));
  }
  To[std::move(P)].unite(RankSet(number(Name.substr(Begin, End - Begin))));
}

/// "nid[0001-0512,0600].local"; false: it is not of this form.
bool addFolded(Hosts &To, std::string_view Text) {
  const size_t Open = Text.find('['), Close = Text.find(']');
  if (Open == Text.npos || Close == Text.npos || Close < Open)
    return false;
  Pattern P{std::string(Text.substr(0, Open)), std::string(Text.substr(Close + 1)), 0};
  std::string_view Rest = Text.substr(Open + 1, Close - Open - 1);
  RankSet Numbers;
  while (!Rest.empty()) {
    std::string_view Part = Rest.substr(0, Rest.find(','));
    Rest.remove_prefix(std::min(Part.size() + 1, Rest.size()));
    const std::string_view First = Part.substr(0, Part.find('-'));
    const std::string_view Last = First.size() < Part.size() ? Part.substr(First.size() + 1) : First;
    for (std::string_view Digits : {First, Last})
      if (Digits.empty() || Digits.size() > MaxDigits || !std::all_of(Digits.begin(), Digits.end(), isDigit))
        return false;
    if (number(First) > number(Last))
      return false;
    P.Width = widthOf(First);
    Numbers.unite(RankSet::between(number(First), number(Last)));
  }
  if (Numbers.empty() || P.Behind.find_first_of("[]") != P.Behind.npos)
    return false;
  To[std::move(P)].unite(Numbers);
  return true;
}

void add(Hosts &To, std::string_view List) {
  while (!List.empty()) {
    size_t End = 0, Depth = 0;
    for (; End < List.size() && (Depth || List[End] != ','); ++End)
      Depth += List[End] == '[' ? 1 : List[End] == ']' && Depth ? -1 : 0;
    const std::string_view One = List.substr(0, End);
    if (!One.empty() && !addFolded(To, One))
      addName(To, One);
    List.remove_prefix(std::min(End + 1, List.size()));
  }
}

std::string digits(uint32_t N, size_t Width) {
  std::string Text = std::to_string(N);
  return Text.size() < Width ? std::string(Width - Text.size(), '0') + Text : Text;
}

std::string text(const Hosts &H) {
  std::string Out;
  for (const auto &[P, Numbers] : H) {
    if (!Out.empty())
      Out += ',';
    Out += P.Before;
    if (P.Width == Pattern::None)
      continue;
    std::string In;
    for (const RankSet::Interval &I : Numbers.intervals()) {
      In += (In.empty() ? "" : ",") + digits(I.First, P.Width);
      if (I.Last != I.First)
        In += '-' + digits(I.Last, P.Width);
    }
    Out += (Numbers.size() == 1 ? In : '[' + In + ']') + P.Behind;
  }
  return Out;
}
} // namespace

std::string hostList(std::string_view Name) {
  std::string Out(Name);
  for (char &C : Out)
    if (C == ',' || C == '[' || C == ']')
      C = '?';
  return Out;
}

std::string uniteHosts(const std::string &A, const std::string &B) {
  if (A == B)
    return A;
  Hosts Both;
  add(Both, A);
  add(Both, B);
  return text(Both);
}

uint64_t countHosts(const std::string &List) {
  Hosts H;
  add(H, List);
  uint64_t N = 0;
  for (const auto &[P, Numbers] : H)
    N += Numbers.size();
  return N;
}

} // namespace pilgrim
