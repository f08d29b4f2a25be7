//===- Spool.cpp - bytes that are only added to ---------------------------===//
#include "core/Spool.h"
#include "platform/OpenFile.h"
#include "platform/OutsideCall.h"
#include "platform/WriteSignals.h"

#include <algorithm>
#include <atomic>
#include <sys/stat.h>

namespace pilgrim {

/// What stays in memory.
static constexpr size_t MostInMemory = size_t(128) << 10;
static std::string Place;
static std::atomic<unsigned> NumFiles = 0;
static std::atomic<int> Maker = 0; ///< of all files
static std::atomic<bool> HasLost = false;

bool Spool::hasLost() { return HasLost; }

static std::string fileNumber(unsigned N) {
  return Place + "." + std::to_string(Maker) + "." + std::to_string(N) + ".tmp";
}

void Spool::setPlace(std::string Path) {
  Place = std::move(Path);
  Maker = getpid();
}

void Spool::removeFiles() {
  for (unsigned N = 0; Maker == getpid() && N < NumFiles; ++N)
    unlink(fileNumber(N).c_str());
}

Spool::~Spool() {
  if (!File.empty() && getpid() == Owner)
    unlink(File.c_str());
}

uint64_t Spool::append(std::span<const uint8_t> Bytes) {
  const uint64_t Offset = size();
  Tail.insert(Tail.end(), Bytes.begin(), Bytes.end());
  if (Tail.size() >= MostInMemory && !HasFailed && !Place.empty())
    HasFailed = !write();
  return Offset;
}

/// Opens the file if it is the one that was made, with all that was written. Another one that somebody has put in its
/// place is not waited for.
int Spool::open(int Flags) const {
  const int Fd = openFile(File.c_str(), Flags | O_NOFOLLOW | O_NONBLOCK);
  struct stat S;
  if (Fd < 0 ||
      (fstat(Fd, &S) == 0 && S.st_dev == Device && S.st_ino == Node && static_cast<uint64_t>(S.st_size) >= InFile))
    return Fd;
  close(Fd);
  return -1;
}

std::string Spool::lostFile() const {
  OutsideCall Call;
  const int Fd = InFile ? open(O_RDONLY) : -1;
  if (Fd >= 0)
    close(Fd);
  return InFile && Fd < 0 ? File : "";
}

/// Moves the tail into the file. False: that is not possible, and nothing was moved.
bool Spool::write() {
  const bool IsNew = File.empty();
  if (getpid() != Maker)
    return false;
  if (IsNew) {
    Owner = Maker;
    File = fileNumber(NumFiles++);
  }
  OutsideCall Call;
  WriteSignals NoSignals;
  const int Fd = IsNew ? openFile(File.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600) : open(O_WRONLY);
  if (Fd < 0) {
    if (IsNew)
      File.clear();
    return false;
  }
  if (struct stat S; IsNew && fstat(Fd, &S) == 0) {
    Device = S.st_dev;
    Node = S.st_ino;
  }
  size_t Done = 0;
  while (Done < Tail.size()) {
    const ssize_t N = pwrite(Fd, Tail.data() + Done, Tail.size() - Done, static_cast<off_t>(InFile + Done));
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      break;
    Done += static_cast<size_t>(N);
  }
  if (close(Fd) != 0 || Done < Tail.size())
    return false;
  InFile += Tail.size();
  Tail.clear();
  return true;
}

std::vector<uint8_t> Spool::read(uint64_t Offset, uint64_t Size) const {
  std::vector<uint8_t> Out;
  if (Offset < InFile) {
    OutsideCall Call;
    Out.resize(std::min(Size, InFile - Offset));
    const int Fd = open(O_RDONLY);
    size_t Done = 0;
    while (Fd >= 0 && Done < Out.size()) {
      const ssize_t N = pread(Fd, Out.data() + Done, Out.size() - Done, static_cast<off_t>(Offset + Done));
      if (N < 0 && errno == EINTR)
        continue;
      if (N <= 0)
        break;
      Done += static_cast<size_t>(N);
    }
    if (Fd >= 0)
      close(Fd);
    Out.resize(Done);
    if (Done < std::min(Size, InFile - Offset)) {
      HasLost = true;
      return Out;
    }
  }
  const uint64_t InTail = Offset + Out.size() - InFile;
  Out.insert(Out.end(), Tail.begin() + static_cast<ptrdiff_t>(InTail),
             Tail.begin() + static_cast<ptrdiff_t>(InTail + Size - Out.size()));
  return Out;
}

} // namespace pilgrim
