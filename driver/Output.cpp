//===- Output.cpp - standard output, buffered -----------------------------===//
#include "driver/Output.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace pilgrim {

std::string printable(std::string S) {
  for (char &C : S)
    if (static_cast<unsigned char>(C) < 0x20 || C == 0x7f)
      C = '?';
  return S;
}

static bool hasColour(int Descriptor) {
  const char *Refused = std::getenv("NO_COLOR"), *Terminal = std::getenv("TERM");
  return (!Refused || !*Refused) && Terminal && std::strcmp(Terminal, "dumb") != 0 && isatty(Descriptor);
}

std::string styled(Look L, std::string Text, int Descriptor) {
  static const bool IsColoured[] = {false, hasColour(STDOUT_FILENO), hasColour(STDERR_FILENO)};
  if (!IsColoured[Descriptor])
    return Text;
  const char *Begin = L == Look::Heading ? "\033[1m" : L == Look::Name ? "\033[36m" : "\033[1;31m";
  return Begin + Text + "\033[0m";
}

bool Output::flush() {
  size_t Done = 0;
  while (!Error && Done < Text.size()) {
    ssize_t N = ::write(STDOUT_FILENO, Text.data() + Done, Text.size() - Done);
    if (N >= 0)
      Done += static_cast<size_t>(N);
    else if (errno != EINTR)
      Error = errno;
  }
  Text.clear();
  return !Error;
}

bool Output::finish() {
  if (flush())
    return true;
  std::fprintf(stderr, "pilgrim: standard output: %s\n", std::strerror(Error));
  return false;
}

} // namespace pilgrim
