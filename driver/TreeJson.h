//===- TreeJson.h - the context tree as nested objects -----------*- C++ -*-===//
//
// What `pilgrim tree --json` writes; docs/tools.md describes it.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_TREEJSON_H
#define PILGRIM_DRIVER_TREEJSON_H

#include "driver/Output.h"
#include "driver/SourceLines.h"
#include "driver/StructureTree.h"

#include <vector>

namespace pilgrim {

/// One object with all trees, and a line's end.
void treesAsJson(const std::vector<StructureTree> &Trees, SourceLines &Lines, Output &Out);

} // namespace pilgrim

#endif
