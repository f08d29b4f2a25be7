//===- FileArguments.cpp - files of a replay -------------------------------===//
//
// Where the files of the program are, and what it had done to them before it opened them.
//
//===----------------------------------------------------------------------===//
#include "proxygen/replay/Arguments.h"

#include <algorithm>
#include <cctype>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pilgrim {

/// How many characters say the file system (of ROMIO: "ufs:"), before the path itself.
static size_t fileSystemPrefix(std::string_view Name) {
  const size_t Colon = std::min(Name.find(':'), Name.size());
  const bool IsWord =
      Colon > 1 && std::ranges::all_of(Name.substr(0, Colon), [](unsigned char C) { return std::isalnum(C); });
  return IsWord && Colon < Name.size() ? Colon + 1 : 0;
}

static bool goesUp(const std::string &Path) { return ("/" + Path + "/").find("/../") != std::string::npos; }

/// How the call opens its file.
int64_t CallArguments::fileMode() const {
  const auto &Slots = C->Function->Slots;
  const auto Amode = std::ranges::find_if(Slots, [](const ParamSchema &P) { return P.Name == "amode"; });
  return Amode == Slots.end() ? 0 : S.Constants.number(*Amode, wordOf(slotNamed(*C, "amode")));
}

/// In the folder of files, in which the replay is. A path that leads out of it becomes a name there, unless it is only
/// read from. Where the call worked, there were the folders of the path.
std::string CallArguments::fileName(const std::string &Name) {
  const size_t Prefix = fileSystemPrefix(Name);
  std::string Path = Name.substr(Prefix);
  if (!S.Files.empty() && (Path.starts_with('/') || (goesUp(Path) && !(fileMode() & MPI_MODE_RDONLY)))) {
    std::ranges::replace(Path, '/', '_');
    Path = S.Files + "/" + Path;
  } else if (!S.Files.empty() && !goesUp(Path) && C->result() == 0) {
    for (size_t At = Path.find('/'); At != std::string::npos; At = Path.find('/', At + 1))
      ::mkdir(Path.substr(0, At).c_str(), 0777);
  }
  findFile(Path);
  return Name.substr(0, Prefix) + Path;
}

/// The call opened or deleted a file. What the program did for that without MPI: a file that must be new was removed,
/// and any other one was there. Such a file is made of zeros, which take no room.
void CallArguments::findFile(const std::string &File) {
  if (C->result() != 0)
    return;
  int64_t Mode = 0;
  if (C->Function->Name != "MPI_File_delete") {
    const Value *Comm = slotNamed(*C, "comm");
    if (!Comm || Comm->T != Tag::Object || C->View->object(Comm->Ref).Rank != 0)
      return;
    Mode = fileMode();
    if (!Mode)
      return;
  }
  if (Mode & MPI_MODE_EXCL)
    ::unlink(File.c_str());
  if (Mode & (MPI_MODE_EXCL | MPI_MODE_CREATE) || S.Files.empty() || ::access(File.c_str(), F_OK) == 0)
    return;
  const std::string Made = File + "." + std::to_string(::getpid());
  const int To = ::open(Made.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0666);
  if (To < 0)
    return;
  for (off_t Most = off_t(1) << 40; Most && ::ftruncate(To, Most) != 0; Most /= 2)
    ;
  ::close(To);
  // Another rank may have been faster.
  if (::link(Made.c_str(), File.c_str()) != 0 && ::access(File.c_str(), F_OK) != 0)
    ::rename(Made.c_str(), File.c_str());
  ::unlink(Made.c_str());
}

} // namespace pilgrim
