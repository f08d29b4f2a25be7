//===- Tell.h - lines on the standard error ----------------------*- C++ -*-===//
//
// All that a traced program's user reads of the tracer. A line is one write, "pilgrim: ...", so that lines of many
// ranks do not mix.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PLATFORM_TELL_H
#define PILGRIM_PLATFORM_TELL_H

namespace pilgrim {

/// What a line tells: that something went wrong, what became of the trace, what the first rank does and how long it
/// takes, what each rank does.
enum class TellLevel { Error, Event, Info, Debug };

/// Keeps a copy of the standard error as it is now. The program may close it or put a file of its own in its place;
/// later lines still go to the first one.
void keepLines();
/// Lines of that level and of those before it only, from now on; Event if this is not called.
void limitLines(TellLevel Most);
/// Whether lines of that level are printed.
bool tells(TellLevel Level);
/// Prints one line, whatever the limit is. Allocates nothing.
void say(const char *Text);
/// Prints one line if the limit allows its level. Allocates nothing.
void tell(TellLevel Level, const char *Format, ...) __attribute__((format(printf, 2, 3)));

/// Waits until what was printed has been read, if the standard error is a pipe; 50 ms at most. A launcher that is told
/// that the run ends reads no more.
void awaitReader();

} // namespace pilgrim

#endif
