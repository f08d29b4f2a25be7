//===- Format.h - the trace file --------------------------------*- C++ -*-===//
//
// Converts TraceData to bytes and back. docs/format.md describes every byte. Container.h holds the sections together.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_FORMAT_H
#define PILGRIM_TRACE_FILE_FORMAT_H

#include "trace/file/FileBytes.h"
#include "trace/model/TraceData.h"

namespace pilgrim {

constexpr uint32_t FormatVersion = 14;

struct SectionInfo {
  uint32_t Id = 0;
  std::string Name;
  uint64_t Bytes = 0;  ///< unpacked
  uint64_t Packed = 0; ///< in the file, if it is packed alone; 0: it is packed together with others
};

/// What decoded data may take, besides what follows from the size of its file: ByteReader::DefaultMemory, or what a
/// program that reads files of its user's sets before it reads any.
uint64_t readersMemory();
void setReadersMemory(uint64_t Bytes);

/// Memory that decoded data may take: the total, and the rest.
struct MemoryBudget {
  uint64_t Limit = readersMemory(), Left = Limit;
};

struct WriteOptions {
  int Level = 19;           ///< zstd level; 0 stores
  bool IsInTransit = false; ///< for messages between ranks: see ByteWriter
};

/// The whole file as bytes.
std::vector<uint8_t> writeTrace(const TraceData &T, const WriteOptions &O = {});
/// The same; if there are many chunks, they are not in memory, but are to be read from Chunks and written behind Head.
/// T must stay until then.
struct TraceParts {
  std::vector<uint8_t> Head;
  std::shared_ptr<const ChunkBytes> Chunks; ///< null: Head is the whole
  uint64_t size() const { return Head.size() + (Chunks ? Chunks->size() : 0); }
  /// Whether some bytes, the last ones, are elsewhere.
  bool isElsewhere() const { return Chunks && Chunks->here() < Chunks->size(); }
};
TraceParts writeTraceInParts(const TraceData &T, const WriteOptions &O = {});

/// Reads and validates everything; a file that is no trace is refused before it is read. The memory of decoded data is
/// bounded by 256 MiB and 1024 times the size of the file, whatever the file says. Sections, if not null, gets the
/// sizes of the sections in file order; measures are listed even if there are none. Unknown
/// sections are ignored; CheckUnknown: their checksums are compared.
std::expected<TraceData, TraceError> readTrace(FileBytes &File, std::vector<SectionInfo> *Sections = nullptr,
                                               bool CheckUnknown = false);
std::expected<TraceData, TraceError> readTrace(std::span<const uint8_t> File,
                                               std::vector<SectionInfo> *Sections = nullptr);

/// Reads only world, ranks and notes. Without an error the file has its full size, but the content of its other
/// sections is not examined. Sections that are packed alone are not even read.
std::expected<TraceData, TraceError> readHead(FileBytes &File);
std::expected<TraceData, TraceError> readHead(std::span<const uint8_t> File);

// The parts of writeTrace and readTrace (internal to trace/).
struct SectionBytes {
  std::vector<uint8_t> Meta, Schema, Tables, Calls, Measures, Times{};
  std::shared_ptr<const ChunkBytes> Chunks{}; ///< null: there are none
  uint64_t SummedChunks = 0;                  ///< their checksum is that of so many bytes: what is behind has its own
};
SectionBytes encodeSections(const TraceData &T, bool IsInTransit = false);
/// Decodes the section meta. Memory is reduced by what it takes.
std::expected<TraceData, TraceError> decodeHead(std::span<const uint8_t> Meta, MemoryBudget &Memory);
std::expected<TraceData, TraceError> decodeSections(SectionBytes S, MemoryBudget Memory = {});

} // namespace pilgrim

#endif
