//===- GapTables.h - the time before each call, as tables of C ----*- C++ -*-===//
//
// What a proxy computes before each call of the recorded run: a byte for each call of each rank, which stands for a
// time within 5%. What the bytes of a rank miss or add is made up for by the next ones, so sums are right.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_PROXY_GAPTABLES_H
#define PILGRIM_PROXYGEN_PROXY_GAPTABLES_H

#include "proxygen/proxy/Source.h"
#include "trace/read/Reader.h"

#include <expected>

namespace pilgrim {

class GapTables {
public:
  static constexpr uint64_t MostCalls = uint64_t(1) << 22;
  /// The name of a table of the ranks' tables, for one thread. Error: what is wrong with the trace.
  static std::expected<std::string, std::string> write(Source &S, const Trace &T, uint32_t Thread);
  /// The byte of a time in seconds: 0 for none; else Least * Step ^ (byte - 1).
  static unsigned byteOf(double Seconds);
  static double secondsOf(unsigned Byte);
  /// Bytes as the content of a table of C, which Source can break into lines.
  static std::string text(std::string_view Bytes);
};

} // namespace pilgrim

#endif
