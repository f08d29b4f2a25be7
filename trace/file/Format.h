//===- Format.h - the trace file --------------------------------*- C++ -*-===//
//
// A TraceData as bytes and back. docs/format.md describes every byte; Container.h is what holds the sections together.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_FORMAT_H
#define PILGRIM_TRACE_FILE_FORMAT_H

#include "trace/file/FileBytes.h"
#include "trace/model/TraceData.h"

namespace pilgrim {

constexpr uint32_t FormatVersion = 7;

struct SectionInfo {
  uint32_t Id = 0;
  std::string Name;
  uint64_t Bytes = 0;  ///< unpacked
  uint64_t Packed = 0; ///< in the file, if it is packed alone; 0: it is packed together with others
};

/// Memory that what is read may take: all together, and what is left of it.
struct MemoryBudget {
  uint64_t Limit = ByteReader::DefaultMemory, Left = Limit;
};

struct WriteOptions {
  int Level = 19; ///< zstd level; 0 stores (for messages between ranks)
};

/// The whole file as bytes.
std::vector<uint8_t> writeTrace(const TraceData &T, const WriteOptions &O = {});

/// Reads and validates everything; a file that is no trace is refused before it is read. What it makes in memory is
/// bounded by 256 MiB and 1024 times the size of the file, whatever the file says. Sections, where wanted, receives the
/// sizes of the sections in file order, those of this program also where they are empty. What a reader does not know is
/// left out; CheckUnknown: but its checksums are compared.
std::expected<TraceData, TraceError> readTrace(FileBytes &File, std::vector<SectionInfo> *Sections = nullptr,
                                               bool CheckUnknown = false);
std::expected<TraceData, TraceError> readTrace(std::span<const uint8_t> File,
                                               std::vector<SectionInfo> *Sections = nullptr);

/// World, ranks and notes alone. The file has its full size if there is no error, but what its other sections say is
/// not looked at; those that are packed alone are not even read.
std::expected<TraceData, TraceError> readHead(FileBytes &File);
std::expected<TraceData, TraceError> readHead(std::span<const uint8_t> File);

// The parts that the two are made of (internal to trace/).
struct SectionBytes {
  std::vector<uint8_t> Meta, Schema, Tables, Calls, Measures;
};
SectionBytes encodeSections(const TraceData &T);
/// The section meta; Memory becomes what is left of it.
std::expected<TraceData, TraceError> decodeHead(std::span<const uint8_t> Meta, MemoryBudget &Memory);
std::expected<TraceData, TraceError> decodeSections(const SectionBytes &S, MemoryBudget Memory = {});

} // namespace pilgrim

#endif
