// All that a trace in memory says of a rank's nodes, events and paths, written out: what a file has to keep.
#ifndef PILGRIM_TEST_UNIT_TREETEXT_H
#define PILGRIM_TEST_UNIT_TREETEXT_H

#include "trace/file/Format.h"

namespace pilgrim::test {

/// Writes and reads T, which stays what it was for each rank. Gives the sections.
SectionBytes expectKept(const TraceData &T);

} // namespace pilgrim::test

#endif
