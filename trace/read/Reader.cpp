//===- Reader.cpp - reading a trace call by call --------------------------===//
#include "trace/read/Reader.h"

namespace pilgrim {

std::expected<Trace, TraceError> Trace::open(const std::string &Path, bool CheckUnknown) {
  auto File = FileBytes::open(Path);
  if (!File)
    return std::unexpected(File.error());
  return fromFile(*File, CheckUnknown);
}

std::expected<Trace, TraceError> Trace::fromBytes(std::span<const uint8_t> File) {
  FileBytes Bytes(File);
  return fromFile(Bytes, false);
}

std::expected<Trace, TraceError> Trace::fromFile(FileBytes &File, bool CheckUnknown) {
  Trace T;
  auto D = readTrace(File, &T.Sections, CheckUnknown);
  if (!D)
    return std::unexpected(D.error());
  T.Data = std::make_shared<TraceData>(std::move(*D));
  findTimeBases(*T.Data);
  T.Bytes = *File.size(0);
  return T;
}

std::vector<uint32_t> Trace::threads(uint32_t Rank) const {
  std::vector<uint32_t> T;
  for (const Group &G : Data->Groups)
    if (G.ranks().contains(Rank))
      T.push_back(G.Thread);
  return T;
}

const std::string *Trace::constantName(const std::string &Names, int64_t V) const {
  auto It = Data->Names.find({Names, V});
  return It == Data->Names.end() ? nullptr : &It->second;
}

} // namespace pilgrim
