//===- Input.h - opening traces for a command -------------------*- C++ -*-===//
//
// Every reading command opens its traces here, so that all of them refuse the
// same files, before they have printed anything.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_INPUT_H
#define PILGRIM_DRIVER_INPUT_H

#include "trace/read/Reader.h"

#include <optional>
#include <string>

namespace pilgrim {

/// Opens a trace and checks that it can be read to its end. CheckUnknown: as for Trace::open().
std::expected<Trace, TraceError> readSound(const std::string &File, bool CheckUnknown = false);
/// The same, or one line on stderr.
std::optional<Trace> openTrace(const std::string &File, bool CheckUnknown = false);

/// "0-3,7"; false: it is none.
bool parseRanks(const std::string &Text, RankSet &Ranks);
/// The ranks of a trace that --rank names, all without it; false: an error was
/// printed.
bool chooseRanks(const std::string &File, const Trace &T, const std::string &Text, RankSet &Ranks);
/// The threads that --thread names, each of which some of Ranks must have; false: an error was printed.
bool chooseThreads(const std::string &File, const Trace &T, const RankSet &Ranks, const std::string &Text,
                   RankSet &Threads);
/// "0-3,7"; what is behind Most parts is left out.
std::string rankText(const RankSet &Ranks, size_t Most = 20);
/// "rank 3", "ranks 0-3,7": What with the number, or the numbers.
std::string numbered(const char *What, const RankSet &Numbers, size_t Most = 20);
/// "12", "12-40": from First to Last; false: it is none.
bool parseNumbers(const std::string &Text, uint64_t &First, uint64_t &Last);

} // namespace pilgrim

#endif
