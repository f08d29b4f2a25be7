//===- Candidates.cpp - explanations of a value by its rank ---------------===//
#include "trace/base/Hash.h"
#include "trace/base/Wrap.h"
#include "trace/ranks/RankFn.h"

namespace pilgrim {

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

uint64_t Candidates::hash() const {
  uint64_t H = Mask;
  for (int64_t V : {C, Off, Mod, Flip})
    H = mix(H, static_cast<uint64_t>(V));
  return H;
}

int64_t Candidates::eval(const RankContext &Ctx) const {
  if (Mask & Const)
    return C;
  if (Mask & Offset)
    return wrappedSum(Ctx.Rank, Off);
  if (!(Mask & Modulo))
    return Ctx.Rank ^ Flip;
  if (Ctx.Size <= 0)
    return 0;
  int64_t V = wrappedSum(Ctx.Rank, Mod) % Ctx.Size;
  return V < 0 ? V + Ctx.Size : V;
}

} // namespace pilgrim
