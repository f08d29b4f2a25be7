//===- Tasks.cpp - in which order threads were made -----------------------===//
#include "platform/Tasks.h"
#include "platform/OpenFile.h"
#include "platform/Stacks.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <sys/syscall.h>

namespace pilgrim {

/// Calls F(number) for each thread of the process. Allocates nothing.
template <typename Fn> static void forEachTask(Fn &&F) {
  const int Folder = openFile("/proc/self/task", O_RDONLY | O_DIRECTORY);
  if (Folder < 0)
    return;
  alignas(dirent64) char Entries[4096];
  for (long Bytes; (Bytes = syscall(SYS_getdents64, Folder, Entries, sizeof Entries)) > 0;)
    for (long At = 0; At < Bytes;) {
      const auto *Entry = reinterpret_cast<const dirent64 *>(Entries + At);
      if (const int Number = std::atoi(Entry->d_name))
        F(Number);
      At += Entry->d_reclen;
    }
  close(Folder);
}

void Tasks::note() {
  Known.clear();
  forEachTask([&](int Number) { Known.push_back(Number); });
  std::ranges::sort(Known);
}

unsigned Tasks::place() const {
  const int Own = threadId();
  unsigned Before = 0;
  bool IsThere = false;
  if (Known.empty() || std::ranges::binary_search(Known, Own))
    return 0;
  forEachTask([&](int Number) {
    IsThere |= Number == Own;
    Before += Number < Own && !std::ranges::binary_search(Known, Number);
  });
  return IsThere ? Before + 1 : 0;
}

} // namespace pilgrim
