//===- Tree.cpp - pilgrim tree --------------------------------------------===//
//
// The context tree as a table. Written with a stack of its own: how deep a trace
// goes is not ours to say.
//
//===----------------------------------------------------------------------===//
#include "driver/CallText.h"
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/Output.h"
#include "driver/SiteText.h"
#include "driver/StructureTree.h"
#include "driver/TreeJson.h"
#include "driver/ValueText.h"
#include "trace/base/Counted.h"
#include "trace/base/Saturate.h"

#include <algorithm>
#include <fmt/format.h>

namespace pilgrim {

namespace {
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
      addProduct(AllTime, Tree.Places[0].Time.Sum, 1);
      for (const TreePlace &P : Tree.Places)
        HasHistograms |= P.Durations.hasHistogram();
    }
  }

  void header() {
    std::string Line = fmt::format("{:>12}", "calls");
    if (IsTimed)
      Line += timeHeader() + spreadHeader(HasHistograms);
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
      if (const TreePlace *F = Tree.onlyFunction(*P)) {
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
    if (IsTimed)
      Out += Calls && NotReturned == Calls ? std::string(23, ' ') : timeColumns(Part, AllTime);
    else
      Out += fmt::format(" {:>7.2f}", AllCalls > 0 ? 100 * static_cast<double>(Calls) / AllCalls : 0.0);
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

  std::string label(const StructureTree &Tree, const TreePlace &P, const std::string &From) {
    std::string Line = P.Where ? lineText(*P.Where, P.Line) : "";
    if (!Line.empty())
      Line.insert(0, 1, ' ');
    switch (P.K) {
    case TreePlace::Thread:
      return fmt::format("thread {} of {}", Tree.thread().Number, numbered("rank", Tree.Ranks));
    case TreePlace::Function:
      return fmt::format("{}{}{}  [{}]", functionText(*P.Where), Line, From, counted(P.Activations, "activation"));
    case TreePlace::Loop:
      return fmt::format("loop{}  [{}, {}]", Line, counted(P.Activations, "activation"),
                         counted(P.Visits, "iteration"));
    case TreePlace::Arm:
      return fmt::format("{}  [{}]", armText(P.Number, P.Name, Line), counted(P.Passes, "pass"));
    case TreePlace::Call:
      if (P.Where && P.Order && P.Where->Events[P.Order - 1].K == Region::Site)
        return "callbacks of " + *P.Name + Line;
      return (P.Name->empty()                  ? "computed call"
              : P.Name->starts_with("OpenMP ") ? *P.Name
                                               : "call of " + functionText(*P.Name)) +
             Line;
    case TreePlace::Missing:
      return untracedText(P.Untraced);
    case TreePlace::Mpi:
      return *P.Name + (P.Site ? " " + chainText(siteText(*Tree.W, Tree.Thread, P.Site - 1, Lines)) : Line) +
             (isUnended(P) ? "  [did not return]" : "");
    }
    return "";
  }

  std::string &Out;
  SourceLines &Lines;
  bool IsTimed = false, HasHistograms = false;
  const bool HasGaps;
  double AllCalls = 0;
  uint64_t AllTime = 0;
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
    treesAsJson(Trees, Lines, Out);
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
