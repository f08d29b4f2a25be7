//===- Functions.h - generated descriptions of functions ---------*- C++ -*-===//
#ifndef PILGRIM_PMPI_FUNCTIONS_H
#define PILGRIM_PMPI_FUNCTIONS_H

#include "core/FunctionInfo.h"

namespace pilgrim {

extern const FunctionInfo FunctionInfos[]; ///< ascending ids
extern const unsigned NumFunctions;

} // namespace pilgrim

#endif
