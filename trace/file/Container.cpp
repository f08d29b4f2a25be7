//===- Container.cpp - a file made of sections ----------------------------===//
//
//   "PILGRIM\n"  u32 version  u32 XXH32 of what follows, up to the end of the
//   common part  varint bytes that follow
//   directory: varint number of sections * 2 + whether the common part is
//   packed; of each its size, and what is not usual about it
//   common part: sections one behind the other, or one zstd frame of these;
//   then the measures
//   then the other sections, each a zstd frame; or as it is, if that is as
//   large as the section
//
//===----------------------------------------------------------------------===//
#include "trace/file/Container.h"

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>

namespace pilgrim {

static constexpr char Magic[] = "PILGRIM\n";
static constexpr size_t VersionAt = 8, SumAt = 12, SizeAt = 16;
/// More than a head can be: a reader need not look at more of a file to see what it is.
static constexpr size_t MaxHead = size_t(1) << 15, MaxSections = 255, MaxName = 64;
/// What a byte of the file may become in memory.
static constexpr uint64_t MaxGrowth = 1024;
/// What the number of a section's size begins with: whether more is said of it; then what.
static constexpr uint64_t HasMore = 1, IsAlone = 1, HasName = 2;

/// A section whose bytes are an entropy coder's: compressing them takes time, and makes what is compressed with them
/// larger.
static bool isCoded(uint32_t Id) { return SectionId(Id) == SectionId::Measures; }

const char *nameOf(SectionId Id) {
  static const char *const Names[NumSectionIds] = {"meta", "schema", "tables", "calls", "measures", "times", "chunks"};
  return Names[static_cast<uint32_t>(Id)];
}

// Writing.

/// One zstd frame, which states its content size; empty if that did not work.
static std::vector<uint8_t> packedBy(std::span<const uint8_t> B, int Level) {
  std::vector<uint8_t> Out(ZSTD_compressBound(B.size()));
  size_t N = ZSTD_compress(Out.data(), Out.size(), B.data(), B.size(), Level);
  Out.resize(ZSTD_isError(N) ? 0 : N);
  return Out;
}

/// The best levels take up to a second a megabyte, which a program would wait for at its end. So larger parts are
/// packed by them only where a sample says that they save a twentieth more than a fast one.
static std::vector<uint8_t> packed(std::span<const uint8_t> B, int Most) {
  constexpr size_t Small = size_t(1) << 15, Middle = size_t(1) << 18, Large = size_t(4) << 20, Huge = size_t(64) << 20;
  if (B.size() >= Large)
    return packedBy(B, std::min(Most, B.size() < Huge ? 6 : 3));
  constexpr int Fast = 9, Good = 16, Better = 18;
  if (B.size() >= Small)
    Most = std::min(Most, B.size() < Middle ? Good : Better);
  if (B.size() >= Middle && Most > Fast) {
    constexpr size_t Enough = Middle / 2;
    const auto Sample = B.subspan((B.size() - Enough) / 2, Enough);
    if (packedBy(Sample, Most).size() > packedBy(Sample, Fast).size() / 20 * 19)
      return packedBy(B, Fast);
  }
  return packedBy(B, Most);
}

static uint32_t sumOf(const ChunkBytes &Bytes, uint64_t First) {
  XXH32_state_t State;
  XXH32_reset(&State, 0);
  forEachPiece(
      Bytes,
      [&](std::span<const uint8_t> Piece) {
        XXH32_update(&State, Piece.data(), Piece.size());
        return true;
      },
      First);
  return XXH32_digest(&State);
}

std::vector<uint8_t> writeContainer(std::span<const SectionPart> Parts, int Level) {
  ByteWriter Directory, Common, AsTheyAre, Alone;
  size_t Number = 0;
  uint64_t NextId = 0, Apart = 0;
  for (const SectionPart &P : Parts) {
    const uint64_t Size = P.Coded ? P.Coded->size() : P.Bytes.size();
    if (Size == 0)
      continue;
    ++Number;
    std::vector<uint8_t> Packed;
    if (Level > 0 && P.Bytes.size() >= AloneFrom && !isCoded(P.Id))
      Packed = packed(P.Bytes, Level);
    const bool IsOwn = P.Coded || !Packed.empty();
    uint64_t More = (P.Id - NextId) << 2 | (P.Name.empty() ? 0 : HasName) | (IsOwn ? IsAlone : 0);
    NextId = uint64_t(P.Id) + 1;
    Directory.varint(Size << 1 | (More ? HasMore : 0));
    if (More)
      Directory.varint(More);
    if (More & HasName)
      Directory.string(P.Name);
    if (P.Coded) {
      Directory.varint(Size);
      Directory.u32(sumOf(*P.Coded, P.Summed));
      if (isApart(P.Coded))
        Apart = Size;
      else
        Alone.bytes(P.Coded->read(0, Size));
    } else if (More & IsAlone) {
      Directory.varint(Packed.size());
      Directory.u32(XXH32(Packed.data(), Packed.size(), 0));
      Alone.bytes(Packed);
    } else {
      (isCoded(P.Id) ? AsTheyAre : Common).bytes(P.Bytes);
    }
  }
  bool IsPacked = false;
  if (Level > 0 && !Common.Data.empty()) {
    std::vector<uint8_t> Packed = packed(Common.Data, Level);
    IsPacked = !Packed.empty() && Packed.size() < Common.Data.size();
    if (IsPacked)
      Common.Data = std::move(Packed);
  }
  Common.bytes(AsTheyAre.Data);
  ByteWriter Head;
  Head.varint(Number << 1 | uint64_t(IsPacked));
  Head.bytes(Directory.Data);
  ByteWriter Summed;
  Summed.varint(Head.Data.size() + Common.Data.size() + Alone.Data.size() + Apart);
  Summed.bytes(Head.Data);
  Summed.bytes(Common.Data);
  ByteWriter File;
  File.bytes({reinterpret_cast<const uint8_t *>(Magic), 8});
  File.u32(FormatVersion);
  File.u32(XXH32(Summed.Data.data(), Summed.Data.size(), 0));
  File.bytes(Summed.Data);
  File.bytes(Alone.Data);
  return std::move(File.Data);
}

// Reading.

static std::unexpected<TraceError> bad(std::string What) { return std::unexpected(TraceError{std::move(What)}); }

static std::unexpected<TraceError> cutShort(const std::string &Need, uint64_t Has) {
  return bad("cut short: " + Need + ", the file has " + std::to_string(Has));
}

/// The frame's own content size is checked first, so that no size from the file is allocated unseen. Whose: for errors.
static std::expected<std::vector<uint8_t>, TraceError> unpack(std::span<const uint8_t> Frame, uint64_t Size,
                                                              const std::string &Whose, uint64_t Offset) {
  if (ZSTD_getFrameContentSize(Frame.data(), Frame.size()) != Size)
    return bad("damaged: size of " + Whose + " (offset " + std::to_string(Offset) + ")");
  std::vector<uint8_t> Out(Size);
  size_t Got = ZSTD_decompress(Out.data(), Size, Frame.data(), Frame.size());
  if (ZSTD_getErrorCode(Got) == ZSTD_error_memory_allocation)
    return bad("not enough memory to unpack " + Whose);
  if (ZSTD_isError(Got) || Got != Size)
    return bad("damaged: " + Whose + " (offset " + std::to_string(Offset) + ") cannot be unpacked");
  return Out;
}

std::expected<Container, TraceError> Container::open(FileBytes &From) {
  Container C(From);
  auto Begin = From.begin(MaxHead);
  if (!Begin)
    return std::unexpected(Begin.error());
  if (Begin->size() < 8 || std::memcmp(Begin->data(), Magic, 8) != 0)
    return bad(Begin->empty() ? "the file is empty" : "not a Pilgrim trace (offset 0: wrong magic bytes)");
  ByteReader R(Begin->subspan(VersionAt));
  const uint32_t Version = R.u32();
  if (R.ok() && Version != FormatVersion)
    return bad("format version " + std::to_string(Version) + " (offset " + std::to_string(VersionAt) +
               "); this program reads version " + std::to_string(FormatVersion));
  C.Sum = R.u32();
  const uint64_t Rest = R.varint(), HeadSize = VersionAt + R.offset();
  if (!R.ok() && Begin->size() < SizeAt + 10)
    return cutShort("the head is not whole", Begin->size());
  C.WholeSize = R.ok() && Rest <= UINT64_MAX - HeadSize ? HeadSize + Rest : UINT64_MAX;
  auto Size = From.size(C.WholeSize);
  if (!Size)
    return std::unexpected(Size.error());
  if (C.WholeSize > *Size)
    return cutShort(std::to_string(C.WholeSize) + " bytes expected (offset " + std::to_string(SizeAt) + ")", *Size);
  if (C.WholeSize < *Size)
    return bad("damaged: there is more behind the end of the trace (offset " + std::to_string(C.WholeSize) + ")");
  // Of a pipe, these bytes may have moved.
  Begin = From.begin(MaxHead);
  if (!Begin)
    return std::unexpected(Begin.error());
  ByteReader Directory(Begin->subspan(HeadSize));
  if (std::string Why = C.readDirectory(Directory, HeadSize); !Why.empty())
    return bad("damaged: the directory of sections (offset " + std::to_string(HeadSize + Directory.offset()) +
               "): " + Why);
  if (auto Done = C.readCommon(); !Done)
    return std::unexpected(Done.error());
  return C;
}

/// Begin: where it does. Empty: it is sound, as far as it alone can tell.
std::string Container::readDirectory(ByteReader &R, uint64_t Begin) {
  const uint64_t Head = R.varintMax(MaxSections << 1 | 1, "more than 255 sections");
  IsPacked = Head & 1;
  uint64_t NextId = 0, InCommon = 0, InFile = 0, Coded = 0;
  for (uint64_t N = Head >> 1; N && R.ok(); --N) {
    SectionInfo S;
    Place P{};
    const uint64_t Size = R.varint(), More = Size & HasMore ? R.varint() : 0;
    S.Bytes = Size >> 1;
    NextId += More >> 2;
    if (NextId > UINT32_MAX)
      R.fail("the id of a section is 2^32 or more");
    if (S.Bytes == 0)
      R.fail("a section without bytes");
    S.Id = static_cast<uint32_t>(NextId++);
    S.Name = S.Id < NumSectionIds ? nameOf(SectionId(S.Id)) : "section " + std::to_string(S.Id);
    if (More & HasName) {
      auto Name = R.bytes(R.varintMax(MaxName, "the name of a section is too long"));
      if (!std::all_of(Name.begin(), Name.end(), [](uint8_t C) { return C >= ' ' && C <= '~'; }))
        R.fail("the name of a section is not in ASCII");
      if (S.Id >= NumSectionIds)
        S.Name.assign(Name.begin(), Name.end());
    }
    if (More & IsAlone) {
      S.Packed = R.varint();
      P = {InFile, R.u32()};
      if (S.Packed == 0 || S.Packed > WholeSize - InFile)
        R.fail("a section is larger than the file");
      InFile += S.Packed;
    } else {
      P.Offset = InCommon;
      (isCoded(S.Id) ? Coded : InCommon) += S.Bytes;
      if (InCommon >> 62 || Coded >> 62)
        R.fail("sections have 2^62 bytes or more");
    }
    Infos.push_back(std::move(S));
    Places.push_back(P);
  }
  CommonBegin = Begin + R.offset();
  if (R.ok() && InFile > WholeSize - CommonBegin)
    R.fail("sections are larger than the file");
  CommonEnd = WholeSize - InFile;
  for (size_t I = 0; I < Infos.size(); ++I)
    if (Infos[I].Packed)
      Places[I].Offset += CommonEnd;
    else if (isCoded(Infos[I].Id)) // behind the others
      Places[I].Offset = InCommon;
  return R.ok() ? "" : R.reason();
}

/// What is unpacked is memory that is spent.
std::expected<void, TraceError> Container::spendFor(const SectionInfo &S) {
  if (S.Bytes > Memory.Left)
    return bad("too large for this reader: section " + S.Name + ", " + std::to_string(S.Bytes) +
               " bytes unpacked, limit " + std::to_string(Memory.Limit) + " bytes of memory");
  Memory.Left -= S.Bytes;
  return {};
}

std::expected<void, TraceError> Container::readCommon() {
  auto Summed = From.at(SizeAt, CommonEnd - SizeAt);
  if (!Summed)
    return std::unexpected(Summed.error());
  if (XXH32(Summed->data(), Summed->size(), 0) != Sum)
    return bad("damaged: the checksum (offset " + std::to_string(SumAt) + ") does not match");
  Memory.Limit += std::min(WholeSize, UINT64_MAX / MaxGrowth / 2) * MaxGrowth;
  Memory.Left = Memory.Limit;
  uint64_t Unpacked = 0, Coded = 0;
  for (const SectionInfo &S : Infos) {
    if (S.Packed)
      continue;
    if (auto Done = spendFor(S); !Done)
      return Done;
    (isCoded(S.Id) ? Coded : Unpacked) += S.Bytes;
  }
  auto Body = Summed->subspan(CommonBegin - SizeAt);
  if (Body.size() < Coded || (!IsPacked && Body.size() != Unpacked + Coded))
    return bad("damaged: sizes of sections (offset " + std::to_string(CommonBegin) + ")");
  if (!IsPacked) {
    Common.assign(Body.begin(), Body.end());
    return {};
  }
  auto Out = unpack(Body.first(Body.size() - Coded), Unpacked, "the sections", CommonBegin);
  if (!Out)
    return std::unexpected(Out.error());
  Common = std::move(*Out);
  const auto AsTheyAre = Body.last(Coded);
  Common.insert(Common.end(), AsTheyAre.begin(), AsTheyAre.end());
  return {};
}

std::expected<std::span<const uint8_t>, TraceError> Container::readAlone(size_t I) {
  auto Packed = From.at(Places[I].Offset, Infos[I].Packed);
  if (Packed && XXH32(Packed->data(), Packed->size(), 0) != Places[I].Sum)
    return badSum(I);
  return Packed;
}

std::unexpected<TraceError> Container::badSum(size_t I) const {
  return bad("damaged: the checksum of section " + Infos[I].Name + " (offset " + std::to_string(Places[I].Offset) +
             ") does not match");
}

std::expected<std::shared_ptr<const ChunkBytes>, TraceError> Container::chunks(uint64_t Summed) {
  const size_t I = find(SectionId::Chunks);
  if (I == Infos.size())
    return nullptr;
  if (!Infos[I].Packed || Infos[I].Packed != Infos[I].Bytes) {
    auto Unpacked = section(SectionId::Chunks);
    if (!Unpacked)
      return std::unexpected(Unpacked.error());
    return std::make_shared<ChunkMemory>(std::move(*Unpacked));
  }
  auto Part = From.part(Places[I].Offset, Infos[I].Bytes);
  if (!Part)
    return std::unexpected(Part.error());
  if (sumOf(**Part, Summed) != Places[I].Sum)
    return badSum(I);
  return *Part;
}

size_t Container::find(SectionId Id) const {
  auto It = std::find_if(Infos.begin(), Infos.end(), [&](const SectionInfo &S) { return SectionId(S.Id) == Id; });
  return static_cast<size_t>(It - Infos.begin());
}

std::expected<std::vector<uint8_t>, TraceError> Container::section(SectionId Id) {
  const size_t I = find(Id);
  if (I == Infos.size())
    return bad(std::string("damaged: there is no section ") + nameOf(Id));
  const SectionInfo &S = Infos[I];
  if (!S.Packed) {
    auto Begin = Common.begin() + static_cast<ptrdiff_t>(Places[I].Offset);
    return std::vector<uint8_t>(Begin, Begin + static_cast<ptrdiff_t>(S.Bytes));
  }
  if (auto Done = spendFor(S); !Done)
    return std::unexpected(Done.error());
  auto Packed = readAlone(I);
  if (!Packed)
    return std::unexpected(Packed.error());
  return unpack(*Packed, S.Bytes, "section " + S.Name, Places[I].Offset);
}

std::expected<void, TraceError> Container::checkUnknown() {
  for (size_t I = 0; I < Infos.size(); ++I)
    if (Infos[I].Packed && Infos[I].Id >= NumSectionIds)
      if (auto Packed = readAlone(I); !Packed)
        return std::unexpected(Packed.error());
  return {};
}

} // namespace pilgrim
