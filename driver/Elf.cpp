//===- Elf.cpp - what a program is, before it runs ------------------------===//
#include "driver/Elf.h"

#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>

namespace pilgrim {

namespace {
/// A file read by pieces; nothing of it is trusted.
class File {
public:
  explicit File(const std::string &Path) : F(std::fopen(Path.c_str(), "rbe")) {}
  ~File() {
    if (F)
      std::fclose(F);
  }
  File(const File &) = delete;
  bool isOpen() const { return F; }

  bool read(uint64_t Offset, void *To, size_t N) {
    return Offset <= INT64_MAX && std::fseek(F, static_cast<long>(Offset), SEEK_SET) == 0 &&
           std::fread(To, 1, N, F) == N;
  }
  std::string string(uint64_t Offset) {
    std::string S;
    char C;
    if (Offset > INT64_MAX || std::fseek(F, static_cast<long>(Offset), SEEK_SET) != 0)
      return S;
    while (S.size() < 4096 && std::fread(&C, 1, 1, F) == 1 && C)
      S += C;
    return S;
  }

private:
  FILE *F;
};

struct Class64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Dynamic = Elf64_Dyn;
};
struct Class32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Dynamic = Elf32_Dyn;
};

constexpr unsigned MaxItems = 4096; // segments, dynamic entries

template <typename C> std::optional<ElfFile> readAs(File &In) {
  ElfFile E;
  typename C::Header Head;
  if (!In.read(0, &Head, sizeof Head) || Head.e_phentsize != sizeof(typename C::Segment) || Head.e_phnum > MaxItems)
    return std::nullopt;
  E.Machine = Head.e_machine;
  std::vector<typename C::Segment> Segments(Head.e_phnum);
  if (!In.read(Head.e_phoff, Segments.data(), Segments.size() * sizeof(typename C::Segment)))
    return std::nullopt;
  auto OffsetOf = [&](uint64_t Address) -> uint64_t {
    for (const auto &S : Segments)
      if (S.p_type == PT_LOAD && Address >= S.p_vaddr && Address - S.p_vaddr < S.p_filesz)
        return Address - S.p_vaddr + S.p_offset;
    return UINT64_MAX;
  };
  std::vector<typename C::Dynamic> Dynamic;
  for (const auto &S : Segments) {
    E.HasInterpreter |= S.p_type == PT_INTERP;
    if (S.p_type != PT_DYNAMIC)
      continue;
    Dynamic.resize(std::min<uint64_t>(S.p_filesz / sizeof(typename C::Dynamic), MaxItems));
    if (!In.read(S.p_offset, Dynamic.data(), Dynamic.size() * sizeof(typename C::Dynamic)))
      return std::nullopt;
  }
  uint64_t Strings = UINT64_MAX;
  for (const auto &D : Dynamic) {
    if (D.d_tag == DT_NULL)
      break;
    if (D.d_tag == DT_STRTAB)
      Strings = OffsetOf(D.d_un.d_ptr);
  }
  if (Strings == UINT64_MAX)
    return E;
  for (const auto &D : Dynamic) {
    if (D.d_tag == DT_NULL)
      break;
    if (D.d_tag == DT_NEEDED)
      E.Needed.push_back(In.string(Strings + D.d_un.d_val));
    else if (D.d_tag == DT_RUNPATH)
      E.RunPath = In.string(Strings + D.d_un.d_val);
    else if (D.d_tag == DT_RPATH)
      E.RPath = In.string(Strings + D.d_un.d_val);
  }
  return E;
}

/// Library names and where they are, from the dynamic linker's cache.
class LinkerCache {
public:
  LinkerCache() {
    FILE *F = std::fopen("/etc/ld.so.cache", "rbe");
    if (!F)
      return;
    char Buffer[1 << 16];
    while (size_t N = std::fread(Buffer, 1, sizeof Buffer, F))
      Bytes.append(Buffer, N);
    std::fclose(F);
    // The new format may stand behind an old one.
    Begin = Bytes.find("glibc-ld.so.cache1.1");
    if (Begin == std::string::npos || !get(Begin + 20, Count))
      Count = 0;
  }

  std::vector<std::string> find(const std::string &Name) const {
    std::vector<std::string> Paths;
    constexpr size_t HeadBytes = 48, EntryBytes = 24;
    for (uint32_t I = 0; I < Count; ++I) {
      size_t At = Begin + HeadBytes + size_t(I) * EntryBytes;
      uint32_t Key, Path;
      if (!get(At + 4, Key) || !get(At + 8, Path))
        break;
      if (text(Key) == Name)
        Paths.push_back(text(Path));
    }
    return Paths;
  }

private:
  bool get(size_t At, uint32_t &V) const {
    if (At > Bytes.size() || Bytes.size() - At < 4)
      return false;
    std::memcpy(&V, Bytes.data() + At, 4);
    return true;
  }
  std::string text(uint32_t Offset) const {
    size_t At = Begin + Offset;
    return At < Bytes.size() ? std::string(Bytes.c_str() + At) : "";
  }
  std::string Bytes;
  size_t Begin = 0;
  uint32_t Count = 0;
};

/// Directories of a:b:c, with $ORIGIN replaced.
void addPath(std::vector<std::string> &Out, const std::string &List, const std::string &Object) {
  size_t Slash = Object.rfind('/');
  std::string Origin = Slash == std::string::npos ? "." : Object.substr(0, Slash);
  for (size_t At = 0; At < List.size();) {
    size_t End = std::min(List.find_first_of(":;", At), List.size());
    std::string Dir = List.substr(At, End - At);
    At = End + 1;
    for (const char *Name : {"$ORIGIN", "${ORIGIN}"})
      if (size_t P = Dir.find(Name); P != std::string::npos)
        Dir.replace(P, std::strlen(Name), Origin);
    if (Dir.find('$') == std::string::npos)
      Out.push_back(Dir.empty() ? "." : Dir);
  }
}

class NeededSearch {
public:
  NeededSearch(const std::string &Path, const ElfFile &Program) : Program(Program) { walk(Path, Program, ""); }
  NeededLibraries Found;

private:
  void walk(const std::string &Path, const ElfFile &E, const std::string &Inherited) {
    // The loader's RPATHs count for what it loads, unless there is a RUNPATH.
    std::string RPath = E.RunPath.empty() ? E.RPath + (E.RPath.empty() ? "" : ":") + Inherited : "";
    for (const std::string &Name : E.Needed) {
      if (Seen.size() > 1000 || !Seen.insert(Name).second)
        continue;
      Found.Names.push_back(Name);
      for (const std::string &Candidate : candidates(Name, Path, E, RPath)) {
        auto Library = readElf(Candidate);
        if (!Library || Library->Is64 != Program.Is64 || Library->Machine != Program.Machine)
          continue;
        walk(Candidate, *Library, RPath);
        break;
      }
    }
  }

  std::vector<std::string> candidates(const std::string &Name, const std::string &Path, const ElfFile &E,
                                      const std::string &RPath) {
    if (Name.find('/') != std::string::npos)
      return {Name};
    std::vector<std::string> Dirs;
    addPath(Dirs, RPath, Path);
    if (const char *Variable = std::getenv("LD_LIBRARY_PATH"))
      addPath(Dirs, Variable, Path);
    addPath(Dirs, E.RunPath, Path);
    std::vector<std::string> Out;
    for (const std::string &Dir : Dirs)
      Out.push_back(Dir + "/" + Name);
    for (std::string &Cached : Cache.find(Name))
      Out.push_back(std::move(Cached));
    for (const char *Dir : {"/lib64/", "/usr/lib64/", "/lib/", "/usr/lib/"})
      Out.push_back(Dir + Name);
    return Out;
  }

  const ElfFile &Program;
  LinkerCache Cache;
  std::set<std::string> Seen;
};
} // namespace

std::optional<ElfFile> readElf(const std::string &Path) {
  File In(Path);
  unsigned char Ident[EI_NIDENT];
  if (!In.isOpen() || !In.read(0, Ident, sizeof Ident) || std::memcmp(Ident, ELFMAG, SELFMAG) != 0)
    return std::nullopt;
  const unsigned One = 1;
  unsigned char Ours = *reinterpret_cast<const unsigned char *>(&One) ? ELFDATA2LSB : ELFDATA2MSB;
  if (Ident[EI_DATA] != Ours)
    return std::nullopt;
  bool Is64 = Ident[EI_CLASS] == ELFCLASS64;
  auto E = Is64 ? readAs<Class64>(In) : readAs<Class32>(In);
  if (E)
    E->Is64 = Is64;
  return E;
}

NeededLibraries findNeeded(const std::string &Path, const ElfFile &Program) {
  return NeededSearch(Path, Program).Found;
}

} // namespace pilgrim
