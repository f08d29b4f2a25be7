//===- Vectors.h - arrays that follow from other arrays ---------*- C++ -*-===//
//
// Displacements are mostly the sums of the counts before them, and what a rank receives from the others is what these
// send to it. Where that holds for all ranks of a variant, the file says so instead of the values (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_VECTORS_H
#define PILGRIM_TRACE_FILE_VECTORS_H

#include "trace/model/TraceData.h"

namespace pilgrim {

/// Codes of slots in a file, behind those of Tag.
enum : uint32_t { SumsCode = NumTags, TransposedCode, NumSlotCodes };

/// An array slot of a signature that follows from one before it. Both have the same length.
struct DerivedVector {
  size_t Slot = 0, From = 0; ///< numbers of slots, from 0
  uint32_t Code = SumsCode;  ///< SumsCode: element 0 is Base, and each further one so much more than the one before
                             ///< as Scale times From's there. TransposedCode: element I of the Kth rank of the variant
                             ///< is element K of the Ith
  int64_t Base = 0, Scale = 1; ///< arithmetic wraps round
};

/// Those of a variant, ascending. Ranked: the file names its ranks.
std::vector<DerivedVector> findDerived(const Variant &V, bool Ranked);
/// Words of V's slot D.Slot from those of From, which stand at FromWord in V.Words; Length of them. Nothing if From's
/// do not allow that.
bool deriveVector(const DerivedVector &D, const Variant &V, size_t FromWord, size_t Length, std::vector<RankFn> &Out);

} // namespace pilgrim

#endif
