//===- Format.cpp - the container: header, checksums, zstd ----------------===//
//
//   "PILGRIM\n"  u32 version  u32 XXH32 of all that follows  u64 file size
//   u8 packing (0 stored, 1 one zstd frame)  u32 size of each section
//   then the sections, one behind the other; packed together, since they have
//   much in common and most are small
//
//===----------------------------------------------------------------------===//
#include "trace/file/Format.h"

#ifndef XXH_INLINE_ALL
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#endif
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace pilgrim {

static constexpr char Magic[] = "PILGRIM\n";
static constexpr size_t SumBegins = 16; ///< what the checksum is of
/// What a byte of the file may become in memory.
static constexpr uint64_t MaxGrowth = 1024;
static const char *const SectionNames[] = {"meta", "schema", "tables", "calls", "times"};
static constexpr unsigned NumSections = 5;
static constexpr size_t HeadBytes = SumBegins + 8 + 1 + 4 * NumSections;

static std::vector<uint8_t> *sectionAt(SectionBytes &S, unsigned I) {
  std::vector<uint8_t> *All[NumSections] = {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Times};
  return All[I];
}

std::vector<uint8_t> writeTrace(const TraceData &T, const WriteOptions &O) {
  SectionBytes S = encodeSections(T);
  ByteWriter Body, File;
  for (unsigned I = 0; I < NumSections; ++I)
    Body.bytes(*sectionAt(S, I));
  bool IsPacked = false;
  if (O.Level > 0) {
    std::vector<uint8_t> Packed(ZSTD_compressBound(Body.Data.size()));
    size_t N = ZSTD_compress(Packed.data(), Packed.size(), Body.Data.data(), Body.Data.size(), O.Level);
    if (!ZSTD_isError(N) && N < Body.Data.size()) {
      Packed.resize(N);
      Body.Data = std::move(Packed);
      IsPacked = true;
    }
  }
  ByteWriter Summed;
  Summed.u64(HeadBytes + Body.Data.size());
  Summed.byte(IsPacked);
  for (unsigned I = 0; I < NumSections; ++I)
    Summed.u32(static_cast<uint32_t>(sectionAt(S, I)->size()));
  Summed.bytes(Body.Data);
  File.bytes({reinterpret_cast<const uint8_t *>(Magic), 8});
  File.u32(FormatVersion);
  File.u32(XXH32(Summed.Data.data(), Summed.Data.size(), 0));
  File.bytes(Summed.Data);
  return std::move(File.Data);
}

static std::unexpected<TraceError> bad(std::string What) { return std::unexpected(TraceError{std::move(What)}); }

namespace {
struct Unpacked {
  SectionBytes Sections;
  uint64_t Memory; ///< that is left for what is made of them
};
} // namespace

static std::expected<Unpacked, TraceError> unpack(std::span<const uint8_t> File, std::vector<SectionInfo> *Sections) {
  if (File.size() < 8 || std::memcmp(File.data(), Magic, 8) != 0)
    return bad(File.empty() ? "the file is empty" : "not a Pilgrim trace (offset 0: wrong magic bytes)");
  if (File.size() < 12)
    return bad("cut short: the header needs " + std::to_string(HeadBytes) + " bytes, the file has " +
               std::to_string(File.size()));
  ByteReader R(File.subspan(8));
  uint32_t Version = R.u32();
  if (Version != FormatVersion)
    return bad("format version " + std::to_string(Version) + " (offset 8); this program reads version " +
               std::to_string(FormatVersion));
  if (File.size() < HeadBytes)
    return bad("cut short: the header needs " + std::to_string(HeadBytes) + " bytes, the file has " +
               std::to_string(File.size()));
  uint32_t Sum = R.u32();
  uint64_t Size = R.u64();
  if (Size > File.size())
    return bad("cut short: " + std::to_string(Size) + " bytes expected (offset 16), the file has " +
               std::to_string(File.size()));
  if (Size < File.size())
    return bad("damaged: " + std::to_string(File.size() - Size) + " bytes behind the end of the trace (offset " +
               std::to_string(Size) + ")");
  if (XXH32(File.data() + SumBegins, File.size() - SumBegins, 0) != Sum)
    return bad("damaged: the checksum (offset 12) does not match");
  uint64_t Memory = ByteReader::DefaultMemory + MaxGrowth * File.size();
  unsigned Packing = R.byte();
  uint64_t Sizes[NumSections], Raw = 0;
  for (unsigned I = 0; I < NumSections; ++I) {
    Raw += Sizes[I] = R.u32();
    if (Raw > Memory)
      return bad(std::string("damaged: size of section ") + SectionNames[I] + " (offset " +
                 std::to_string(SumBegins + 9 + 4 * I) + ")");
  }
  auto Body = File.subspan(HeadBytes);
  std::vector<uint8_t> Whole;
  if (Packing > 1 || (Packing == 0 && Raw != Body.size()))
    return bad("damaged: packing (offset 24)");
  if (Packing) {
    // The frame's own content size is checked first, so that no size from the file is allocated unseen.
    if (ZSTD_getFrameContentSize(Body.data(), Body.size()) != Raw)
      return bad("damaged: size of the sections (offset 25)");
    Whole.resize(Raw);
    size_t Got = ZSTD_decompress(Whole.data(), Raw, Body.data(), Body.size());
    if (ZSTD_getErrorCode(Got) == ZSTD_error_memory_allocation)
      return bad("not enough memory to unpack the sections");
    if (ZSTD_isError(Got) || Got != Raw)
      return bad("damaged: the sections (offset " + std::to_string(HeadBytes) + ") do not unpack");
    Body = Whole;
  }
  Unpacked U{{}, Memory - Raw};
  for (unsigned I = 0; I < NumSections; ++I) {
    sectionAt(U.Sections, I)->assign(Body.begin(), Body.begin() + static_cast<ptrdiff_t>(Sizes[I]));
    Body = Body.subspan(Sizes[I]);
    if (Sections)
      Sections->push_back({SectionNames[I], Sizes[I]});
  }
  return U;
}

std::expected<TraceData, TraceError> readTrace(std::span<const uint8_t> File, std::vector<SectionInfo> *Sections) {
  auto U = unpack(File, Sections);
  if (!U)
    return std::unexpected(U.error());
  return decodeSections(U->Sections, U->Memory);
}

std::expected<TraceData, TraceError> readHead(std::span<const uint8_t> File) {
  auto U = unpack(File, nullptr);
  if (!U)
    return std::unexpected(U.error());
  return decodeHead(U->Sections, U->Memory);
}

} // namespace pilgrim
