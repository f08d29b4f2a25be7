//===- Tree.cpp - pilgrim tree --------------------------------------------===//
//
// The context tree as a table or as nested objects. Written with a stack of its
// own: how deep a trace goes is not ours to say.
//
//===----------------------------------------------------------------------===//
#include "driver/CallText.h"
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/Output.h"
#include "driver/SiteText.h"
#include "driver/StructureTree.h"
#include "driver/ValueText.h"

#include <algorithm>
#include <fmt/format.h>

namespace pilgrim {

namespace {
/// The function that a call is shown together with: the only thing in it, and
/// what was called.
const TreePlace *onlyFunction(const StructureTree &Tree, const TreePlace &P) {
  if (P.K != TreePlace::Call || P.Children.size() != 1 || P.Left)
    return nullptr;
  const TreePlace &F = Tree.Places[P.Children[0]];
  return F.K == TreePlace::Function && (P.Name->empty() || *P.Name == *F.Name) ? &F : nullptr;
}

/// What a branch's way on is called. The pass gives the numbers (docs/format.md).
std::string armName(uint32_t Number) {
  static constexpr const char *Names[] = {"true",   "false",  "default",  "",       "master",
                                          "masked", "single", "critical", "ordered"};
  constexpr uint32_t FirstCase = 16;
  if (Number < std::size(Names))
    return Names[Number];
  if (Number < FirstCase)
    return "";
  const int64_t Code = Number - FirstCase;
  return "case " + std::to_string(Code % 2 ? -(Code + 1) / 2 : Code / 2);
}

/// Own: the name that a critical section has, or null. Line: behind a space, or empty.
std::string armText(uint32_t Number, const std::string *Own, const std::string &Line) {
  const std::string Name = armName(Number);
  if (Own)
    return Name + "(" + *Own + ")" + Line;
  if (Name == "master" || Name == "masked" || Name == "single" || Name == "critical" || Name == "ordered")
    return Name + Line;
  return "branch" + Line + (Name.empty() ? "" : " " + Name);
}

class TreeTable {
public:
  TreeTable(std::string &Out, const std::vector<StructureTree> &Trees, SourceLines &Lines, bool HasGaps)
      : Out(Out), Lines(Lines), HasGaps(HasGaps) {
    for (const StructureTree &Tree : Trees) {
      IsTimed |= Tree.thread().IsTimed;
      AllCalls += static_cast<double>(Tree.Places[0].Calls);
      AllTime += static_cast<double>(Tree.Places[0].Time.Sum);
      IsMean |= Tree.Places[0].Time.IsMean;
      for (const TreePlace &P : Tree.Places)
        HasHistograms |= P.Durations.hasHistogram();
    }
  }

  void header() {
    std::string Line = fmt::format("{:>12}", "calls");
    if (IsTimed)
      Line += timeHeader(IsMean) + spreadHeader(HasHistograms);
    else
      Line += fmt::format(" {:>7}", "calls %");
    Out += styled(Look::Heading, Line) + '\n';
  }

  void tree(const StructureTree &Tree, Output &To) {
    struct Line {
      uint32_t Place;
      size_t Depth;
      bool IsRest; ///< what is left out at the place
    };
    std::vector<Line> Open{{0, 0, false}};
    while (!Open.empty() && To.drain()) {
      const auto [Index, Depth, IsRest] = Open.back();
      Open.pop_back();
      const TreePlace *P = &Tree.Places[Index];
      if (IsRest) {
        begin(P->LeftCalls, P->LeftNotReturned, P->LeftTime, P->LeftDurations, Depth);
        Out += fmt::format("({} more)\n", P->Left);
        continue;
      }
      begin(P->Calls, P->NotReturned, P->Time, P->Durations, Depth);
      if (const TreePlace *F = onlyFunction(Tree, *P)) {
        std::string From = lineText(*P->Where, P->Line);
        if (isConstruct(*F->Name) && From == lineText(*F->Where, F->Line))
          From.clear();
        Out += printable(label(Tree, *F, From.empty() ? "" : " from " + From));
        P = F;
      } else {
        const std::string Label = printable(label(Tree, *P, ""));
        Out += P->K == TreePlace::Mpi ? styled(Look::Name, Label) : Label;
      }
      Out += '\n';
      if (HasGaps)
        gaps(*P, Depth + 1);
      if (P->Left)
        Open.push_back({static_cast<uint32_t>(P - Tree.Places.data()), Depth + 1, true});
      for (size_t I = P->Children.size(); I-- > 0;)
        Open.push_back({P->Children[I], Depth + 1, false});
    }
  }

private:
  static constexpr size_t MaxIndent = 100; // else lines of a deep tree would take the square of its depth

  /// The numbers of a line, and the space before its name.
  void begin(uint64_t Calls, uint64_t NotReturned, const MeasuredPart &Part, const Spread &Durations, size_t Depth) {
    Out += fmt::format("{:>12}", Calls);
    const auto Time = static_cast<double>(Part.Sum);
    double Share = IsTimed ? Time : static_cast<double>(Calls), All = IsTimed ? AllTime : AllCalls;
    if (IsTimed && Calls && NotReturned == Calls) {
      Out.append(23, ' ');
    } else {
      if (IsTimed)
        Out += fmt::format(" {:>14.6f}", Time / 1e9);
      Out += fmt::format(" {:>7.2f}", All > 0 ? 100 * Share / All : 0.0);
    }
    if (IsTimed)
      Out += spreadColumns(Durations, Calls - NotReturned, HasHistograms);
    indent(Depth);
  }
  void indent(size_t Depth) { Out.append(2 + 2 * std::min(Depth, MaxIndent), ' '); }

  /// The gaps before a call, a line for each path.
  void gaps(const TreePlace &P, size_t Depth) {
    for (const NamedGap &G : P.Gaps) {
      Out += fmt::format("{:>12} {:>14.6f} {:>7}", G.Gaps.Count, static_cast<double>(G.Gaps.Sum) / 1e9, "");
      Out += spreadColumns(G.Gaps, G.Gaps.Count, HasHistograms);
      indent(Depth);
      Out += printable("gap after " + G.After) + "\n";
    }
  }

  static std::string number(uint64_t N, const char *What) {
    return fmt::format("{} {}{}", N, What,
                       N == 1                                                  ? ""
                       : What[std::char_traits<char>::length(What) - 1] == 's' ? "es"
                                                                               : "s");
  }

  std::string label(const StructureTree &Tree, const TreePlace &P, const std::string &From) {
    std::string Line = P.Where ? lineText(*P.Where, P.Line) : "";
    if (!Line.empty())
      Line.insert(0, 1, ' ');
    switch (P.K) {
    case TreePlace::Thread:
      return fmt::format("thread {} of {} {}", Tree.thread().Number, Tree.Ranks.size() == 1 ? "rank" : "ranks",
                         rankText(Tree.Ranks));
    case TreePlace::Function:
      return fmt::format("{}{}{}  [{}]", functionText(*P.Where), Line, From, number(P.Activations, "activation"));
    case TreePlace::Loop:
      return fmt::format("loop{}  [{}, {}]", Line, number(P.Activations, "activation"), number(P.Visits, "iteration"));
    case TreePlace::Arm:
      return fmt::format("{}  [{}]", armText(P.Number, P.Name, Line), number(P.Passes, "pass"));
    case TreePlace::Call:
      return (P.Name->empty()                  ? "computed call"
              : P.Name->starts_with("OpenMP ") ? *P.Name
                                               : "call of " + functionText(*P.Name)) +
             Line;
    case TreePlace::Missing:
      return untracedText(P.Untraced);
    case TreePlace::Mpi:
      return *P.Name + (P.Site ? " " + chainText(siteText(*Tree.W, Tree.Thread, P.Site - 1, Lines)) : Line);
    }
    return "";
  }

  std::string &Out;
  SourceLines &Lines;
  bool IsTimed = false, IsMean = false, HasHistograms = false;
  const bool HasGaps;
  double AllCalls = 0, AllTime = 0;
};

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
      const NodeTimes &N = Tree.W->times(Tree.Thread, P.Node);
      ranks("ranks_mpi", N.InMpi);
      ranks("ranks_outside", N.Outside);
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

struct TreeOptions {
  std::string File, Ranks;
  TreeQuery Query;
  bool Json = false, Gaps = false, HasSystem = false;
};

int tree(TreeOptions &O) {
  auto T = openTrace(O.File);
  TreeQuery &Q = O.Query;
  Q.Gaps = O.Gaps || O.Json;
  if (!T || !chooseRanks(O.File, *T, O.Ranks, Q.Ranks) || !Q.Functions.check(O.File, *T))
    return 2;
  const Walk W(*T);
  std::vector<StructureTree> Trees;
  bool IsTimed = false;
  SourceLines Lines(*T);
  for (uint32_t Thread = 0; Thread < W.threads().size(); ++Thread)
    if (StructureTree Tree(W, Thread, Q, Lines); !Tree.Ranks.empty()) {
      IsTimed |= Tree.thread().IsTimed;
      Trees.push_back(std::move(Tree));
    }
  const std::string &Sort = Q.Rows.Sort;
  if (Sort == "time" && !IsTimed)
    return fail(O.File, "no times in this trace (timing=off): --sort time has nothing to go by");
  if (!O.HasSystem)
    for (StructureTree &Tree : Trees)
      foldSystem(Tree);
  if (!O.Json || Q.Rows.Top)
    leaveLargest(Trees, Q.Rows.rows(), Sort.empty() ? IsTimed : Sort == "time");
  if (!Sort.empty())
    for (StructureTree &Tree : Trees)
      sortChildren(Tree, Sort == "time");
  if (O.Gaps && !IsTimed)
    return fail(O.File, "no times in this trace (timing=off): --gaps has nothing to show");
  Output Out;
  if (O.Json) {
    TreeJson Json(Out.Text, Lines);
    Out.Text += "{\"threads\":[";
    for (const StructureTree &Tree : Trees) {
      if (&Tree != &Trees.front())
        Out.Text += ',';
      Json.tree(Tree, Out);
    }
    Out.Text += "]}\n";
  } else {
    TreeTable Table(Out.Text, Trees, Lines, O.Gaps);
    Table.header();
    for (const StructureTree &Tree : Trees)
      Table.tree(Tree, Out);
  }
  return Out.finish() ? 0 : 2;
}
} // namespace

void addTree(CommandLine &Tool) {
  Command C = Tool.add("tree", "Show where in the program calls are made: functions, loops, branches");
  auto O = std::make_shared<TreeOptions>();
  C.add("TRACE", O->File, "trace file").required();
  addRankChoice(C, O->Ranks);
  O->Query.Functions.addTo(C);
  O->Query.Rows.addTo(C, {"time", "calls"});
  C.flag("--system", O->HasSystem, "also functions of the C++ library, which are else part of their caller");
  C.flag("--gaps", O->Gaps, "also the time before calls, by the call that was before");
  C.flag("--json", O->Json, "as one JSON object");
  C.example("pilgrim tree app.pilgrim", "the whole program, with calls and time");
  C.example("pilgrim tree --function MPI_Allreduce --sort time app.pilgrim", "only where these are, the longest first");
  C.runs([O] { return tree(*O); });
}

} // namespace pilgrim
