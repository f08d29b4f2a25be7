//===- FileBytes.h - the bytes of a file, as far as they are wanted -*- C++ -*-===//
//
// A trace is looked at before it is read: magic, version and size come first, and sections that nobody asks for are not
// read at all. The bytes are in memory, or in a file, or come from a pipe, which is read to the size that the trace
// says it has.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_FILEBYTES_H
#define PILGRIM_TRACE_FILE_FILEBYTES_H

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
  /// Bytes that stay where they are.
  explicit FileBytes(std::span<const uint8_t> Memory) : Memory(Memory), Size(Memory.size()) {}
  static std::expected<FileBytes, TraceError> open(const std::string &Path);
  FileBytes(FileBytes &&Other) noexcept;
  FileBytes &operator=(FileBytes &&) = delete;
  ~FileBytes();

  /// The first Most bytes, or all if there are fewer.
  std::expected<std::span<const uint8_t>, TraceError> begin(size_t Most);
  /// How many there are. Of a pipe, only whether there are as many as Expected: no more than one byte behind these is
  /// read.
  std::expected<uint64_t, TraceError> size(uint64_t Expected);
  /// The N bytes from Offset on, which are there, as size() said. They are valid until the next call.
  std::expected<std::span<const uint8_t>, TraceError> at(uint64_t Offset, uint64_t N);

private:
  FileBytes(int File, bool IsPipe, uint64_t Size) : File(File), IsPipe(IsPipe), Size(Size) {}
  std::expected<size_t, TraceError> readSome(uint8_t *To, size_t N, uint64_t Offset);
  std::expected<void, TraceError> readPipe(uint64_t UpTo);

  int File = -1; ///< -1: Memory has all
  bool IsPipe = false;
  std::span<const uint8_t> Memory;
  std::vector<uint8_t> Read; ///< what at() gives; of a pipe, all so far
  uint64_t Size = 0;         ///< of a pipe: not used
};

} // namespace pilgrim

#endif
