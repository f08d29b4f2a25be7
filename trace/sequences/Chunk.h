//===- Chunk.h - a stretch of a sequence, sealed ------------------*- C++ -*-===//
//
// A grammar pays while things repeat. Where they do not, a stretch of some thousand elements is sealed: it becomes
// entropy-coded bytes (ChunkCodec.h), and nothing is left of it that takes memory or has to be compressed at the end.
// In a grammar a chunk stands as a rule, in a stream of integers as a run.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_CHUNK_H
#define PILGRIM_TRACE_SEQUENCES_CHUNK_H

#include "trace/base/Bytes.h"
#include "trace/sequences/ChunkCodec.h"

#include <algorithm>
#include <memory>

namespace pilgrim {

/// Where the bytes of chunks are: the section of a trace that was read, or what a recorder has kept.
class ChunkBytes {
public:
  virtual ~ChunkBytes() = default;
  virtual uint64_t size() const = 0;
  /// So many bytes, the first ones, can be had. The others are elsewhere: only their number is known.
  virtual uint64_t here() const { return size(); }
  /// A part that is within size(); fewer bytes if it cannot be had, as of a file that is gone.
  virtual std::vector<uint8_t> read(uint64_t Offset, uint64_t Size) const = 0;
};

/// Bytes in memory.
class ChunkMemory final : public ChunkBytes {
public:
  explicit ChunkMemory(std::vector<uint8_t> Bytes) : Bytes(std::move(Bytes)) {}
  uint64_t size() const override { return Bytes.size(); }
  std::vector<uint8_t> read(uint64_t Offset, uint64_t Size) const override {
    const auto Begin = Bytes.begin() + static_cast<ptrdiff_t>(Offset);
    return {Begin, Begin + static_cast<ptrdiff_t>(Size)};
  }

private:
  std::vector<uint8_t> Bytes;
};

/// Bytes that can be had, if not null, and behind them some that are elsewhere.
class PartlyElsewhere final : public ChunkBytes {
public:
  PartlyElsewhere(std::shared_ptr<const ChunkBytes> First, uint64_t Elsewhere)
      : First(std::move(First)), Elsewhere(Elsewhere) {}
  uint64_t here() const override { return First ? First->size() : 0; }
  uint64_t size() const override { return here() + Elsewhere; }
  std::vector<uint8_t> read(uint64_t Offset, uint64_t Size) const override {
    return Offset < here() ? First->read(Offset, std::min(Size, here() - Offset)) : std::vector<uint8_t>();
  }

private:
  const std::shared_ptr<const ChunkBytes> First;
  const uint64_t Elsewhere;
};

/// A part of others.
class ChunkPart final : public ChunkBytes {
public:
  ChunkPart(std::shared_ptr<const ChunkBytes> Whole, uint64_t Begin, uint64_t Size)
      : Whole(std::move(Whole)), Begin(Begin), Size(Size) {}
  uint64_t size() const override { return Size; }
  std::vector<uint8_t> read(uint64_t Offset, uint64_t N) const override { return Whole->read(Begin + Offset, N); }

private:
  const std::shared_ptr<const ChunkBytes> Whole;
  const uint64_t Begin, Size;
};

class Chunk {
public:
  using ItemList = std::vector<RepeatedTerminal>;
  using ValueList = std::vector<int64_t>;

  /// Size bytes at Offset of From, which stand for Length elements. Terminals: of a chunk of items, all are below it.
  Chunk(std::shared_ptr<const ChunkBytes> From, uint64_t Offset, uint64_t Size, uint64_t Length, uint32_t Terminals = 0)
      : B(std::make_shared<Body>(std::move(From), Offset, Size, Length, Terminals)) {}

  uint64_t length() const { return B->Length; }
  uint64_t size() const { return B->Size; }
  uint32_t terminals() const { return B->Terminals; }
  std::vector<uint8_t> bytes() const { return B->From->read(B->Offset, B->Size); }
  /// The bytes cannot be had.
  bool isElsewhere() const { return B->Offset >= B->From->here(); }
  /// The same chunk, where only its size is known.
  Chunk elsewhere() const {
    return {std::make_shared<PartlyElsewhere>(nullptr, B->Size), 0, B->Size, B->Length, B->Terminals};
  }
  /// Of the content.
  uint64_t hash() const;
  /// By content.
  bool operator==(const Chunk &Other) const;

  /// What it stands for, Length elements in any case: damage gives other ones.
  std::shared_ptr<const ItemList> items() const;
  std::shared_ptr<const ValueList> values() const;

  /// Where the bytes will stand in the section of the file that is being written.
  void place(uint64_t Offset) const { B->Place = Offset; }
  uint64_t placed() const { return B->Place; }
  void write(ByteWriter &W) const;
  /// Reads what write() wrote. R.Chunks are the bytes. Of a chunk of items there are terminals.
  static Chunk read(ByteReader &R, bool AreItems);

private:
  struct Body {
    std::shared_ptr<const ChunkBytes> From;
    uint64_t Offset, Size, Length;
    uint32_t Terminals;
    uint64_t Place = 0, Hash = 0;          ///< 0: not known yet
    std::weak_ptr<const ItemList> Items{}; ///< as long as somebody reads them
    std::weak_ptr<const ValueList> Values{};
  };
  std::shared_ptr<Body> B;
};

/// Takes chunks while something is recorded, and lets what makes them go on bit by bit.
class ChunkStore {
public:
  /// The bytes of a chunk; Terminals as above.
  virtual Chunk keep(std::vector<uint8_t> Bytes, uint64_t Length, uint32_t Terminals) = 0;

  /// Something that ends with keep(). What was given before ends before.
  void later(Work W) {
    while (Waiting.size() >= MostWaiting)
      goOn();
    Waiting.push_back(std::move(W));
  }
  /// What waits goes on a little: by some elements.
  void goOn() {
    if (!Waiting.empty() && Waiting.front().goOn())
      Waiting.erase(Waiting.begin());
  }
  /// To be called whenever an element was collected: what waits goes on faster than elements come.
  void collected() {
    if (++Collected % Seldom == 0)
      goOn();
  }
  /// All that waits.
  void finish() {
    while (!Waiting.empty())
      goOn();
  }

  /// One more sequence has become long. All that have share what memory there is.
  void addLong() { ++NumLong; }
  /// Rules have room for so many symbols more, or less.
  void addRoom(size_t Symbols) {
    Room += Symbols;
    AreMany |= Room > MuchRoom;
  }
  void takeRoom(size_t Symbols) { Room -= std::min(Room, Symbols); }
  /// Symbols from which on a sequence is long. Where there are very many sequences, as of contexts in which something
  /// irregular happens, those that are not long would take the most memory.
  size_t isLongFrom() const { return AreMany ? LongAmongMany : LongAsARule; }
  static constexpr size_t LongAsARule = 1024, LongAmongMany = 64;
  /// Symbols of rules below which nothing is sealed.
  size_t mayHaveRules() const {
    return AreMany ? LongAmongMany : std::clamp<size_t>((size_t(1) << 17) / NumLong, LongAsARule, 1 << 15);
  }
  /// Symbols of rules from which on a sequence is sealed even where rules say less: these would take ever more memory.
  size_t mostRules() const { return std::clamp<size_t>((size_t(1) << 20) / NumLong, 1 << 14, 1 << 19); }
  /// Elements that may be collected for a chunk, Most of them if memory allows it.
  size_t mayCollect(size_t Most) const { return std::clamp<size_t>((size_t(1) << 18) / NumLong, 1 << 11, Most); }

protected:
  ~ChunkStore() = default;

private:
  static constexpr size_t MostWaiting = 8; ///< as each takes memory
  static constexpr unsigned Seldom = 64;

  static constexpr size_t MuchRoom = size_t(1) << 19; ///< of 24 bytes each, and as much again beside them

  size_t NumLong = 1;
  size_t Room = 0;      ///< of the rules of all sequences
  bool AreMany = false; ///< Room was much once
  std::vector<Work> Waiting;
  unsigned Collected = 0;
};

} // namespace pilgrim

#endif
