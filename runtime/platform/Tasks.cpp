//===- Tasks.cpp - what the system says of threads ------------------------===//
#include "platform/Tasks.h"
#include "platform/OpenFile.h"
#include "platform/Stacks.h"

#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <sys/syscall.h>

namespace pilgrim {

unsigned threadsMadeBefore() {
  const int Folder = openFile("/proc/self/task", O_RDONLY | O_DIRECTORY);
  if (Folder < 0)
    return 0;
  const int Own = threadId();
  unsigned Before = 0;
  // Without memory from malloc.
  alignas(dirent64) char Entries[4096];
  for (long Bytes; (Bytes = syscall(SYS_getdents64, Folder, Entries, sizeof Entries)) > 0;)
    for (long At = 0; At < Bytes;) {
      const auto *Entry = reinterpret_cast<const dirent64 *>(Entries + At);
      const int Number = std::atoi(Entry->d_name);
      Before += Number > 0 && Number < Own;
      At += Entry->d_reclen;
    }
  close(Folder);
  return Before;
}

bool hasFirstThreadEnded() {
  const int File = openFile("/proc/self/stat", O_RDONLY);
  if (File < 0)
    return false;
  char Text[512];
  const ssize_t Bytes = read(File, Text, sizeof Text - 1);
  close(File);
  Text[Bytes > 0 ? Bytes : 0] = 0;
  const char *Name = std::strrchr(Text, ')'); // the end of it; the state is next
  return Name && std::strncmp(Name, ") Z", 3) == 0;
}

} // namespace pilgrim
