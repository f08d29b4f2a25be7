//===- Markers.h - instrumented code in this process --------------*- C++ -*-===//
#ifndef PILGRIM_PMPI_MARKERS_H
#define PILGRIM_PMPI_MARKERS_H

#include "api/Markers.h"

namespace pilgrim {

/// Whether R is a region of a loaded module. R may be any pointer.
bool isLoadedRegion(const PilgrimRegion *R);
/// Whether code was loaded that has regions.
bool hasRegions();

} // namespace pilgrim

#endif
