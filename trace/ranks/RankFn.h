//===- RankFn.h - one integer slot over all ranks ---------------*- C++ -*-===//
//
// A slot of a signature as a function of the rank. A rank's own value has several candidate explanations: the constant,
// an offset from the rank, the same modulo the size, the rank with some bits flipped. Rank and size are those of the
// call's communicator. Merging intersects candidates. If the intersection is empty, merging tries the pieces of the
// other side, then opens a new piece for these ranks. Above a maximum number of pieces the values are listed by rank.
// Once all ranks are merged, a list may be replaced by a grid.
//
// Functions are not expanded in memory: only lists take memory for each rank, while they are merged.
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

/// Own rank and size in the communicator (window, file) that a value refers to; Size 0: not known.
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
  /// Whether there is a common explanation.
  bool meets(const Candidates &O) const {
    const unsigned Both = Mask & O.Mask;
    return ((Both & Const) && C == O.C) || ((Both & Offset) && Off == O.Off) || ((Both & Modulo) && Mod == O.Mod) ||
           ((Both & Xor) && Flip == O.Flip);
  }
  int64_t eval(const RankContext &Ctx) const;
  uint64_t hash() const;
  void write(ByteWriter &W) const;
  static Candidates read(ByteReader &R);
  /// Whether a byte is a mask, and so not another head of a function.
  static bool isMask(uint8_t B) { return B != 0 && !(B & ~All); }
  bool operator==(const Candidates &) const = default;
};

class AffineReader;

class RankFn {
public:
  /// The values of some of the ranks, in one form.
  struct Piece {
    RankSet Ranks;
    Candidates Cand; ///< used if List and In are null
    std::shared_ptr<const ValueList> List{};
    std::shared_ptr<const Grid> In{};

    bool isExplained() const { return !List && !In; }
    bool isConst() const { return isExplained() && Cand.Mask == Candidates::Const; }
    /// Whether values depend on rank and size in a communicator.
    bool hasContext() const { return In ? In->Of == Grid::Own : !List && Cand.Mask != Candidates::Const; }
    int64_t eval(uint32_t WorldRank, const RankContext &Ctx) const;
    /// Calls F(world rank, value) for each rank. What is listed need not be looked up.
    template <typename Context, typename Fn> void forEachValue(const Context &Ctx, Fn &&F) const {
      uint64_t Place = 0;
      Ranks.forEach(
          [&](uint32_t R) { F(R, List ? List->at(Place++, R) : eval(R, hasContext() ? Ctx(R) : RankContext())); });
    }
  };
  /// Context of a world rank for this slot.
  using ContextFn = std::function<RankContext(uint32_t WorldRank)>;

  RankFn() = default;
  explicit RankFn(int64_t V) { One.C = V; }

  /// Whether one explanation covers all ranks.
  bool isSingle() const { return !More; }
  const Candidates &single() const { return One; }
  /// Whether all ranks have the same value.
  bool isConst() const { return !More && One.Mask == Candidates::Const; }
  /// The pieces; none if isSingle(). Ranks of pieces are disjoint.
  std::span<const Piece> pieces() const { return More ? std::span<const Piece>(*More) : std::span<const Piece>(); }
  int64_t eval(uint32_t WorldRank, const RankContext &Ctx) const;

  /// Whether both have the same form for the same ranks. Then the values are equal wherever the contexts are. If false,
  /// the values may still be equal.
  bool isSame(const RankFn &Other) const;
  /// A hash that is equal if isSame() is true.
  uint64_t hash() const;

  /// The distinct values with their ranks, in the order of first ranks. Nothing if there are more than Most.
  struct Level {
    int64_t Value;
    RankSet Ranks;
  };
  std::optional<std::vector<Level>> levels(const RankSet &Ranks, const ContextFn &Ctx, size_t Most) const;
  /// The smallest and the largest value of Ranks, which must not be empty, in the context of the world.
  std::pair<int64_t, int64_t> range(const RankSet &Ranks, uint32_t World) const;

  /// The frequent case of merge(): one piece on each side, with a common explanation. False: this is not the case, and
  /// nothing is changed.
  bool mergeSingle(const RankFn &Other) {
    if (More || Other.More)
      return false;
    Candidates Both = One.intersect(Other.One);
    if (!Both.Mask)
      return false;
    One = Both;
    return true;
  }
  /// Whether merge() will find an explanation in this function for each of Other's pieces.
  bool explains(const RankFn &Other) const { return More || Other.More ? explainsPieces(Other) : One.meets(Other.One); }
  /// The values of Ranks, in ascending order of ranks; false if an explanation makes some value depend on its rank.
  bool values(const RankSet &Ranks, std::vector<int64_t> &Out) const;
  /// The function with these values for Ranks, in ascending order of ranks. If Ranks is empty: one value for every
  /// rank.
  static RankFn ofValues(const std::vector<int64_t> &Values, const RankSet &Ranks);
  /// The function that is constant on each of some disjoint sets.
  static RankFn ofLevels(const std::vector<Level> &Levels);
  /// The function with these pieces, at most MaxPieces, whose ranks are disjoint.
  static RankFn ofPieces(std::vector<Piece> Pieces);
  /// Adds the values of OtherRanks. Ranks: the ranks that this function already has. Unions: shared by functions that
  /// are merged together.
  void merge(const RankFn &Other, const RankSet &Ranks, const RankSet &OtherRanks, const ContextFn &Ctx,
             const ContextFn &OtherCtx, RankSetUnions &Unions);
  void merge(const RankFn &Other, const RankSet &Ranks, const RankSet &OtherRanks, const ContextFn &Ctx,
             const ContextFn &OtherCtx) {
    RankSetUnions Unions;
    merge(Other, Ranks, OtherRanks, Ctx, OtherCtx, Unions);
  }
  /// Adds all candidates to the value of a single rank.
  void derive(const RankContext *Ctx);
  /// Drops all but one explanation of each piece. A finished trace needs no more.
  void choose();
  /// Replaces several pieces, or a list, by a grid or by a list of the values, if that is shorter. Ranks: all ranks of
  /// the function.
  void shorten(const RankSet &Ranks, const ContextFn &Ctx);

  /// The first value, and the unit: all other values differ from the first by multiples of it.
  struct Scale {
    int64_t First = 0;
    uint64_t Unit = 0;
  };
  /// The scale of a function whose lists are compressed. Unit 0: other functions cannot follow from this one, since it
  /// has only one explanation, or some value depends on its rank by an explanation, or all values are equal.
  Scale scale(const RankSet &Ranks) const;
  /// The same function with another first value and unit.
  RankFn rescaled(const Scale &From, const Scale &To) const;
  /// The same function with its lists compressed, as in a file.
  RankFn compressed() const;
  /// Bytes of heap memory in use; some may be shared with other functions.
  uint64_t memory() const;

  void write(ByteWriter &W) const;
  /// Earlier: functions that this one may refer to; null: such references are not allowed here.
  static RankFn read(ByteReader &R, const RankSet &Ranks, const RankScope &Scope, AffineReader *Earlier = nullptr);

  static constexpr size_t MaxPieces = 12;

private:
  bool explainsPieces(const RankFn &Other) const;
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
