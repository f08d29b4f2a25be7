// proxygen/proxy/LiteralRows.h: texts taken apart, and statements whose literals come from tables. Each row is
// evaluated by a small interpreter of C's expressions and compared with the statement that it stands for.
#include "proxygen/proxy/LiteralRows.h"

#include <cctype>
#include <gtest/gtest.h>
#include <random>

using namespace pilgrim;

namespace {

/// The elements of a table as they stand in its text.
std::vector<std::string> elementsOf(const std::string &Table) {
  std::vector<std::string> Out;
  for (size_t At = Table.find('{') + 1; Table[At] != '}';) {
    std::string One;
    for (bool IsInside = false; IsInside || (Table[At] != ',' && Table[At] != '}'); ++At) {
      IsInside ^= Table[At] == '"';
      One += Table[At];
      if (Table[At] == '\\')
        One += Table[++At];
    }
    Out.push_back(One);
    while (Table[At] == ',' || Table[At] == ' ' || Table[At] == '\n')
      ++At;
  }
  return Out;
}

/// Replaces what refers to `row` by what it is in one row.
class Interpreter {
public:
  Interpreter(const Source &S, long Row) : S(S), Row(Row) {}

  /// Arguments of f(...), which are expressions or strings.
  std::vector<std::string> arguments(const std::string &Text) {
    std::vector<std::string> Out;
    At = Text.c_str() + Text.find('(') + 1;
    for (;; ++At) {
      Out.push_back(sum());
      if (*At == ')')
        return Out;
    }
  }

private:
  void skip() {
    while (*At == ' ' || *At == '\n')
      ++At;
  }
  std::string sum() {
    std::string Out = product();
    for (skip(); *At == '+' || *At == '-'; skip()) {
      const bool IsMinus = *At++ == '-';
      const long A = std::stol(Out), B = std::stol(product());
      Out = std::to_string(IsMinus ? A - B : A + B);
    }
    return Out;
  }
  std::string product() {
    std::string Out = primary();
    for (skip(); *At == '*' || *At == '/' || *At == '%'; skip()) {
      const char Op = *At++;
      const long A = std::stol(Out), B = std::stol(primary());
      Out = std::to_string(Op == '*' ? A * B : Op == '/' ? A / B : A % B);
    }
    return Out;
  }
  std::string primary() {
    skip();
    std::string Out;
    if (*At == '(') {
      ++At;
      Out = sum();
      ++At;
      return Out;
    }
    if (*At == '"') {
      do {
        Out += *At;
        if (*At == '\\')
          Out += *++At;
      } while (*++At != '"');
      ++At;
      return Out + '"';
    }
    while (std::isalnum(static_cast<unsigned char>(*At)) || *At == '_' || *At == '.')
      Out += *At++;
    if (Out == "row")
      return std::to_string(Row);
    if (*At != '[')
      return Out.ends_with('L') ? Out.substr(0, Out.size() - 1) : Out;
    ++At;
    const size_t Place = std::stoul(sum());
    ++At;
    for (const auto &[Name, Text] : S.Tables)
      if (Name == Out) {
        const std::string Value = elementsOf(Text).at(Place);
        return Value.ends_with('L') ? Value.substr(0, Value.size() - 1) : Value;
      }
    return "no table " + Out;
  }

  const Source &S;
  long Row;
  const char *At = nullptr;
};

std::string joined(const LiteralText &T) {
  std::string Out;
  for (size_t I = 0; I < T.Literals.size(); ++I)
    Out += T.Between[I] + T.Literals[I];
  return Out + T.Between.back();
}

TEST(LiteralText, ATextIsItsPartsInOrder) {
  std::mt19937 Random(7);
  static constexpr const char *Words[] = {"a",    "row", "x_12", "7", "12L",  "1.5e-07", "\"a\\\"b, {1}\"",
                                          "\"\"", "(",   ")",    " ", "-",    "1e+3",    "+",
                                          ", ",   "'x'", "[",    "]", "\\\\", "0",       "99999999999999999999"};
  for (int Times = 0; Times < 2000; ++Times) {
    std::string Text;
    for (unsigned I = Random() % 20; I; --I)
      Text += Words[Random() % std::size(Words)];
    const LiteralText T = LiteralText::of(Text);
    EXPECT_EQ(joined(T), Text);
    EXPECT_EQ(T.Types.size(), T.Literals.size());
  }
}

TEST(LiteralText, LiteralsAreNumbersAndStringsAndNoPartsOfNames) {
  const LiteralText T = LiteralText::of("MPI_Send(seg(3) + 64L, x_12, \"a \\\" 5\", 1.5e-07, 'c', n4[2]);");
  EXPECT_EQ(T.Literals, (std::vector<std::string>{"3", "64L", "\"a \\\" 5\"", "1.5e-07", "2"}));
  EXPECT_EQ(std::string(T.Types.begin(), T.Types.end()), "iisri");
}

TEST(LiteralText, FormsDifferWhereMoreThanLiteralsDoes) {
  auto Form = [](const char *Text) { return LiteralText::of(Text).form(); };
  EXPECT_EQ(Form("f(1, \"a\")"), Form("f(22, \"b c\")"));
  EXPECT_NE(Form("f(1)"), Form("f(\"1\")"));
  EXPECT_NE(Form("f(1)"), Form("f(1.5)"));
  EXPECT_NE(Form("f(1)"), Form("g(1)"));
  EXPECT_NE(Form("f(a1)"), Form("f(a2)"));
  EXPECT_NE(Form("f(-1)"), Form("f(1)"));
}

TEST(LiteralRows, EachRowIsItsStatement) {
  std::mt19937_64 Random(3);
  for (int Times = 0; Times < 300; ++Times) {
    const size_t Rows = 2 + Random() % 60;
    const long Divisor = 1 + static_cast<long>(Random() % 9), Modulus = 1 + static_cast<long>(Random() % 9),
               First = static_cast<long>(Random() % 100), Factor = static_cast<long>(Random() % 7) - 3,
               Spoilt = static_cast<long>(Random() % (2 * Rows)), Large = static_cast<long>(Random() >> 1);
    LiteralRows All;
    std::vector<std::vector<std::string>> Wanted;
    for (long I = 0; I < static_cast<long>(Rows); ++I) {
      const long Counter = 300 + First + Factor * (I / Divisor % Modulus) + (I == Spoilt);
      const std::vector<std::string> Own = {
          std::to_string(Counter),
          std::to_string(1000 + Factor * I),
          std::to_string(Random() % 5),
          "12",
          std::to_string(Large - I % 3),
          stringText("a {" + std::to_string(Random() % 9) + "}, \"?\\ "),
          std::to_string(Random() % 9) + ".25",
      };
      All.add(LiteralText::of("f(" + Own[0] + ", 2000 - " + Own[1] + ", " + Own[2] + ", " + Own[3] + ", " +
                              numberText(std::stol(Own[4])) + ", " + Own[5] + ", " + Own[6] + ", 5 + " + Own[0] +
                              " * 2);"));
      Wanted.push_back(Own);
      Wanted.back()[1] = std::to_string(2000 - std::stol(Own[1]));
      Wanted.back().push_back(std::to_string(5 + std::stol(Own[0]) * 2));
    }
    Source S;
    const std::string Text = All.text(S);
    for (size_t Row = 0; Row < Rows; ++Row)
      ASSERT_EQ(Interpreter(S, static_cast<long>(Row)).arguments(Text), Wanted[Row]) << Text << " row " << Row;
  }
}

TEST(LiteralRows, CountersNeedNoTables) {
  LiteralRows Nested;
  for (int I = 0; I < 48; ++I)
    Nested.add(LiteralText::of("f(info[" + std::to_string(I / 16) + "], " + std::to_string(I % 16) + ", &x[" +
                               std::to_string(7 + I) + "], -" + std::to_string(100 - 2 * (I / 4 % 2)) + ");"));
  Source S;
  EXPECT_EQ(Nested.text(S), "f(info[row / 16], row % 16, &x[7 + row], -(100 - 2 * (row / 4 % 2)));");
  EXPECT_TRUE(S.Tables.empty());
  EXPECT_EQ(Nested.tableLines(), 0U);
}

TEST(LiteralRows, OneRoomIsLargeEnoughForAll) {
  LiteralRows All;
  for (const char *Bytes : {"1024", "3000", "1027"})
    All.add(LiteralText::of(std::string("f(room(0, ") + Bytes + " * sizeof(char)));"));
  Source S;
  EXPECT_EQ(All.text(S), "f(room(0, 3000 * sizeof(char)));");
  EXPECT_FALSE(All.varies());
}

TEST(LiteralRows, LinesOfTablesAreThoseThatAreWritten) {
  LiteralRows All;
  for (int I = 0; I < 200; ++I)
    All.add(LiteralText::of("f(" + stringText("some {text} " + std::to_string(I * I)) + ", " + std::to_string(I * I) +
                            ");"));
  Source S;
  All.text(S);
  ASSERT_EQ(S.Tables.size(), 2U);
  size_t Lines = 0;
  for (const auto &[Name, Text] : S.Tables) {
    Lines += static_cast<size_t>(std::count(Text.begin(), Text.end(), '\n'));
    EXPECT_EQ(elementsOf(Text).size(), 200U);
  }
  EXPECT_NEAR(static_cast<double>(All.tableLines()), static_cast<double>(Lines), 2);
}

} // namespace
