//===- LiteralRows.cpp - statements that differ in literals ---------------===//
#include "proxygen/proxy/LiteralRows.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace pilgrim {

static bool isWordPart(char C) { return std::isalnum(static_cast<unsigned char>(C)) || C == '_'; }

static std::optional<int64_t> integerOf(std::string_view Literal) {
  if (Literal.ends_with('L'))
    Literal.remove_suffix(1);
  int64_t V = 0;
  auto [End, Error] = std::from_chars(Literal.data(), Literal.data() + Literal.size(), V);
  return Error == std::errc() && End == Literal.data() + Literal.size() ? std::optional(V) : std::nullopt;
}

static bool isReal(std::string_view Literal) {
  double V = 0;
  auto [End, Error] = std::from_chars(Literal.data(), Literal.data() + Literal.size(), V);
  return Error == std::errc() && End == Literal.data() + Literal.size();
}

/// Where the word, number or string ends that begins here.
static size_t endOfToken(std::string_view Text, size_t At) {
  size_t End = At + 1;
  if (Text[At] == '"' || Text[At] == '\'') {
    while (End < Text.size() && Text[End] != Text[At])
      End += Text[End] == '\\' ? 2 : 1;
    return std::min(End + 1, Text.size());
  }
  const bool IsNumber = std::isdigit(static_cast<unsigned char>(Text[At]));
  auto IsExponent = [&](size_t Sign) {
    return IsNumber && (Text[Sign] == '-' || Text[Sign] == '+') && (Text[Sign - 1] == 'e' || Text[Sign - 1] == 'E');
  };
  while (End < Text.size() && (isWordPart(Text[End]) || (IsNumber && Text[End] == '.') || IsExponent(End)))
    ++End;
  return End;
}

LiteralText LiteralText::of(std::string_view Text) {
  LiteralText Out;
  Out.Between.emplace_back();
  for (size_t At = 0; At < Text.size();) {
    const char C = Text[At];
    if (!isWordPart(C) && C != '"' && C != '\'') {
      Out.Between.back() += C;
      ++At;
      continue;
    }
    const size_t End = endOfToken(Text, At);
    const std::string Token(Text.substr(At, End - At));
    At = End;
    const bool IsNumber = std::isdigit(static_cast<unsigned char>(C));
    if (C == '"')
      Out.Types.push_back(String);
    else if (IsNumber && integerOf(Token))
      Out.Types.push_back(Integer);
    else if (IsNumber && isReal(Token))
      Out.Types.push_back(Real);
    else {
      Out.Between.back() += Token;
      continue;
    }
    Out.Literals.push_back(Token);
    Out.Between.emplace_back();
  }
  return Out;
}

std::string LiteralText::form() const {
  std::string Out;
  for (size_t I = 0; I < Literals.size(); ++I)
    Out += Between[I] + '\0' + static_cast<char>(Types[I]);
  return Out + Between.back();
}

void LiteralRows::add(LiteralText T) {
  if (!Rows++)
    First = std::move(T), Columns.resize(First.Literals.size());
  const LiteralText &Row = Rows == 1 ? First : T;
  for (size_t I = 0; I < Columns.size(); ++I)
    Columns[I].push_back(Row.Literals[I]);
}

bool LiteralRows::isConst(size_t Column) const {
  const auto &All = Columns[Column];
  return std::ranges::all_of(All, [&](const std::string &V) { return V == All[0]; });
}

/// Whether it is the size of room that the call writes to. The largest suffices for all.
bool LiteralRows::isSize(size_t Column) const {
  return First.Types[Column] == LiteralText::Integer && First.Between[Column + 1].starts_with(" * sizeof(");
}

bool LiteralRows::varies() const {
  for (size_t I = 0; I < Columns.size(); ++I)
    if (!isConst(I) && !isSize(I))
      return true;
  return false;
}

/// Whether the column is A + B * (row / D % M): counters, and those of nested loops.
bool LiteralRows::isFormula(size_t Column, std::string &Out) const {
  if (First.Types[Column] != LiteralText::Integer)
    return false;
  constexpr int64_t Most = int64_t(1) << 61; // no sum overflows
  std::vector<int64_t> V;
  for (const std::string &L : Columns[Column])
    if (V.push_back(*integerOf(L)); V.back() > Most)
      return false;
  size_t D = 1;
  while (D < V.size() && V[D] == V[0])
    ++D;
  if (D == V.size())
    return false;
  const int64_t A = V[0], B = V[D] - A;
  auto At = [&](size_t Step) {
    return static_cast<__int128>(A) + static_cast<__int128>(B) * static_cast<int64_t>(Step);
  };
  size_t M = 0; // 0: the counter goes on
  for (size_t I = 0; I < V.size(); ++I) {
    const size_t Step = I / D;
    if (!M && V[I] != At(Step)) {
      if (I % D)
        return false;
      M = Step;
    }
    if (M && V[I] != At(Step % M))
      return false;
  }
  std::string X = "row";
  if (D > 1)
    X += " / " + std::to_string(D);
  if (M)
    X += " % " + std::to_string(M);
  const int64_t Factor = std::abs(B);
  if (Factor != 1)
    X = numberText(Factor) + " * " + (X.size() > 3 ? "(" + X + ")" : X);
  Out = A || B < 0 ? numberText(A) + (B < 0 ? " - " : " + ") + X : X;
  return true;
}

std::string LiteralRows::type(size_t Column) const {
  if (First.Types[Column] != LiteralText::Integer)
    return First.Types[Column] == LiteralText::Real ? "const double" : "char *const";
  const bool IsLong =
      std::ranges::any_of(Columns[Column], [](const std::string &V) { return *integerOf(V) > INT32_MAX; });
  return IsLong ? "const long" : "const int";
}

std::string LiteralRows::content(size_t Column) const {
  std::string Out;
  for (const std::string &V : Columns[Column])
    Out += (Out.empty() ? "" : ", ") + V;
  return Out;
}

size_t LiteralRows::tableLines() const {
  size_t Lines = 0;
  std::string Formula;
  for (size_t I = 0; I < Columns.size(); ++I)
    if (!isConst(I) && !isSize(I) && !isFormula(I, Formula)) {
      const std::string Broken = Source::broken("static char *const table_of_10 = {", content(I));
      Lines += 1 + static_cast<size_t>(std::ranges::count(Broken, '\n'));
    }
  return Lines;
}

/// The name of the array that the number is an index of, or else what the table has.
std::string LiteralRows::prefix(size_t Column) const {
  const std::string &Before = First.Between[Column];
  if (Before.ends_with('[')) {
    size_t Begin = Before.size() - 1;
    while (Begin && isWordPart(Before[Begin - 1]))
      --Begin;
    if (std::string Name = Before.substr(Begin, Before.size() - 1 - Begin); !Name.empty())
      return Name + "_";
  }
  return First.Types[Column] == LiteralText::String ? "text_"
         : First.Types[Column] == LiteralText::Real ? "real_"
                                                    : "number_";
}

std::string LiteralRows::text(Source &S) const {
  std::string Out = First.Between[0];
  for (size_t I = 0; I < Columns.size(); ++I) {
    const std::string &Behind = First.Between[I + 1];
    std::string Value;
    if (isConst(I)) {
      Value = First.Literals[I];
    } else if (isSize(I)) {
      Value = *std::ranges::max_element(Columns[I], {}, [](const std::string &V) { return *integerOf(V); });
    } else if (isFormula(I, Value)) {
      const bool IsAlone =
          (Out.ends_with('(') || Out.ends_with('[') || Out.ends_with(", ") || Out.ends_with('{')) &&
          (Behind.starts_with(')') || Behind.starts_with(']') || Behind.starts_with(',') || Behind.starts_with('}'));
      if (!IsAlone && Value != "row")
        Value = "(" + Value + ")";
    } else {
      Value = S.table(type(I), prefix(I), content(I)) + "[row]";
    }
    Out += Value + Behind;
  }
  return Out;
}

} // namespace pilgrim
