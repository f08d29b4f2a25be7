//===- WriteSignals.h - writing that cannot end the program ------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_WRITESIGNALS_H
#define PILGRIM_PLATFORM_WRITESIGNALS_H

#include <cerrno>
#include <csignal>
#include <ctime>
#include <initializer_list>

namespace pilgrim {

/// Suppresses the signals of failed writes while it lives. A write beyond the limit of a file's size, or into a pipe
/// that nobody reads, then only fails. The program may not be prepared for the signal, or may count its signals.
class WriteSignals {
public:
  WriteSignals() {
    sigset_t Pending;
    sigemptyset(&Mine);
    sigpending(&Pending);
    for (int S : {SIGPIPE, SIGXFSZ})
      if (!sigismember(&Pending, S))
        sigaddset(&Mine, S);
    pthread_sigmask(SIG_BLOCK, &Mine, &Before);
  }
  ~WriteSignals() {
    int SavedErrno = errno;
    timespec Now{0, 0};
    while (sigtimedwait(&Mine, nullptr, &Now) > 0)
      ;
    pthread_sigmask(SIG_SETMASK, &Before, nullptr);
    errno = SavedErrno;
  }
  WriteSignals(const WriteSignals &) = delete;

private:
  sigset_t Mine, Before;
};

} // namespace pilgrim

#endif
