// trace/merge/HostList.h, HostList.cpp: lists of hosts against sets of names.
#include "trace/merge/HostList.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

using namespace pilgrim;

namespace {

std::string listOf(const std::vector<std::string> &Names) {
  std::string Out;
  for (const std::string &N : Names)
    Out = Out.empty() ? hostList(N) : uniteHosts(Out, hostList(N));
  return Out;
}

TEST(HostList, FoldsNumbers) {
  EXPECT_EQ(listOf({"login1"}), "login1");
  EXPECT_EQ(listOf({"nid0002", "nid0001", "nid0003", "nid0009"}), "nid[0001-0003,0009]");
  EXPECT_EQ(listOf({"node9", "node10", "node11"}), "node[9-11]");
  EXPECT_EQ(listOf({"r1i2n1.site.org", "r1i2n2.site.org"}), "r1i2n[1-2].site.org");
  EXPECT_EQ(listOf({"b", "a", "b"}), "a,b");
  EXPECT_EQ(listOf({"n01", "n1"}), "n1,n01");
  EXPECT_EQ(listOf({"x12345678901"}), "x12345678901");
  EXPECT_EQ(hostList("a,b[1]"), "a?b?1?");
  EXPECT_EQ(countHosts("a,nid[0001-0512,0600],z9"), 515u);
  EXPECT_EQ(countHosts(""), 0u);
}

TEST(HostList, HasEveryNameOnceInWhateverOrderTheyCome) {
  std::mt19937 Random(7);
  for (int I = 0; I < 200; ++I) {
    std::set<std::string> Names;
    std::vector<std::string> Order;
    for (int K = 0; K < 30; ++K) {
      static const char *const Before[] = {"n", "rack3-", "", "gpu"}, *const Behind[] = {"", ".a.b", "-ib0"};
      char Number[16];
      std::snprintf(Number, sizeof Number, Random() % 2 ? "%04u" : "%u", static_cast<unsigned>(Random() % 40));
      const std::string Name = std::string(Before[Random() % 4]) + Number + Behind[Random() % 3];
      Names.insert(Name);
      Order.push_back(Name);
    }
    const std::string Once = listOf(Order);
    EXPECT_EQ(countHosts(Once), Names.size()) << Once;
    EXPECT_EQ(uniteHosts(Once, ""), Once);
    std::shuffle(Order.begin(), Order.end(), Random);
    // Halves that overlap, as ranks on the same hosts are merged.
    const std::string Low = listOf({Order.begin(), Order.begin() + 20}),
                      High = listOf({Order.begin() + 10, Order.end()});
    EXPECT_EQ(uniteHosts(Low, High), Once);
    for (const std::string &N : Names)
      EXPECT_EQ(uniteHosts(Once, hostList(N)), Once) << N;
  }
}

TEST(HostList, WhateverIsReadIsOneLine) {
  std::mt19937 Random(11);
  for (int I = 0; I < 5000; ++I) {
    std::string Text;
    for (unsigned K = Random() % 20; K; --K)
      Text += "ab019,[]-."[Random() % 10];
    const std::string Other = uniteHosts(Text, "n1");
    EXPECT_GE(countHosts(Other), 1u) << Text;
  }
}

} // namespace
