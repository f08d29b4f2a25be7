//===- Info.cpp - pilgrim info --------------------------------------------===//
//
// What a trace is, from its compressed form alone.
//
//===----------------------------------------------------------------------===//
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/Output.h"
#include "trace/read/Untraced.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace pilgrim {

using Json = nlohmann::ordered_json;

namespace {
/// Counts the distinct entries of all groups' tables: equal ones of different
/// groups stand once in a file.
class DistinctEntries {
public:
  explicit DistinctEntries(const TraceData &T) {
    for (const Group &G : T.Groups)
      for (unsigned I = 0; I < NumTables; ++I) {
        Local[I].clear();
        for (const Entry &E : G.Tables[I])
          Local[I].push_back(enter(static_cast<TableId>(I), E));
      }
  }
  size_t count(TableId Id) const { return Known[static_cast<unsigned>(Id)].size(); }

private:
  uint32_t global(TableId Id, uint32_t Index) const { return Local[static_cast<unsigned>(Id)][Index]; }

  uint32_t enter(TableId Id, const Entry &E) {
    ByteWriter W;
    for (const Variant &V : E) {
      if (E.size() > 1)
        V.Ranks.write(W);
      std::vector<uint32_t> Tokens = V.Tokens;
      if (Id == TableId::Sites)
        Tokens = {global(TableId::Strings, Tokens[0]), Tokens[1] ? global(Id, Tokens[1] - 1) + 1 : 0};
      if (Id == TableId::Objects && Tokens[1])
        Tokens[1] = global(TableId::Strings, Tokens[1] - 1) + 1;
      if (Id == TableId::Signatures)
        relocate(Tokens);
      W.varint(Tokens.size());
      for (uint32_t Token : Tokens)
        W.varint(Token);
      for (const RankFn &F : V.Words)
        F.write(W);
    }
    auto &Map = Known[static_cast<unsigned>(Id)];
    return Map.try_emplace(std::move(W.Data), static_cast<uint32_t>(Map.size())).first->second;
  }

  void relocate(std::vector<uint32_t> &Tokens) {
    if (Tokens[1])
      Tokens[1] = global(TableId::Sites, Tokens[1] - 1) + 1;
    SlotWalker Walk(Tokens);
    for (SlotView S; Walk.next(S);)
      for (size_t I = S.RefToken; S.RefToken && I < S.FirstToken + S.Tokens; ++I)
        Tokens[I] = global(S.T == Tag::Object || S.T == Tag::Objects ? TableId::Objects : TableId::Strings, Tokens[I]);
  }

  std::map<std::vector<uint8_t>, uint32_t> Known[NumTables];
  std::vector<uint32_t> Local[NumTables];
};

std::string metaOr(const TraceData &T, const char *Key, const char *Default) {
  auto It = T.Meta.find(Key);
  return It == T.Meta.end() ? Default : It->second;
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

Json describe(const std::string &File, const Trace &T) {
  const TraceData &D = T.data();
  std::set<std::string> Functions;
  std::map<uint32_t, uint32_t> Threads; // number of ranks that have it
  uint64_t Rules = 0, MostThreads = 0, Nodes = 0, Sequences = 0;
  bool Timed = false;
  for (const Group &G : D.Groups) {
    Threads[G.Thread] += static_cast<uint32_t>(G.ranks().size());
    Timed |= G.Timed;
    Nodes += G.Nodes.size() - 1;
    G.forEachEvent([&](const NodeData &, uint32_t, const EventData &E) {
      Sequences += E.Items.size();
      for (const RankedItems &I : E.Items)
        Rules += I.Order.Rules.size();
    });
  }
  for (const auto &[Thread, Ranks] : Threads)
    MostThreads = std::max<uint64_t>(MostThreads, Thread + 1);
  for (const auto &[Id, F] : D.Functions)
    if (isCall(F))
      Functions.insert(F.Name);
  DistinctEntries Distinct(D);
  std::string Options = metaOr(D, "options", "");

  Json J;
  J["file"] = File;
  J["format"] = FormatVersion;
  J["program"] = metaOr(D, "program", "");
  J["world"] = D.World;
  J["ranks"] = D.Ranks.size();
  J["complete"] = D.Ranks.size() == D.World && metaOr(D, "complete", "1") != "0";
  if (D.Ranks.size() != D.World)
    J["missing"] = rankText(RankSet::below(D.World).without(D.Ranks));
  J["threads"] = MostThreads;
  J["calls"] = D.calls();
  J["untraced"] = untracedCalls(D);
  J["functions"] = Functions.size();
  J["signatures"] = Distinct.count(TableId::Signatures);
  J["objects"] = Distinct.count(TableId::Objects);
  J["sites"] = Distinct.count(TableId::Sites);
  J["regions"] = D.Regions.size();
  J["nodes"] = Nodes;
  J["sequences"] = Sequences;
  J["rules"] = Rules;
  J["timing"] = metaOr(D, "timing", Timed ? "mean" : "off");
  J["bytes"] = T.fileBytes();
  J["sections"] = Json::object();
  for (const SectionInfo &S : T.sections()) {
    J["sections"][S.Name] = {{"raw", S.Bytes}};
    if (S.Packed)
      J["sections"][S.Name]["packed"] = S.Packed;
  }
  J["options"] = optionsOf(Options);
  J["meta"] = Json::object();
  for (const auto &[Key, Value] : D.Meta)
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
  Line("ranks", fmt::format("{} of {}", J["ranks"].get<uint64_t>(), J["world"].get<uint64_t>()));
  if (J.contains("missing"))
    Line("missing", "ranks " + J["missing"].get<std::string>());
  Line("complete", J["complete"].get<bool>() ? "yes" : "no");
  for (const char *Name : {"threads", "calls", "untraced", "functions", "signatures", "objects", "sites", "regions",
                           "nodes", "sequences", "rules"})
    Number(Name);
  Line("timing", J["timing"].get<std::string>());
  for (const auto &[Name, Value] : J["options"].items())
    Line("option", Name + "=" + Value.get<std::string>());
  for (const auto &[Key, Value] : J["meta"].items())
    if (Key != "options" && Key != "program" && Key != "timing")
      Line("meta", Key + "=" + Value.get<std::string>());
  Out += fmt::format("{:<14}{} bytes\n", "size", J["bytes"].get<uint64_t>());
  for (const auto &[Name, Sizes] : J["sections"].items())
    Out += fmt::format("  {:<12}{} bytes unpacked{}\n", printable(Name), Sizes["raw"].get<uint64_t>(),
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

void addInfo(CLI::App &Tool, Action &Chosen) {
  CLI::App *C = Tool.add_subcommand("info", "Tell what a trace is: program, ranks, calls, sizes, options");
  auto File = std::make_shared<std::string>();
  auto AsJson = std::make_shared<bool>(false);
  C->add_option("TRACE", *File, "trace file")->required();
  C->add_flag("--json", *AsJson, "as one JSON object");
  C->callback([=, &Chosen] { Chosen = [=] { return info(*File, *AsJson); }; });
}

} // namespace pilgrim
