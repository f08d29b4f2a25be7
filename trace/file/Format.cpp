//===- Format.cpp - the trace file ----------------------------------------===//
#include "trace/file/Format.h"
#include "trace/file/Container.h"

namespace pilgrim {

std::vector<uint8_t> writeTrace(const TraceData &T, const WriteOptions &O) {
  const SectionBytes S = encodeSections(T);
  std::vector<SectionPart> Parts;
  for (const auto *Bytes : {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Measures})
    Parts.push_back({static_cast<uint32_t>(Parts.size()), "", *Bytes});
  return writeContainer(Parts, O.Level);
}

/// As the file has them, with those that it need not have.
static std::vector<SectionInfo> infosOf(const Container &C) {
  std::vector<SectionInfo> Out = C.sections();
  if (!C.has(SectionId::Measures)) {
    auto Place = Out.begin();
    while (Place != Out.end() && Place->Id < static_cast<uint32_t>(SectionId::Measures))
      ++Place;
    Out.insert(Place, {static_cast<uint32_t>(SectionId::Measures), nameOf(SectionId::Measures), 0, 0});
  }
  return Out;
}

std::expected<TraceData, TraceError> readTrace(FileBytes &File, std::vector<SectionInfo> *Sections, bool CheckUnknown) {
  auto C = Container::open(File);
  if (!C)
    return std::unexpected(C.error());
  SectionBytes S;
  std::vector<uint8_t> *const All[NumSectionIds] = {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Measures};
  for (uint32_t Id = 0; Id < NumSectionIds; ++Id) {
    if (SectionId(Id) == SectionId::Measures && !C->has(SectionId::Measures))
      continue;
    auto Bytes = C->section(SectionId(Id));
    if (!Bytes)
      return std::unexpected(Bytes.error());
    *All[Id] = std::move(*Bytes);
  }
  if (CheckUnknown)
    if (auto Done = C->checkUnknown(); !Done)
      return std::unexpected(Done.error());
  if (Sections)
    *Sections = infosOf(*C);
  return decodeSections(S, C->memory());
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
