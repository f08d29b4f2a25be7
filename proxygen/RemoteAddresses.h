//===- RemoteAddresses.h - addresses of other ranks' memory ------*- C++ -*-===//
//
// Calls on a dynamic window name memory of another rank by its address there (MPI 4.0, section 12.2.4), which the
// program got by messages. A trace has that address as a number, and what the other rank attached as a place. Which
// belongs to which is concluded: a piece of memory has one base address, and all addresses lie in what is attached.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REMOTEADDRESSES_H
#define PILGRIM_PROXYGEN_REMOTEADDRESSES_H

#include "proxygen/MemoryPlace.h"

#include <map>
#include <string>
#include <vector>

namespace pilgrim {

struct AttachedMemory {
  MemoryPlace At;
  int64_t Bytes = 0;
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
  /// Notes the address in C, if it has one. Rank: of MPI_COMM_WORLD, which has World ranks. False: the address is not
  /// one that this class can know, since ranks have other numbers in the window, or there are too many.
  bool note(const Call &C, uint32_t Rank, uint32_t World);
  /// To be called when all calls were noted. False: some address lies in nothing that its rank attaches.
  bool resolve(AttachedByRank &All);

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
  std::map<int64_t, std::map<int64_t, Place>> Known; ///< by target and address
};

/// Whether a parameter is where a call reaches memory of another rank.
bool isRemotePlace(const ParamSchema &P);

} // namespace pilgrim

#endif
