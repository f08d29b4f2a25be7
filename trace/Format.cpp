//===- Format.cpp - the container: header, checksums, zstd ----------------===//
//
//   "PILGRIM\n"  u32 version  u32 number of sections  u64 file size
//   per section: u8 id, u8 packing (0 stored, 1 zstd), u16 0, u32 XXH32 of the
//   stored bytes, u64 raw size, u64 stored size u32 XXH32 of all the above,
//   then the stored bytes of the sections in order
//
//===----------------------------------------------------------------------===//
#include "trace/Format.h"

#ifndef XXH_INLINE_ALL
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#endif
#include <xxhash.h>
#include <zstd.h>

namespace pilgrim {

static constexpr char Magic[] = "PILGRIM\n";
static constexpr size_t HeadBytes = 24, SectionBytesInHead = 24;
static constexpr uint64_t MaxRaw = uint64_t(1) << 32;
/// What a byte of the file may become in memory.
static constexpr uint64_t MaxGrowth = 1024;
static const char *const SectionNames[] = {"meta", "schema", "tables", "calls", "times"};
static constexpr unsigned NumSections = 5;

static std::vector<uint8_t> *sectionAt(SectionBytes &S, unsigned I) {
  std::vector<uint8_t> *All[NumSections] = {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Times};
  return All[I];
}

std::vector<uint8_t> writeTrace(const TraceData &T, const WriteOptions &O) {
  SectionBytes S = encodeSections(T);
  ByteWriter Head, Body;
  for (unsigned I = 0; I < NumSections; ++I) {
    const std::vector<uint8_t> &Raw = *sectionAt(S, I);
    std::vector<uint8_t> Packed;
    bool UsePacked = false;
    if (O.Level > 0 && !Raw.empty()) {
      Packed.resize(ZSTD_compressBound(Raw.size()));
      size_t N = ZSTD_compress(Packed.data(), Packed.size(), Raw.data(), Raw.size(), O.Level);
      if (!ZSTD_isError(N) && N < Raw.size()) {
        Packed.resize(N);
        UsePacked = true;
      }
    }
    const std::vector<uint8_t> &Stored = UsePacked ? Packed : Raw;
    Head.byte(static_cast<uint8_t>(I));
    Head.byte(UsePacked);
    Head.byte(0);
    Head.byte(0);
    Head.u32(XXH32(Stored.data(), Stored.size(), 0));
    Head.u64(Raw.size());
    Head.u64(Stored.size());
    Body.bytes(Stored);
  }
  ByteWriter File;
  File.bytes({reinterpret_cast<const uint8_t *>(Magic), 8});
  File.u32(FormatVersion);
  File.u32(NumSections);
  File.u64(HeadBytes + Head.Data.size() + 4 + Body.Data.size());
  File.bytes(Head.Data);
  File.u32(XXH32(File.Data.data(), File.Data.size(), 0));
  File.bytes(Body.Data);
  return std::move(File.Data);
}

static std::unexpected<TraceError> bad(std::string What) { return std::unexpected(TraceError{std::move(What)}); }

std::expected<TraceData, TraceError> readTrace(std::span<const uint8_t> File, std::vector<SectionInfo> *Sections) {
  if (File.size() < 8 || std::memcmp(File.data(), Magic, 8) != 0)
    return bad(File.empty() ? "the file is empty" : "not a Pilgrim trace (offset 0: wrong magic bytes)");
  if (File.size() < HeadBytes)
    return bad("cut short: the header needs 24 bytes, the file has " + std::to_string(File.size()));
  ByteReader R(File.subspan(8));
  uint32_t Version = R.u32(), N = R.u32();
  uint64_t Size = R.u64();
  if (Version != FormatVersion)
    return bad("format version " + std::to_string(Version) + " (offset 8); this program reads version " +
               std::to_string(FormatVersion));
  if (N != NumSections)
    return bad("damaged: " + std::to_string(N) + " sections (offset 12), expected " + std::to_string(NumSections));
  if (Size > File.size())
    return bad("cut short: " + std::to_string(Size) + " bytes expected (offset 16), the file has " +
               std::to_string(File.size()));
  if (Size < File.size())
    return bad("damaged: " + std::to_string(File.size() - Size) + " bytes behind the end of the trace (offset " +
               std::to_string(Size) + ")");
  size_t HeadEnd = HeadBytes + SectionBytesInHead * NumSections;
  if (File.size() < HeadEnd + 4)
    return bad("cut short in the section table");
  ByteReader HeadSum(File.subspan(HeadEnd));
  if (HeadSum.u32() != XXH32(File.data(), HeadEnd, 0))
    return bad("damaged: checksum of the header does not match (offset " + std::to_string(HeadEnd) + ")");
  SectionBytes S;
  uint64_t Memory = ByteReader::DefaultMemory + MaxGrowth * File.size();
  uint64_t At = HeadEnd + 4;
  for (unsigned I = 0; I < NumSections; ++I) {
    unsigned Id = R.byte(), Packing = R.byte();
    R.byte();
    R.byte();
    uint32_t Sum = R.u32();
    uint64_t Raw = R.u64(), Stored = R.u64();
    std::string Where = std::string("section ") + SectionNames[I] + " (offset " + std::to_string(At) + ")";
    if (Id != I || Packing > 1 || Raw > MaxRaw || Stored > File.size() - At || (Packing == 0 && Raw != Stored))
      return bad("damaged: table entry of " + Where);
    const uint8_t *Data = File.data() + At;
    if (XXH32(Data, Stored, 0) != Sum)
      return bad("damaged: checksum of " + Where + " does not match");
    std::vector<uint8_t> &Out = *sectionAt(S, I);
    if (Raw > Memory)
      return bad("damaged: size of " + Where);
    Memory -= Raw;
    if (Packing) {
      // The frame's own content size is checked first, so that no size from the
      // file is allocated unseen.
      if (ZSTD_getFrameContentSize(Data, Stored) != Raw)
        return bad("damaged: size of " + Where);
      Out.resize(Raw);
      size_t Got = ZSTD_decompress(Out.data(), Raw, Data, Stored);
      if (ZSTD_isError(Got) || Got != Raw)
        return bad("damaged: " + Where + " does not unpack");
    } else {
      Out.assign(Data, Data + Stored);
    }
    if (Sections)
      Sections->push_back({SectionNames[I], Stored, Raw});
    At += Stored;
  }
  if (At != File.size())
    return bad("damaged: section sizes do not add up to the file's");
  return decodeSections(S, Memory);
}

} // namespace pilgrim
