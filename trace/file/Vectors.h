//===- Vectors.h - arrays that follow from other arrays ---------*- C++ -*-===//
//
// Displacements are mostly sums of the preceding counts. The amounts that a rank receives from the others are the
// amounts that these send to it. If this holds for all ranks of a variant, the file stores the rule instead of the
// values (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_VECTORS_H
#define PILGRIM_TRACE_FILE_VECTORS_H

#include "trace/model/TraceData.h"

#include <functional>

namespace pilgrim {

/// Codes of slots in a file, after those of Tag.
enum : uint32_t { SumsCode = NumTags, TransposedCode, NumSlotCodes };

/// An array slot of a signature that follows from an earlier slot. Both have the same length.
struct DerivedVector {
  size_t Slot = 0, From = 0; ///< numbers of slots, from 0
  uint32_t Code = SumsCode;  ///< SumsCode: element 0 is Base, and element I + 1 is element I plus Scale times
                             ///< From's element I. TransposedCode: element I of the variant's Kth rank is element K of
                             ///< From on its Ith rank
  int64_t Base = 0, Scale = 1; ///< arithmetic wraps round
};

/// The derived slots of a variant, ascending. Ranked: the file names its ranks.
std::vector<DerivedVector> findDerived(const Variant &V, bool Ranked);
/// Computes the Length words of V's slot D.Slot from the words of slot D.From, which begin at FromWord in V.Words.
/// Calls Add with each. False if those words do not allow it.
bool deriveVector(const DerivedVector &D, const Variant &V, size_t FromWord, size_t Length,
                  const std::function<void(const RankFn &)> &Add);

} // namespace pilgrim

#endif
