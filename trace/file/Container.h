//===- Container.h - a file made of sections --------------------*- C++ -*-===//
//
// The file without what its sections say: magic, version, checksum, size, a directory, and the sections' bytes. Small
// sections are packed together, since they have much in common; a large one is packed alone, so that a reader needs to
// unpack only what it wants. A section that a reader does not know is not in its way. (Internal to trace/.)
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_CONTAINER_H
#define PILGRIM_TRACE_FILE_CONTAINER_H

#include "trace/file/FileBytes.h"
#include "trace/file/Format.h"

namespace pilgrim {

/// Sections that this program knows, by their ids in a file. None is without bytes, but for Measures where there are no
/// times; one without bytes is not in the file.
enum class SectionId : uint32_t { Meta, Schema, Tables, Calls, Measures };
constexpr uint32_t NumSectionIds = 5;
const char *nameOf(SectionId Id);

/// From this size on a section is packed alone. What it has in common with others is then little beside what it has in
/// common with itself, and the head of the file can be read without unpacking megabytes.
constexpr uint64_t AloneFrom = uint64_t(1) << 20;

/// A section to be written. Name: for readers that do not know the id; empty for those that all know.
struct SectionPart {
  uint32_t Id;
  std::string Name;
  std::span<const uint8_t> Bytes;
};

/// Parts: by ascending ids; those without bytes are left out. Level: of zstd; 0: all is stored.
std::vector<uint8_t> writeContainer(std::span<const SectionPart> Parts, int Level);

class Container {
public:
  /// Checks everything but the sections that are packed alone. From must outlive it.
  static std::expected<Container, TraceError> open(FileBytes &From);

  /// Those in the file, in its order.
  const std::vector<SectionInfo> &sections() const { return Infos; }
  uint64_t fileBytes() const { return WholeSize; }
  /// What is left of the memory that a trace of this size may take.
  MemoryBudget &memory() { return Memory; }
  bool has(SectionId Id) const { return find(Id) < Infos.size(); }
  /// The section unpacked; an error if it is not there.
  std::expected<std::vector<uint8_t>, TraceError> section(SectionId Id);
  /// Compares the checksums of sections that this program does not know. Those of others are compared when they are
  /// unpacked.
  std::expected<void, TraceError> checkUnknown();

private:
  struct Place {
    uint64_t Offset; ///< in the file; of what is not alone, in Common
    uint32_t Sum;    ///< of the packed bytes, if it is alone
  };
  explicit Container(FileBytes &From) : From(From) {}
  std::string readDirectory(ByteReader &R, uint64_t Begin);
  std::expected<void, TraceError> spendFor(const SectionInfo &S);
  std::expected<void, TraceError> readCommon();
  std::expected<std::span<const uint8_t>, TraceError> readAlone(size_t I);
  size_t find(SectionId Id) const; ///< into Infos, or behind them

  FileBytes &From;
  std::vector<SectionInfo> Infos;
  std::vector<Place> Places; ///< as Infos
  uint64_t WholeSize = 0, CommonBegin = 0, CommonEnd = 0;
  bool IsPacked = false; ///< the common part
  uint32_t Sum = 0;
  std::vector<uint8_t> Common; ///< unpacked: the sections that are not alone
  MemoryBudget Memory;
};

} // namespace pilgrim

#endif
