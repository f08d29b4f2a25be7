//===- SourceLines.h - lines of the modules that were traced ----*- C++ -*-===//
//
// A call site is a module and an offset. Where the module's file is still what
// it was when it was traced (its build id says so) and has debug info, that is
// a line. Nothing is looked up while a program runs, and nothing in the network.
// Without libdw at build time no line is known.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_SOURCELINES_H
#define PILGRIM_DRIVER_SOURCELINES_H

#include "trace/read/Reader.h"

#include <memory>

namespace pilgrim {

/// A line of a file. Empty: not known.
struct SourceLine {
  std::string File; ///< as the compiler knew it
  int Line = 0;
};

class SourceLines {
public:
  /// Of the modules that a trace names. It may go away before this.
  explicit SourceLines(const Trace &T);
  ~SourceLines();
  /// The line of the call that returns to Offset in the module; innermost, if functions were inlined.
  const SourceLine &find(const std::string &Module, int64_t Offset);
  /// The functions that this call is in, by their linkage names, innermost first: others were inlined into the last.
  const std::vector<std::string> &functions(const std::string &Module, int64_t Offset);

private:
  class Module;
  /// Null: the trace does not say what it is.
  const Module *module(const std::string &Name);
  const std::map<std::string, std::string> Described; ///< by name: as Trace::meta() has it
  std::map<std::string, std::unique_ptr<Module>> Modules;
  std::map<std::pair<std::string, int64_t>, SourceLine> Known;
  std::map<std::pair<std::string, int64_t>, std::vector<std::string>> KnownFunctions;
};

} // namespace pilgrim

#endif
