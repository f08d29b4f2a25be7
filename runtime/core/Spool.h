//===- Spool.h - bytes that are only added to ---------------------*- C++ -*-===//
//
// What a run has sealed (trace/sequences/Chunk.h) may be much more than a program has memory to spare. It stays in
// memory while it is little; then it goes to a file beside the trace, which is removed when the process ends. The file
// is opened for each write: a program may close descriptors that it does not know.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_SPOOL_H
#define PILGRIM_CORE_SPOOL_H

#include "trace/sequences/Chunk.h"

#include <string>

namespace pilgrim {

class Spool final : public ChunkBytes {
public:
  Spool() = default;
  Spool(const Spool &) = delete;
  ~Spool() override;
  /// What the names of all files begin with, absolute, as the program may change its folder. Before this is called,
  /// and if it is empty, everything stays in memory.
  static void setPlace(std::string Path);
  /// Removes all files of this process. Nothing may be asked of their spools any more.
  static void removeFiles();

  /// Returns the offset of the first byte.
  uint64_t append(std::span<const uint8_t> Bytes);
  uint64_t size() const override { return InFile + Tail.size(); }
  std::vector<uint8_t> read(uint64_t Offset, uint64_t Size) const override;
  /// The file if it does not have what was written to it, as somebody removed or cut it; else empty.
  std::string lostFile() const;
  /// Whether read() ever gave less than it should.
  static bool hasLost();
  /// Bytes of memory in use.
  size_t memory() const { return Tail.capacity(); }

private:
  bool write();
  int open(int Flags) const;

  std::vector<uint8_t> Tail; ///< what is behind the file's end
  uint64_t InFile = 0;
  std::string File;              ///< empty: there is none
  uint64_t Device = 0, Node = 0; ///< of the file
  int Owner = 0;                 ///< the process that made it; a child of a fork has a copy of this
  bool HasFailed = false;
};

/// Keeps the chunks of one recorder.
class ChunkKeeper final : public ChunkStore {
public:
  Chunk keep(std::vector<uint8_t> Bytes, uint64_t Length, uint32_t Terminals) override {
    const uint64_t Offset = Kept->append(Bytes);
    return {Kept, Offset, Bytes.size(), Length, Terminals};
  }
  std::string lostFile() const { return Kept->lostFile(); }
  size_t memory() const { return Kept->memory(); }

private:
  std::shared_ptr<Spool> Kept = std::make_shared<Spool>();
};

} // namespace pilgrim

#endif
