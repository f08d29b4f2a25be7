//===- Merge.cpp - pilgrim merge ------------------------------------------===//
//
// Joins shards, the traces of single ranks that an interrupted run left, or any
// traces of disjoint ranks of one world.
//
//===----------------------------------------------------------------------===//
#include "trace/merge/Merge.h"
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/Join.h"
#include "driver/WholeFile.h"
#include "trace/base/Counted.h"
#include "trace/read/Untraced.h"

#include <algorithm>
#include <cstdio>
#include <thread>

namespace pilgrim {

namespace {
/// As many as there are cores; beyond these few, the last merges are what takes the time.
unsigned usualThreads() { return std::clamp(std::thread::hardware_concurrency(), 1u, 16u); }

int mergeShards(std::vector<std::string> Files, const std::string &Target, unsigned Threads) {
  if (std::string Why = expandFolders(Files); !Why.empty())
    return fail(Why);
  if (int Code = refuseInput("-o", Target, Files))
    return Code;
  auto List = surveyShards(Files, Threads);
  if (!List)
    return fail(List.error().What);
  std::optional<Progress> Line(std::in_place, "merging", Files.size(), "files");
  auto Whole = joinShards(*List, Threads, *Line);
  std::vector<uint8_t> Bytes;
  if (Whole) {
    chooseCandidates(*Whole);
    Whole->Meta.erase("shard");
    Bytes = writeTrace(*Whole);
  }
  Line.reset();
  if (!Whole)
    return fail(Whole.error().What);
  RankSet Missing = RankSet::below(Whole->World).without(Whole->Ranks);
  if (!Missing.empty())
    std::fprintf(stderr, "pilgrim: %s: no shard of %llu of %s: %s\n", Target.c_str(),
                 static_cast<unsigned long long>(Missing.size()), counted(Whole->World, "rank").c_str(),
                 rankText(Missing).c_str());
  if (const int Code = writeWhole(Target, {reinterpret_cast<const char *>(Bytes.data()), Bytes.size()}))
    return Code;
  std::printf("%s: %s, %s, %zu bytes\n", Target.c_str(), counted(Whole->Ranks.size(), "rank").c_str(),
              countText(*Whole).c_str(), Bytes.size());
  return 0;
}
} // namespace

void addMerge(CommandLine &Tool) {
  Command C = Tool.add("merge", "Join the shards that an interrupted run left to one trace");
  C.usage("Usage: pilgrim merge [OPTIONS] SHARDS... -o FILE\n");
  auto Files = std::make_shared<std::vector<std::string>>();
  auto Target = std::make_shared<std::string>();
  auto Threads = std::make_shared<unsigned>(usualThreads());
  C.add("SHARDS", *Files, "traces of different ranks of one run, or folders: all files NAME.shard.RANK in them")
      .required();
  C.add("-o,--output", *Target, "the trace to write").required().argument("FILE");
  C.add("--threads", *Threads, "how many merge (default: one a core, at most 16)").between(1, 1024).argument("N");
  C.example("pilgrim merge . -o app.pilgrim", "all shards in this folder");
  C.runs([=] { return mergeShards(*Files, *Target, *Threads); });
}

} // namespace pilgrim
