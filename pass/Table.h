//===- Table.h - What the object says of a function -------------*- C++ -*-===//
//
// Encodes the structure of a function as api/Markers.h describes it.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_TABLE_H
#define PILGRIM_PASS_TABLE_H

#include "pass/OpenMp.h"
#include "pass/Regions.h"
#include <string>

namespace pilgrim {

struct Table {
  uint64_t Id, Name;
  std::string Bytes;
};

Table encodeTable(const llvm::Function &Function, const Reach &Reach, const OutlinedParts &Parts,
                  const Regions &Regions);

/// Without the mark that keeps assemblers from decorating it.
llvm::StringRef linkageName(const llvm::Function &Function);

} // namespace pilgrim

#endif
