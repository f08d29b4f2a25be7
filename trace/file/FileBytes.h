//===- FileBytes.h - the bytes of a file, as far as they are wanted -*- C++ -*-===//
//
// A trace is examined before it is read: magic, version and size come first, and unused sections are not read at all.
// The bytes are in memory, in a file, or come from a pipe. A pipe is read up to the size that the trace states.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_FILEBYTES_H
#define PILGRIM_TRACE_FILE_FILEBYTES_H

#include "trace/sequences/Chunk.h"

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

namespace pilgrim {

/// What is wrong with a trace, in one line without the file's name.
struct TraceError {
  std::string What;
};

class FileBytes {
public:
  /// Bytes in memory, which must stay where they are.
  explicit FileBytes(std::span<const uint8_t> Memory) : Memory(Memory), Size(Memory.size()) {}
  /// The same, and behind it, not null, what part() gives.
  FileBytes(std::span<const uint8_t> Memory, std::shared_ptr<const ChunkBytes> Tail)
      : Memory(Memory), Tail(std::move(Tail)), Size(Memory.size() + this->Tail->size()) {}
  static std::expected<FileBytes, TraceError> open(const std::string &Path);
  FileBytes(FileBytes &&Other) noexcept;
  FileBytes &operator=(FileBytes &&) = delete;
  ~FileBytes();

  /// The first Most bytes, or all if there are fewer.
  std::expected<std::span<const uint8_t>, TraceError> begin(size_t Most);
  /// The number of bytes. Of a pipe, at most Expected + 1 bytes are read, which is enough to compare with Expected.
  std::expected<uint64_t, TraceError> size(uint64_t Expected);
  /// The N bytes from Offset on. They must be within size(). The result is valid until the next call.
  std::expected<std::span<const uint8_t>, TraceError> at(uint64_t Offset, uint64_t N);
  /// The same bytes, to be read later, when this object may be gone. Those of a file stay there.
  std::expected<std::shared_ptr<const ChunkBytes>, TraceError> part(uint64_t Offset, uint64_t N);

private:
  FileBytes(int File, bool IsPipe, uint64_t Size) : File(File), IsPipe(IsPipe), Size(Size) {}
  std::expected<size_t, TraceError> readSome(uint8_t *To, size_t N, uint64_t Offset);
  std::expected<void, TraceError> readPipe(uint64_t UpTo);

  int File = -1; ///< -1: all bytes are in Memory
  bool IsPipe = false;
  std::span<const uint8_t> Memory;
  std::shared_ptr<const ChunkBytes> Tail; ///< of bytes in memory: what is behind them
  std::vector<uint8_t> Read;              ///< what at() returns; of a pipe, all bytes read so far
  uint64_t Size = 0;                      ///< of a pipe: not used
};

} // namespace pilgrim

#endif
