//===- Options.cpp - the options of a traced run --------------------------===//
#include "api/Options.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pilgrim {

std::string OptionInfo::variable() const {
  std::string V = "PILGRIM_";
  for (const char *P = Name; *P; ++P)
    V += *P == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(*P)));
  return V;
}

std::span<const OptionInfo> optionTable() {
  static constexpr OptionInfo Table[] = {
#define PILGRIM_CHOICE(Field, Name, Default, Help) {Name, OptionInfo::Choice, "", Default, Help},
#define PILGRIM_TEXT(Field, Name, Argument, Default, Help) {Name, OptionInfo::Text, Argument, Default, Help},
#define PILGRIM_SECONDS(Field, Name, Argument, Default, Help) {Name, OptionInfo::Seconds, Argument, Default, Help},
#define PILGRIM_NUMBER(Field, Name, Argument, Default, Most, Help) {Name, OptionInfo::Number, Argument, Default, Help},
#define PILGRIM_BOUNDS(Field, Name, Argument, Default, Help) {Name, OptionInfo::Bounds, Argument, Default, Help},
#define PILGRIM_LATER_OPTION(Name, Default) {Name, OptionInfo::Later, "", Default, ""},
#include "api/Options.def"
  };
  return Table;
}

std::span<const OptionValue> optionValues() {
#define PILGRIM_CHOICE(Field, OptionName, Default, Help) static constexpr const char *Field##Name = OptionName;
#include "api/Options.def"
  static constexpr OptionValue Values[] = {
#define PILGRIM_VALUE(Field, Enumerator, Value, Help)                                                                  \
  {Field##Name, Value, Help, static_cast<uint8_t>(Field##Option::Enumerator)},
#define PILGRIM_LATER_VALUE(Field, Value) {Field##Name, Value, nullptr, 0},
#define PILGRIM_ABSENT_VALUE(Field, Enumerator, Value, Library) {Field##Name, Value, nullptr, 0, Library},
#include "api/Options.def"
  };
  return Values;
}

static const OptionInfo *findOption(const char *Name) {
  for (const OptionInfo &I : optionTable())
    if (std::strcmp(I.Name, Name) == 0)
      return &I;
  return nullptr;
}

static std::string acceptedValues(const OptionInfo &I) {
  std::string Accepted;
  for (const OptionValue &V : optionValues())
    if (V.Help && std::strcmp(V.Option, I.Name) == 0) {
      if (!Accepted.empty())
        Accepted += ", ";
      Accepted += V.Value;
    }
  return Accepted;
}

/// Seconds, with or without a unit; below zero: it is none.
static double parseSeconds(const std::string &Text) {
  char *End = nullptr;
  double V = std::strtod(Text.c_str(), &End);
  if (End == Text.c_str() || !(V >= 0) || V > 1e9)
    return -1;
  if (std::strcmp(End, "ms") == 0)
    return V / 1000;
  return *End == 0 || std::strcmp(End, "s") == 0 ? V : -1;
}

/// Digits and nothing else.
static bool parseNumber(const std::string &Text, unsigned Most, std::optional<unsigned> &Number) {
  unsigned V = 0;
  for (char C : Text) {
    if (C < '0' || C > '9')
      return false;
    V = V * 10 + static_cast<unsigned>(C - '0');
    if (V > Most)
      return false;
  }
  if (Text.empty())
    return false;
  Number = V;
  return true;
}

/// "10%", "10us", "0".
static bool parseBound(const std::string &Text, ErrorBound &B) {
  char *End = nullptr;
  const double V = std::strtod(Text.c_str(), &End);
  B = {};
  if (End == Text.c_str() || !(V >= 0) || V > 1e9)
    return false;
  const struct {
    const char *Name;
    double Seconds;
  } Units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  if (std::strcmp(End, "%") == 0) {
    B.Relative = V / 100;
    return V <= 50;
  }
  for (const auto &Unit : Units)
    if (std::strcmp(End, Unit.Name) == 0) {
      B.Seconds = V * Unit.Seconds;
      return B.Seconds <= 1000;
    }
  return *End == 0 && V == 0;
}

/// BOUND, DURATION,GAP and MPI_FUNCTION=BOUND, in any number.
static bool parseBounds(const std::string &Text, ErrorBounds &Bounds) {
  ErrorBounds New;
  unsigned General = 0;
  for (size_t At = 0; At <= Text.size();) {
    const size_t End = std::min(Text.find(',', At), Text.size());
    const std::string Item = Text.substr(At, End - At);
    At = End + 1;
    ErrorBound B;
    if (const size_t Equal = Item.find('='); Equal != std::string::npos) {
      if (Item.compare(0, 4, "MPI_") != 0 || !parseBound(Item.substr(Equal + 1), B) || New.OfFunction.size() >= 100)
        return false;
      New.OfFunction.emplace_back(Item.substr(0, Equal), B);
      continue;
    }
    if (General == 2 || !parseBound(Item, B))
      return false;
    if (General++ == 0)
      New.Duration = B;
    New.Gap = B;
  }
  New.Text = Text;
  Bounds = std::move(New);
  return true;
}

static void assignNumber(Options &O, const char *Name, uint8_t Number) {
#define PILGRIM_CHOICE(Field, OptionName, Default, Help)                                                               \
  if (std::strcmp(Name, OptionName) == 0)                                                                              \
    O.Field = static_cast<Field##Option>(Number);
#include "api/Options.def"
}

bool setOption(Options &O, const char *Name, const std::string &Value, const std::string &Source, std::string &Error) {
  const OptionInfo *I = findOption(Name);
  std::string Said = Source + "=" + Value;
  if (!I) {
    Error = Source + ": no option '" + Name + "'; there are:";
    for (const OptionInfo &Known : optionTable())
      if (Known.F != OptionInfo::Later)
        Error += std::string(" ") + Known.Name;
    return false;
  }
  if (I->F == OptionInfo::Later) {
    if (*I->Default && Value == I->Default)
      return true;
    Error = Said + ": not in this version";
    if (*I->Default)
      Error += std::string("; accepted: ") + I->Default;
    return false;
  }
#define PILGRIM_TEXT(Field, OptionName, Argument, Default, Help)                                                       \
  if (std::strcmp(Name, OptionName) == 0) {                                                                            \
    O.Field = Value;                                                                                                   \
    return true;                                                                                                       \
  }
#define PILGRIM_SECONDS(Field, OptionName, Argument, Default, Help)                                                    \
  if (std::strcmp(Name, OptionName) == 0) {                                                                            \
    double V = parseSeconds(Value);                                                                                    \
    if (V < 0) {                                                                                                       \
      Error = Said + ": accepted: a number of seconds";                                                                \
      return false;                                                                                                    \
    }                                                                                                                  \
    O.Field = V;                                                                                                       \
    return true;                                                                                                       \
  }
#define PILGRIM_NUMBER(Field, OptionName, Argument, Default, Most, Help)                                               \
  if (std::strcmp(Name, OptionName) == 0) {                                                                            \
    if (parseNumber(Value, Most, O.Field))                                                                             \
      return true;                                                                                                     \
    Error = Said + ": accepted: a number from 0 to " #Most;                                                            \
    return false;                                                                                                      \
  }
#define PILGRIM_BOUNDS(Field, OptionName, Argument, Default, Help)                                                     \
  if (std::strcmp(Name, OptionName) == 0) {                                                                            \
    if (parseBounds(Value, O.Field))                                                                                   \
      return true;                                                                                                     \
    Error = Said + ": accepted: a bound, or two for durations and gaps, as 10%, 5% or 10us, 0 for lossless; "          \
                   "also MPI_Send=5%";                                                                                 \
    return false;                                                                                                      \
  }
#include "api/Options.def"
  std::string Why;
  for (const OptionValue &V : optionValues()) {
    if (std::strcmp(V.Option, Name) != 0 || Value != V.Value)
      continue;
    if (V.Help) {
      assignNumber(O, Name, V.Number);
      return true;
    }
    Why = V.Lacks ? std::string("not in this build, which did not find ") + V.Lacks + "; " : "not in this version; ";
  }
  Error = Said + ": " + Why + "accepted: " + acceptedValues(*I);
  return false;
}

/// name=value:name=value
static bool parseList(Options &O, const char *List, std::string &Error) {
  for (const char *P = List; *P;) {
    size_t N = std::strcspn(P, ":");
    std::string Item(P, N);
    P += N + (P[N] == ':');
    if (Item.empty())
      continue;
    size_t Equal = Item.find('=');
    if (Equal == std::string::npos) {
      Error = "PILGRIM_OPTIONS=" + std::string(List) + ": '" + Item +
              "' is not OPTION=VALUE; accepted: OPTION=VALUE:OPTION=VALUE...";
      return false;
    }
    std::string Name = Item.substr(0, Equal);
    if (!setOption(O, Name.c_str(), Item.substr(Equal + 1), "PILGRIM_OPTIONS: " + Name, Error))
      return false;
  }
  return true;
}

const char *boundsTaken(const Options &O) {
  const ErrorBounds &E = O.Error;
  auto All = [&](auto IsGood) {
    return IsGood(E.Duration) && IsGood(E.Gap) &&
           std::all_of(E.OfFunction.begin(), E.OfFunction.end(), [&](const auto &F) { return IsGood(F.second); });
  };
  switch (O.Timing) {
  case TimingOption::Histogram:
  case TimingOption::PathHistogram: {
    constexpr double Least = 0.01;
    if (E.Duration.Relative >= Least && E.Gap.Relative == E.Duration.Relative && E.OfFunction.empty())
      return nullptr;
    return "one bound for all, from 1% to 50%";
  }
  case TimingOption::Zstd:
    if (E.Text.empty() || All([](const ErrorBound &B) { return B.Relative <= 0 && B.Seconds <= 0; }))
      return nullptr;
    return "0, as it is lossless";
  case TimingOption::Cfg:
  case TimingOption::Hist:
    if (All([](const ErrorBound &B) { return B.Relative <= 0 || B.Relative >= 0.001; }))
      return nullptr;
    return "bounds as 10us, 0, or from 0.1% to 50%";
  case TimingOption::Zfp:
  case TimingOption::ZfpClustered:
    if (E.Text.empty() || All([](const ErrorBound &B) { return B.Seconds >= 1e-8; }))
      return nullptr;
    return "absolute bounds alone, as 10us, from 10ns on";
  case TimingOption::Sz:
  case TimingOption::SzClustered:
    if (All([](const ErrorBound &B) { return B.Seconds >= 1e-8; }) ||
        All([](const ErrorBound &B) { return B.Relative >= 0.001; }))
      return nullptr;
    return "relative bounds alone, from 0.1% to 50%, or absolute ones alone, from 10ns on";
  default:
    return nullptr;
  }
}

/// Empty if the options go together.
static std::string whyNotTogether(const Options &O) {
  const char *Taken = boundsTaken(O);
  return Taken ? "PILGRIM_ERROR=" + O.Error.Text + ": accepted with PILGRIM_TIMING=" + O.value("timing") + ": " + Taken
               : "";
}

bool parseOptions(Options &O, GetVariable Get, ReportLine Report, void *Context) {
  std::string Error;
  if (const char *V = Get(Context, "PILGRIM"); V && *V) {
    if (std::strcmp(V, "off") == 0) {
      O.Enabled = false;
      return true; // whatever else is said, nobody asks for it
    }
    if (std::strcmp(V, "on") != 0) {
      Error = std::string("PILGRIM=") + V + ": accepted: on, off";
      Report(Context, Error.c_str());
      return false;
    }
  }
  if (const char *V = Get(Context, "PILGRIM_OPTIONS"); V && !parseList(O, V, Error)) {
    Report(Context, Error.c_str());
    return false;
  }
  for (const OptionInfo &I : optionTable()) {
    std::string Variable = I.variable();
    const char *V = Get(Context, Variable.c_str());
    if (V && *V && !setOption(O, I.Name, V, Variable, Error)) {
      Report(Context, Error.c_str());
      return false;
    }
  }
  Error = whyNotTogether(O);
  if (!Error.empty())
    Report(Context, Error.c_str());
  return Error.empty();
}

/// The text of an enumerator.
static const char *valueOf(const char *Name, uint8_t Number) {
  for (const OptionValue &V : optionValues())
    if (V.Help && V.Number == Number && std::strcmp(V.Option, Name) == 0)
      return V.Value;
  return "";
}

std::string Options::value(const char *Name) const {
#define PILGRIM_CHOICE(Field, OptionName, Default, Help)                                                               \
  if (std::strcmp(Name, OptionName) == 0)                                                                              \
    return valueOf(Name, static_cast<uint8_t>(Field));
#include "api/Options.def"
  return "";
}

std::string Options::text() const {
  std::string Out;
  auto Add = [&](const char *Name, const char *Value) {
    if (!Out.empty())
      Out += ':';
    Out += Name;
    Out += '=';
    Out += Value;
  };
#define PILGRIM_CHOICE(Field, Name, Default, Help)                                                                     \
  if (Field != Field##Option{})                                                                                        \
    Add(Name, valueOf(Name, static_cast<uint8_t>(Field)));
#define PILGRIM_SECONDS(Field, Name, Argument, Default, Help)                                                          \
  if (Field >= 0) {                                                                                                    \
    char Buffer[32];                                                                                                   \
    std::snprintf(Buffer, sizeof Buffer, "%g", Field);                                                                 \
    Add(Name, Buffer);                                                                                                 \
  }
// Even if it is the default: what a trace says of it depends on whether it was set.
#define PILGRIM_NUMBER(Field, Name, Argument, Default, Most, Help)                                                     \
  if (Field)                                                                                                           \
    Add(Name, std::to_string(*Field).c_str());
#define PILGRIM_BOUNDS(Field, Name, Argument, Default, Help)                                                           \
  if (!Field.Text.empty())                                                                                             \
    Add(Name, Field.Text.c_str());
#include "api/Options.def"
  return Out;
}

} // namespace pilgrim
