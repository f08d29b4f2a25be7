//===- CommandLine.cpp - commands and their options -----------------------===//
#include "driver/CommandLine.h"
#include "driver/Command.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace pilgrim {

/// Accepts whole numbers from Least on. CLI11's own checks tell the largest double where they refuse.
static CLI::Validator wholeNumber(uint64_t Least) {
  auto Check = [Least](const std::string &Text) {
    uint64_t Value = 0;
    auto [End, Error] = std::from_chars(Text.data(), Text.data() + Text.size(), Value);
    const bool IsGood = Error == std::errc() && End == Text.data() + Text.size() && Value >= Least;
    return IsGood ? std::string() : "'" + Text + "' is not a whole number from " + std::to_string(Least) + " on";
  };
  return CLI::Validator(Check, "");
}

Option &Option::argument(const char *Name) {
  O->type_name(Name);
  return *this;
}

Option &Option::required() {
  O->required();
  return *this;
}

Option &Option::oneOf(const std::vector<std::string> &Values) {
  O->check(CLI::IsMember(Values));
  return *this;
}

Option &Option::positive() {
  O->check(wholeNumber(1));
  return *this;
}

Option &Option::notNegative() {
  O->check(wholeNumber(0));
  return *this;
}

Option &Option::between(int Low, int High) {
  O->check(CLI::Range(Low, High).description(""));
  return *this;
}

Option &Option::each() {
  O->expected(1)->take_all();
  return *this;
}

Option &Option::excludes(Option Other) {
  O->excludes(Other.O);
  return *this;
}

Option Command::add(const char *Names, std::string &To, const std::string &Help) {
  return Option(A->add_option(Names, To, Help));
}

Option Command::add(const char *Names, std::vector<std::string> &To, const std::string &Help) {
  return Option(A->add_option(Names, To, Help));
}

Option Command::add(const char *Names, int64_t &To, const std::string &Help) {
  return Option(A->add_option(Names, To, Help));
}

Option Command::add(const char *Names, uint64_t &To, const std::string &Help) {
  return Option(A->add_option(Names, To, Help));
}

Option Command::add(const char *Names, unsigned &To, const std::string &Help) {
  return Option(A->add_option(Names, To, Help));
}

Option Command::add(const char *Names, std::function<void(const std::string &)> To, const std::string &Help) {
  return Option(A->add_option_function<std::string>(Names, std::move(To), Help));
}

Option Command::flag(const char *Names, bool &To, const std::string &Help) {
  return Option(A->add_flag(Names, To, Help));
}

Option Command::flag(const char *Names, int &To, const std::string &Help) {
  return Option(A->add_flag(Names, To, Help));
}

void Command::later(std::initializer_list<const char *> Names) {
  for (const char *Name : Names) {
    auto Refuse = [Name = std::string(Name)](const std::vector<std::string> &) {
      throw CLI::ValidationError(Name, "not in this version");
    };
    A->add_option_function<std::vector<std::string>>(Name, Refuse)->group("")->expected(0, 1000);
  }
}

void Command::footer(const std::string &Text) { A->footer(Text); }

void Command::usage(const std::string &Text) {
  class Formatter : public CLI::Formatter {
  public:
    explicit Formatter(const std::string &Usage) : Usage(Usage) {}
    std::string make_usage(const CLI::App *, std::string) const override { return Usage; }

  private:
    std::string Usage;
  };
  A->formatter(std::make_shared<Formatter>(Text));
}

void Command::runs(std::function<int()> Action) {
  A->callback([Chosen = Chosen, Action = std::move(Action)] { *Chosen = Action; });
}

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

CommandLine::CommandLine()
    : Tool(std::make_unique<CLI::App>("Traces MPI programs and reads the traces.\n"
                                      "'pilgrim COMMAND --help' tells of a command.",
                                      "pilgrim")) {
  Tool->set_version_flag("--version", "pilgrim " PILGRIM_VERSION);
  Tool->set_help_flag("--help,-h", "print this help and exit");
  Tool->get_option("--version")->description("print the version and exit");
  Tool->require_subcommand(0, 1);
}

CommandLine::~CommandLine() = default;

Command CommandLine::add(const char *Name, const char *Help) { return {Tool->add_subcommand(Name, Help), Chosen}; }

/// Cuts the program and its arguments off the words behind "pilgrim".
std::vector<std::string> CommandLine::splitRunLine(std::vector<std::string> &Words) const {
  if (Words.empty() || Words[0] != "run")
    return {};
  const CLI::App *Run = Tool->get_subcommand("run");
  size_t At = 1;
  for (; At < Words.size() && Words[At].starts_with("-"); ++At) {
    if (Words[At] == "--") {
      Words.erase(Words.begin() + static_cast<ptrdiff_t>(At));
      break;
    }
    const CLI::Option *O = Run->get_option_no_throw(Words[At]);
    if (O && O->get_items_expected_max() > 0)
      ++At;
  }
  At = std::min(At, Words.size());
  std::vector<std::string> After(Words.begin() + static_cast<ptrdiff_t>(At), Words.end());
  Words.resize(At);
  return After;
}

int CommandLine::run(int Argc, char **Argv) {
  auto Known = Tool->get_subcommands([](CLI::App *) { return true; });
  setFormat(*Tool);
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
    Program = splitRunLine(Words);
    std::reverse(Words.begin(), Words.end()); // as parse() wants them
    Tool->parse(Words);
  } catch (const CLI::CallForHelp &E) {
    return Tool->exit(E);
  } catch (const CLI::CallForVersion &E) {
    return Tool->exit(E);
  } catch (const CLI::ParseError &E) {
    return usageError(*Tool, E);
  }
  if (!Chosen)
    return fail("no command given; see 'pilgrim --help'");
  return Chosen();
}

} // namespace pilgrim
