//===- TimesCodec.h - when each call was, as bytes --------------*- C++ -*-===//
//
// The section times. It refers to chunks and, for the places of calls, to measures, so it is read after both (internal
// to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_TIMESCODEC_H
#define PILGRIM_TRACE_FILE_TIMESCODEC_H

#include "trace/file/Decoder.h"

namespace pilgrim {

class MeasureEncoder;

/// What may stand behind the groups: which of it, as bits of a number.
enum FurtherTimes : uint64_t { HasCodings = 1, HasComparedClocks = 2 };

/// The section; empty if there is none. Measures: after its bytes() were taken.
std::vector<uint8_t> encodeTimesSection(const TraceData &T, const MeasureEncoder &Measures);
/// Events: as decodeCalls() gave them.
bool decodeTimesSection(ByteReader &R, TraceData &T, const std::vector<EventPlace> &Events);

} // namespace pilgrim

#endif
