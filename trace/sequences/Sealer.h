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

  /// Whether rules of so many symbols may be sealed, being Enough. Says when they are looked at again.
  bool isDue(size_t Symbols, size_t Enough) {
    const size_t Later = 2 * std::max(Review, Symbols);
    Review = Symbols < Enough ? std::min(Later, Enough) : Later;
    return Symbols >= Enough;
  }
  /// Elements from the middle of a sequence that stand for all of it, whose rules have so many symbols. They have to
  /// learn what is frequent: as models do in a chunk, which has as many from now on.
  size_t toCompare(const ChunkStore &To, size_t Symbols) {
    return Most = std::max(Few, To.mayCollect(std::clamp(Symbols, Few, Many)));
  }
  /// Begins to find out whether these take less in a chunk than in rules, which are so many bytes. HasNoRules: they do
  /// not repeat, so rules would only take more and more memory. Until it is known, Review is 0.
  void compare(ChunkStore &To, std::vector<Element> Middle, double InRules, bool HasNoRules);
  /// Goes on with that, and returns whether it has ended and chunks say less. Then Review is Next.
  bool paysToSeal(ChunkStore &To, size_t Next);
  /// Appends to Plain. If that is full, it is sealed, or a part of it; IsPlain is false if its end can be foreseen.
  /// Then Plain is empty, and E is not appended.
  void append(ChunkStore &To, const Element &E) {
    if (Plain.size() >= most(To))
      sealFull(To);
    if (IsPlain)
      Plain.push_back(E);
    To.collected();
  }
  /// The same for many, of which none can be foreseen. From now on things are collected.
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
  static constexpr size_t Few = size_t(1) << 14, Many = size_t(1) << 16;
  /// Elements that may be collected. Text takes less memory, and is said shorter in long pieces.
  size_t most(const ChunkStore &To) const { return To.mayCollect(Most) * (sizeof(Element) == 1 ? 16 : 1); }
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

  size_t Most = Few; ///< elements that may be collected
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
