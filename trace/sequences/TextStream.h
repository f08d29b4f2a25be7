//===- TextStream.h - the bytes of strings that keep changing -----*- C++ -*-===//
//
// The characters of a slot's strings, one string after the other. Nothing is looked for in them but what zstd finds:
// all of it is sealed in chunks.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_TEXTSTREAM_H
#define PILGRIM_TRACE_SEQUENCES_TEXTSTREAM_H

#include "trace/sequences/IntStream.h"
#include "trace/sequences/Sealer.h"

#include <string_view>

namespace pilgrim {

class TextStream {
public:
  /// Store takes the chunks, and must outlive the stream.
  explicit TextStream(ChunkStore &Store) : Store(Store) { Store.addLong(); }
  void append(std::string_view Text) {
    Pieces.append(Store, std::span(reinterpret_cast<const uint8_t *>(Text.data()), Text.size()));
  }
  /// The bytes as values.
  IntStreamData data() const { return IntStreamData::ofChunks(Pieces.result(Store, 1)); }
  size_t memory() const { return Pieces.memory(); }

private:
  ChunkStore &Store;
  Sealer<uint8_t> Pieces;
};

} // namespace pilgrim

#endif
