//===- RankFn.h - one integer slot over all ranks ---------------*- C++ -*-===//
//
// A slot of a signature as a function of the rank. A rank's own value is
// explained by candidates: the constant, an offset from the rank, the same
// modulo the size, the rank with some bits flipped; rank and size are those of
// the call's communicator. Merging intersects candidates. An empty intersection tries the pieces of the other
// side, then opens a piece for these ranks; past a cap of pieces the values are
// listed by rank.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_RANKFN_H
#define PILGRIM_TRACE_RANKS_RANKFN_H

#include "trace/sequences/IntStream.h"
#include "trace/ranks/Neighbour.h"
#include "trace/ranks/RankSet.h"

#include <functional>
#include <memory>
#include <vector>

namespace pilgrim {

/// Own rank and size in the communicator (window, file) that a value is seen
/// from; Size 0: none known.
struct RankContext {
  int64_t Rank = 0, Size = 0;
};

/// The explanations of a value that hold for all ranks of a piece. At least one
/// bit of Mask is set.
struct Candidates {
  enum : uint8_t { Const = 1, Offset = 2, Modulo = 4, Xor = 16, All = Const | Offset | Modulo | Xor };
  uint8_t Mask = Const;
  int64_t C = 0;    ///< the value
  int64_t Off = 0;  ///< value - rank
  int64_t Mod = 0;  ///< (value - rank) mod size
  int64_t Flip = 0; ///< value xor rank

  static Candidates of(int64_t V, const RankContext *Ctx);
  /// The common explanations; Mask 0: none.
  Candidates intersect(const Candidates &O) const;
  int64_t eval(const RankContext &Ctx) const;
  void write(ByteWriter &W) const;
  static Candidates read(ByteReader &R);
  /// Whether a byte is a mask, and so not one of the other heads of a function.
  static bool isMask(uint8_t B) { return B != 0 && !(B & ~All); }
  bool operator==(const Candidates &) const = default;
};

class AffineReader;

class RankFn {
public:
  struct Piece {
    RankSet Ranks;
    Candidates Cand;
    bool operator==(const Piece &) const = default;
  };
  /// Context of a world rank for this slot.
  using ContextFn = std::function<RankContext(uint32_t WorldRank)>;

  RankFn() = default;
  explicit RankFn(int64_t V) { One.C = V; }

  /// Whether one explanation covers all ranks.
  bool isSingle() const { return !More; }
  const Candidates &single() const { return One; }
  int64_t eval(uint32_t WorldRank, const RankContext &Ctx) const;

  /// The frequent case of merge(): one explanation on each side, and a common
  /// one; else nothing is done.
  bool mergeSingle(const RankFn &Other) {
    if (More || Other.More)
      return false;
    Candidates Both = One.intersect(Other.One);
    if (!Both.Mask)
      return false;
    One = Both;
    return true;
  }
  /// Whether merge() will find an explanation here for each of Other's pieces.
  bool explains(const RankFn &Other) const;
  /// The values of all ranks, of which there are Count, ascending; false if some depends on its rank by an explanation.
  bool values(size_t Count, std::vector<int64_t> &Out) const;
  /// The function with these values for Ranks, ascending; of no rank: one value for whatever rank.
  static RankFn ofValues(const std::vector<int64_t> &Values, const RankSet &Ranks);
  /// Adds the values of OtherRanks. Ranks are those that this already explains.
  void merge(const RankFn &Other, const RankSet &Ranks, const RankSet &OtherRanks, const ContextFn &Ctx,
             const ContextFn &OtherCtx);
  /// Gives a value that is known for one rank all its candidates.
  void derive(const RankContext *Ctx);
  /// Drops all but one explanation of each piece, which is what a finished
  /// trace needs.
  void choose();
  /// Makes several pieces, which are for Ranks, a neighbour or a list of the values, where that is shorter.
  void shorten(const RankSet &Ranks, const ContextFn &Ctx);

  /// The first value, and what all others are whole steps of away from it.
  struct Scale {
    int64_t First = 0;
    uint64_t Unit = 0;
  };
  /// Unit 0: there is but one explanation, or some value depends on its rank by one, or all values are equal.
  Scale scale(const RankSet &Ranks) const;
  /// The same steps from elsewhere, in another unit.
  RankFn rescaled(const Scale &From, const Scale &To) const;
  /// Bytes behind it, some of which it may share with others.
  uint64_t memory() const;

  void write(ByteWriter &W) const;
  /// Earlier: what this may follow from; null: they may not stand here.
  static RankFn read(ByteReader &R, const RankSet &Ranks, uint32_t World, AffineReader *Earlier = nullptr);

  static constexpr size_t MaxPieces = 12;

private:
  struct Many {
    std::vector<Piece> Pieces;   // or, if empty:
    RankSet Listed;              // ranks with a value of their own each
    std::vector<int64_t> Values; // in the order of Listed; or, if empty:
    Neighbour Beside;            // of all in Listed
  };
  Many &many(const RankSet &Ranks);
  void list(const ContextFn &Ctx);
  void writeList(ByteWriter &W, bool IsRelative) const;
  bool findNeighbour(const RankSet &Ranks, const ContextFn &Ctx);

  Candidates One;
  std::shared_ptr<const Many> More; // shared between copies, replaced on change
};

} // namespace pilgrim

#endif
