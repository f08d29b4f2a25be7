//===- Shards.cpp - traces that are parts of one --------------------------===//
#include "driver/Shards.h"
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/Progress.h"

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

std::expected<TraceData, TraceError> readHeadOf(const std::string &File) {
  auto Bytes = readFile(File);
  if (!Bytes)
    return std::unexpected(Bytes.error());
  return readHead(*Bytes);
}

class Survey {
public:
  /// Empty: the file is a part of what the others are parts of.
  std::string add(const std::string &File, const TraceData &Head) {
    if (List.Shards.empty())
      begin(Head);
    if (Head.World != List.World)
      return "a world of " + std::to_string(Head.World) + " ranks, but " + List.Shards[0].File + " has one of " +
             std::to_string(List.World);
    if (auto Run = Head.Meta.find("run"); Run != Head.Meta.end()) {
      if (RunFile.empty()) {
        RunFile = File;
        RunId = Run->second;
      }
      if (Run->second != RunId)
        return "not of the same run as " + RunFile;
    }
    bool IsNew = true;
    Head.Ranks.forEach([&](uint32_t R) {
      IsNew &= !IsKnown[R];
      IsKnown[R] = true;
    });
    if (!IsNew)
      return "ranks " + rankText(known(Head.Ranks)) + " are in a file named before it already";
    List.Shards.push_back({File, Head.Ranks});
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
  void begin(const TraceData &Head) {
    List.World = Head.World;
    IsKnown.resize(Head.World);
  }

  RankSet known(const RankSet &Ranks) const {
    RankSet Fresh = Ranks;
    for (const Shard &S : List.Shards)
      Fresh = Fresh.without(S.Ranks);
    return Ranks.without(Fresh);
  }

  ShardList List;
  std::vector<bool> IsKnown;  ///< by rank
  std::string RunId, RunFile; ///< of the first file that says it
};
} // namespace

bool expandFolders(std::vector<std::string> &Files) {
  std::vector<std::string> All;
  for (std::string &File : Files) {
    std::error_code Error;
    if (!std::filesystem::is_directory(File, Error)) {
      All.push_back(std::move(File)); // or what is wrong with it is said when it is opened
      continue;
    }
    std::vector<std::string> Found;
    if (!listShards(File, Found, Error)) {
      fail(File, "cannot read: " + Error.message());
      return false;
    }
    if (Found.empty()) {
      fail(File, "no shards in this folder: files named NAME.shard.RANK");
      return false;
    }
    std::move(Found.begin(), Found.end(), std::back_inserter(All));
  }
  Files = std::move(All);
  return true;
}

std::optional<ShardList> surveyShards(const std::vector<std::string> &Files) {
  Survey S;
  std::string Problem;
  size_t I = 0;
  {
    Progress Line("looking at", Files.size(), "files");
    for (; I < Files.size(); ++I) {
      auto Head = readHeadOf(Files[I]);
      Problem = Head ? S.add(Files[I], *Head) : Head.error().What;
      if (!Problem.empty())
        break;
      Line.step();
    }
  }
  if (!Problem.empty()) {
    fail(Files[I], Problem);
    return std::nullopt;
  }
  return S.take();
}

} // namespace pilgrim
