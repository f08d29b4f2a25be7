//===- SourceLines.cpp - lines of the modules that were traced ------------===//
#include "driver/SourceLines.h"

#if PILGRIM_LIBDW
#include <cstdlib>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <filesystem>
#include <gelf.h>
#include <unistd.h>
#endif

namespace pilgrim {

static std::map<std::string, std::string> modulesOf(const Trace &T) {
  std::map<std::string, std::string> Out;
  for (const auto &[Key, Value] : T.meta())
    if (Key.starts_with(ModuleKey))
      Out[Key.substr(ModuleKey.size())] = Value;
  return Out;
}

SourceLines::SourceLines(const Trace &T) : Described(modulesOf(T)) {}
SourceLines::~SourceLines() = default;

#if PILGRIM_LIBDW

namespace {
std::string hexadecimal(const unsigned char *Bytes, size_t N) {
  std::string Out;
  for (size_t I = 0; I < N; ++I)
    for (unsigned Digit : {Bytes[I] >> 4, Bytes[I] & 15})
      Out += "0123456789abcdef"[Digit];
  return Out;
}

/// A file with its debug info.
class DebugFile {
public:
  explicit DebugFile(const std::string &Path) : Fd(open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (Fd < 0)
      return;
    elf_version(EV_CURRENT);
    E = elf_begin(Fd, ELF_C_READ_MMAP, nullptr);
    if (!E || elf_kind(E) != ELF_K_ELF)
      return;
    size_t N = 0;
    elf_getphdrnum(E, &N);
    bool HasBegin = false;
    for (size_t I = 0; I < N; ++I) {
      GElf_Phdr H;
      if (!gelf_getphdr(E, static_cast<int>(I), &H))
        continue;
      if (H.p_type == PT_LOAD && !HasBegin) {
        HasBegin = true;
        constexpr uint64_t Page = 4096;
        Begin = H.p_vaddr & ~(Page - 1);
      } else if (H.p_type == PT_NOTE) {
        readNotes(elf_getdata_rawchunk(E, static_cast<int64_t>(H.p_offset), H.p_filesz,
                                       H.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
      }
    }
    // In a file of debug info alone the segments' contents are elsewhere.
    for (Elf_Scn *S = nullptr; Id.empty() && (S = elf_nextscn(E, S));) {
      GElf_Shdr H;
      if (gelf_getshdr(S, &H) && H.sh_type == SHT_NOTE)
        readNotes(elf_getdata(S, nullptr));
    }
  }
  ~DebugFile() {
    if (Info)
      dwarf_end(Info);
    if (E)
      elf_end(E);
    if (Fd >= 0)
      close(Fd);
  }
  DebugFile(const DebugFile &) = delete;

  const std::string &id() const { return Id; }
  bool hasLines() {
    if (!Info)
      Info = dwarf_begin_elf(E, DWARF_C_READ, nullptr);
    Dwarf_CU *Unit = nullptr;
    return Info && dwarf_get_units(Info, nullptr, &Unit, nullptr, nullptr, nullptr, nullptr) == 0;
  }
  /// The name of the file that the debug info was put into, if the file says so; else empty.
  std::string link() const {
    GElf_Word Sum;
    const char *Name = E ? dwelf_elf_gnu_debuglink(E, &Sum) : nullptr;
    return Name ? Name : "";
  }
  /// Of the instruction at so many bytes from where the module was loaded.
  SourceLine find(uint64_t Offset) {
    SourceLine L;
    inUnits(Begin + Offset, [&](Dwarf_Die &Unit) { return lineIn(Unit, Begin + Offset, L); });
    return L;
  }
  std::vector<std::string> functions(uint64_t Offset) {
    std::vector<std::string> Out;
    inUnits(Begin + Offset, [&](Dwarf_Die &Unit) {
      // What dwarf_getscopes() finds around an inlined function is where that was declared.
      Dwarf_Die *Innermost = nullptr, *All = nullptr;
      if (dwarf_getscopes(&Unit, Begin + Offset, &Innermost) <= 0)
        return false;
      for (int I = 0, N = dwarf_getscopes_die(&Innermost[0], &All); I < N; ++I)
        if (const int Tag = dwarf_tag(&All[I]); Tag == DW_TAG_subprogram || Tag == DW_TAG_inlined_subroutine)
          Out.push_back(linkageName(All[I]));
      std::free(All);
      std::free(Innermost);
      return true;
    });
    return Out;
  }

private:
  void readNotes(Elf_Data *Notes) {
    GElf_Nhdr H;
    size_t Name, Text;
    for (size_t At = 0; Notes && (At = gelf_getnote(Notes, At, &H, &Name, &Text)) > 0;) {
      const char *Bytes = static_cast<const char *>(Notes->d_buf);
      if (H.n_type == NT_GNU_BUILD_ID && H.n_namesz == 4 && std::string_view(Bytes + Name, 3) == "GNU")
        Id = hexadecimal(reinterpret_cast<const unsigned char *>(Bytes + Text), H.n_descsz);
    }
  }
  /// Calls F with the units that have the address, until it returns true.
  template <typename Fn> void inUnits(uint64_t Address, Fn &&F) {
    Dwarf_Die Die;
    if (dwarf_addrdie(Info, Address, &Die)) {
      F(Die);
      return;
    }
    // Not all compilers write a table of addresses.
    Dwarf_CU *Unit = nullptr;
    while (dwarf_get_units(Info, Unit, &Unit, nullptr, nullptr, &Die, nullptr) == 0)
      if (dwarf_haspc(&Die, Address) == 1 && F(Die))
        return;
  }
  static std::string linkageName(Dwarf_Die &Function) {
    Dwarf_Attribute A;
    const char *Name = dwarf_formstring(dwarf_attr_integrate(&Function, DW_AT_linkage_name, &A));
    Name = Name ? Name : dwarf_diename(&Function);
    return Name ? Name : "";
  }
  static bool lineIn(Dwarf_Die &Unit, uint64_t Address, SourceLine &L) {
    Dwarf_Line *Found = dwarf_getsrc_die(&Unit, Address);
    const char *File = Found ? dwarf_linesrc(Found, nullptr, nullptr) : nullptr;
    if (!File || dwarf_lineno(Found, &L.Line) != 0 || L.Line <= 0)
      return false;
    L.File = File;
    return true;
  }

  int Fd;
  Elf *E = nullptr;
  Dwarf *Info = nullptr;
  std::string Id;
  uint64_t Begin = 0;
};
} // namespace

class SourceLines::Module {
public:
  /// Text: "0123456789abcdef /path".
  explicit Module(const std::string &Text) {
    if (Text.size() < ModuleIdDigits + 2 || Text[ModuleIdDigits] != ' ' ||
        Text.find_first_not_of("0123456789abcdef") != ModuleIdDigits)
      return;
    Id = Text.substr(0, ModuleIdDigits);
    namespace fs = std::filesystem;
    const fs::path Own = Text.substr(ModuleIdDigits + 1), Installed = "/usr/lib/debug";
    std::string Link;
    if (use(Own, &Link))
      return;
    std::error_code Error;
    for (fs::directory_iterator It(Installed / ".build-id" / Id.substr(0, 2), Error), End; !Error && It != End;
         It.increment(Error))
      if (std::string Name = It->path().filename(); Name.starts_with(Id.substr(2)) && Name.ends_with(".debug"))
        if (use(It->path()))
          return;
    const fs::path Folder = Own.parent_path();
    if (!Link.empty())
      use(Folder / Link) || use(Folder / ".debug" / Link) || use(Installed / Folder.relative_path() / Link);
  }
  SourceLine find(int64_t Offset) const {
    // A call may be the last thing in its function: the place before counts.
    return File && Offset > 0 ? File->find(static_cast<uint64_t>(Offset) - 1) : SourceLine();
  }
  std::vector<std::string> functions(int64_t Offset) const {
    return File && Offset > 0 ? File->functions(static_cast<uint64_t>(Offset) - 1) : std::vector<std::string>();
  }

private:
  /// Link: where the module's own file says that its debug info is.
  bool use(const std::string &Path, std::string *Link = nullptr) {
    File = std::make_unique<DebugFile>(Path);
    if (File->id().starts_with(Id) && File->hasLines())
      return true;
    if (Link)
      *Link = File->link();
    File = nullptr;
    return false;
  }
  std::string Id; ///< first digits
  std::unique_ptr<DebugFile> File;
};

#else

class SourceLines::Module {
public:
  explicit Module(const std::string &) {}
  SourceLine find(int64_t) const { return {}; }
  std::vector<std::string> functions(int64_t) const { return {}; }
};

#endif

const SourceLines::Module *SourceLines::module(const std::string &Name) {
  auto Text = Described.find(Name);
  if (Text == Described.end())
    return nullptr;
  std::unique_ptr<Module> &M = Modules[Name];
  if (!M)
    M = std::make_unique<Module>(Text->second);
  return M.get();
}

const SourceLine &SourceLines::find(const std::string &Name, int64_t Offset) {
  auto [Line, New] = Known.try_emplace({Name, Offset});
  if (const Module *M = New ? module(Name) : nullptr)
    Line->second = M->find(Offset);
  return Line->second;
}

const std::vector<std::string> &SourceLines::functions(const std::string &Name, int64_t Offset) {
  auto [Functions, New] = KnownFunctions.try_emplace({Name, Offset});
  if (const Module *M = New ? module(Name) : nullptr)
    Functions->second = M->functions(Offset);
  return Functions->second;
}

} // namespace pilgrim
