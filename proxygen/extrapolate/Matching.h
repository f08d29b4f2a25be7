//===- Matching.h - whether calls of different ranks fit together -*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_MATCHING_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_MATCHING_H

#include "trace/read/Walk.h"

#include <string>

namespace pilgrim {

/// Whether between all blocks of ranks as many messages are received as sent, with as much room as they take, and all
/// ranks take part as often in each collective call on MPI_COMM_WORLD. Empty, or what does not fit; receives from any
/// source do not. Its time grows with the shapes of calls, not with ranks.
std::string findUnmatched(const Walk &W);

} // namespace pilgrim

#endif
