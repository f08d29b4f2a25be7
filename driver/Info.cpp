//===- Info.cpp - pilgrim info --------------------------------------------===//
//
// What a trace is, from its compressed form alone.
//
//===----------------------------------------------------------------------===//
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/Output.h"
#include "driver/ShellWord.h"
#include "trace/base/Counted.h"
#include "trace/merge/HostList.h"
#include "trace/read/Sizes.h"
#include "trace/read/Untraced.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <set>

namespace pilgrim {

using Json = nlohmann::ordered_json;

namespace {
std::string metaOr(const Trace &T, std::string_view Key, const char *Default) {
  auto It = T.meta().find(std::string(Key));
  return It == T.meta().end() ? Default : It->second;
}

/// name=value:name=value as an object.
Json optionsOf(const std::string &Text) {
  Json Out = Json::object();
  for (size_t At = 0; At < Text.size();) {
    size_t End = std::min(Text.find(':', At), Text.size());
    std::string Item = Text.substr(At, End - At);
    size_t Equal = Item.find('=');
    if (Equal != std::string::npos)
      Out[Item.substr(0, Equal)] = Item.substr(Equal + 1);
    At = End + 1;
  }
  return Out;
}

/// When the run began: what it took before its end; empty if the trace does not say it.
std::string startOf(const std::string &End, const std::string &Elapsed) {
  std::tm Parts{};
  const char *Rest = strptime(End.c_str(), "%Y-%m-%dT%H:%M:%SZ", &Parts);
  if (!Rest || *Rest || Elapsed.empty())
    return "";
  const std::time_t Start = timegm(&Parts) - static_cast<std::time_t>(std::strtod(Elapsed.c_str(), nullptr));
  char Text[32];
  std::strftime(Text, sizeof Text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&Start, &Parts));
  return Text;
}

/// What the tracer noted of the run itself.
void addRun(Json &J, const Trace &T) {
  const std::string Elapsed = metaOr(T, ElapsedKey, ""), Start = startOf(metaOr(T, "end", ""), Elapsed);
  if (!Start.empty())
    J["start"] = Start;
  if (!Elapsed.empty())
    J["elapsed"] = std::strtod(Elapsed.c_str(), nullptr);
  if (auto It = T.meta().find(std::string(ArgumentsKey)); It != T.meta().end()) {
    J["arguments"] = Json::array();
    // Each ends with a 0.
    for (size_t At = 0, End; (End = It->second.find('\0', At)) != std::string::npos; At = End + 1)
      J["arguments"].push_back(It->second.substr(At, End - At));
  }
  if (const std::string Hosts = metaOr(T, HostsKey, ""); !Hosts.empty())
    J["hosts"] = {{"number", countHosts(Hosts)}, {"names", Hosts}};
}

/// How the clocks of several machines were compared, where times of single calls are of them.
void addClocks(Json &J, const TraceData &T) {
  std::map<uint64_t, TimeBase> Clocks;
  for (const Group &G : T.Groups)
    for (const CallTimes &X : G.Times)
      if (X.Clock)
        Clocks.try_emplace(X.Clock, X.Base);
  if (Clocks.size() < 2)
    return;
  std::map<uint64_t, uint64_t> OfRoot;
  double Radius = 0;
  for (const auto &[Clock, Base] : Clocks) {
    ++OfRoot[Base.Root];
    Radius = std::max(Radius, Base.Radius);
  }
  uint64_t Most = 0, Twice = 0;
  for (const auto &[Root, Number] : OfRoot)
    Most = std::max(Most, Number);
  for (const auto &[Clock, C] : T.Clocks)
    Twice += C.Points.size() > 1;
  J["clocks"] = {{"number", Clocks.size()},
                 {"compared", Most > 1 ? Most : 0},
                 {"times", Most < 2            ? 0
                           : Twice + 1 == Most ? 2
                                               : 1},
                 {"radius", Radius}};
}

std::string clockText(const Json &C) {
  const auto Number = C["number"].get<uint64_t>(), Compared = C["compared"].get<uint64_t>();
  if (!Compared)
    return fmt::format("{}, not compared: starts of calls on different machines count from different moments", Number);
  const bool IsTwice = C["times"] == 2;
  return fmt::format("{}, {} compared {}, within {:.2f} us{}", Number,
                     Compared == Number ? std::string("all") : std::to_string(Compared),
                     IsTwice ? "when the run began and ended" : "once", C["radius"].get<double>() * 1e6,
                     IsTwice ? "" : " at that time; before and after they may have drifted apart");
}

Json describe(const std::string &File, const Trace &T) {
  const Walk W(T);
  std::set<std::string> Functions;
  uint32_t MostThreads = 0;
  bool Timed = false;
  for (const ThreadShape &Thread : W.threads()) {
    MostThreads = std::max(MostThreads, Thread.Number + 1);
    Timed |= Thread.IsTimed;
  }
  for (const auto &[Id, F] : T.functions())
    if (isCall(F))
      Functions.insert(F.Name);
  const TraceSizes Sizes = sizesOf(T);

  Json J;
  J["file"] = File;
  J["format"] = FormatVersion;
  J["program"] = metaOr(T, "program", "");
  addRun(J, T);
  J["world"] = T.world();
  J["ranks"] = T.ranks().size();
  J["complete"] = T.ranks().size() == T.world() && metaOr(T, "complete", "1") != "0";
  if (T.ranks().size() != T.world())
    J["missing"] = rankText(RankSet::below(T.world()).without(T.ranks()));
  if (const std::string Ended = metaOr(T, EndedKey, ""); !Ended.empty())
    J["ended"] = Ended;
  J["threads"] = MostThreads;
  J["calls"] = T.calls();
  J["untraced"] = untracedCalls(T);
  J["functions"] = Functions.size();
  J["signatures"] = Sizes.Signatures;
  J["objects"] = Sizes.Objects;
  J["sites"] = Sizes.Sites;
  J["regions"] = Sizes.Regions;
  J["nodes"] = Sizes.Nodes;
  J["sequences"] = Sizes.Sequences;
  J["rules"] = Sizes.Rules;
  J["timing"] = metaOr(T, "timing", Timed ? "mean" : "off");
  addClocks(J, T.data());
  J["bytes"] = T.fileBytes();
  J["sections"] = Json::object();
  for (const SectionInfo &S : T.sections()) {
    J["sections"][S.Name] = {{"raw", S.Bytes}};
    if (S.Packed)
      J["sections"][S.Name]["packed"] = S.Packed;
  }
  J["options"] = optionsOf(metaOr(T, "options", ""));
  J["meta"] = Json::object();
  for (const auto &[Key, Value] : T.meta())
    J["meta"][Key] = Value;
  return J;
}

std::string dump(const Json &J) { return J.dump(-1, ' ', false, Json::error_handler_t::replace); }

void printText(std::string &Out, const Json &J) {
  auto Line = [&](std::string_view Name, const std::string &Value) {
    Out += fmt::format("{:<14}{}\n", Name, printable(Value));
  };
  auto Number = [&](const char *Name) { Line(Name, std::to_string(J[Name].get<uint64_t>())); };
  Line("trace", J["file"].get<std::string>());
  Number("format");
  Line("program", J["program"].get<std::string>());
  if (J.contains("arguments")) {
    std::string Words;
    for (const Json &Word : J["arguments"])
      Words += (Words.empty() ? "" : " ") + quoted(Word.get<std::string>());
    Line("arguments", Words);
  }
  if (J.contains("start"))
    Line("start", J["start"].get<std::string>());
  if (J.contains("elapsed"))
    Line("elapsed", fmt::format("{:g} s", J["elapsed"].get<double>()));
  if (J.contains("hosts"))
    Line("hosts", fmt::format("{}: {}", J["hosts"]["number"].get<uint64_t>(), J["hosts"]["names"].get<std::string>()));
  Line("ranks", fmt::format("{} of {}", J["ranks"].get<uint64_t>(), J["world"].get<uint64_t>()));
  if (J.contains("missing"))
    Line("missing", plural(J["world"].get<uint64_t>() - J["ranks"].get<uint64_t>(), "rank") + " " +
                        J["missing"].get<std::string>());
  Line("complete", J["complete"].get<bool>() ? "yes" : "no");
  if (J.contains("ended"))
    Line("ended", J["ended"].get<std::string>());
  for (const char *Name : {"threads", "calls", "untraced", "functions", "signatures", "objects", "sites", "regions",
                           "nodes", "sequences", "rules"})
    Number(Name);
  Line("timing", J["timing"].get<std::string>());
  if (J.contains("clocks"))
    Line("clocks", clockText(J["clocks"]));
  for (const auto &[Name, Value] : J["options"].items())
    Line("option", Name + "=" + Value.get<std::string>());
  static const std::set<std::string_view> IsShown = {"options",  "program",    "timing", HostsKey,
                                                     ElapsedKey, ArgumentsKey, EndedKey};
  for (const auto &[Key, Value] : J["meta"].items())
    if (!IsShown.contains(Key))
      Line("meta", Key + "=" + Value.get<std::string>());
  Out += fmt::format("{:<14}{} bytes\n", "size", J["bytes"].get<uint64_t>());
  for (const auto &[Name, Sizes] : J["sections"].items())
    Out += fmt::format("  {:<12}{} unpacked{}\n", printable(Name), counted(Sizes["raw"].get<uint64_t>(), "byte"),
                       Sizes.contains("packed") ? fmt::format(", {} packed alone", Sizes["packed"].get<uint64_t>())
                                                : std::string());
}

int info(const std::string &File, bool AsJson) {
  auto T = openTrace(File);
  if (!T)
    return 2;
  Json J = describe(File, *T);
  Output Out;
  if (AsJson)
    Out.Text = dump(J) + "\n";
  else
    printText(Out.Text, J);
  return Out.finish() ? 0 : 2;
}
} // namespace

void addInfo(CommandLine &Tool) {
  Command C = Tool.add("info", "Tell what a trace is: program, ranks, calls, sizes, options");
  auto File = std::make_shared<std::string>();
  auto AsJson = std::make_shared<bool>(false);
  C.add("TRACE", *File, "trace file").required();
  C.flag("--json", *AsJson, "as one JSON object");
  C.example("pilgrim info app.pilgrim", "ranks, calls, sizes, and the options of the run");
  C.runs([=] { return info(*File, *AsJson); });
}

} // namespace pilgrim
