//===- Quiet.h - the end of recording, with threads still running -*- C++ -*-===//
//
// A process may end while its other threads are in the middle of calls. Each thread is interrupted by a signal, and
// says whether it was recording just then. One that was is asked again. One that was not will record nothing any more;
// a call that it is in can be recorded for it.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_FINISH_QUIET_H
#define PILGRIM_FINISH_QUIET_H

namespace pilgrim {

struct Process;
struct ThreadState;

/// Ends recording in all threads. AllThreads: else threads that are in no call are not interrupted, since the program
/// goes on. Returns the number of threads that did not answer in time and may still be recording. Can be called from a
/// handler of a signal that did not interrupt code of libpilgrim.
unsigned endRecording(Process &P, bool AllThreads);
/// Behind endRecording(): whether the thread is the caller, or has answered.
bool isQuiet(const ThreadState &T);

/// Whether a signal interrupted code of libpilgrim. Context: the handler's third argument.
bool isInOwnCode(const void *Context);
/// Whether a signal interrupted the C library's abort(), which raises it, and will not go on. True where nobody
/// knows.
bool isInAbort(const void *Context);

/// While it lives, the program is in a function of the C library that sends a signal. What that leaves on top of the
/// stack is no return address: old ones of ours may stand there.
class Sending {
public:
  Sending();
  ~Sending();
  Sending(const Sending &) = delete;
};

/// While it lives, the thread waits in our code for another one, and is recording nothing.
class Parked {
public:
  /// IsQuiet: else nothing is changed.
  explicit Parked(bool IsQuiet);
  ~Parked();
  Parked(const Parked &) = delete;

private:
  const bool Before;
};

} // namespace pilgrim

#endif
