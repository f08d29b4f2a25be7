//===- SenderBlocks.h - many senders at once ---------------------*- C++ -*-===//
//
// Receivers that follow from the sender by a function, found for blocks of senders.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_SENDERBLOCKS_H
#define PILGRIM_DRIVER_SENDERBLOCKS_H

#include "trace/ranks/RankFn.h"

namespace pilgrim {

/// Divides the ranks from First to Last into blocks of 2^k ranks, the first of which 2^k divides: the largest with
/// which F is content. F(first, size) must be content with a single rank.
template <typename Fn> void forEachAligned(uint64_t First, uint64_t Last, Fn &&F) {
  while (First <= Last) {
    uint64_t N = First ? First & -First : uint64_t(1) << 32;
    while (N > Last - First + 1 || !F(First, N))
      N /= 2;
    First += N;
  }
}

/// Some senders, and where their receivers are. The numbers between need not all belong to the block.
struct SenderBlock {
  uint64_t Count = 1;
  uint64_t First = 0, Last = 0; ///< sender
  __int128 Least = 0, Most = 0; ///< receiver
};

/// Divides the senders from First to Last into blocks, smaller and smaller until OnBlock is content. It must be content
/// with a single sender. P: without a list; its context is the world. If its values follow from places, the senders
/// must be in one interval of P.Ranks; else they may be any ranks.
void forEachBlock(const RankFn::Piece &P, uint64_t First, uint64_t Last, uint32_t World,
                  const std::function<bool(const SenderBlock &)> &OnBlock);

/// Ranks without gaps: of a grid with many small gaps (its diagonal, say), all ranks from the first to the last. In all
/// other cases Ranks itself. forEachBlock() takes each interval of what is returned.
RankSet stretchOf(const RankFn::Piece &P, const RankSet &Ranks);

/// Whether the receiver of each of Ranks is a rank of the world. P: as for forEachBlock().
bool leadsInto(const RankFn::Piece &P, const RankSet &Ranks, uint32_t World);

} // namespace pilgrim

#endif
