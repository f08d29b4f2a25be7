//===- FilePrelude.cpp - where files are -----------------------------------===//
//
// Files of a proxy are in a folder of its own.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/Prelude.h"

namespace pilgrim {

std::span<const PreludeHelper> filePrelude() {
  static const std::vector<PreludeHelper> All = {
      {"files", {}, R"(
/* Files lie in a folder of their own, unless the variable PROXY_FILES is "recorded". */
#include <sys/stat.h>
static inline char *in_files(const char *name) {
  @static char path[4096];
  const char *where = getenv("PROXY_FILES");
  if (where && strcmp(where, "recorded") == 0) {
    snprintf(path, sizeof path, "%s", name);
    return path;
  }
  mkdir("proxy-files", 0777);
  int n = snprintf(path, sizeof path, "proxy-files/");
  for (; *name && n < (int)sizeof path - 1; ++name)
    path[n++] = *name == '/' ? '_' : *name;
  path[n] = 0;
  return path;
}
)"},
  };
  return All;
}

} // namespace pilgrim
