//===- Sealer.h - a sequence cut into chunks ----------------------*- C++ -*-===//
//
// Collects a sequence in which little repeats, and cuts it into chunks (Chunk.h). The content says where: behind the
// element at which a hash of the last 64 elements is largest, so what comes again, however much later, is cut at the
// same places. Equal chunks are kept once. A chunk that was cut is coded bit by bit while the next one is collected.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_SEALER_H
#define PILGRIM_TRACE_SEQUENCES_SEALER_H

#include "trace/sequences/Chunk.h"
#include "trace/sequences/Collected.h"

#include <map>

namespace pilgrim {

/// What was sealed of a sequence.
struct SealedPart {
  std::vector<Chunk> Chunks;    ///< each once
  std::vector<uint32_t> Order;  ///< the sequence: indices into Chunks
  std::vector<uint64_t> Counts; ///< of items, by terminal: in the whole sequence
};

/// Element: RepeatedTerminal, int64_t, or uint8_t, which is a byte of text.
template <typename Element> class Sealer {
public:
  /// While IsPlain, what follows is collected here; else it is in rules, and this is empty.
  bool IsPlain = false;
  /// Symbols at which the rules are looked at.
  size_t Review;
  Collected<Element> Plain;

  explicit Sealer(size_t Review = ChunkStore::LongAsARule) : Review(Review) {}

  /// Begins to find out whether the sequence so far, L, takes less in chunks than in rules, which are so many bytes.
  /// HasNoRules: it does not repeat, so these would only take more and more memory. Until it is known, Review is 0.
  void compare(ChunkStore &To, std::span<const Element> L, uint64_t InRules, bool HasNoRules);
  /// Goes on with that, and returns whether it has ended and chunks say less. Then Review is Next.
  bool paysToSeal(ChunkStore &To, size_t Next);
  /// From now on things are collected, these first.
  void begin(ChunkStore &To, std::span<const Element> First);
  /// Appends to Plain. If that is full, it is sealed, or a part of it; IsPlain is false if its end can be foreseen.
  /// Then Plain is empty, and E is not appended.
  void append(ChunkStore &To, const Element &E) {
    if (Plain.size() >= most(To))
      sealFull(To);
    if (IsPlain)
      Plain.push_back(E);
    To.collected();
  }
  /// The same for many, of which none can be foreseen.
  void append(ChunkStore &To, std::span<const Element> L) {
    for (IsPlain = true; !L.empty();) {
      const size_t Most = most(To);
      if (Plain.size() >= Most)
        sealBegin(To);
      const size_t N = std::min(L.size(), Most - std::min(Plain.size(), Most));
      Plain.append(L.first(N));
      L = L.subspan(N);
    }
    To.collected();
  }
  /// Everything, Plain too if it has so many elements at least.
  SealedPart result(ChunkStore &To, size_t Least) const;
  bool empty() const { return Order.empty() && Plain.empty(); }
  size_t memory() const;

private:
  /// Elements that may be collected. Text takes less memory, and is said shorter in long pieces.
  static size_t most(const ChunkStore &To) { return To.mayCollect() * (sizeof(Element) == 1 ? 16 : 1); }
  static size_t cut(std::span<const Element> L);
  void sealFull(ChunkStore &To);
  bool sealBegin(ChunkStore &To);
  bool seal(ChunkStore &To, std::vector<Element> Part);

  /// What becomes of those that are cut, in their order.
  struct Coded {
    std::vector<Chunk> Chunks;
    ChunkForm Form;
    bool IsComparing = false, Pays = false;
  };
  static Work tryWith(std::shared_ptr<Coded> To, std::vector<Element> Middle, double Most);
  static Work code(std::shared_ptr<Coded> To, ChunkStore &Store, std::vector<Element> Part, uint64_t Length,
                   uint32_t Terminals);

  std::shared_ptr<Coded> Done = std::make_shared<Coded>();
  std::vector<uint32_t> Order; ///< as in SealedPart, also of chunks that are not coded yet
  std::vector<uint64_t> Counts;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> Known; ///< by the hash of what it stands for
};

extern template class Sealer<RepeatedTerminal>;
extern template class Sealer<int64_t>;
extern template class Sealer<uint8_t>;

} // namespace pilgrim

#endif
