//===- Modules.h - which files call sites are in -----------------*- C++ -*-===//
//
// A site is a module and an offset. So that a reader can find the line, a trace says of each such module what file it
// was, and its build id.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_MODULES_H
#define PILGRIM_PMPI_MODULES_H

#include <dlfcn.h>
#include <map>
#include <string>

namespace pilgrim {

class ModuleBook {
public:
  /// Name: what sites say of the module; Folder: where the program was started.
  void add(const char *Name, const Dl_info &Module, const std::string &Folder);
  /// Writes what TraceData::Meta has of them.
  void describe(std::map<std::string, std::string> &Meta) const;

private:
  struct Module {
    const void *Base; ///< where it was last seen
    std::string Text; ///< empty: nothing that helps
  };
  std::map<std::string, Module> Modules;
};

} // namespace pilgrim

#endif
