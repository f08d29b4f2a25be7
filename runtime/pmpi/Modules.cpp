//===- Modules.cpp - which files call sites are in ------------------------===//
#include "pmpi/Modules.h"
#include "trace/model/TraceData.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <link.h>
#include <unistd.h>

namespace pilgrim {

/// A module as the dynamic linker knows it.
namespace {
struct Loaded {
  const void *Base;
  bool IsProgram = false;
  std::string Id; ///< first digits
};
} // namespace

/// The build id among the notes of a segment.
static void readNotes(const char *At, const char *End, size_t Align, std::string &Id) {
  while (static_cast<size_t>(End - At) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) Head;
    std::memcpy(&Head, At, sizeof Head);
    const char *Name = At + sizeof Head, *Text = Name + (Head.n_namesz + 3) / 4 * 4;
    if (Text > End || static_cast<size_t>(End - Text) < Head.n_descsz)
      return;
    if (Head.n_type == NT_GNU_BUILD_ID && Head.n_namesz == 4 && std::memcmp(Name, "GNU", 4) == 0)
      for (size_t I = 0; I < Head.n_descsz && Id.size() < ModuleIdDigits; ++I)
        for (unsigned Digit : {static_cast<unsigned char>(Text[I]) >> 4, Text[I] & 15})
          Id += "0123456789abcdef"[Digit];
    At = Text + (Head.n_descsz + Align - 1) / Align * Align;
  }
}

static int look(dl_phdr_info *I, size_t, void *P) {
  auto *M = static_cast<Loaded *>(P);
  auto Address = [&](const ElfW(Phdr) & H) { return reinterpret_cast<const char *>(I->dlpi_addr + H.p_vaddr); };
  const auto *Begin = I->dlpi_phdr, *End = Begin + I->dlpi_phnum;
  const auto *First = std::find_if(Begin, End, [](const auto &H) { return H.p_type == PT_LOAD; });
  const auto PageMask = ~(static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)) - 1);
  if (First == End || (reinterpret_cast<uintptr_t>(Address(*First)) & PageMask) != reinterpret_cast<uintptr_t>(M->Base))
    return 0;
  M->IsProgram = !*I->dlpi_name;
  for (const auto *H = Begin; H != End; ++H)
    if (H->p_type == PT_NOTE && M->Id.empty())
      readNotes(Address(*H), Address(*H) + H->p_memsz, H->p_align == 8 ? 8 : 4, M->Id);
  return 1;
}

void ModuleBook::add(const char *Name, const Dl_info &Info, const std::string &Folder) {
  auto [It, New] = Modules.try_emplace(Name, Module{nullptr, ""});
  Module &M = It->second;
  if (M.Base == Info.dli_fbase)
    return;
  M.Base = Info.dli_fbase;
  Loaded L{Info.dli_fbase, false, {}};
  dl_iterate_phdr(look, &L);
  std::string Text;
  if (L.Id.size() == ModuleIdDigits) {
    std::string Path = Info.dli_fname;
    char Program[PATH_MAX];
    if (L.IsProgram)
      if (ssize_t N = readlink("/proc/self/exe", Program, sizeof Program); N > 0)
        Path.assign(Program, static_cast<size_t>(N));
    if (!Path.starts_with('/') && !Folder.empty())
      Path = Folder + "/" + Path;
    Text = L.Id + " " + Path;
  }
  // Another one of this name, and not the same loaded again.
  if (!New && Text != M.Text)
    Text = UnclearModule;
  M.Text = std::move(Text);
}

void ModuleBook::describe(std::map<std::string, std::string> &Meta) const {
  for (const auto &[Name, M] : Modules)
    if (!M.Text.empty())
      Meta[std::string(ModuleKey) + Name] = M.Text;
}

} // namespace pilgrim
