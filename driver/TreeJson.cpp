//===- TreeJson.cpp - the context tree as nested objects ------------------===//
//
// Written with a stack of its own: how deep a trace goes is not ours to say.
//
//===----------------------------------------------------------------------===//
#include "driver/TreeJson.h"
#include "driver/CallText.h"
#include "driver/Input.h"
#include "driver/SiteText.h"
#include "driver/ValueText.h"

#include <fmt/format.h>

namespace pilgrim {

namespace {
class TreeJson {
public:
  TreeJson(std::string &Out, SourceLines &Lines) : Out(Out), Lines(Lines) {}

  void tree(const StructureTree &Tree, Output &To) {
    struct Frame {
      const TreePlace *P;
      size_t Next;
    };
    std::vector<Frame> Open{{&Tree.Places[0], 0}};
    begin(Tree, *Open.back().P);
    while (!Open.empty() && To.drain()) {
      Frame &F = Open.back();
      if (F.Next == F.P->Children.size()) {
        Out += "]}";
        Open.pop_back();
        continue;
      }
      if (F.Next)
        Out += ',';
      const TreePlace *P = &Tree.Places[F.P->Children[F.Next++]];
      begin(Tree, *P);
      Open.push_back({P, 0});
    }
  }

private:
  void key(const char *Name) {
    if (Out.back() != '{')
      Out += ',';
    appendJson(Out, Name);
    Out += ':';
  }
  void text(const char *Name, const std::string &Value) {
    key(Name);
    if (Value.empty())
      Out += "null";
    else
      appendJson(Out, Value);
  }
  void number(const char *Name, uint64_t Value) {
    key(Name);
    Out += std::to_string(Value);
  }

  void begin(const StructureTree &Tree, const TreePlace &P) {
    static const char *const Kinds[] = {"thread", "function", "loop", "arm", "call", "mpi", "untraced"};
    Out += '{';
    text("kind", Kinds[P.K]);
    if (P.K == TreePlace::Thread) {
      text("name", "thread " + std::to_string(Tree.thread().Number));
      number("thread", Tree.thread().Number);
      text("ranks", rankText(Tree.Ranks));
    } else {
      place(Tree, P);
    }
    number("calls", P.Calls);
    number("untraced", P.Untraced);
    if (isUnended(P))
      key("returned"), Out += "false";
    key("time");
    const bool IsKnown = Tree.thread().IsTimed && (!P.Calls || P.NotReturned < P.Calls);
    Out += IsKnown ? fmt::format("{:.9f}", static_cast<double>(P.Time.Sum) / 1e9) : "null";
    if (P.Time.IsMean)
      text("timed", "mean");
    times(Tree, P);
    if (P.K == TreePlace::Function || P.K == TreePlace::Loop)
      number("activations", P.Activations);
    if (P.K == TreePlace::Loop)
      number("iterations", P.Visits);
    if (P.K == TreePlace::Arm)
      number("passes", P.Passes);
    if (P.Left) {
      key("more");
      Out += fmt::format("{{\"places\":{},\"calls\":{}}}", P.Left, P.LeftCalls);
    }
    key("children");
    Out += '[';
  }

  void seconds(const char *Name, double Nano) {
    key(Name);
    Out += fmt::format("{:.9f}", Nano / 1e9);
  }
  void spread(const Spread &S, bool OfRanks) {
    seconds("mean", S.mean());
    seconds("dev", S.deviation());
    seconds("min", static_cast<double>(S.Min));
    if (OfRanks)
      number("min_rank", S.MinRank);
    seconds("max", static_cast<double>(S.Max));
    if (OfRanks)
      number("max_rank", S.MaxRank);
  }
  void histogram(const Spread &S) {
    if (!S.hasHistogram())
      return;
    key("histogram");
    Out += binsAsJson(S.Bins);
  }
  void ranks(const char *Name, const Spread &S) {
    if (!S.Count)
      return;
    key(Name);
    Out += '{';
    number("ranks", S.Count);
    spread(S, true);
    Out += '}';
  }
  /// How times are distributed, where this is known.
  void times(const StructureTree &Tree, const TreePlace &P) {
    if (P.Durations.Count && P.Durations.Count == P.Calls - P.NotReturned) {
      seconds("min", static_cast<double>(P.Durations.Min));
      seconds("max", static_cast<double>(P.Durations.Max));
      seconds("dev", P.Durations.deviation());
      histogram(P.Durations);
    }
    if (Tree.isWhole() && (P.K == TreePlace::Thread || P.K == TreePlace::Function || P.K == TreePlace::Loop)) {
      // Below callbacks nothing is measured: that is time in the call around them.
      if (const NodeTimes &N = Tree.W->times(Tree.Thread, P.Node); N.InMpi.Max || N.Outside.Max) {
        ranks("ranks_mpi", N.InMpi);
        ranks("ranks_outside", N.Outside);
      }
    }
    if (P.Gaps.empty())
      return;
    key("gaps");
    Out += '[';
    for (const NamedGap &G : P.Gaps) {
      Out += &G == P.Gaps.data() ? "{" : ",{";
      text("after", G.After);
      number("calls", G.Gaps.Count);
      spread(G.Gaps, false);
      histogram(G.Gaps);
      Out += '}';
    }
    Out += ']';
  }

  void place(const StructureTree &Tree, const TreePlace &P) {
    if (P.K == TreePlace::Mpi)
      text("name", *P.Name);
    else if (P.K == TreePlace::Function || P.K == TreePlace::Call)
      text("name", P.K == TreePlace::Function && P.Where ? functionName(*P.Where) : functionName(*P.Name));
    if (P.K == TreePlace::Arm)
      text("arm", armName(P.Number));
    if (P.K == TreePlace::Arm && P.Name)
      text("name", *P.Name);
    SiteText Site(1);
    if (P.Site)
      Site = siteText(*Tree.W, Tree.Thread, P.Site - 1, Lines);
    text("file", P.Where ? P.Where->File : Site[0].File);
    key("line");
    const uint32_t Line = P.Where ? P.Line : static_cast<uint32_t>(Site[0].Line);
    Out += Line ? std::to_string(Line) : "null";
    if (P.Site)
      text("site", Site[0].Text);
    for (size_t I = 1; I < Site.size(); ++I) {
      if (I == 1)
        key("callers");
      Out += I == 1 ? '[' : ',';
      appendJson(Out, Site[I].Text);
    }
    if (Site.size() > 1)
      Out += ']';
  }

  std::string &Out;
  SourceLines &Lines;
};
} // namespace

void treesAsJson(const std::vector<StructureTree> &Trees, SourceLines &Lines, Output &Out) {
  TreeJson Json(Out.Text, Lines);
  Out.Text += "{\"threads\":[";
  for (const StructureTree &Tree : Trees) {
    if (&Tree != &Trees.front())
      Out.Text += ',';
    Json.tree(Tree, Out);
  }
  Out.Text += "]}\n";
}

} // namespace pilgrim
