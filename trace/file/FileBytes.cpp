//===- FileBytes.cpp - the bytes of a file, as far as they are wanted -----===//
//
// Files are read, not mapped: a file that another program cuts short meanwhile is an error, not a signal.
//
//===----------------------------------------------------------------------===//
#include "trace/file/FileBytes.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace pilgrim {

static std::unexpected<TraceError> failed(const char *What) {
  return std::unexpected(TraceError{std::string(What) + ": " + std::strerror(errno)});
}

std::expected<FileBytes, TraceError> FileBytes::open(const std::string &Path) {
  int File = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return failed("cannot open");
  struct stat About;
  bool IsRegular = fstat(File, &About) == 0 && S_ISREG(About.st_mode);
  return FileBytes(File, !IsRegular, IsRegular ? static_cast<uint64_t>(About.st_size) : 0);
}

FileBytes::FileBytes(FileBytes &&Other) noexcept
    : File(std::exchange(Other.File, -1)), IsPipe(Other.IsPipe), Memory(Other.Memory), Tail(std::move(Other.Tail)),
      Read(std::move(Other.Read)), Size(Other.Size) {}

FileBytes::~FileBytes() {
  if (File >= 0)
    ::close(File);
}

/// Up to N bytes, fewer only at the end. -1: errno says why.
static ssize_t readAll(int File, bool IsPipe, uint8_t *To, size_t N, uint64_t Offset) {
  constexpr size_t AtOnce = size_t(1) << 30;
  size_t Done = 0;
  while (Done < N) {
    const size_t Want = std::min(N - Done, AtOnce);
    ssize_t Got = IsPipe ? ::read(File, To + Done, Want) : ::pread(File, To + Done, Want, off_t(Offset + Done));
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got < 0)
      return -1;
    if (Got == 0)
      break;
    Done += static_cast<size_t>(Got);
  }
  return static_cast<ssize_t>(Done);
}

std::expected<size_t, TraceError> FileBytes::readSome(uint8_t *To, size_t N, uint64_t Offset) {
  const ssize_t Done = readAll(File, IsPipe, To, N, Offset);
  if (Done < 0)
    return failed("cannot read");
  return static_cast<size_t>(Done);
}

namespace {
/// A part of a file.
class FilePart final : public ChunkBytes {
public:
  FilePart(int File, uint64_t Begin, uint64_t Size) : File(File), Begin(Begin), Size(Size) {}
  ~FilePart() override { ::close(File); }
  uint64_t size() const override { return Size; }
  std::vector<uint8_t> read(uint64_t Offset, uint64_t N) const override {
    std::vector<uint8_t> Out(N);
    const ssize_t Got = readAll(File, false, Out.data(), N, Begin + Offset);
    Out.resize(Got < 0 ? 0 : static_cast<size_t>(Got));
    return Out;
  }

private:
  int File;
  uint64_t Begin, Size;
};
} // namespace

std::expected<std::shared_ptr<const ChunkBytes>, TraceError> FileBytes::part(uint64_t Offset, uint64_t N) {
  if (Tail && Offset == Memory.size() && N == Tail->size())
    return Tail;
  if (File >= 0 && !IsPipe) {
    // Of thousands of files not all may be open: their parts are read at once.
    if (const int Own = fcntl(File, F_DUPFD_CLOEXEC, 0); Own >= 0)
      return std::make_shared<FilePart>(Own, Offset, N);
  }
  auto Bytes = at(Offset, N);
  if (!Bytes)
    return std::unexpected(Bytes.error());
  return std::make_shared<ChunkMemory>(std::vector<uint8_t>(Bytes->begin(), Bytes->end()));
}

/// Piece by piece: a size that a damaged trace says is not allocated before so many bytes have come.
std::expected<void, TraceError> FileBytes::readPipe(uint64_t UpTo) {
  while (Read.size() < UpTo) {
    constexpr uint64_t Piece = 1 << 16;
    const size_t Had = Read.size(), Want = static_cast<size_t>(std::min(Piece, UpTo - Had));
    Read.resize(Had + Want);
    auto Got = readSome(Read.data() + Had, Want, Had);
    Read.resize(Had + (Got ? *Got : 0));
    if (!Got)
      return std::unexpected(Got.error());
    if (*Got < Want)
      break;
  }
  return {};
}

std::expected<std::span<const uint8_t>, TraceError> FileBytes::begin(size_t Most) {
  if (!IsPipe)
    return at(0, std::min<uint64_t>(Most, Size));
  if (auto Done = readPipe(Most); !Done)
    return std::unexpected(Done.error());
  return std::span<const uint8_t>(Read).first(std::min(Most, Read.size()));
}

std::expected<uint64_t, TraceError> FileBytes::size(uint64_t Expected) {
  if (!IsPipe)
    return Size;
  if (auto Done = readPipe(std::max(Expected, Expected + 1)); !Done)
    return std::unexpected(Done.error());
  return Read.size();
}

std::expected<std::span<const uint8_t>, TraceError> FileBytes::at(uint64_t Offset, uint64_t N) {
  if (File < 0)
    return Memory.subspan(Offset, N);
  if (IsPipe)
    return std::span<const uint8_t>(Read).subspan(Offset, N);
  Read.resize(N);
  auto Got = readSome(Read.data(), N, Offset);
  if (!Got)
    return std::unexpected(Got.error());
  if (*Got < N)
    return std::unexpected(TraceError{"cut short while it was read"});
  return std::span<const uint8_t>(Read);
}

} // namespace pilgrim
