//===- CommandLine.cpp - commands and their options -----------------------===//
#include "driver/CommandLine.h"
#include "driver/Command.h"
#include "platform/FreeMemory.h"
#include "trace/file/Format.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iostream>

namespace pilgrim {

/// Accepts whole numbers from Least to Most. CLI11's own checks tell the largest double where they refuse, and take
/// 0x10 for 16 and 010 for 8: what is good is handed on as CLI11 reads it.
static CLI::Validator wholeNumber(uint64_t Least, uint64_t Most = UINT64_MAX) {
  auto Check = [Least, Most](std::string &Text) {
    uint64_t Value = 0;
    auto [End, Error] = std::from_chars(Text.data(), Text.data() + Text.size(), Value);
    if (Error != std::errc() || End != Text.data() + Text.size() || Value < Least || Value > Most)
      return "'" + Text + "' is not a whole number from " + std::to_string(Least) +
             (Most < UINT64_MAX || Error == std::errc::result_out_of_range ? " to " + std::to_string(Most) : " on");
    Text = std::to_string(Value);
    return std::string();
  };
  return CLI::Validator(Check, "");
}

/// An empty value is mostly a variable of a script that was not set.
static CLI::Validator notEmpty() {
  return CLI::Validator([](const std::string &Text) { return Text.empty() ? "the value is empty" : std::string(); },
                        "");
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
  return suggests(Values);
}

Option &Option::suggests(const std::vector<std::string> &Values) {
  (*Known)[O] = Values;
  return *this;
}

Option &Option::positive() {
  O->transform(wholeNumber(1));
  return *this;
}

Option &Option::notNegative() {
  O->transform(wholeNumber(0));
  return *this;
}

Option &Option::between(uint64_t Low, uint64_t High) {
  O->transform(wholeNumber(Low, High));
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
  return Option(A->add_option(Names, To, Help)->check(notEmpty()), *Known);
}

Option Command::add(const char *Names, std::vector<std::string> &To, const std::string &Help) {
  return Option(A->add_option(Names, To, Help)->check(notEmpty()), *Known);
}

Option Command::add(const char *Names, int64_t &To, const std::string &Help) {
  return Option(A->add_option(Names, To, Help), *Known);
}

Option Command::add(const char *Names, uint64_t &To, const std::string &Help) {
  return Option(A->add_option(Names, To, Help), *Known);
}

Option Command::add(const char *Names, unsigned &To, const std::string &Help) {
  return Option(A->add_option(Names, To, Help), *Known);
}

Option Command::add(const char *Names, std::function<void(const std::string &)> To, const std::string &Help) {
  return Option(A->add_option_function<std::string>(Names, std::move(To), Help)->check(notEmpty()), *Known);
}

Option Command::flag(const char *Names, bool &To, const std::string &Help) {
  return Option(A->add_flag(Names, To, Help), *Known);
}

Option Command::flag(const char *Names, int &To, const std::string &Help) {
  return Option(A->add_flag(Names, To, Help), *Known);
}

void Command::later(std::initializer_list<const char *> Names) {
  for (const char *Name : Names) {
    auto Refuse = [Name = std::string(Name)](const std::vector<std::string> &) {
      throw CLI::ValidationError(Name, "not in this version");
    };
    A->add_option_function<std::vector<std::string>>(Name, Refuse)->group("")->expected(0, 1000);
  }
}

static constexpr const char *ExamplesHead = "Examples:\n", *CodesHead = "Exit codes:\n";
static constexpr const char *UsualCodes = "  0  all of it was done\n  2  it was not, and one line on stderr says why\n";

void Command::footer(const std::string &Text) { A->footer(Text + "\n\n" + A->get_footer()); }

void Command::example(const std::string &Line, const std::string &What) {
  std::string Text = A->get_footer();
  const size_t At = Text.find(CodesHead);
  std::string Before = Text.substr(0, At);
  if (Before.find(ExamplesHead) == std::string::npos)
    Before += ExamplesHead;
  else
    Before.pop_back(); // the empty line behind the last one
  A->footer(Before + "  " + Line + "\n      " + What + "\n\n" + Text.substr(At));
}

void Command::exitCodes(const std::string &Text) {
  const std::string All = A->get_footer();
  A->footer(All.substr(0, All.find(CodesHead)) + CodesHead + Text);
}

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

/// What CLI11 says, but where that is hard to understand.
static std::string plainly(const CLI::ParseError &E) {
  const std::string What = E.what();
  if (!dynamic_cast<const CLI::ArgumentMismatch *>(&E))
    return What;
  const std::string Name = What.substr(0, What.find(": "));
  constexpr std::string_view Received = ": At Most 1 required but received ";
  if (const size_t At = What.find(Received); At != std::string::npos) {
    const std::string Times = What.substr(At + Received.size());
    return Name + ": given " + (Times == "2" ? "twice" : Times + " times");
  }
  return What.ends_with(" missing") ? Name + ": its value is missing" : What;
}

/// What is wrong with a command line, without the advice to ask for help that
/// does not concern it.
static int usageError(const CLI::App &Tool, const CLI::ParseError &E) {
  std::string What = plainly(E);
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

Command CommandLine::add(const char *Name, const char *Help) {
  CLI::App *A = Tool->add_subcommand(Name, Help);
  A->footer(std::string(CodesHead) + UsualCodes);
  return {A, Chosen, Known};
}

CommandShape CommandLine::shapeOf(const CLI::App &A) const {
  CommandShape Out{&A == Tool.get() ? "" : A.get_name(), A.get_description(), {}};
  for (const CLI::Option *O : A.get_options()) {
    OptionShape S;
    for (const std::string &Name : O->get_snames())
      S.Names.push_back("-" + Name);
    for (const std::string &Name : O->get_lnames())
      S.Names.push_back("--" + Name);
    S.IsArgument = S.Names.empty();
    if (S.IsArgument)
      S.Names.push_back(O->get_name());
    else if (O->get_group().empty())
      continue; // of a later version
    S.Help = O->get_description().substr(0, O->get_description().find('\n'));
    if (S.IsArgument || O->get_items_expected_max() > 0)
      S.Argument = O->get_type_name().substr(0, O->get_type_name().find(':'));
    if (const auto It = Known.find(O); It != Known.end())
      S.Values = It->second;
    Out.Options.push_back(std::move(S));
  }
  return Out;
}

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
  // Calls of many ranks have arrays with an element for each: a file of a few bytes may take that much.
  if (const uint64_t Free = freeMemory(); Free != UINT64_MAX)
    setReadersMemory(std::max(readersMemory(), Free / 2));
  auto Commands = Tool->get_subcommands([](CLI::App *) { return true; });
  Shapes = {shapeOf(*Tool)};
  for (const CLI::App *C : Commands)
    Shapes.push_back(shapeOf(*C));
  setFormat(*Tool);
  for (CLI::App *C : Commands)
    setFormat(*C);

  std::vector<std::string> Words(Argv + std::min(Argc, 1), Argv + Argc);
  // help COMMAND: COMMAND --help. What else is there is refused as it is without help.
  if (Words.size() > 1 && Words[0] == "help" && !Words[1].starts_with("-")) {
    Words.erase(Words.begin());
    if (Words.size() == 1)
      Words.emplace_back("--help");
    else
      return fail("help: one COMMAND; see 'pilgrim --help'");
  } else if (Words.size() == 1 && Words[0] == "help") {
    Words[0] = "--help";
  }
  if (!Words.empty() && !Words[0].starts_with("-")) {
    const std::string Name = Words[0];
    if (std::none_of(Commands.begin(), Commands.end(), [&](CLI::App *C) { return C->get_name() == Name; })) {
      for (const char *Later : {"compare", "efficiency", "export", "io", "predict", "report", "stuck", "waits"})
        if (Name == Later)
          return fail(Name + ": not in this version");
      return fail("no command '" + Name + "'; see 'pilgrim --help'");
    }
  }
  try {
    Program = splitRunLine(Words);
    // CLI11 would take the next word for the value.
    for (size_t I = 1; I < Words.size() && Words[I] != "--"; ++I)
      if (Words[I].starts_with("--") && Words[I].find('=') == Words[I].size() - 1)
        return fail(Words[I].substr(0, Words[I].size() - 1) + ": the value is empty; see 'pilgrim " + Words[0] +
                    " --help'");
    std::reverse(Words.begin(), Words.end()); // as parse() wants them
    Tool->parse(Words);
  } catch (const CLI::Success &E) { // help, or the version
    const int Code = Tool->exit(E);
    return std::cout.flush() ? Code : fail("cannot write to the standard output");
  } catch (const CLI::ParseError &E) {
    return usageError(*Tool, E);
  }
  if (!Chosen)
    return fail("no command given; see 'pilgrim --help'");
  return Chosen();
}

} // namespace pilgrim
