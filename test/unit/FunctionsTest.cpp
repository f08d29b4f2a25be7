// proxygen/proxy/Functions.h: functions that are written once for several places of a program.
#include "proxygen/proxy/Functions.h"
#include "proxygen/proxy/Program.h"

#include <gtest/gtest.h>

using namespace pilgrim;

namespace {
struct Fixture : testing::Test {
  Source S;
  Functions F{S};
  Fixture() {
    for (const char *Name : {"choice", "choice_2", "choice_3", "path", "path_2"})
      S.Cursors.insert(Name);
  }
  std::string leaf(const std::string &Cursor) {
    return F.call("leaf", "f(next(&" + Cursor + "));\ng(next(&" + Cursor + "));", "leaf, a.c:1", false);
  }
};
using FunctionsTest = Fixture;

TEST_F(FunctionsTest, OneFunctionForSeveralCursors) {
  const std::string First = leaf("choice"), Second = leaf("choice_2");
  EXPECT_EQ(S.Body, "\nstatic void leaf(struct cursor *const *at) { /* leaf, a.c:1 */\n  f(next(at[0]));\n  "
                    "g(next(at[0]));\n}\n");
  EXPECT_EQ(F.atTop(First), "leaf(cursors);");
  EXPECT_EQ(F.atTop(Second), "leaf(cursors_2);");
  EXPECT_EQ(S.Declarations, "static struct cursor *const cursors[] = {&choice};\n"
                            "static struct cursor *const cursors_2[] = {&choice_2};\n");
}

TEST_F(FunctionsTest, CursorsOfCallsStandAmongThoseOfTheFunction) {
  const std::string Outer = F.call("outer", leaf("choice") + "\nh(next(&path));\n" + leaf("choice_2"), "", false);
  const std::string Again = F.call("outer", leaf("choice_3") + "\nh(next(&path_2));\n" + leaf("choice"), "", false);
  EXPECT_NE(S.Body.find("static void outer(struct cursor *const *at) {\n  leaf(at);\n  h(next(at[1]));\n  leaf(at + "
                        "2);\n}\n"),
            std::string::npos)
      << S.Body;
  EXPECT_EQ(S.Body.find("outer_2"), std::string::npos);
  EXPECT_EQ(F.atTop(Outer), "outer(cursors);");
  EXPECT_EQ(F.atTop(Again), "outer(cursors_2);");
  EXPECT_EQ(S.Declarations, "static struct cursor *const cursors[] = {&choice, &path, &choice_2};\n"
                            "static struct cursor *const cursors_2[] = {&choice_3, &path_2, &choice};\n");
}

TEST_F(FunctionsTest, ACallInSeveralPlacesIsTheSame) {
  const std::string Leaf = leaf("choice");
  F.call("outer", Leaf + "\n" + Leaf + "\nf(next(&path));", "", false);
  EXPECT_NE(S.Body.find("{\n  leaf(at);\n  leaf(at);\n  f(next(at[1]));\n}"), std::string::npos) << S.Body;
}

TEST_F(FunctionsTest, OtherBodiesAndNamesAreOtherFunctions) {
  EXPECT_EQ(F.call("alpha", "f();", "a, a.c:1", false), "alpha();");
  EXPECT_EQ(F.call("beta", "f();", "b, a.c:7", false), "beta();");
  EXPECT_EQ(F.call("alpha", "f();", "a, a.c:1", false), "alpha();");
  EXPECT_EQ(F.call("alpha", "g();", "a, a.c:1", false), "alpha_2();");
  // Two cursors, or one twice.
  F.call("gamma", "f(next(&choice), next(&path));", "", false);
  F.call("gamma", "f(next(&choice), next(&choice));", "", false);
  EXPECT_NE(S.Body.find("static void gamma_2("), std::string::npos);
}

TEST_F(FunctionsTest, RowsTextsAndNames) {
  EXPECT_EQ(F.call("r", "f(row);", "", true), "r(row);");
  EXPECT_EQ(F.atTop(F.call("r", "f(row, next(&choice));", "", true)), "r_2(cursors, row);");
  // No cursors: in a text, and longer names.
  F.call("tell", R"(f("say \"&choice\"", &choice_20, &path_of);)", "", false);
  EXPECT_NE(S.Body.find(R"(static void tell(void) {
  f("say \"&choice\"", &choice_20, &path_of);)"),
            std::string::npos)
      << S.Body;
}

TEST_F(FunctionsTest, NamesOfParametersAreNoFunctions) {
  EXPECT_EQ(F.atTop(F.call("at", "f(next(&choice));", "at, a.c:1", false)), "at_2(cursors);");
  EXPECT_EQ(F.call("row", "f();", "row, a.c:2", false), "row_2();");
}

TEST_F(FunctionsTest, FunctionsWithoutParameters) {
  EXPECT_EQ(F.alone("callback", leaf("choice") + "\nf(next(&path));"), "callback");
  EXPECT_NE(S.Body.find("static void callback(void) {\n  leaf(cursors);\n  f(next(&path));\n}"), std::string::npos)
      << S.Body;
}

TEST_F(FunctionsTest, VeryManyCursorsAreNotPassed) {
  std::string Body;
  for (int I = 0; I < 2000; ++I) {
    const std::string Name = "many_" + std::to_string(I);
    S.Cursors.insert(Name);
    Body += "f(next(&" + Name + "));\n";
  }
  Body.pop_back();
  EXPECT_EQ(F.call("whole", Body, "", false), "whole();");
  EXPECT_NE(S.Body.find("f(next(&many_1999));"), std::string::npos);
}

std::string joined(std::initializer_list<const char *> Texts) {
  Statements All;
  for (const char *Text : Texts)
    All.add(Text);
  return All.text();
}

TEST(Statements, OfTheSameRanksAreOneBlock) {
  EXPECT_EQ(joined({"if (rank < 3)\n  a();", "if (rank < 3)\n  b();", "c();", "if (rank < 3)\n  d();"}),
            "if (rank < 3) {\n  a();\n  b();\n}\nc();\nif (rank < 3)\n  d();");
  EXPECT_EQ(joined({"if (in(x, 2)) {\n  a();\n  if (y)\n    b();\n}", "if (in(x, 2))\n  c();", "if (z)\n  d();"}),
            "if (in(x, 2)) {\n  a();\n  if (y)\n    b();\n  c();\n}\nif (z)\n  d();");
  EXPECT_EQ(joined({"a();", "", "b();"}), "a();\nb();");
}

TEST(Statements, OtherStatementsStay) {
  // What comes next is asked for each time; others are made otherwise.
  for (const char *Text :
       {"if (next(&order) == 2)\n  a();", "if (rank < 3)\n  a();\nelse\n  b();",
        "if (rank < 3) {\n  a();\n}\nelse if (rank < 5) {\n  b();\n}", "if (rank < 3)\n  if (x)\n    a();"})
    EXPECT_EQ(joined({Text, Text}), std::string(Text) + "\n" + Text);
}

TEST(Statements, AConditionInItself) {
  EXPECT_EQ(guarded("rank > 1", "if (rank > 1) {\n  a();\n  b();\n}"), "if (rank > 1) {\n  a();\n  b();\n}");
  EXPECT_EQ(guarded("rank > 1", "if (rank > 2)\n  a();"), "if (rank > 1) {\n  if (rank > 2)\n    a();\n}");
}
} // namespace
