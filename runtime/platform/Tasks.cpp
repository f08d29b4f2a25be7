//===- Tasks.cpp - in which order threads were made -----------------------===//
#include "platform/Tasks.h"
#include "platform/OpenFile.h"
#include "platform/Stacks.h"

#include <cstdlib>
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

} // namespace pilgrim
