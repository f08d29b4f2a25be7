//===- Process.cpp - other programs, run and listened to ------------------===//
#include "driver/cc/Process.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pilgrim {

static std::vector<char *> pointers(const std::vector<std::string> &Words) {
  std::vector<char *> Out;
  for (const std::string &W : Words)
    Out.push_back(const_cast<char *>(W.c_str()));
  Out.push_back(nullptr);
  return Out;
}

Outcome runCommand(const std::vector<std::string> &Words) {
  Outcome R;
  int Pipe[2];
  if (Words.empty() || ::pipe2(Pipe, O_CLOEXEC) != 0)
    return R;
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_addopen(&Actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&Actions, Pipe[1], 1);
  posix_spawn_file_actions_adddup2(&Actions, Pipe[1], 2);
  pid_t Child = -1;
  int Failed = ::posix_spawnp(&Child, Words[0].c_str(), &Actions, nullptr, pointers(Words).data(), environ);
  posix_spawn_file_actions_destroy(&Actions);
  ::close(Pipe[1]);
  char Buffer[4096];
  for (ssize_t N; !Failed && (N = ::read(Pipe[0], Buffer, sizeof Buffer)) != 0;) {
    if (N > 0)
      R.Output.append(Buffer, static_cast<size_t>(N));
    else if (errno != EINTR)
      break;
  }
  ::close(Pipe[0]);
  int Status = 0;
  if (Failed || ::waitpid(Child, &Status, 0) != Child)
    return R;
  R.Exit = WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
  return R;
}

int become(const char *Wrapper, const std::vector<std::string> &Words) {
  ::execvp(Words[0].c_str(), pointers(Words).data());
  int Error = errno;
  std::fprintf(stderr, "%s: %s: %s\n", Wrapper, Words[0].c_str(), std::strerror(Error));
  return Error == ENOENT ? 127 : 126;
}

} // namespace pilgrim
