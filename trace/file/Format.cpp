//===- Format.cpp - the trace file ----------------------------------------===//
#include "trace/file/Format.h"
#include "trace/file/Container.h"

#include <algorithm>
#include <atomic>

namespace pilgrim {

static std::atomic<uint64_t> ReadersMemory = ByteReader::DefaultMemory;

uint64_t readersMemory() { return ReadersMemory.load(std::memory_order_relaxed); }
void setReadersMemory(uint64_t Bytes) { ReadersMemory.store(Bytes, std::memory_order_relaxed); }

TraceParts writeTraceInParts(const TraceData &T, const WriteOptions &O) {
  const SectionBytes S = encodeSections(T, O.IsInTransit);
  std::vector<SectionPart> Parts;
  for (const auto *Bytes : {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Measures, &S.Times})
    Parts.push_back({static_cast<uint32_t>(Parts.size()), "", *Bytes});
  if (S.Chunks)
    Parts.push_back({static_cast<uint32_t>(SectionId::Chunks), "", {}, S.Chunks.get(), S.SummedChunks});
  return {writeContainer(Parts, O.Level), isApart(S.Chunks.get()) ? S.Chunks : nullptr};
}

std::vector<uint8_t> writeTrace(const TraceData &T, const WriteOptions &O) {
  TraceParts P = writeTraceInParts(T, O);
  if (P.Chunks)
    forEachPiece(*P.Chunks, [&](std::span<const uint8_t> Piece) {
      P.Head.insert(P.Head.end(), Piece.begin(), Piece.end());
      return true;
    });
  return std::move(P.Head);
}

/// As the file has them, with those that it need not have.
static std::vector<SectionInfo> infosOf(const Container &C) {
  std::vector<SectionInfo> Out = C.sections();
  const auto Measures = static_cast<uint32_t>(SectionId::Measures);
  if (!C.has(SectionId::Measures)) {
    auto Place = std::find_if(Out.begin(), Out.end(), [&](const SectionInfo &S) { return S.Id >= Measures; });
    Out.insert(Place, {Measures, nameOf(SectionId::Measures), 0, 0});
  }
  return Out;
}

std::expected<TraceData, TraceError> readTrace(FileBytes &File, std::vector<SectionInfo> *Sections, bool CheckUnknown) {
  auto C = Container::open(File);
  if (!C)
    return std::unexpected(C.error());
  SectionBytes S;
  std::vector<uint8_t> *const All[] = {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Measures, &S.Times};
  for (uint32_t Id = 0; Id < std::size(All); ++Id) {
    if (mayBeEmpty(SectionId(Id)) && !C->has(SectionId(Id)))
      continue;
    auto Bytes = C->section(SectionId(Id));
    if (!Bytes)
      return std::unexpected(Bytes.error());
    *All[Id] = std::move(*Bytes);
  }
  // With times of calls, whoever reads these examines them.
  uint64_t Summed = UINT64_MAX;
  if (!S.Times.empty())
    Summed = ByteReader(S.Times).varint();
  auto Chunks = C->chunks(Summed);
  if (!Chunks)
    return std::unexpected(Chunks.error());
  S.Chunks = std::move(*Chunks);
  if (CheckUnknown)
    if (auto Done = C->checkUnknown(); !Done)
      return std::unexpected(Done.error());
  if (Sections)
    *Sections = infosOf(*C);
  return decodeSections(std::move(S), C->memory());
}

std::expected<TraceData, TraceError> readTrace(std::span<const uint8_t> File, std::vector<SectionInfo> *Sections) {
  FileBytes Bytes(File);
  return readTrace(Bytes, Sections);
}

std::expected<TraceData, TraceError> readHead(FileBytes &File) {
  auto C = Container::open(File);
  if (!C)
    return std::unexpected(C.error());
  auto Meta = C->section(SectionId::Meta);
  if (!Meta)
    return std::unexpected(Meta.error());
  return decodeHead(*Meta, C->memory());
}

std::expected<TraceData, TraceError> readHead(std::span<const uint8_t> File) {
  FileBytes Bytes(File);
  return readHead(Bytes);
}

} // namespace pilgrim
