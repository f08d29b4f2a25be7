//===- Tell.cpp - lines on the standard error -----------------------------===//
#include "platform/Tell.h"
#include "platform/WriteSignals.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pilgrim {

namespace {
/// The standard error that the program was started with. The program may have closed it since, and may have a file of
/// its own under the number 2.
class LineOutput {
public:
  /// To be called only in programs that are traced or meant to be: it takes a file descriptor of the program's.
  void keep() {
    struct stat S;
    if (IsKept || fstat(2, &S) != 0)
      return;
    Device = S.st_dev;
    Inode = S.st_ino;
    constexpr int OutOfTheWay = 200;
    Copy = fcntl(2, F_DUPFD_CLOEXEC, OutOfTheWay);
    IsKept = true;
  }
  void awaitReader() const {
    struct stat S;
    const int Fd = current();
    if (Fd < 0 || fstat(Fd, &S) != 0 || !S_ISFIFO(S.st_mode))
      return;
    constexpr int MostMilliseconds = 50;
    int Unread = 0;
    for (int I = 0; I < MostMilliseconds && ioctl(Fd, FIONREAD, &Unread) == 0 && Unread; ++I) {
      const timespec Millisecond{0, 1'000'000};
      nanosleep(&Millisecond, nullptr);
    }
  }
  /// Allocates nothing.
  void write(const char *Text) const {
    const int Fd = current();
    // One write, so that lines of many ranks do not mix.
    char Line[1200];
    int N = std::snprintf(Line, sizeof Line, "pilgrim: %s\n", Text);
    if (N < 0 || Fd < 0)
      return;
    if (static_cast<size_t>(N) >= sizeof Line) {
      N = sizeof Line - 1;
      Line[N - 1] = '\n';
    }
    WriteSignals NoSignals;
    if (::write(Fd, Line, static_cast<size_t>(N)) < 0)
      return;
  }

private:
  int current() const { return !IsKept || isSame(2) ? 2 : isSame(Copy) ? Copy : -1; }
  bool isSame(int Fd) const {
    struct stat S;
    return Fd >= 0 && fstat(Fd, &S) == 0 && S.st_dev == Device && S.st_ino == Inode;
  }
  dev_t Device = 0;
  ino_t Inode = 0;
  int Copy = -1;
  bool IsKept = false;
};
} // namespace

static constinit LineOutput Lines;
void keepLines() { Lines.keep(); }
void say(const char *Text) { Lines.write(Text); }
void awaitReader() { Lines.awaitReader(); }

static constinit std::atomic<TellLevel> Limit = TellLevel::Event;
void limitLines(TellLevel Most) { Limit = Most; }

bool tells(TellLevel Level) { return Level <= Limit; }

void tell(TellLevel Level, const char *Format, ...) {
  if (!tells(Level))
    return;
  char Text[1024];
  va_list Args;
  va_start(Args, Format);
  std::vsnprintf(Text, sizeof Text, Format, Args);
  va_end(Args);
  say(Text);
}

} // namespace pilgrim
