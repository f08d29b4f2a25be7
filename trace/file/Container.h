//===- Container.h - a file made of sections --------------------*- C++ -*-===//
//
// The file around its sections: magic, version, checksum, size, a directory, and the sections' bytes. Small sections
// are packed together, since they have much in common. A large section is packed alone, so that a reader unpacks only
// the sections it wants. Readers skip sections that they do not know. (Internal to trace/.)
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_CONTAINER_H
#define PILGRIM_TRACE_FILE_CONTAINER_H

#include "trace/file/FileBytes.h"
#include "trace/file/Format.h"

#include <algorithm>

namespace pilgrim {

/// Sections that this program knows, by their ids in a file. Measures is empty if there are no times, Times if
/// those of single calls are not kept, Chunks if there is neither these nor anything that does not repeat; no other
/// section is empty. Empty sections are not in the file.
enum class SectionId : uint32_t { Meta, Schema, Tables, Calls, Measures, Times, Chunks };
constexpr uint32_t NumSectionIds = 7;
constexpr bool mayBeEmpty(SectionId Id) { return Id >= SectionId::Measures; }
const char *nameOf(SectionId Id);

/// A section of this size or more is packed alone, but for measures, which are not packed. Packing it with others would
/// save little, and the head of the file can be read without unpacking megabytes.
constexpr uint64_t AloneFrom = uint64_t(1) << 20;

/// Calls F(bytes) for all bytes, or the First ones, piece by piece, until F says false. Pieces that cannot be had are
/// missing.
template <typename Fn> void forEachPiece(const ChunkBytes &Bytes, Fn &&F, uint64_t First = UINT64_MAX) {
  constexpr uint64_t Piece = uint64_t(1) << 18;
  const uint64_t End = std::min(First, Bytes.size());
  for (uint64_t At = 0; At < End; At += Piece)
    if (!F(std::span<const uint8_t>(Bytes.read(At, std::min(Piece, End - At)))))
      return;
}

/// A section to be written. Name: for readers that do not know the id; empty for sections that all readers know.
struct SectionPart {
  uint32_t Id;
  std::string Name;
  std::span<const uint8_t> Bytes;
  const ChunkBytes *Coded = nullptr; ///< if not null, the bytes, which nothing is gained by compressing
  uint64_t Summed = UINT64_MAX;      ///< the checksum is that of so many bytes of Coded, the first ones
};

/// Parts: by ascending ids; empty ones are left out. Level: of zstd; 0: nothing is compressed. Only the last one may be
/// coded. If it is large (isApart()), its bytes are to be written behind the result.
std::vector<uint8_t> writeContainer(std::span<const SectionPart> Parts, int Level);
inline bool isApart(const ChunkBytes *Coded) {
  return Coded && (Coded->size() >= AloneFrom || Coded->here() < Coded->size());
}

class Container {
public:
  /// Checks everything but the sections that are packed alone. From must outlive the container.
  static std::expected<Container, TraceError> open(FileBytes &From);

  /// The sections in the file, in file order.
  const std::vector<SectionInfo> &sections() const { return Infos; }
  uint64_t fileBytes() const { return WholeSize; }
  /// The rest of the memory that a trace of this size may take.
  MemoryBudget &memory() { return Memory; }
  bool has(SectionId Id) const { return find(Id) < Infos.size(); }
  /// The section unpacked; an error if it is not there.
  std::expected<std::vector<uint8_t>, TraceError> section(SectionId Id);
  /// The section of chunks, as it is in the file; null if there is none. It stays valid without the container.
  std::expected<std::shared_ptr<const ChunkBytes>, TraceError> chunks(uint64_t Summed = UINT64_MAX);
  /// Compares the checksums of sections that this program does not know. Checksums of known sections are compared when
  /// they are unpacked.
  std::expected<void, TraceError> checkUnknown();

private:
  struct Place {
    uint64_t Offset; ///< in the file if the section is packed alone, else in Common
    uint32_t Sum;    ///< of the packed bytes, if it is alone
  };
  explicit Container(FileBytes &From) : From(From) {}
  std::string readDirectory(ByteReader &R, uint64_t Begin);
  std::expected<void, TraceError> spendFor(const SectionInfo &S);
  std::expected<void, TraceError> readCommon();
  std::expected<std::span<const uint8_t>, TraceError> readAlone(size_t I);
  std::unexpected<TraceError> badSum(size_t I) const;
  size_t find(SectionId Id) const; ///< index into Infos; its size if there is none

  FileBytes &From;
  std::vector<SectionInfo> Infos;
  std::vector<Place> Places; ///< as Infos
  uint64_t WholeSize = 0, CommonBegin = 0, CommonEnd = 0;
  bool IsPacked = false; ///< whether the common part is compressed
  uint32_t Sum = 0;
  std::vector<uint8_t> Common; ///< unpacked: the sections that are not alone
  MemoryBudget Memory;
};

} // namespace pilgrim

#endif
