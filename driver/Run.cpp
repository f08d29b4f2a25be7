//===- Run.cpp - pilgrim run ----------------------------------------------===//
//
// Starts a program with the runtime preloaded. Looks at the program first, so
// that one that cannot be traced says so in one line and runs untraced:
// whatever is wrong with the program or with variables, the program runs, and
// its exit code is the answer. Who gives a bad value here gets exit code 2.
//
//===----------------------------------------------------------------------===//
#include "api/Options.h"
#include "api/OutputFolder.h"
#include "driver/Command.h"
#include "driver/Elf.h"
#include "driver/Launcher.h"
#include "driver/Preload.h"
#include "driver/ShellWord.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

namespace pilgrim {

namespace {
struct RunOptions {
  std::map<std::string, std::string> Given; ///< by variable
  bool Quiet = false, DryRun = false;
  int Verbose = 0;
};

class Launch {
public:
  Launch(RunOptions O, std::vector<std::string> Words) : O(std::move(O)), Words(std::move(Words)) {}

  int run() {
    if (const std::string Why = whyRefused(); !Why.empty()) {
      sayOnce(Why);
      return 2;
    }
    const std::string &Program = Words[0];
    int Code = 0;
    std::string Path = findProgram(Program, Code);
    if (Code) {
      std::fprintf(stderr, "pilgrim: %s: %s\n", Program.c_str(), std::strerror(errno));
      return Code;
    }
    if (!WhyUntraced.empty()) {
      sayOnce(WhyUntraced + "; the program runs untraced");
      // Or a program that pilgrim-cc built would say it again.
      Set = {{"PILGRIM", "off"}};
    } else if (Effective.Enabled) {
      preload(Path);
    }
    if (O.DryRun)
      return dryRun(Path);
    for (const auto &[Name, Value] : Set)
      ::setenv(Name.c_str(), Value.c_str(), 1);
    std::vector<char *> Argv;
    for (std::string &W : Words)
      Argv.push_back(W.data());
    Argv.push_back(nullptr);
    ::execv(Path.c_str(), Argv.data());
    if (errno == ENOEXEC) {
      // A script without #!: what a shell, and execvp, do with it.
      Argv.insert(Argv.begin(), const_cast<char *>("/bin/sh"));
      Argv[1] = Path.data();
      ::execv("/bin/sh", Argv.data());
    }
    std::fprintf(stderr, "pilgrim: %s: %s\n", Program.c_str(), std::strerror(errno));
    return errno == ENOENT ? 127 : 126;
  }

private:
  /// What is wrong with the options on the command line, alone or beside those of the environment; empty: nothing.
  std::string whyRefused() {
    Options All;
    std::string Error;
    for (const OptionInfo &I : optionTable())
      if (const auto It = O.Given.find(I.variable());
          It != O.Given.end() && !setOption(All, I.Name, It->second, std::string("--") + I.Name, Error))
        return Error + "; see 'pilgrim run --help'";
    Error = whyNotTogether(All);
    if (Error.empty())
      Error = readEffective(All);
    if (!Error.empty())
      return Error;
    // What stands for a number or a name is known later.
    const std::string Folder =
        All.Output.substr(0, All.Output.rfind('/') == std::string::npos ? 0 : All.Output.rfind('/'));
    const std::string Why =
        All.Output.empty() || Folder.find('%') != std::string::npos ? "" : whyNotWritable(All.Output);
    return Why.empty() ? "" : "--output " + All.Output + ": " + Why;
  }

  /// Reads all options. Given: those of the command line, which say why they are refused. What is wrong with the others
  /// leaves the program untraced.
  std::string readEffective(const Options &Given) {
    for (const auto &[Name, Value] : O.Given)
      Set[Name] = Value;
    auto Get = [](void *Context, const char *Name) -> const char * {
      auto &Set = static_cast<Launch *>(Context)->Set;
      auto It = Set.find(Name);
      return It != Set.end() ? It->second.c_str() : std::getenv(Name);
    };
    if (!readOptions(Effective, Get, WhyUntraced, this) || !Effective.Enabled)
      return "";
    for (const auto &[Name, Said] : Given.Said)
      Effective.Said[Name] = Said;
    const std::string Why = whyNotTogether(Effective);
    if (!Why.empty() && (Given.Said.contains("error") || Given.Said.contains("timing")))
      return Why;
    WhyUntraced = Why;
    for (const auto &[Name, Said] : Given.Said)
      if (std::string InVain = whyInVain(Effective, Name.c_str()); !InVain.empty())
        return InVain;
    return "";
  }

  /// As a shell does: along PATH if there is no slash in it. Code is 127 (not
  /// found) or 126 (not executable) on failure, and errno says why.
  static std::string findProgram(const std::string &Program, int &Code) {
    auto Look = [](const std::string &Path) {
      struct stat S;
      if (::stat(Path.c_str(), &S) != 0)
        return errno;
      if (S_ISDIR(S.st_mode))
        return EISDIR;
      return ::access(Path.c_str(), X_OK) == 0 ? 0 : errno;
    };
    int Why = ENOENT;
    if (Program.find('/') != std::string::npos) {
      Why = Look(Program);
      if (!Why)
        return Program;
    } else if (const char *Variable = std::getenv("PATH")) {
      std::string List = Variable;
      for (size_t At = 0; At <= List.size();) {
        size_t End = std::min(List.find(':', At), List.size());
        std::string Dir = List.substr(At, End - At);
        std::string Path = (Dir.empty() ? "." : Dir) + "/" + Program;
        int Error = Look(Path);
        if (!Error)
          return Path;
        if (Error == EACCES)
          Why = Error;
        At = End + 1;
      }
    }
    Code = Why == ENOENT || Why == ENOTDIR ? 127 : 126;
    errno = Why;
    return "";
  }

  void preload(const std::string &Path) {
    std::string Library = findRuntime();
    std::string Why = Library.empty() ? "libpilgrim.so not found beside the tool "
                                        "(PILGRIM_LIBRARY names another place)"
                                      : findObstacle(Path);
    if (!Why.empty()) {
      sayOnce(Words[0] + ": " + Why + "; it runs untraced");
      return;
    }
    const char *Before = std::getenv("LD_PRELOAD");
    // Behind what is there: the dynamic linker loads a library once.
    Set["LD_PRELOAD"] = preloadList(Library, std::string(Before ? Before : "") + ":" + findAsan(Path));
    Set["PILGRIM_RUN"] = std::to_string(::getpid());
  }

  int dryRun(const std::string &Path) {
    // The number of this process is of no use to another one.
    Set.erase("PILGRIM_RUN");
    std::string Line;
    if (!Set.empty())
      Line = "env";
    for (const auto &[Name, Value] : Set)
      Line += " " + quoted(Name + "=" + Value);
    for (const std::string &W : Words)
      Line += (Line.empty() ? "" : " ") + quoted(&W == &Words[0] ? Path : W);
    std::printf("%s\n", Line.c_str());
    return std::fflush(stdout) == 0 ? 0 : fail("standard output: cannot write");
  }

  RunOptions O;
  std::vector<std::string> Words;
  std::map<std::string, std::string> Set; ///< variables of the program
  Options Effective;
  std::string WhyUntraced; ///< what is wrong with the environment's options; empty: nothing
};

std::string helpOf(const OptionInfo &I) {
  std::string Text = I.Help;
  if (I.F == OptionInfo::Choice)
    for (const OptionValue &V : optionValues())
      if (V.Help && std::strcmp(V.Option, I.Name) == 0)
        Text += std::string("\n") + V.Value + (std::strcmp(V.Value, I.Default) == 0 ? " (default): " : ": ") + V.Help;
  return Text + "\n[" + I.variable() + "]";
}
} // namespace

void addRun(CommandLine &Tool) {
  Command C = Tool.add("run", "Run a program with the tracer preloaded");
  C.usage("Usage: mpiexec -n 8 pilgrim run [OPTIONS] PROGRAM [ARGUMENTS]\n");
  C.footer("Each option is also an environment variable, named in brackets, "
           "and a key of\nPILGRIM_OPTIONS=\"timing=off:buffers=off\". "
           "PILGRIM=off runs the program untraced.");
  C.example("mpiexec -n 8 pilgrim run ./app ARGUMENTS", "leaves the trace app.pilgrim");
  C.example("mpiexec -n 8 pilgrim run --timing calls --output run%j.pilgrim ./app",
            "keeps start and duration of every call; the trace has the job's number");
  C.exitCodes("  2    a value on the command line is bad, and nothing was started\n"
              "  86   with --verify strict: the trace differs from what happened\n"
              "  126  the program cannot be executed\n"
              "  127  there is no such program\n"
              "  else the program's\n");
  auto O = std::make_shared<RunOptions>();
  std::optional<Option> Log;
  for (const OptionInfo &I : optionTable()) {
    std::string Name = std::string("--") + I.Name;
    if (I.F == OptionInfo::Later) {
      C.later({Name.c_str()});
      continue;
    }
    std::string Variable = I.variable();
    std::vector<std::string> Values;
    for (const OptionValue &V : optionValues())
      if (V.Help && std::strcmp(V.Option, I.Name) == 0)
        Values.emplace_back(V.Value);
    Option Added =
        C.add(Name.c_str(), [O, Variable](const std::string &Value) { O->Given[Variable] = Value; }, helpOf(I));
    Added.argument(I.F == OptionInfo::Choice ? "VALUE" : I.Argument).suggests(Values);
    if (Name == "--log")
      Log = Added;
  }
  const Option Quiet = C.flag("-q,--quiet", O->Quiet, "--log error").excludes(*Log);
  C.flag("-v,--verbose", O->Verbose, "--log info; twice: --log debug").excludes(*Log).excludes(Quiet);
  C.flag("--dryrun", O->DryRun, "print the command that would be executed, and do not");
  C.runs([O, &Tool] {
    if (Tool.program().empty())
      return fail("PROGRAM is required; see 'pilgrim run --help'");
    if (Tool.program()[0].empty())
      return fail("PROGRAM: the value is empty; see 'pilgrim run --help'");
    if (O->Quiet)
      O->Given["PILGRIM_LOG"] = "error";
    else if (O->Verbose)
      O->Given["PILGRIM_LOG"] = O->Verbose > 1 ? "debug" : "info";
    return Launch(*O, Tool.program()).run();
  });
}

} // namespace pilgrim
