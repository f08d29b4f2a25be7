// proxygen/proxy/GapTables.h: times as bytes, and bytes as text.
#include "proxygen/proxy/GapTables.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace pilgrim;

namespace {

TEST(GapTables, TimesAreWithinFivePercent) {
  for (double Seconds = 1e-8; Seconds < 50; Seconds *= 1.013)
    EXPECT_NEAR(GapTables::secondsOf(GapTables::byteOf(Seconds)) / Seconds, 1, 0.05) << Seconds;
}

TEST(GapTables, NoTimeIsNoByte) {
  EXPECT_EQ(GapTables::byteOf(0), 0U);
  EXPECT_EQ(GapTables::byteOf(-1), 0U);
  EXPECT_EQ(GapTables::byteOf(4e-9), 0U);
  EXPECT_EQ(GapTables::secondsOf(0), 0);
}

TEST(GapTables, LongTimesAreTheLongestOne) { EXPECT_EQ(GapTables::byteOf(1e9), 255U); }

TEST(GapTables, StringsHaveNeitherBlanksNorBraces) {
  std::string All;
  for (int Byte = 0; Byte < 256; ++Byte)
    All += static_cast<char>(Byte);
  const std::string Text = GapTables::text(All);
  EXPECT_EQ(Text.find_first_of("{}"), std::string::npos);
  bool IsInside = false;
  for (size_t At = 0; At < Text.size(); ++At) {
    IsInside ^= Text[At] == '"';
    EXPECT_FALSE(IsInside && Text[At] == ' ') << At;
  }
  EXPECT_FALSE(IsInside);
  EXPECT_EQ(GapTables::text(""), "0");
  EXPECT_EQ(GapTables::text(" a"), "\"\\040a\"");
}

} // namespace
