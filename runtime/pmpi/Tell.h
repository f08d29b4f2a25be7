//===- Tell.h - lines on the standard error ----------------------*- C++ -*-===//
#ifndef PILGRIM_PMPI_TELL_H
#define PILGRIM_PMPI_TELL_H

namespace pilgrim {

/// From now on lines go to what is the standard error now, whatever the program makes of it.
void keepLines();
/// One line, "pilgrim: ...". Allocates nothing.
void say(const char *Text);
/// Likewise, unless the options say that it is not wanted. Level: -1 error, 0 what happened, 1 information, 2 debug.
void tell(int Level, const char *Format, ...) __attribute__((format(printf, 2, 3)));

} // namespace pilgrim

#endif
