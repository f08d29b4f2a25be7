//===- FreeMemory.cpp - what the system can still give --------------------===//
#include "platform/FreeMemory.h"
#include "platform/OpenFile.h"
#include "platform/OutsideCall.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace pilgrim {

namespace {
/// A small file of the kernel's.
class KernelFile {
public:
  explicit KernelFile(const char *Path) {
    const int File = openFile(Path, O_RDONLY);
    if (File < 0)
      return;
    while (Size < sizeof Bytes) {
      const ssize_t Count = read(File, Bytes + Size, sizeof Bytes - Size);
      if (Count == 0 || (Count < 0 && errno != EINTR))
        break;
      Size += Count > 0 ? static_cast<size_t>(Count) : 0;
    }
    close(File);
  }
  std::string_view text() const { return {Bytes, Size}; }
  /// The number at the begin of the file, or behind the line's first word; false if there is none.
  bool number(std::string_view Word, uint64_t &Value) const {
    std::string_view Rest = text();
    while (!Word.empty() && !(Rest.starts_with(Word) && Rest.substr(Word.size()).starts_with(' '))) {
      const size_t End = Rest.find('\n');
      if (End == Rest.npos)
        return false;
      Rest.remove_prefix(End + 1);
    }
    Rest.remove_prefix(Word.size());
    Rest.remove_prefix(std::min(Rest.find_first_not_of(' '), Rest.size()));
    Value = 0;
    size_t Digits = 0;
    for (; Digits < Rest.size() && Rest[Digits] >= '0' && Rest[Digits] <= '9'; ++Digits)
      Value = Value * 10 + static_cast<uint64_t>(Rest[Digits] - '0');
    return Digits > 0;
  }

private:
  char Bytes[8192];
  size_t Size = 0;
};

/// Where a version of control groups has its files, and what these are called.
struct GroupFiles {
  const char *Mount, *Limit, *Usage, *OfFiles[2];
};
constexpr GroupFiles Version2{"sys/fs/cgroup", "memory.max", "memory.current", {"inactive_file", "active_file"}};
constexpr GroupFiles Version1{"sys/fs/cgroup/memory",
                              "memory.limit_in_bytes",
                              "memory.usage_in_bytes",
                              {"total_inactive_file", "total_active_file"}};
} // namespace

static bool numberIn(const char *Folder, const char *Name, std::string_view Word, uint64_t &Value) {
  char Path[PATH_MAX];
  return std::snprintf(Path, sizeof Path, "%s/%s", Folder, Name) < static_cast<int>(sizeof Path) &&
         KernelFile(Path).number(Word, Value);
}

/// What is free in a control group and all that it is in. Group: its path below the mount; of a process in a container
/// it may be one that only the host has.
static uint64_t freeInGroups(const char *Root, const GroupFiles &Files, std::string_view Group) {
  uint64_t Least = UINT64_MAX;
  for (;;) {
    char Folder[PATH_MAX];
    if (std::snprintf(Folder, sizeof Folder, "%s/%s%.*s", Root, Files.Mount, static_cast<int>(Group.size()),
                      Group.data()) >= static_cast<int>(sizeof Folder))
      return Least;
    uint64_t Limit, Usage, OfFiles = 0;
    if (numberIn(Folder, Files.Limit, {}, Limit) && Limit < UINT64_MAX / 4 &&
        numberIn(Folder, Files.Usage, {}, Usage)) {
      for (const char *Name : Files.OfFiles)
        if (uint64_t Own; numberIn(Folder, "memory.stat", Name, Own))
          OfFiles += Own;
      const uint64_t Needed = Usage - std::min(Usage, OfFiles);
      Least = std::min(Least, Limit - std::min(Limit, Needed));
    }
    if (Group.empty())
      return Least;
    Group = Group.substr(0, Group.rfind('/'));
  }
}

uint64_t freeMemory(const char *Root) {
  OutsideCall Call;
  const int SavedErrno = errno;
  uint64_t Least = UINT64_MAX, Kilobytes;
  char Folder[PATH_MAX];
  if (std::snprintf(Folder, sizeof Folder, "%s/proc", Root) < static_cast<int>(sizeof Folder) &&
      numberIn(Folder, "meminfo", "MemAvailable:", Kilobytes))
    Least = Kilobytes * 1024;
  char Path[PATH_MAX];
  if (std::snprintf(Path, sizeof Path, "%s/proc/self/cgroup", Root) < static_cast<int>(sizeof Path)) {
    // Lines are NUMBER:CONTROLLERS:/GROUP. Version 2 has number 0 and no controllers.
    const KernelFile Groups(Path);
    for (std::string_view Rest = Groups.text(); !Rest.empty();) {
      const std::string_view Line = Rest.substr(0, Rest.find('\n'));
      Rest.remove_prefix(std::min(Line.size() + 1, Rest.size()));
      const size_t First = Line.find(':'), Second = Line.find(':', First + 1);
      if (First == Line.npos || Second == Line.npos)
        continue;
      const std::string_view Controllers = Line.substr(First + 1, Second - First - 1);
      std::string_view Group = Line.substr(Second + 1);
      Group = Group == "/" ? std::string_view() : Group;
      if (Controllers.empty())
        Least = std::min(Least, freeInGroups(Root, Version2, Group));
      else if (Controllers == "memory" || Controllers.starts_with("memory,") || Controllers.ends_with(",memory") ||
               Controllers.find(",memory,") != Controllers.npos)
        Least = std::min(Least, freeInGroups(Root, Version1, Group));
    }
  }
  errno = SavedErrno;
  return Least;
}

} // namespace pilgrim
