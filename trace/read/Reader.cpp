//===- Reader.cpp - reading a trace call by call --------------------------===//
#include "trace/read/Reader.h"

#include <cerrno>
#include <cstdio>

namespace pilgrim {

std::expected<std::vector<uint8_t>, TraceError> readFile(const std::string &Path) {
  FILE *F = std::fopen(Path.c_str(), "rb");
  if (!F)
    return std::unexpected(TraceError{std::string("cannot open: ") + std::strerror(errno)});
  std::vector<uint8_t> Bytes;
  uint8_t Buffer[1 << 16];
  while (size_t N = std::fread(Buffer, 1, sizeof Buffer, F))
    Bytes.insert(Bytes.end(), Buffer, Buffer + N);
  bool Failed = std::ferror(F);
  int Why = errno;
  std::fclose(F);
  if (Failed)
    return std::unexpected(TraceError{std::string("cannot read: ") + std::strerror(Why)});
  return Bytes;
}

std::expected<Trace, TraceError> Trace::open(const std::string &Path) {
  auto Bytes = readFile(Path);
  if (!Bytes)
    return std::unexpected(Bytes.error());
  return fromBytes(*Bytes);
}

std::expected<Trace, TraceError> Trace::fromBytes(std::span<const uint8_t> File) {
  Trace T;
  auto D = readTrace(File, &T.Sections);
  if (!D)
    return std::unexpected(D.error());
  T.Data = std::make_shared<TraceData>(std::move(*D));
  T.FileBytes = File.size();
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
