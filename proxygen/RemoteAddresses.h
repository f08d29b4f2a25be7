//===- RemoteAddresses.h - addresses of other ranks' memory ------*- C++ -*-===//
//
// Calls on a dynamic window name memory of another rank by its address there (MPI 4.0, section 12.2.4), which the
// program got by messages. A trace has that address as a number, and what the other rank attached as a place. Which
// belongs to which is concluded: a piece of memory has one base address, and all addresses lie in what is attached to
// the window of the call.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REMOTEADDRESSES_H
#define PILGRIM_PROXYGEN_REMOTEADDRESSES_H

#include "proxygen/MemoryPlace.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pilgrim {

/// The dynamic windows in which a rank's number is the one in MPI_COMM_WORLD, by the order in which they were made:
/// that is the same on all ranks, as they make a window together. And what is attached to them.
class WorldWindows {
public:
  WorldWindows(uint32_t Rank, uint32_t World) : Rank(Rank), World(World) {}
  /// To be called with each call of the rank. True: windows or what is attached are not what they were.
  bool follow(const Call &C);
  /// The window that the call is about; nullopt: none of these.
  std::optional<uint32_t> find(const Call &C) const;
  /// What the rank has attached to a window and not detached: how many attachments to it were before, ascending.
  std::shared_ptr<const std::vector<uint32_t>> attached(uint32_t Window) const { return Windows[Window].Sorted; }

private:
  struct Attachments {
    uint32_t Number = 0;
    std::map<MemoryPlace, uint32_t> Live;
    std::shared_ptr<const std::vector<uint32_t>> Sorted = std::make_shared<std::vector<uint32_t>>(); ///< of Live
  };
  std::optional<int64_t> idOf(const Call &C) const;
  uint32_t Rank, World;
  std::map<int64_t, uint32_t> Of; ///< by the window's number, which another one may have had before
  std::vector<Attachments> Windows;
};

struct AttachedMemory {
  struct Use {
    int64_t Bytes = 0;
    std::vector<uint32_t> Before; ///< how many attachments to the window were before this one, each time
  };
  MemoryPlace At;
  std::map<uint32_t, Use> Windows; ///< that it was attached to
};

/// What a rank attaches to windows in which its rank is the one in MPI_COMM_WORLD, each place once, in the order of the
/// calls. Goes through all calls of the rank.
std::vector<AttachedMemory> attachedMemory(const Trace &T, uint32_t Rank);
/// The same of all ranks that are asked about, each looked at once. T must outlive this object.
class AttachedByRank {
public:
  explicit AttachedByRank(const Trace &T) : T(T) {}
  const std::vector<AttachedMemory> &of(uint32_t Rank) {
    auto [It, IsNew] = Known.try_emplace(Rank);
    if (IsNew)
      It->second = attachedMemory(T, Rank);
    return It->second;
  }
  uint32_t ranks() const { return T.world(); }

private:
  const Trace &T;
  std::map<uint32_t, std::vector<AttachedMemory>> Known;
};
/// Whether some rank attaches memory.
bool attachesMemory(const Trace &T);

/// The addresses that one rank uses of others.
class RemoteAddresses {
public:
  /// Rank: whose addresses they are, of MPI_COMM_WORLD, which has World ranks.
  RemoteAddresses(uint32_t Rank, uint32_t World) : Windows(Rank, World) {}
  /// To be called with each call of the rank. True: calls that follow may be about another window than it seems.
  bool follow(const Call &C) { return Windows.follow(C); }
  /// Notes the address in C, if it has one. False: the address is not one that this class can know, since ranks have
  /// other numbers in the window, or there are too many.
  bool note(const Call &C);
  /// To be called when all calls were noted. Returns what is wrong with some address, as "that ..."; empty: nothing.
  std::string resolve(AttachedByRank &All);

  struct Place {
    uint32_t Which = 0; ///< index into attachedMemory() of the target
    int64_t Offset = 0; ///< from where that begins, bytes
    bool operator==(const Place &) const = default;
  };
  std::optional<Place> find(int64_t Target, int64_t Address) const;
  /// Calls F(Target, Address, Place) for all, ascending.
  template <typename F> void forEach(F &&Call) const {
    for (const auto &[Target, Addresses] : Known)
      for (const auto &[Address, At] : Addresses)
        Call(Target, Address, At);
  }
  bool isEmpty() const { return Known.empty(); }

private:
  using Places = std::map<int64_t, Place>; ///< by address
  /// By address: what the rank itself had attached when it used it first.
  using Uses = std::map<int64_t, std::shared_ptr<const std::vector<uint32_t>>>;
  struct Found;
  static Places placesOf(Uses Left, const std::vector<AttachedMemory> &Attached, uint32_t Window);
  WorldWindows Windows;
  std::map<std::pair<int64_t, uint32_t>, Uses> Noted; ///< by target and window, until they are resolved
  std::map<int64_t, Places> Known;                    ///< by target
};

/// Whether a parameter is where a call reaches memory of another rank.
bool isRemotePlace(const ParamSchema &P);

} // namespace pilgrim

#endif
