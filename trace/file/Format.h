//===- Format.h - the trace file --------------------------------*- C++ -*-===//
//
// A TraceData as bytes and back: header, checksum, sections, packed by zstd. docs/format.md describes every byte.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_FORMAT_H
#define PILGRIM_TRACE_FILE_FORMAT_H

#include "trace/model/TraceData.h"

#include <expected>
#include <span>
#include <string>
#include <vector>

namespace pilgrim {

constexpr uint32_t FormatVersion = 6;

/// What is wrong with a trace, in one line without the file's name.
struct TraceError {
  std::string What;
};

struct SectionInfo {
  std::string Name;
  uint64_t Bytes; ///< unpacked
};

struct WriteOptions {
  int Level = 19; ///< zstd level; 0 stores (for messages between ranks)
};

/// The whole file as bytes.
std::vector<uint8_t> writeTrace(const TraceData &T, const WriteOptions &O = {});

/// Reads and validates everything. What it makes in memory is bounded by 256
/// MiB and 1024 times the size of the file, whatever the file says. Sections,
/// where wanted, receives the sizes of the sections in file order.
std::expected<TraceData, TraceError> readTrace(std::span<const uint8_t> File,
                                               std::vector<SectionInfo> *Sections = nullptr);

/// World, ranks and notes alone. The file is whole if there is no error, but what its other sections say is not looked
/// at.
std::expected<TraceData, TraceError> readHead(std::span<const uint8_t> File);

// The parts that the two are made of (internal to trace/).
struct SectionBytes {
  std::vector<uint8_t> Meta, Schema, Tables, Calls, Times;
};
SectionBytes encodeSections(const TraceData &T);
/// The section meta; Memory becomes what is left of it.
std::expected<TraceData, TraceError> decodeHead(const SectionBytes &S, uint64_t &Memory);
std::expected<TraceData, TraceError> decodeSections(const SectionBytes &S, uint64_t Memory = ByteReader::DefaultMemory);

} // namespace pilgrim

#endif
