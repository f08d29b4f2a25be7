//===- Candidates.cpp - explanations of a value by its rank ---------------===//
#include "trace/ranks/RankFn.h"

namespace pilgrim {

// Wrapping arithmetic: any 64-bit value may stand in a slot.
static int64_t add(int64_t A, int64_t B) {
  return static_cast<int64_t>(static_cast<uint64_t>(A) + static_cast<uint64_t>(B));
}

Candidates Candidates::of(int64_t V, const RankContext *Ctx) {
  Candidates R;
  R.C = V;
  // Negative values are names (MPI_PROC_NULL, MPI_ANY_SOURCE): an offset that
  // hits one by accident explains nothing.
  if (!Ctx || Ctx->Size <= 0 || V < 0)
    return R;
  // A shard that was read may claim any rank and size.
  if (Ctx->Rank < 0 || Ctx->Rank >= Ctx->Size || Ctx->Size > INT32_MAX)
    return R;
  R.Mask |= Offset;
  R.Off = V - Ctx->Rank;
  if (V < Ctx->Size) {
    R.Mask |= Modulo;
    R.Mod = (V - Ctx->Rank + Ctx->Size) % Ctx->Size;
    // More than half way round is a step back: that keeps the number the same
    // on communicators of different sizes.
    if (R.Mod > Ctx->Size / 2)
      R.Mod -= Ctx->Size;
    R.Mask |= Xor;
    R.Flip = V ^ Ctx->Rank;
  }
  return R;
}

int64_t Candidates::eval(const RankContext &Ctx) const {
  if (Mask & Const)
    return C;
  if (Mask & Offset)
    return add(Ctx.Rank, Off);
  if (!(Mask & Modulo))
    return Ctx.Rank ^ Flip;
  if (Ctx.Size <= 0)
    return 0;
  int64_t V = add(Ctx.Rank, Mod) % Ctx.Size;
  return V < 0 ? V + Ctx.Size : V;
}

} // namespace pilgrim
