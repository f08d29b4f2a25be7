//===- Options.cpp - the options of a traced run --------------------------===//
#include "api/Options.h"
#include "api/Quantity.h"

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

// The largest values that are taken.
static constexpr unsigned MostSeconds = 1000000000, MostErrorPercent = 50, MostErrorSeconds = 1000,
                          MostErrorFunctions = 100;

/// "10%", "10us", "0".
static bool parseBound(std::string_view Text, ErrorBound &B) {
  B = {};
  if (Text.ends_with('%')) {
    const bool IsNumber = takeDecimal(Text, B.Relative) && Text == "%" && B.Relative <= MostErrorPercent;
    B.Relative /= 100;
    return IsNumber;
  }
  return parseSeconds(Text, B.Seconds) && B.Seconds <= MostErrorSeconds && (Text.ends_with('s') || B.Seconds <= 0);
}

static bool isFunction(std::string_view Name) {
  static constexpr std::string_view Names[] = {
#include "function_names.inc"
  };
  return std::ranges::binary_search(Names, Name);
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
      if (!isFunction(std::string_view(Item).substr(0, Equal)) || !parseBound(Item.substr(Equal + 1), B) ||
          New.OfFunction.size() >= MostErrorFunctions)
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

/// As setOption, without a note of who set it.
static bool assign(Options &O, const char *Name, const std::string &Value, const std::string &Source,
                   std::string &Error) {
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
    double V = 0;                                                                                                      \
    if (parseSeconds(Value, V) && V <= MostSeconds) {                                                                  \
      O.Field = V;                                                                                                     \
      return true;                                                                                                     \
    }                                                                                                                  \
    Error = Said + ": accepted: a number of seconds up to " + std::to_string(MostSeconds) + ", as 90, 1.5s or 500ms";  \
    return false;                                                                                                      \
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
    Error = Said + ": accepted: a bound, or two for durations and gaps, up to " + std::to_string(MostErrorPercent) +   \
            "% or " + std::to_string(MostErrorSeconds) +                                                               \
            "s, as 10%, 5% or 10us, 0 for lossless; also MPI_Send=5%, of up to " +                                     \
            std::to_string(MostErrorFunctions) + " functions that MPI has";                                            \
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

bool setOption(Options &O, const char *Name, const std::string &Value, const std::string &Source, std::string &Error) {
  if (!assign(O, Name, Value, Source, Error))
    return false;
  O.Said[Name] = Source + "=" + Value;
  return true;
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

/// What bounds (Error) the mode of Timing takes; null: these are among them.
static const char *boundsTaken(const Options &O) {
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

std::string whyNotTogether(const Options &O) {
  const char *Taken = boundsTaken(O);
  return Taken ? O.said("error") + ": accepted with " + O.said("timing") + ": " + Taken : "";
}

bool keepsSingleTimes(TimingOption T) {
  return T != TimingOption::Off && T != TimingOption::Mean && T != TimingOption::Histogram &&
         T != TimingOption::PathHistogram;
}

bool usesClusters(TimingOption T) {
  return T == TimingOption::Hist || T == TimingOption::ZfpClustered || T == TimingOption::SzClustered;
}

static bool usesBounds(TimingOption T) { return T != TimingOption::Off && T != TimingOption::Mean; }

std::string whyInVain(const Options &O, const char *Name) {
  static constexpr struct {
    const char *Name;
    bool (*IsUsed)(TimingOption);
  } OfTimes[] = {{"error", usesBounds}, {"cluster", usesClusters}, {"clocks", keepsSingleTimes}};
  for (const auto &Option : OfTimes) {
    if (std::strcmp(Option.Name, Name) != 0 || Option.IsUsed(O.Timing))
      continue;
    std::string Modes;
    for (const OptionValue &V : optionValues())
      if (V.Help && std::strcmp(V.Option, "timing") == 0 && Option.IsUsed(static_cast<TimingOption>(V.Number)))
        Modes += (Modes.empty() ? "" : ", ") + std::string(V.Value);
    return O.said(Name) + ": has no effect with " + O.said("timing") + "; accepted with timing " + Modes;
  }
  return "";
}

bool readOptions(Options &O, GetVariable Get, std::string &Error, void *Context) {
  if (const char *V = Get(Context, "PILGRIM"); V && *V) {
    if (std::strcmp(V, "off") == 0) {
      O.Enabled = false;
      return true; // whatever else is said, nobody asks for it
    }
    if (std::strcmp(V, "on") != 0) {
      Error = std::string("PILGRIM=") + V + ": accepted: on, off";
      return false;
    }
  }
  if (const char *V = Get(Context, "PILGRIM_OPTIONS"); V && !parseList(O, V, Error))
    return false;
  for (const OptionInfo &I : optionTable()) {
    std::string Variable = I.variable();
    const char *V = Get(Context, Variable.c_str());
    if (V && *V && !setOption(O, I.Name, V, Variable, Error))
      return false;
  }
  return true;
}

bool parseOptions(Options &O, GetVariable Get, ReportLine Report, void *Context) {
  std::string Error;
  if (readOptions(O, Get, Error, Context))
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

std::string Options::said(const char *Name) const {
  const auto It = Said.find(Name);
  return It != Said.end() ? It->second : std::string("--") + Name + "=" + value(Name) + ", the default";
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
