//===- Options.h - the options of a traced run ------------------*- C++ -*-===//
//
// What Options.def declares, as a struct, and its parser. The runtime reads
// the environment with it, `pilgrim run` checks its arguments with it before
// the program starts. No exceptions, no RTTI, no state.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_API_OPTIONS_H
#define PILGRIM_API_OPTIONS_H

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pilgrim {

// enum class TimingOption { Mean, Off } and so on: a choice closes the enum
// before it and opens its own.
enum class OptionEnums : uint8_t {
#define PILGRIM_CHOICE(Field, Name, Default, Help)                                                                     \
  }                                                                                                                    \
  ;                                                                                                                    \
  enum class Field##Option : uint8_t {
#define PILGRIM_VALUE(Field, Enumerator, Value, Help) Enumerator,
#define PILGRIM_ABSENT_VALUE(Field, Enumerator, Value, Library) Enumerator,
#include "api/Options.def"
};

/// By how much a time may be off. Both 0: not at all.
struct ErrorBound {
  double Relative = 0; ///< of the time
  double Seconds = 0;  ///< 0 beside a relative one
};
struct ErrorBounds {
  ErrorBound Duration{0.1, 0}, Gap{0.1, 0};
  std::vector<std::pair<std::string, ErrorBound>> OfFunction; ///< both of the calls of these
  std::string Text;                                           ///< as it was given; empty: the default
};

/// A value that an option accepts or will accept.
struct OptionValue {
  const char *Option; ///< name of its option
  const char *Value;
  const char *Help;            ///< null: not in this version, or build
  uint8_t Number;              ///< of its enumerator
  const char *Lacks = nullptr; ///< the library that the build did not find
};

struct OptionInfo {
  enum Form : uint8_t { Choice, Text, Seconds, Number, Bounds, Later };
  const char *Name;
  Form F;
  const char *Argument; ///< of all but Choice: what --help calls the value
  const char *Default;
  const char *Help;
  /// Name of the environment's variable.
  std::string variable() const;
};

/// All options in the order of their declaration, those of later versions
/// last.
std::span<const OptionInfo> optionTable();
/// All values of choices.
std::span<const OptionValue> optionValues();

struct Options {
  bool Enabled = true; ///< PILGRIM=off: the program runs untraced
  /// How each option that is not left out was given: "PILGRIM_MODE=auto", "PILGRIM_OPTIONS: mode=auto", "--mode=auto".
  std::map<std::string, std::string> Said;
#define PILGRIM_CHOICE(Field, Name, Default, Help) Field##Option Field{};
#define PILGRIM_TEXT(Field, Name, Argument, Default, Help) std::string Field = Default;
// Below zero: the default, which depends on the run.
#define PILGRIM_SECONDS(Field, Name, Argument, Default, Help) double Field = -1;
// None: not set, which is the default.
#define PILGRIM_NUMBER(Field, Name, Argument, Default, Most, Help) std::optional<unsigned> Field;
#define PILGRIM_BOUNDS(Field, Name, Argument, Default, Help) ErrorBounds Field;
#include "api/Options.def"

  /// What is not the default, name=value:name=value, as a trace stores it.
  /// Without the output's name, which says nothing of what is in the trace.
  std::string text() const;
  /// The value of a choice, default or not.
  std::string value(const char *Name) const;
  /// How an option was given, for messages. Of a choice that was left out: its default.
  std::string said(const char *Name) const;
};

/// Gives the value of an environment variable, or null.
using GetVariable = const char *(*)(void *Context, const char *Name);
/// Takes one line of text without a line end.
using ReportLine = void (*)(void *Context, const char *Line);

/// Sets one option by name. False: Error says what is wrong, with Source (a
/// variable or an argument) as the name of what was set.
bool setOption(Options &O, const char *Name, const std::string &Value, const std::string &Source, std::string &Error);

/// Which options do not go together; empty: they all do.
std::string whyNotTogether(const Options &O);
/// Why an option that was given has no effect beside the others; empty: it has one.
std::string whyInVain(const Options &O, const char *Name);

/// Whether start and duration of each call are kept.
bool keepsSingleTimes(TimingOption T);
/// Whether --cluster says which of these stand together.
bool usesClusters(TimingOption T);

/// Reads PILGRIM, then PILGRIM_OPTIONS, then the variable of each option, which wins. False: Error says what is wrong.
bool readOptions(Options &O, GetVariable Get, std::string &Error, void *Context);
/// The same, and looks whether the options go together. What is wrong is reported in one line; then the result is
/// false, and the program is to run untraced.
bool parseOptions(Options &O, GetVariable Get, ReportLine Report, void *Context);

} // namespace pilgrim

#endif
