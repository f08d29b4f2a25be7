//===- RankFn.h - one integer slot over all ranks ---------------*- C++ -*-===//
//
// A slot of a signature as a function of the rank. A rank's own value is
// explained by candidates: the constant, an offset from the rank, the same
// modulo the size, the rank with some bits flipped; rank and size are those of
// the call's communicator. Merging intersects candidates. An empty intersection
// tries the pieces of the other side, then opens a piece for these ranks; past a
// cap of pieces the values are listed by rank. When all ranks are there, a list
// may turn out to follow from the place in a grid.
//
// A function stays what it is in memory: nothing here takes memory for each rank
// but lists, while they are merged.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_RANKFN_H
#define PILGRIM_TRACE_RANKS_RANKFN_H

#include "trace/ranks/Grid.h"
#include "trace/ranks/RankSet.h"
#include "trace/ranks/ValueList.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
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
  Candidates intersect(const Candidates &O) const {
    Candidates R = *this;
    R.Mask &= O.Mask & ((C == O.C ? Const : 0) | (Off == O.Off ? Offset : 0) | (Mod == O.Mod ? Modulo : 0) |
                        (Flip == O.Flip ? Xor : 0));
    return R;
  }
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
  /// One way to say the values of some of the ranks.
  struct Piece {
    RankSet Ranks;
    Candidates Cand; ///< unless there is one of these:
    std::shared_ptr<const ValueList> List{};
    std::shared_ptr<const Grid> In{};

    bool isExplained() const { return !List && !In; }
    bool isConst() const { return isExplained() && Cand.Mask == Candidates::Const; }
    /// Whether values depend on rank and size in a communicator.
    bool hasContext() const { return In ? In->Of == Grid::Own : !List && Cand.Mask != Candidates::Const; }
    int64_t eval(uint32_t WorldRank, const RankContext &Ctx) const;
  };
  /// Context of a world rank for this slot.
  using ContextFn = std::function<RankContext(uint32_t WorldRank)>;

  RankFn() = default;
  explicit RankFn(int64_t V) { One.C = V; }

  /// Whether one explanation covers all ranks.
  bool isSingle() const { return !More; }
  const Candidates &single() const { return One; }
  /// Whether it is the same value for all ranks.
  bool isConst() const { return !More && One.Mask == Candidates::Const; }
  /// The pieces; none if isSingle(). Ranks of pieces are disjoint.
  std::span<const Piece> pieces() const { return More ? std::span<const Piece>(*More) : std::span<const Piece>(); }
  int64_t eval(uint32_t WorldRank, const RankContext &Ctx) const;

  /// Whether both say the same of the same ranks in the same way, without a list that is being merged. Where the
  /// context is the same, so are the values. False: they may be, too.
  bool isSame(const RankFn &Other) const;

  /// Ranks with the same value, for each value: in the order of their first ranks. Nothing if there are more than Most.
  struct Level {
    int64_t Value;
    RankSet Ranks;
  };
  std::optional<std::vector<Level>> levels(const RankSet &Ranks, const ContextFn &Ctx, size_t Most) const;
  /// The smallest and the largest value of Ranks, which are not none; in the rank and size of the world.
  std::pair<int64_t, int64_t> range(const RankSet &Ranks, uint32_t World) const;

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
  /// The values of all of Ranks, ascending; false if some depends on its rank by an explanation.
  bool values(const RankSet &Ranks, std::vector<int64_t> &Out) const;
  /// The function with these values for Ranks, ascending; of no rank: one value for whatever rank.
  static RankFn ofValues(const std::vector<int64_t> &Values, const RankSet &Ranks);
  /// The function that is constant on each of some disjoint sets.
  static RankFn ofLevels(const std::vector<Level> &Levels);
  /// Adds the values of OtherRanks. Ranks are those that this already explains. Unions: of what is merged together.
  void merge(const RankFn &Other, const RankSet &Ranks, const RankSet &OtherRanks, const ContextFn &Ctx,
             const ContextFn &OtherCtx, RankSetUnions &Unions);
  void merge(const RankFn &Other, const RankSet &Ranks, const RankSet &OtherRanks, const ContextFn &Ctx,
             const ContextFn &OtherCtx) {
    RankSetUnions Unions;
    merge(Other, Ranks, OtherRanks, Ctx, OtherCtx, Unions);
  }
  /// Gives a value that is known for one rank all its candidates.
  void derive(const RankContext *Ctx);
  /// Drops all but one explanation of each piece, which is what a finished
  /// trace needs.
  void choose();
  /// Makes several pieces, or a list, which are for Ranks, a grid or a list of the values, where that is shorter.
  void shorten(const RankSet &Ranks, const ContextFn &Ctx);

  /// The first value, and what all others are whole steps of away from it.
  struct Scale {
    int64_t First = 0;
    uint64_t Unit = 0;
  };
  /// Of a function whose lists are compressed. Unit 0: others cannot follow from it; there is but one explanation, or
  /// some value depends on its rank by one, or all values are equal.
  Scale scale(const RankSet &Ranks) const;
  /// The same steps from elsewhere, in another unit.
  RankFn rescaled(const Scale &From, const Scale &To) const;
  /// The same with its lists as they will stand in a file.
  RankFn compressed() const;
  /// Bytes behind it, some of which it may share with others.
  uint64_t memory() const;

  void write(ByteWriter &W) const;
  /// Earlier: what this may follow from; null: they may not stand here.
  static RankFn read(ByteReader &R, const RankSet &Ranks, const RankScope &Scope, AffineReader *Earlier = nullptr);

  static constexpr size_t MaxPieces = 12;

private:
  std::vector<Piece> piecesFor(const RankSet &Ranks) const;
  void set(std::vector<Piece> Pieces);
  static Piece listed(const std::vector<Piece> &Pieces, const ContextFn &Ctx);
  bool becomeNeighbour(const RankSet &Ranks, const ContextFn &Ctx);
  static void readPiece(ByteReader &R, uint8_t Head, Piece &P);

  Candidates One;
  std::shared_ptr<std::vector<Piece>> More; // shared between copies, replaced on change
};

} // namespace pilgrim

#endif
