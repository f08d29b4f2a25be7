//===- Merge.cpp - pilgrim merge ------------------------------------------===//
//
// Joins shards, the traces of single ranks that an interrupted run left, or any
// traces of disjoint ranks of one world, pairwise as the runtime does.
//
//===----------------------------------------------------------------------===//
#include "trace/Merge.h"
#include "driver/Command.h"
#include "driver/Input.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace pilgrim {

namespace {
struct Shard {
  std::string File;
  TraceData Data;
};

/// Why two traces are no parts of one; empty: they can be.
std::string findConflict(const Shard &A, const Shard &B) {
  if (A.Data.World != B.Data.World)
    return "a world of " + std::to_string(B.Data.World) + " ranks, but " + A.File + " has one of " +
           std::to_string(A.Data.World);
  auto RunA = A.Data.Meta.find("run"), RunB = B.Data.Meta.find("run");
  if (RunA != A.Data.Meta.end() && RunB != B.Data.Meta.end() && RunA->second != RunB->second)
    return "not of the same run as " + A.File;
  return "";
}

/// Writes under a temporary name first, so that nothing half written is ever
/// there under the wanted one. Empty: done.
std::string writeFile(const std::string &File, const std::vector<uint8_t> &Bytes) {
  std::string Temporary = File + "." + std::to_string(getpid()) + ".tmp";
  FILE *F = std::fopen(Temporary.c_str(), "wb");
  if (!F)
    return std::string("cannot write: ") + std::strerror(errno);
  bool Good = std::fwrite(Bytes.data(), 1, Bytes.size(), F) == Bytes.size();
  int Why = errno;
  if (std::fclose(F) != 0 && Good) {
    Good = false;
    Why = errno;
  }
  if (Good && std::rename(Temporary.c_str(), File.c_str()) != 0) {
    Good = false;
    Why = errno;
  }
  if (Good)
    return "";
  std::remove(Temporary.c_str());
  return std::string("cannot write: ") + std::strerror(Why);
}

int mergeShards(const std::vector<std::string> &Files, const std::string &Target) {
  std::vector<Shard> Shards;
  for (const std::string &File : Files) {
    auto T = openTrace(File);
    if (!T)
      return 2;
    Shards.push_back({File, T->data()});
  }
  RankSet All;
  for (const Shard &S : Shards) {
    if (std::string Why = findConflict(Shards[0], S); !Why.empty())
      return fail(S.File, Why);
    RankSet New = S.Data.Ranks.without(All);
    if (New.size() != S.Data.Ranks.size())
      return fail(S.File, "ranks " + rankText(S.Data.Ranks.without(New)) + " are in a file named before it already");
    All.unite(S.Data.Ranks);
  }
  // Neighbours have most in common.
  std::stable_sort(Shards.begin(), Shards.end(), [](const Shard &A, const Shard &B) {
    return !B.Data.Ranks.empty() && (A.Data.Ranks.empty() || A.Data.Ranks.first() < B.Data.Ranks.first());
  });
  for (Shard &S : Shards)
    deriveCandidates(S.Data);
  for (size_t Step = 1; Step < Shards.size(); Step *= 2)
    for (size_t I = 0; I + Step < Shards.size(); I += 2 * Step)
      merge(Shards[I].Data, std::move(Shards[I + Step].Data));
  TraceData &Whole = Shards[0].Data;
  chooseCandidates(Whole);
  Whole.Meta.erase("shard");
  RankSet Missing = RankSet::below(Whole.World).without(Whole.Ranks);
  if (!Missing.empty())
    std::fprintf(stderr, "pilgrim: %s: no shard of %llu of %u ranks: %s\n", Target.c_str(),
                 static_cast<unsigned long long>(Missing.size()), Whole.World, rankText(Missing).c_str());
  std::vector<uint8_t> Bytes = writeTrace(Whole);
  if (std::string Why = writeFile(Target, Bytes); !Why.empty())
    return fail(Target, Why);
  std::printf("%s: %llu ranks, %llu calls, %zu bytes\n", Target.c_str(),
              static_cast<unsigned long long>(Whole.Ranks.size()), static_cast<unsigned long long>(Whole.calls()),
              Bytes.size());
  return 0;
}
} // namespace

void addMerge(CLI::App &Tool, Action &Chosen) {
  CLI::App *C = Tool.add_subcommand("merge", "Join the shards that an interrupted run left to one trace");
  auto Files = std::make_shared<std::vector<std::string>>();
  auto Target = std::make_shared<std::string>();
  C->add_option("SHARDS", *Files, "traces of different ranks of one run")->required();
  C->add_option("-o,--output", *Target, "the trace to write")->required()->type_name("FILE");
  C->callback([=, &Chosen] { Chosen = [=] { return mergeShards(*Files, *Target); }; });
}

} // namespace pilgrim
