//===- ChunkCodec.h - integers that do not repeat -----------------*- C++ -*-===//
//
// Writes a stretch of a sequence as entropy-coded bytes. The models are adaptive and begin anew in each stretch, so
// that each can be read alone. Which of several forms is shortest is found out by adding up what they would cost.
//
// Text is left to zstd: its matches reach further than contexts do.
//
// Stretches of items are terminals with the number of times that each comes in succession; a terminal is foreseen from
// none, one, two or four before it. Stretches of values are indices into a list of the distinct values; or numbers, or
// steps from one to the next, of which the magnitude and the highest bits are modelled. (Internal to trace/.)
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_CHUNKCODEC_H
#define PILGRIM_TRACE_SEQUENCES_CHUNKCODEC_H

#include "trace/base/Work.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pilgrim {

/// A terminal, Count times (Count >= 1).
struct RepeatedTerminal {
  uint32_t Value;
  uint64_t Count;
  bool operator==(const RepeatedTerminal &) const = default;
};

/// Remembers which form was shortest, for the next stretch of the same sequence.
struct ChunkForm {
  uint8_t Form = 0, Order = 0;
  uint8_t Wait = 0;   ///< stretches until all forms are compared again
  uint8_t Waited = 0; ///< of how many

  /// All were compared: Form and Order are the best. Comparing the same ones again and again finds less and less.
  void found(uint8_t Form, uint8_t Order) {
    constexpr uint8_t Least = 4, Most = 64;
    const bool IsSame = Waited && Form == this->Form && Order == this->Order;
    Waited = IsSame ? std::min<uint8_t>(Waited * 2, Most) : Least;
    *this = {Form, Order, Waited, Waited};
  }
};

/// Elements a stretch may have. A reader expands a whole stretch at a time.
constexpr uint64_t MaxChunkElements = uint64_t(1) << 18;

std::vector<uint8_t> encodeItems(std::span<const RepeatedTerminal> Items, ChunkForm &Last);
std::vector<uint8_t> encodeValues(std::span<const int64_t> Values, ChunkForm &Last);
/// A stretch of values that are bytes of text.
std::vector<uint8_t> encodeText(std::span<const uint8_t> Text);

/// The same bit by bit, to Out. All that is given must live until it has finished.
Work encodeItems(std::span<const RepeatedTerminal> Items, ChunkForm &Last, std::vector<uint8_t> &Out);
Work encodeValues(std::span<const int64_t> Values, ChunkForm &Last, std::vector<uint8_t> &Out);

/// Whether the last ones can be foreseen, so that rules would do better.
bool isRegular(std::span<const RepeatedTerminal> Items);
bool isRegular(std::span<const int64_t> Values);

/// Nothing: the bytes are damaged. Terminals: all are below it.
std::optional<std::vector<RepeatedTerminal>> decodeItems(std::span<const uint8_t> Bytes, uint32_t Terminals);
std::optional<std::vector<int64_t>> decodeValues(std::span<const uint8_t> Bytes);

} // namespace pilgrim

#endif
