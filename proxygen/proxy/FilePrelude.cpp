//===- FilePrelude.cpp - where files are -----------------------------------===//
//
// Files of a proxy are in a folder of its own. What the program found where it opened files is put there before, and
// what it did not find is removed.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/Prelude.h"

namespace pilgrim {

std::span<const PreludeHelper> filePrelude() {
  static const std::vector<PreludeHelper> All = {
      {"files", {}, R"(
/* Files lie in a folder of their own, unless the variable PROXY_FILES is "recorded". Where the call worked, there were
   the folders of the path. A path that leads elsewhere becomes a name. */
#include <sys/stat.h>
static inline char *in_files(const char *name, int worked) {
  @static char path[4096];
  const char *where = getenv("PROXY_FILES");
  if (where && strcmp(where, "recorded") == 0) {
    snprintf(path, sizeof path, "%s", name);
    return path;
  }
  mkdir("proxy-files", 0777);
  if (name[strcspn(name, ":/")] == ':') /* what says the kind of file system */
    name += strcspn(name, ":") + 1;
  int n = snprintf(path, sizeof path, "proxy-files/"), is_name = *name == '/' || strstr(name, "..");
  for (; *name && n < (int)sizeof path - 1; ++name) {
    path[n] = 0;
    if (*name == '/' && !is_name && worked)
      mkdir(path, 0777);
    path[n++] = *name == '/' && is_name ? '_' : *name;
  }
  path[n] = 0;
  return path;
}
)"},
      {"as_found", {"files", "library"}, R"(
/* Opening worked: a file that had to be new was not there, and any other one was. What the program did for that without
   MPI is done here. A file that it found is made of zeros: 1 TiB at most, which take no room. */
#include <unistd.h>
static inline void as_found(const char *path, int amode, MPI_Comm comm) {
  int own;
  LIBRARY(PMPI_Comm_rank)(comm, &own);
  if (own != 0)
    return;
  if (amode & MPI_MODE_EXCL)
    remove(path);
  if (amode & (MPI_MODE_EXCL | MPI_MODE_CREATE) || strncmp(path, "proxy-files/", 12) != 0 || access(path, F_OK) == 0)
    return;
  @static char made[4128];
  snprintf(made, sizeof made, "%s.%ld", path, (long)getpid());
  FILE *f = fopen(made, "wb");
  if (!f)
    return;
  fclose(f);
  for (long long most = 1LL << 40; most && truncate(made, most) != 0; most /= 2)
    ;
  if (link(made, path) != 0 && access(path, F_OK) != 0)
    rename(made, path);
  remove(made);
}
)"},
  };
  return All;
}

} // namespace pilgrim
