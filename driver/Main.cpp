//===- Main.cpp - the pilgrim tool ----------------------------------------===//
//
// The command line: which command, and what is said where it makes no sense.
//
//===----------------------------------------------------------------------===//
#include "driver/Command.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace pilgrim {

/// Breaks lines at spaces.
static std::string wrapped(const std::string &Text, size_t Width) {
  std::string Out;
  size_t Column = 0;
  for (size_t At = 0; At < Text.size();) {
    size_t End = std::min(Text.find_first_of(" \n", At + 1), Text.size());
    size_t Length = End - At;
    if (Text[At] == '\n') {
      Column = 0;
    } else if (Column && Column + Length > Width) {
      Out += '\n';
      Column = 0;
      ++At; // the space
      --Length;
    }
    Out += Text.substr(At, Length);
    Column += Length;
    At = End;
  }
  return Out;
}

static constexpr size_t HelpColumn = 26, HelpWidth = 80 - HelpColumn;

/// How help looks, for a command and its options alike.
static void setFormat(CLI::App &A) {
  A.get_formatter()->column_width(HelpColumn);
  A.get_formatter()->label("SUBCOMMAND", "COMMAND");
  A.get_formatter()->label("REQUIRED", "");
  A.get_formatter()->label("TEXT", "");
  A.get_formatter()->label("UINT", "");
  A.group("Commands");
  for (CLI::Option *O : A.get_options())
    O->description(wrapped(O->get_description(), HelpWidth));
}

/// What is wrong with a command line, without the advice to ask for help that
/// does not concern it.
static int usageError(const CLI::App &Tool, const CLI::ParseError &E) {
  std::string What = E.what();
  if (What.find("not in this version") == std::string::npos) {
    auto Chosen = Tool.get_subcommands();
    What += "; see 'pilgrim ";
    if (!Chosen.empty())
      What += Chosen[0]->get_name() + " ";
    What += "--help'";
  }
  for (char &C : What)
    if (C == '\n')
      C = ' ';
  return fail(What);
}

static int run(int Argc, char **Argv) {
  CLI::App Tool("Traces MPI programs and reads the traces.\n"
                "'pilgrim COMMAND --help' tells of a command.",
                "pilgrim");
  Tool.set_version_flag("--version", "pilgrim " PILGRIM_VERSION);
  Tool.set_help_flag("--help,-h", "print this help and exit");
  Tool.get_option("--version")->description("print the version and exit");
  Tool.require_subcommand(0, 1);
  Action Chosen;
  std::vector<std::string> Program;
  addRun(Tool, Chosen, Program);
  addInfo(Tool, Chosen);
  addPrint(Tool, Chosen);
  addStats(Tool, Chosen);
  addTree(Tool, Chosen);
  addMatrix(Tool, Chosen);
  addDiff(Tool, Chosen);
  addCheck(Tool, Chosen);
  addMerge(Tool, Chosen);
  auto Known = Tool.get_subcommands([](CLI::App *) { return true; });
  setFormat(Tool);
  for (CLI::App *C : Known)
    setFormat(*C);

  if (Argc > 1 && Argv[1][0] != '-') {
    std::string Name = Argv[1];
    if (std::none_of(Known.begin(), Known.end(), [&](CLI::App *C) { return C->get_name() == Name; })) {
      for (const char *Later : {"proxy", "replay", "predict", "export", "report"})
        if (Name == Later)
          return fail(Name + ": not in this version");
      return fail("no command '" + Name + "'; see 'pilgrim --help'");
    }
  }
  try {
    std::vector<std::string> Words(Argv + std::min(Argc, 1), Argv + Argc);
    Program = splitRunLine(Tool, Words);
    std::reverse(Words.begin(), Words.end()); // as parse() wants them
    Tool.parse(Words);
  } catch (const CLI::CallForHelp &E) {
    return Tool.exit(E);
  } catch (const CLI::CallForVersion &E) {
    return Tool.exit(E);
  } catch (const CLI::ParseError &E) {
    return usageError(Tool, E);
  }
  if (!Chosen)
    return fail("no command given; see 'pilgrim --help'");
  return Chosen();
}

} // namespace pilgrim

int main(int Argc, char **Argv) {
  try {
    return pilgrim::run(Argc, Argv);
  } catch (const std::bad_alloc &) {
    return pilgrim::fail("not enough memory");
  } catch (const std::exception &E) {
    return pilgrim::fail(E.what());
  }
}
