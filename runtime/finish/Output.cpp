//===- Output.cpp - where a trace goes ------------------------------------===//
#include "finish/Output.h"
#include "api/OutputFolder.h"
#include "core/Spool.h"
#include "platform/OpenFile.h"
#include "platform/Program.h"
#include "platform/Tell.h"
#include "platform/WriteSignals.h"
#include "pmpi/State.h"
#include "trace/file/Container.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace pilgrim {

constexpr unsigned MostNumbers = 10000;

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

/// At a place in a file. False: errno says why.
static bool writeAll(int Fd, std::span<const uint8_t> Bytes, uint64_t Place) {
  for (size_t Done = 0; Done < Bytes.size();) {
    const ssize_t N = pwrite(Fd, Bytes.data() + Done, Bytes.size() - Done, static_cast<off_t>(Place + Done));
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

/// Those that are here.
static bool writeAll(int Fd, const ChunkBytes &Bytes, uint64_t Place) {
  uint64_t Done = 0;
  bool Good = true;
  forEachPiece(
      Bytes,
      [&](std::span<const uint8_t> Piece) {
        Good = writeAll(Fd, Piece, Place + Done);
        Done += Piece.size();
        return Good;
      },
      Bytes.here());
  if (Good && Done < Bytes.here()) { // the file where they were kept is gone
    errno = EIO;
    Good = false;
  }
  return Good;
}

/// Opens the file, lets Write write, and closes it. Returns 0 or an errno.
template <typename Fn> static int writeFile(const std::string &Path, int Flags, Fn &&Write) {
  WriteSignals NoSignals;
  const int Fd = openFile(Path.c_str(), O_WRONLY | Flags, 0666);
  if (Fd < 0)
    return errno;
  const int Why = Write(Fd) ? 0 : errno;
  if (close(Fd) != 0 && !Why)
    return errno;
  return Why;
}

bool OutputFile::fail(int Why) {
  abandon();
  Error = "cannot write " + Path + ": " + std::strerror(Why);
  return false;
}

void OutputFile::abandon() {
  if (!Temporary.empty())
    unlink(Temporary.c_str());
}

/// One that is not there yet, if it is not the user's.
bool OutputFile::findName() {
  while (!Stem.empty() && access(Path.c_str(), F_OK) == 0) {
    if (Next >= MostNumbers) {
      Error = "cannot write " + Stem + ".pilgrim: ten thousand of them are there";
      return false;
    }
    number();
  }
  return true;
}

/// Where a link leads to is written. What is no file is not replaced. False: that it is.
bool OutputFile::findTarget() {
  struct stat S;
  if (stat(Path.c_str(), &S) == 0 && !S_ISREG(S.st_mode) && !S_ISDIR(S.st_mode)) {
    Error = "cannot write " + Path + ": " + whyNotWritable(Path);
    return false;
  }
  Path = targetOf(Path);
  return true;
}

bool OutputFile::begin(const TraceParts &Bytes) {
  if (!findName() || !findTarget())
    return false;
  if (Spool::hasLost()) {
    Error = "cannot write " + Path + ": a file where calls were kept cannot be read any more";
    return false;
  }
  Temporary = Path + "." + std::to_string(getpid()) + ".tmp";
  if (char Folder[PATH_MAX]; !Temporary.starts_with('/') && getcwd(Folder, sizeof Folder))
    Temporary = std::string(Folder) + "/" + Temporary;
  const int Why = writeFile(Temporary, O_CREAT | O_TRUNC, [&](int Fd) {
    return writeAll(Fd, Bytes.Head, 0) && (!Bytes.Chunks || writeAll(Fd, *Bytes.Chunks, Bytes.Head.size()));
  });
  return Why == 0 || fail(Why);
}

int OutputFile::add(const std::string &Temporary, uint64_t Place, const ChunkBytes &Bytes) {
  return writeFile(Temporary, 0, [&](int Fd) { return writeAll(Fd, Bytes, Place); });
}

int OutputFile::rename(bool Overwrite) const {
  const char *From = Temporary.c_str(), *To = Path.c_str();
  if (Overwrite)
    return ::rename(From, To) == 0 ? 0 : errno;
  // link() does not replace what is there, rename() would.
  if (link(From, To) == 0) {
    unlink(From);
    return 0;
  }
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
    return errno;
  // A file system without hard links.
  if (access(To, F_OK) == 0)
    return EEXIST;
  return ::rename(From, To) == 0 ? 0 : errno;
}

bool OutputFile::commit() {
  for (;;) {
    if (!findName()) {
      abandon();
      return false;
    }
    const int Why = rename(Stem.empty());
    if (Why == 0)
      return true;
    if (Why != EEXIST || Stem.empty())
      return fail(Why);
  }
}

static std::string shardOf(const std::string &Trace, int Rank) {
  return Trace + ".shard." + std::to_string(std::max(Rank, 0));
}

/// What a shard says of its run; empty: nothing that can be read.
static std::string runOf(const std::string &Shard) {
  auto Bytes = FileBytes::open(Shard);
  if (!Bytes)
    return "";
  auto Head = readHead(*Bytes);
  return Head ? Head->Meta[std::string(RunKey)] : "";
}

/// Whether there are shards of this name which are of another run, or may be. Each rank finds that out alone. It looks
/// at some, as there may be very many: where the other run left some ranks' and not others', two ranks may find
/// different things, and the parts of their run have different names. Joined with the other run's they are never.
bool OutputFile::isOfAnotherRun(const Process &P) const {
  return std::ranges::any_of(std::initializer_list<int>{P.Rank, 0, 1, P.Size - 1}, [&](int Rank) {
    const std::string Shard = shardOf(Path, Rank);
    return access(Shard.c_str(), F_OK) == 0 && runOf(Shard) != P.Run;
  });
}

void OutputFile::becomeShard(const Process &P) {
  while (!Stem.empty() && Next < MostNumbers && !P.Run.empty() && isOfAnotherRun(P))
    number();
  Path = shardOf(Path, P.Rank);
  Stem.clear();
}

bool OutputFile::writeShard(const Process &P, const TraceParts &Bytes) {
  becomeShard(P);
  return begin(Bytes) && commit();
}

void OutputFile::removeShard(const Process &P) {
  becomeShard(P);
  unlink(Path.c_str());
}

} // namespace pilgrim
