//===- Output.cpp - where a trace goes ------------------------------------===//
#include "finish/Output.h"
#include "api/OutputFolder.h"
#include "platform/OpenFile.h"
#include "platform/Program.h"
#include "platform/Tell.h"
#include "platform/WriteSignals.h"
#include "pmpi/State.h"
#include "trace/file/Container.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace pilgrim {

static std::string expand(const std::string &Pattern) {
  std::string Out;
  for (size_t I = 0; I < Pattern.size(); ++I) {
    char Next = Pattern[I] == '%' && I + 1 < Pattern.size() ? Pattern[I + 1] : 0;
    if (Next == 'p') {
      Out += std::to_string(getpid());
    } else if (Next == 'e') {
      Out += programName();
    } else if (Next == 'j') {
      const char *Job = nullptr;
      for (const char *V : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"})
        if (!Job)
          Job = std::getenv(V);
      Out += Job ? Job : "0";
    } else if (Next == '%') {
      Out += '%';
    } else {
      Out += Pattern[I];
      continue;
    }
    ++I;
  }
  return Out;
}

/// The path to a file in Folder. It stays as the user wrote it while the program is still in that folder.
static std::string placeIn(const std::string &Folder, const std::string &Path) {
  if (Folder.empty() || Path.starts_with('/'))
    return Path;
  struct stat Then, Now;
  if (stat(Folder.c_str(), &Then) == 0 && stat(".", &Now) == 0 && Then.st_dev == Now.st_dev &&
      Then.st_ino == Now.st_ino)
    return Path;
  return Folder + "/" + Path;
}

OutputFile::OutputFile(const Process &P) {
  constexpr std::string_view Suffix = ".pilgrim";
  const std::string &Given = P.Opts.Output;
  Path = placeIn(P.Folder, Given.empty() ? programName() + std::string(Suffix) : expand(Given));
  if (!Given.empty() && !P.IsSpawned)
    return;
  Stem = Path.ends_with(Suffix) ? Path.substr(0, Path.size() - Suffix.size()) : Path;
  if (P.IsSpawned)
    number();
}

void OutputFile::foresee() const {
  if (const std::string Why = whyNotWritable(Path); !Why.empty() && Stem.empty())
    tell(TellLevel::Error, "cannot write %s: %s; the program runs, and its trace will be lost unless that changes",
         Path.c_str(), Why.c_str());
}

void OutputFile::number() { Path = Stem + "." + std::to_string(Next++) + ".pilgrim"; }

/// False: errno says why.
static bool writeAll(int Fd, std::span<const uint8_t> Bytes) {
  for (size_t Done = 0; Done < Bytes.size();) {
    ssize_t N = ::write(Fd, Bytes.data() + Done, Bytes.size() - Done);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0) {
      errno = N < 0 ? errno : ENOSPC;
      return false;
    }
    Done += static_cast<size_t>(N);
  }
  return true;
}

int OutputFile::writeTo(const std::string &Target, const TraceParts &Bytes, bool Overwrite) {
  WriteSignals NoSignals;
  std::string Temporary = Target + "." + std::to_string(getpid()) + ".tmp";
  auto Fail = [&](int Why) {
    Error = "cannot write " + Target + ": " + std::strerror(Why);
    return Why;
  };
  const int Fd = openFile(Temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (Fd < 0)
    return Fail(errno);
  auto Undo = [&](int Why) {
    unlink(Temporary.c_str());
    return Fail(Why);
  };
  bool Good = writeAll(Fd, Bytes.Head);
  uint64_t Size = Bytes.Head.size();
  if (Good && Bytes.Chunks)
    forEachPiece(*Bytes.Chunks, [&](std::span<const uint8_t> Piece) {
      Size += Piece.size();
      return Good = writeAll(Fd, Piece);
    });
  if (Good && Size < Bytes.size()) { // the file where they were kept is gone
    errno = EIO;
    Good = false;
  }
  if (!Good) {
    const int Why = errno;
    close(Fd);
    return Undo(Why);
  }
  if (close(Fd) != 0)
    return Undo(errno);
  if (Overwrite)
    return rename(Temporary.c_str(), Target.c_str()) == 0 ? 0 : Undo(errno);
  // link() does not replace what is there, rename() would.
  if (link(Temporary.c_str(), Target.c_str()) == 0) {
    unlink(Temporary.c_str());
    return 0;
  }
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
    return Undo(errno);
  // A file system without hard links.
  if (access(Target.c_str(), F_OK) == 0)
    return Undo(EEXIST);
  return rename(Temporary.c_str(), Target.c_str()) == 0 ? 0 : Undo(errno);
}

bool OutputFile::write(const TraceParts &Bytes) {
  if (Stem.empty())
    return writeTo(Path, Bytes, true) == 0;
  for (; Next < 10000; number()) {
    if (access(Path.c_str(), F_OK) == 0)
      continue;
    if (int Why = writeTo(Path, Bytes, false); Why != EEXIST)
      return Why == 0;
  }
  Error = "cannot write " + Stem + ".pilgrim: ten thousand of them are there";
  return false;
}

bool OutputFile::writeShard(const TraceParts &Bytes, int Rank) {
  Path += ".shard." + std::to_string(Rank);
  return writeTo(Path, Bytes, true) == 0;
}

} // namespace pilgrim
