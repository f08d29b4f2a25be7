//===- LoadedModules.cpp - the files that the process has loaded ----------===//
#include "platform/LoadedModules.h"
#include "platform/Generation.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace pilgrim {

AddressRange ModuleView::segmentAt(uintptr_t Address) const {
  for (const auto *H = Info.dlpi_phdr, *End = H + Info.dlpi_phnum; H != End; ++H)
    if (H->p_type == PT_LOAD && rangeOf(*H).holds(Address))
      return rangeOf(*H);
  return {};
}

AddressRange ModuleView::span() const {
  AddressRange All{UINTPTR_MAX, 0};
  forEachSegment([&](AddressRange Segment) {
    All.Begin = std::min(All.Begin, Segment.Begin);
    All.End = std::max(All.End, Segment.End);
  });
  return All.End ? All : AddressRange();
}

uintptr_t ModuleView::firstPage() const {
  const auto PageMask = ~(static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)) - 1);
  for (const auto *H = Info.dlpi_phdr, *End = H + Info.dlpi_phnum; H != End; ++H)
    if (H->p_type == PT_LOAD)
      return rangeOf(*H).Begin & PageMask;
  return 0;
}

/// Appends digits of the build id if it is among the notes of a segment.
static void readNotes(const char *At, const char *End, size_t Align, size_t Digits, std::string &Id) {
  while (static_cast<size_t>(End - At) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) Head;
    std::memcpy(&Head, At, sizeof Head);
    const char *Name = At + sizeof Head, *Text = Name + (Head.n_namesz + 3) / 4 * 4;
    if (Text > End || static_cast<size_t>(End - Text) < Head.n_descsz)
      return;
    if (Head.n_type == NT_GNU_BUILD_ID && Head.n_namesz == 4 && std::memcmp(Name, "GNU", 4) == 0)
      for (size_t I = 0; I < Head.n_descsz && Id.size() < Digits; ++I)
        for (unsigned Digit : {static_cast<unsigned char>(Text[I]) >> 4, Text[I] & 15})
          Id += "0123456789abcdef"[Digit];
    At = Text + (Head.n_descsz + Align - 1) / Align * Align;
  }
}

std::string ModuleView::buildId(size_t Digits) const {
  std::string Id;
  for (const auto *H = Info.dlpi_phdr, *End = H + Info.dlpi_phnum; H != End; ++H)
    if (H->p_type == PT_NOTE && Id.empty()) {
      const AddressRange Notes = rangeOf(*H);
      readNotes(reinterpret_cast<const char *>(Notes.Begin), reinterpret_cast<const char *>(Notes.End),
                H->p_align == 8 ? 8 : 4, Digits, Id);
    }
  return Id;
}

/// The program's name when this library was loaded. Programs may write over it to show what they are doing.
static char ProgramName[4096];
__attribute__((constructor)) static void keepProgramName() {
  std::strncpy(ProgramName, program_invocation_name, sizeof ProgramName - 1);
}

bool moduleAt(uintptr_t Address, ModulePlace &Found) {
  bool IsProgram = false;
  const bool IsFound = visitModules([&](const ModuleView &M) {
    const AddressRange Segment = M.segmentAt(Address);
    if (!Segment.End)
      return false;
    Found = {Segment, M.span(), M.firstPage(), M.path()};
    IsProgram = M.isProgram();
    return true;
  });
  if (IsProgram) {
    if (!ProgramName[0]) // a call of a library that was initialised before this one
      keepProgramName();
    Found.Path = ProgramName;
  }
  return IsFound;
}

bool areInOneModule(const void *A, const void *B) {
  const auto First = reinterpret_cast<uintptr_t>(A), Second = reinterpret_cast<uintptr_t>(B);
  bool IsSame = false;
  visitModules([&](const ModuleView &M) {
    if (!M.segmentAt(First).End)
      return false;
    IsSame = M.segmentAt(Second).End != 0;
    return true;
  });
  return IsSame;
}

const char *baseName(const char *Path) {
  const char *Slash = std::strrchr(Path, '/');
  return Slash ? Slash + 1 : Path;
}

static constinit std::atomic<uint64_t> Unloads = 0;

uint64_t unloads() { return Unloads.load(std::memory_order_acquire); }

void noteUnloads(const ModuleView &Module) {
  const uint64_t Count = Module.unloads();
  if (Unloads.exchange(Count, std::memory_order_release) != Count)
    newGeneration(Renewal::Lasting);
}

void lookForUnloads() {
  visitModules([](const ModuleView &M) {
    noteUnloads(M);
    return true;
  });
}

} // namespace pilgrim
