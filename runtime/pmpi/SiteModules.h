//===- SiteModules.h - the files that call sites are in -----------*- C++ -*-===//
//
// A call site is a module and an offset in it. Readers find the source line in the module's file. So a trace names, for
// each module that has sites, the path of the file and its build id.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_SITEMODULES_H
#define PILGRIM_PMPI_SITEMODULES_H

#include "platform/LoadedModules.h"

#include <map>
#include <string>

namespace pilgrim {

class SiteModules {
public:
  /// Adds a module that has sites. Name: the module as sites name it. Folder: where the program was started; a relative
  /// path counts from there.
  void add(const char *Name, const ModulePlace &Place, const std::string &Folder);
  /// Writes one entry for each module to a trace's Meta.
  void describe(std::map<std::string, std::string> &Meta) const;

private:
  struct Module {
    uintptr_t FirstPage = 0; ///< where it was last seen
    std::string Text;        ///< build id and path; empty if the module has no build id
  };
  std::map<std::string, Module> Modules;
};

} // namespace pilgrim

#endif
