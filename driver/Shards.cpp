//===- Shards.cpp - traces that are parts of one --------------------------===//
#include "driver/Shards.h"
#include "driver/Input.h"
#include "driver/Parallel.h"
#include "driver/Progress.h"
#include "trace/base/Counted.h"

#include <algorithm>
#include <filesystem>

namespace pilgrim {

namespace {
bool isShardName(std::string_view Name) {
  constexpr std::string_view Mark = ".shard.";
  size_t At = Name.rfind(Mark);
  if (At == std::string_view::npos)
    return false;
  std::string_view Rank = Name.substr(At + Mark.size());
  return !Rank.empty() && Rank.find_first_not_of("0123456789") == std::string_view::npos;
}

/// False: Error says why.
bool listShards(const std::string &Folder, std::vector<std::string> &Found, std::error_code &Error) {
  for (std::filesystem::directory_iterator I(Folder, Error), End; !Error && I != End; I.increment(Error))
    if (std::error_code Ignored; isShardName(I->path().filename().native()) && I->is_regular_file(Ignored))
      Found.push_back(I->path().native());
  // Shorter names first: so are the ranks of one run in order.
  std::sort(Found.begin(), Found.end(), [](const std::string &A, const std::string &B) {
    return A.size() != B.size() ? A.size() < B.size() : A < B;
  });
  return !Error;
}

struct Head {
  uint32_t World = 0;
  RankSet Ranks;
  std::string Run; ///< empty: not known
};

std::expected<Head, TraceError> readHeadOf(const std::string &File) {
  auto Bytes = FileBytes::open(File);
  if (!Bytes)
    return std::unexpected(Bytes.error());
  auto T = readHead(*Bytes);
  if (!T)
    return std::unexpected(T.error());
  return Head{T->World, std::move(T->Ranks), std::move(T->Meta[std::string(RunKey)])};
}

/// Puts heads together, one after the other.
class Survey {
public:
  /// Empty: the file is a part of what the others are parts of.
  std::string add(const std::string &File, Head H) {
    if (List.Shards.empty()) {
      List.World = H.World;
      IsKnown.resize(H.World);
    }
    if (H.World != List.World)
      return "a world of " + counted(H.World, "rank") + ", but " + List.Shards[0].File + " has one of " +
             std::to_string(List.World);
    if (Run.empty()) {
      Run = H.Run;
      RunFile = File;
    }
    if (!H.Run.empty() && H.Run != Run)
      return "not of the same run as " + RunFile;
    bool IsNew = true;
    H.Ranks.forEach([&](uint32_t R) {
      IsNew &= !IsKnown[R];
      IsKnown[R] = true;
    });
    if (!IsNew) {
      const RankSet Twice = known(H.Ranks);
      return numbered("rank", Twice) + (Twice.size() == 1 ? " is" : " are") + " in a file named before it already";
    }
    List.Shards.push_back({File, std::move(H.Ranks)});
    return "";
  }

  /// Neighbours have most in common.
  ShardList take() {
    std::stable_sort(List.Shards.begin(), List.Shards.end(), [](const Shard &A, const Shard &B) {
      return !B.Ranks.empty() && (A.Ranks.empty() || A.Ranks.first() < B.Ranks.first());
    });
    return std::move(List);
  }

private:
  RankSet known(const RankSet &Ranks) const {
    RankSet New = Ranks;
    for (const Shard &S : List.Shards)
      New = New.without(S.Ranks);
    return Ranks.without(New);
  }

  ShardList List;
  std::vector<bool> IsKnown; ///< by rank
  std::string Run, RunFile;  ///< of the first file that says it
};
} // namespace

std::string expandFolders(std::vector<std::string> &Files) {
  std::vector<std::string> All;
  for (std::string &File : Files) {
    std::error_code Error;
    if (!std::filesystem::is_directory(File, Error)) {
      All.push_back(std::move(File)); // or what is wrong with it is said when it is opened
      continue;
    }
    std::vector<std::string> Found;
    if (!listShards(File, Found, Error))
      return File + ": cannot read: " + Error.message();
    if (Found.empty())
      return File + ": no shards in this folder: files named NAME.shard.RANK";
    std::move(Found.begin(), Found.end(), std::back_inserter(All));
  }
  Files = std::move(All);
  return "";
}

std::expected<ShardList, TraceError> surveyShards(const std::vector<std::string> &Files, unsigned Threads) {
  std::vector<Head> Heads(Files.size());
  Progress Line("looking at", Files.size(), "files");
  Failure Bad = forEachIndex(Files.size(), Threads, [&](size_t I) -> std::string {
    auto H = readHeadOf(Files[I]);
    if (!H)
      return H.error().What;
    Heads[I] = std::move(*H);
    Line.step();
    return "";
  });
  Survey S;
  for (size_t I = 0; I < Files.size(); ++I) {
    bool IsBad = I == Bad.At && !Bad.What.empty();
    if (std::string Why = IsBad ? Bad.What : S.add(Files[I], std::move(Heads[I])); !Why.empty())
      return std::unexpected(TraceError{Files[I] + ": " + Why});
  }
  return S.take();
}

} // namespace pilgrim
