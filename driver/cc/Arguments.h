//===- Arguments.h - what a compiler's command line asks for ----*- C++ -*-===//
//
// Arguments are passed on untouched. They are read only to know what may be
// added: libraries where something is linked, nothing where a version is asked
// for. Response files are looked into, and passed on as they are.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_CC_ARGUMENTS_H
#define PILGRIM_DRIVER_CC_ARGUMENTS_H

#include <string>
#include <vector>

namespace pilgrim {

struct Arguments {
  std::vector<std::string> Passed; ///< without what only the wrapper understands
  size_t DoubleDash;               ///< place of "--" in Passed; its size where there is none
  bool Show = false;               ///< print the command and run nothing
  bool Doctor = false;
  bool HasInput = false;    ///< there is something to compile or to link
  bool Links = true;        ///< an executable or a shared library is made
  bool Relocatable = false; ///< one object is made of several (-r)
  bool Static = false;
  bool HasPlugin = false; ///< the plugin is asked for already
  bool FullLto = false;   ///< all of a program is optimised together, at the link
  std::string Linker;     ///< as -fuse-ld= or --ld-path= names it; empty: not said
  std::vector<std::string> Sources;
};

Arguments readArguments(const std::vector<std::string> &Words);

/// Splits text as response files are written: at white space, with quotes and
/// backslashes.
std::vector<std::string> splitWords(const std::string &Text);

} // namespace pilgrim

#endif
