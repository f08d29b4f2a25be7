//===- Functions.h - generated descriptions of functions ---------*- C++ -*-===//
#ifndef PILGRIM_PMPI_FUNCTIONS_H
#define PILGRIM_PMPI_FUNCTIONS_H

#include "core/FunctionInfo.h"

#include <algorithm>

namespace pilgrim {

/// A function. It has no pointers; SlotList says why.
struct FunctionRow {
  uint16_t Id;
  uint16_t NameAt;    ///< in FunctionNames
  uint16_t FirstSlot; ///< in SlotNumbers
  uint8_t NumSlots;
  bool IsCollective;
};
extern const FunctionRow FunctionRows[]; ///< ascending ids, one for each entry point (Entries.h)
extern const char FunctionNames[];
extern const uint16_t SlotNumbers[];
extern const SlotInfo SlotTable[];
extern const unsigned NumFunctions;

inline const char *functionName(unsigned Row) { return FunctionNames + FunctionRows[Row].NameAt; }
/// The row of a function that has one.
inline unsigned rowOf(uint32_t Id) {
  const auto IsBefore = [](const FunctionRow &F, uint32_t I) { return F.Id < I; };
  return static_cast<unsigned>(std::lower_bound(FunctionRows, FunctionRows + NumFunctions, Id, IsBefore) -
                               FunctionRows);
}

} // namespace pilgrim

#endif
