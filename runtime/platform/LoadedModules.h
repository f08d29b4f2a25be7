//===- LoadedModules.h - the files that the process has loaded ---*- C++ -*-===//
//
// A module is the program itself or a shared object. The dynamic linker keeps the list of modules. All questions about
// them are asked here: which one holds an address, where its parts lie, which build it is, whether any was unloaded.
//
// moduleAt() walks the list. Whoever asks often keeps what it learnt: CodeRanges.h for code, memory/Regions.cpp for
// data.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PLATFORM_LOADEDMODULES_H
#define PILGRIM_PLATFORM_LOADEDMODULES_H

#include "platform/AddressRange.h"
#include "platform/OutsideCall.h"

#include <link.h>
#include <string>

namespace pilgrim {

/// A module while the list is walked. Valid only inside the visitor that gets it.
class ModuleView {
public:
  explicit ModuleView(const dl_phdr_info &Info) : Info(Info) {}

  bool isProgram() const { return !Info.dlpi_name || !*Info.dlpi_name; }
  /// The path of a shared object. The dynamic linker leaves that of the program empty.
  const char *path() const { return Info.dlpi_name ? Info.dlpi_name : ""; }
  /// What addresses in the file are counted from: 0 for a program that is not position independent.
  uintptr_t loadBias() const { return Info.dlpi_addr; }
  /// Numbers of modules that were loaded and unloaded since the process began.
  uint64_t loads() const { return Info.dlpi_adds; }
  uint64_t unloads() const { return Info.dlpi_subs; }

  /// Calls F(Segment) for each loaded segment in ascending order.
  template <typename F> void forEachSegment(F &&Call) const {
    for (const auto *H = Info.dlpi_phdr, *End = H + Info.dlpi_phnum; H != End; ++H)
      if (H->p_type == PT_LOAD)
        Call(rangeOf(*H));
  }
  /// The loaded segment that holds an address; empty if none does.
  AddressRange segmentAt(uintptr_t Address) const;
  /// From the first loaded byte to the last.
  AddressRange span() const;
  /// The page in which the first segment begins. dladdr() calls this the module's base.
  uintptr_t firstPage() const;
  /// The first Digits hexadecimal digits of the build id, or fewer if there are not so many.
  std::string buildId(size_t Digits) const;

private:
  AddressRange rangeOf(const ElfW(Phdr) & H) const {
    const uintptr_t Begin = Info.dlpi_addr + H.p_vaddr;
    return {Begin, Begin + H.p_memsz};
  }
  const dl_phdr_info &Info;
};

/// Calls Visit(ModuleView) for each module until it returns true. Returns whether one did. The dynamic linker's lock is
/// held meanwhile, so Visit must not wait for threads that may load libraries.
template <typename F> bool visitModules(F &&Visit) {
  OutsideCall Call;
  return dl_iterate_phdr(
             [](dl_phdr_info *Info, size_t, void *Data) -> int {
               return (*static_cast<std::remove_reference_t<F> *>(Data))(ModuleView(*Info));
             },
             &Visit) != 0;
}

/// What is known of the module that holds an address.
struct ModulePlace {
  AddressRange Segment;       ///< the loaded segment that holds the address
  AddressRange Span;          ///< from the module's first byte to its last
  uintptr_t FirstPage = 0;    ///< as ModuleView::firstPage()
  const char *Path = nullptr; ///< of the program its argv[0], as it was started. Valid while the module is loaded.
};

/// Finds the module that holds Address. False if there is none. Allocates nothing.
bool moduleAt(uintptr_t Address, ModulePlace &Found);
inline bool moduleAt(const void *Address, ModulePlace &Found) {
  return moduleAt(reinterpret_cast<uintptr_t>(Address), Found);
}
/// Whether one module holds both addresses.
bool areInOneModule(const void *A, const void *B);
/// The last part of a path.
const char *baseName(const char *Path);

/// The number of modules that were unloaded, as far as that has been noticed: code at an address may be another's from
/// then on. It is noticed at each dlclose() (Unloading.cpp), and when memory/ reads the list of modules.
uint64_t unloads();
/// Notices now whether modules were unloaded. A change begins a new generation (Generation.h).
void lookForUnloads();
/// The same for who is walking the list.
void noteUnloads(const ModuleView &Module);

} // namespace pilgrim

#endif
