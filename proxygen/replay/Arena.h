//===- Arena.h - memory for the arguments of a call --------------*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_REPLAY_ARENA_H
#define PILGRIM_PROXYGEN_REPLAY_ARENA_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace pilgrim {

/// Gives zeroed memory until it is reset. A nonblocking call may need its arrays until it completes; then the arena is
/// kept with the request.
class Arena {
public:
  void *take(size_t Bytes) {
    Bytes = (Bytes + 15) & ~size_t(15);
    if (At == Blocks.size() || Blocks[At].Size - Used < Bytes) {
      while (At < Blocks.size() && (Used || Blocks[At].Size < Bytes)) {
        ++At;
        Used = 0;
      }
      if (At == Blocks.size()) {
        const size_t Size = Bytes > Least ? Bytes : Least;
        Blocks.push_back({std::make_unique_for_overwrite<std::byte[]>(Size), Size});
        Used = 0;
      }
    }
    void *Out = Blocks[At].Bytes.get() + Used;
    Used += Bytes;
    return std::memset(Out, 0, Bytes);
  }
  template <typename T> T *take(size_t Count) { return static_cast<T *>(take(Count * sizeof(T))); }
  bool isEmpty() const { return At == 0 && Used == 0; }
  void reset() { At = Used = 0; }

private:
  static constexpr size_t Least = 4096;
  struct Block {
    std::unique_ptr<std::byte[]> Bytes;
    size_t Size;
  };
  std::vector<Block> Blocks;
  size_t At = 0, Used = 0; ///< the block in use, and what is used of it
};

} // namespace pilgrim

#endif
