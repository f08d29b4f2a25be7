//===- Footprint.h - the memory that a rank's calls use ----------*- C++ -*-===//
//
// A trace says where a buffer lies (segment and offset), not how large its segment is. Here all calls of a rank are
// gone through once, and each piece of memory becomes as large as the buffers in it need.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_FOOTPRINT_H
#define PILGRIM_PROXYGEN_FOOTPRINT_H

#include "proxygen/RemoteAddresses.h"
#include "trace/model/Relations.h"

#include <map>
#include <optional>
#include <string>

namespace pilgrim {

/// Addresses of the recorded run in datatypes. A trace has such an address as a number, and what MPI_Get_address gave
/// as a place. Which belongs to which is concluded: a piece of memory has one base address, and addresses are mostly
/// used in the order in which the program asked for them.
class RecordedAddresses {
public:
  /// Notes an MPI_Get_address, or the addresses in a call that makes a datatype. Call it before find().
  void follow(const Call &C);
  /// Whether that function tells a program the address of a place.
  static bool areGivenBy(const std::string &Function);
  /// Whether follow() does anything for calls of this function.
  static bool mayFollow(const Call &C);
  /// The place of an address that was in a call; nullopt: nothing fits.
  std::optional<MemoryPlace> find(int64_t Address) const;
  bool isEmpty() const { return Known.empty(); }
  /// Whether one address was that of several places, one after the other.
  bool areReused() const { return AreReused; }

private:
  static constexpr size_t Most = 1 << 16;
  std::optional<MemoryPlace> fromBases(int64_t Address) const;
  std::vector<MemoryPlace> Asked;       ///< since addresses were used last
  std::map<MemoryPiece, int64_t> Bases; ///< address of offset 0
  std::map<int64_t, MemoryPlace> Known; ///< by address
  bool AreReused = false;
};

class Footprint {
public:
  /// What is wrong, in words, if a call of the rank cannot be made again. Takes time for each different call where none
  /// depends on an earlier one; else goes through all calls of the rank.
  /// Attached: of T, for callers that ask about several ranks.
  static std::expected<Footprint, std::string> of(const Trace &T, uint32_t Rank, AttachedByRank *Attached = nullptr);
  /// Why a call of some rank cannot be made again; empty: all can.
  static std::string whyNot(const Trace &T);

  const std::map<MemoryPiece, ByteSpan> &pieces() const { return Pieces; }
  const RecordedAddresses &addresses() const { return Addresses; }
  const RemoteAddresses &remote() const { return Remote; }

private:
  Footprint(const Trace &T, uint32_t Rank) : Types(T.names()), Remote(Rank, T.world()) {}
  static std::optional<Footprint> ofSignatures(const Trace &T, uint32_t Rank);
  static std::expected<Footprint, std::string> ofCalls(const Trace &T, uint32_t Rank, AttachedByRank *Attached);
  void add(const Call &C, const Relations &R);
  bool knowsAddresses(const Call &C) const;
  void addBuffer(const Call &C, const BufferRelations &B);
  void addAbsolute(const Call &C);
  void addFromBottom(const Call &C, const BufferRelations &B);
  /// Memory that a datatype names by its address: the first element, and how far the next one is.
  struct AbsolutePart {
    MemoryPlace At;
    ByteSpan Bytes;
    int64_t Extent;
  };
  void followNeighbours(const Call &C);
  int64_t factorOf(const Call &C, const BufferRelations &B) const;
  void include(const MemoryPlace &At, ByteSpan Bytes);

  uint32_t World = 0;
  TypeExtents Types;
  RecordedAddresses Addresses;
  RemoteAddresses Remote;
  std::map<int64_t, std::vector<AbsolutePart>> Absolute; ///< by datatype
  std::map<int64_t, int64_t> Neighbours;                 ///< by communicator: how many one process has, at most
  std::map<MemoryPiece, ByteSpan> Pieces;
};

} // namespace pilgrim

#endif
