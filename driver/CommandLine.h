//===- CommandLine.h - commands and their options ----------------*- C++ -*-===//
//
// What the tool's commands use of CLI11. Only CommandLine.cpp includes it: it takes longer to compile than a command.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_COMMANDLINE_H
#define PILGRIM_DRIVER_COMMANDLINE_H

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace pilgrim {

/// The values that an option takes, where there are only so many.
using KnownValues = std::map<const CLI::Option *, std::vector<std::string>>;

/// What completion needs to know of an option or an argument that has a place instead of a name.
struct OptionShape {
  std::vector<std::string> Names; ///< "--rank", "-q"; of an argument "TRACE"
  std::string Argument;           ///< what help calls its value; empty: it takes none
  std::string Help;               ///< its first line
  std::vector<std::string> Values;
  bool IsArgument = false;
};
struct CommandShape {
  std::string Name, Help;
  std::vector<OptionShape> Options;
};

/// One option. Each function returns the option, to call the next one on it.
class Option {
public:
  Option(CLI::Option *O, KnownValues &Known) : O(O), Known(&Known) {}
  /// What help calls its value.
  Option &argument(const char *Name);
  Option &required();
  Option &oneOf(const std::vector<std::string> &Values);
  /// The same for completion alone: somebody else refuses other values.
  Option &suggests(const std::vector<std::string> &Values);
  Option &positive();
  Option &notNegative();
  Option &between(uint64_t Low, uint64_t High);
  /// May be given several times, with one value each time.
  Option &each();
  /// Not together with Other.
  Option &excludes(Option Other);

private:
  CLI::Option *O;
  KnownValues *Known;
};

/// One command. What options are stored to must live until the command has run: hold it in what runs() is given.
class Command {
public:
  Command(CLI::App *A, std::function<int()> &Chosen, KnownValues &Known) : A(A), Chosen(&Chosen), Known(&Known) {}
  /// Names: "-o,--output", or "TRACE" for an argument that has a place instead of a name.
  Option add(const char *Names, std::string &To, const std::string &Help);
  Option add(const char *Names, std::vector<std::string> &To, const std::string &Help);
  Option add(const char *Names, int64_t &To, const std::string &Help);
  Option add(const char *Names, uint64_t &To, const std::string &Help);
  Option add(const char *Names, unsigned &To, const std::string &Help);
  Option add(const char *Names, std::function<void(const std::string &)> To, const std::string &Help);
  Option flag(const char *Names, bool &To, const std::string &Help);
  /// To: how often it was given.
  Option flag(const char *Names, int &To, const std::string &Help);
  /// Options that a later version will have: not in --help, refused when used.
  void later(std::initializer_list<const char *> Names);
  /// Stands below the options in --help.
  void footer(const std::string &Text);
  /// A command line, and what it does: stands below that. Examples stand one after the other.
  void example(const std::string &Line, const std::string &What);
  /// The exit codes, where they are not the usual ones: "0  WHAT" and so on, a line each.
  void exitCodes(const std::string &Text);
  /// Stands in --help instead of what CLI11 makes of the options.
  void usage(const std::string &Text);
  /// What the command does. Returns the exit code.
  void runs(std::function<int()> Action);

private:
  CLI::App *A;
  std::function<int()> *Chosen;
  KnownValues *Known;
};

/// The tool: its commands, and what is said where a line makes no sense.
class CommandLine {
public:
  CommandLine();
  ~CommandLine();
  Command add(const char *Name, const char *Help);
  /// Runs what was asked for and returns its exit code.
  int run(int Argc, char **Argv);
  /// What follows the options of `run`: a program and its arguments, in which nothing is ours.
  const std::vector<std::string> &program() const { return Program; }
  /// All commands, with the options that --help shows. The first one is the tool itself, without a name.
  const std::vector<CommandShape> &shapes() const { return Shapes; }

private:
  std::vector<std::string> splitRunLine(std::vector<std::string> &Words) const;
  CommandShape shapeOf(const CLI::App &A) const;

  std::unique_ptr<CLI::App> Tool;
  KnownValues Known;
  std::vector<CommandShape> Shapes;
  std::function<int()> Chosen;
  std::vector<std::string> Program;
};

} // namespace pilgrim

#endif
