//===- Imbalance.cpp - where times differ between ranks --------------------===//
#include "driver/Imbalance.h"
#include "driver/CallText.h"
#include "driver/Command.h"
#include "driver/Output.h"
#include "driver/RankTimes.h"
#include "driver/SiteText.h"
#include "trace/read/Untraced.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tuple>

namespace pilgrim {

namespace {
/// What the times of a row are. The words are those of the reports.
enum class Spent : uint8_t { InCall, BeforeCall, InMpi, OutsideMpi, Untraced };

/// Which of the ranks came by a place, and how their sums are distributed.
struct RankTimes {
  Spread Sums;
  RankSet Ranks;
};

struct Row {
  Spent What;
  uint32_t Thread;                  ///< number
  std::string Where;                ///< the call, function or loop
  std::string Place;                ///< file and line; empty: not known
  std::string Id;                   ///< of the place in the thread
  std::vector<std::string> Callers; ///< of the function that it is in, innermost first
  Spread Ranks;                     ///< of the sums of all ranks of the thread
  uint64_t Came;                    ///< ranks; the others have 0
  std::string Apart{};              ///< what tells it from rows that look alike

  double mean() const { return Ranks.mean() / 1e9; }
  double max() const { return static_cast<double>(largest(Ranks)) / 1e9; }
  double lost() const { return std::max(0.0, max() - mean()); }
  double ratio() const { return Ranks.Sum ? max() / mean() : 1; }
};

/// What a place looks like: the function, where it is called, and how many calls it is inside of.
using Look = std::tuple<uint32_t, std::string, uint32_t>;

class RowFinder {
public:
  RowFinder(const Trace &T, const Walk &W, const ImbalanceQuery &Q) : T(T), W(W), Q(Q), Lines(T) {}

  std::vector<Row> run() {
    for (Thread = 0; Thread < W.threads().size(); ++Thread) {
      Callers.assign(W.threads()[Thread].Nodes, {});
      for (uint32_t Node = 0; Node < Callers.size(); ++Node)
        addNode(Node);
    }
    tellApart();
    std::ranges::stable_sort(Rows, [](const Row &X, const Row &Y) { return X.lost() > Y.lost(); });
    return std::move(Rows);
  }

private:
  static constexpr size_t MostCallers = 16; // else rows of a deep tree would take the square of its depth

  void add(Spent What, uint32_t Node, std::string Where, std::string Place, std::string Id, const RankTimes &Times) {
    const ThreadShape &Of = W.threads()[Thread];
    Row R{What,          Of.Number,     std::move(Where), std::move(Place),
          std::move(Id), Callers[Node], Times.Sums,       Times.Sums.Count};
    if (!R.Came || Of.Ranks.size() < 2)
      return;
    if (const RankSet Others = Of.Ranks.without(Times.Ranks); !Others.empty()) {
      const uint32_t First = Others.intervals()[0].First;
      R.Ranks.MinRank = R.Ranks.Min ? First : std::min(First, R.Ranks.MinRank);
      R.Ranks.Min = 0;
      R.Ranks.Count = Of.Ranks.size();
    }
    Rows.push_back(std::move(R));
  }

  void addNode(uint32_t Node) {
    const NodeShape N = W.node(Thread, Node);
    const uint32_t Number = W.threads()[Thread].Number;
    if (N.Structure) {
      Callers[Node] = Callers[N.Parent];
      const Region *Around = N.Parent ? &T.data().Regions[W.group(Thread).Nodes[N.Parent].Region] : nullptr;
      std::string Line;
      if (!N.Structure->Index && Around && N.Event)
        Line = lineText(*Around, Around->Events[N.Event - 1].Line);
      if (!Line.empty())
        Callers[Node].insert(Callers[Node].begin(), std::move(Line));
      if (Callers[Node].size() > MostCallers)
        Callers[Node].pop_back();
    }
    const NodeTimes &Times = W.times(Thread, Node);
    // What is below a callback is part of the call around it.
    if (Q.Functions.all() && (Times.InMpi.Max || Times.Outside.Max)) {
      const std::string Name = !N.Structure         ? "thread " + std::to_string(Number)
                               : N.Structure->Index ? "loop"
                                                    : functionText(*N.Structure);
      const std::string Line = N.Structure ? lineText(*N.Structure, N.Structure->Line) : "";
      const RankSet &Ranks = W.group(Thread).Nodes[Node].Ranks;
      add(Spent::InMpi, Node, Name, Line, std::to_string(Node), {Times.InMpi, Ranks});
      add(Spent::OutsideMpi, Node, Name, Line, std::to_string(Node), {Times.Outside, Ranks});
    }
    for (const uint32_t Event : N.Events)
      addEvent(Node, Event);
  }

  void addEvent(uint32_t Node, uint32_t Event) {
    const auto &Places = W.places(Thread, Node, Event);
    const uint64_t All = W.threads()[Thread].Ranks.size();
    std::map<MeasuredPlace, RankSet> Came;
    if (std::ranges::any_of(Places, [&](const auto &P) { return P.second.Durations.Count < All; }))
      W.forEachItem(
          Thread, Node, Event,
          [&](const CallShape &C) {
            if (const Measure *M = W.measure(C))
              Came[M->Place].unite(C.Ranks);
          },
          nullptr);
    struct Seen {
      std::string Id;
      PlaceTimes Times;
      RankSet Ranks;
    };
    // What looks alike is one place where no rank comes by both: the compiler may have made two of one.
    std::map<Look, std::vector<Seen>> Alike;
    for (const auto &[Place, Times] : Places) {
      const FunctionSchema &F = T.functions().at(Place.Function);
      if (isCall(F) ? !Q.Functions.wants(F.Name) : !isUntraced(F) || !Q.Functions.all())
        continue;
      const RankSet &Ranks = Times.Durations.Count < All ? Came[Place] : W.threads()[Thread].Ranks;
      std::vector<Seen> &Like =
          Alike[{F.Id, chainText(siteText(W, Thread, Node, Event, Place.Site, Lines)), Place.Depth}];
      const auto Other = std::ranges::find_if(Like, [&](const Seen &S) { return !commonSize(S.Ranks, Ranks); });
      if (Other == Like.end()) {
        Like.push_back({fmt::format("{}.{}.{}", Node, Event, Place.Site), Times, Ranks});
      } else {
        Other->Times.add(Times);
        Other->Ranks.unite(Ranks);
      }
    }
    for (const auto &[Look, Like] : Alike)
      for (const Seen &S : Like) {
        const auto &[Function, Site, Depth] = Look;
        const FunctionSchema &F = T.functions().at(Function);
        if (!endsTrace(F)) // which takes no time that was measured
          add(isCall(F) ? Spent::InCall : Spent::Untraced, Node, F.Name, Site, S.Id, {S.Times.Durations, S.Ranks});
        if (!Depth && isCall(F))
          add(Spent::BeforeCall, Node, F.Name, Site, S.Id, {S.Times.Gaps, S.Ranks});
      }
  }

  /// Says of rows that look alike in which thread they are, and where what they are in was called from, as far as
  /// that differs.
  void tellApart() {
    for (size_t Step = 0; Step <= MostCallers; ++Step) {
      std::map<std::tuple<Spent, std::string, std::string, std::string>, std::vector<Row *>> Alike;
      for (Row &R : Rows)
        Alike[{R.What, R.Where, R.Place, R.Apart}].push_back(&R);
      for (const auto &[Words, Group] : Alike) {
        const bool IsApart = std::ranges::any_of(Group, [&, First = Group[0]](const Row *R) {
          return Step ? R->Callers != First->Callers : R->Thread != First->Thread;
        });
        for (Row *R : Group)
          if (IsApart && !Step)
            R->Apart = " of thread " + std::to_string(R->Thread);
          else if (IsApart && Step <= R->Callers.size())
            R->Apart += " from " + R->Callers[Step - 1];
      }
    }
  }

  const Trace &T;
  const Walk &W;
  const ImbalanceQuery &Q;
  SourceLines Lines;
  uint32_t Thread = 0;
  std::vector<std::vector<std::string>> Callers; ///< by node
  std::vector<Row> Rows;
};

/// Where calls were not traced, what was between traced calls may have been these.
std::string textOf(const Row &R, bool HasUntraced) {
  static const char *const Words[] = {"in", "before", "MPI in", "outside MPI in", "while not traced"};
  std::string Out =
      HasUntraced && R.What == Spent::OutsideMpi ? "outside traced calls in" : Words[static_cast<size_t>(R.What)];
  if (R.What != Spent::Untraced)
    Out += " " + R.Where;
  return Out + (R.Place.empty() ? "" : " " + R.Place) + R.Apart;
}

void printTable(std::string &Out, std::span<const Row> Rows, size_t Left, uint64_t Untraced) {
  Out += fmt::format("{:>12} {:>8} {:>12} {:>12} {:>8} {:>12} {:>8} {:>8}  where\n", "max-mean [s]", "max/mean",
                     "mean [s]", "min [s]", "on rank", "max [s]", "on rank", "ranks");
  for (const Row &R : Rows)
    Out +=
        fmt::format("{:>12.6f} {:>8.2f} {:>12.6f} {:>12.6f} {:>8} {:>12.6f} {:>8} {:>8}  {}\n", R.lost(), R.ratio(),
                    R.mean(), static_cast<double>(R.Ranks.Min) / 1e9, R.Ranks.MinRank, R.max(), R.Ranks.MaxRank,
                    R.Came == R.Ranks.Count ? std::to_string(R.Came) : fmt::format("{} of {}", R.Came, R.Ranks.Count),
                    printable(textOf(R, Untraced)));
  if (Left)
    Out += fmt::format("({} more)\n", Left);
  if (Untraced)
    Out += untracedText(Untraced) + ": times before and outside of traced calls may have been in these\n";
}

void printJson(std::string &Out, std::span<const Row> Rows, size_t Left, uint64_t Untraced) {
  static const char *const Names[] = {"call", "gap", "mpi", "outside", "untraced"};
  Out += "{\"by\":\"imbalance\",\"rows\":[";
  for (const Row &R : Rows) {
    nlohmann::ordered_json J;
    J["what"] = Names[static_cast<size_t>(R.What)];
    J["name"] = R.Where;
    J["site"] = R.Place.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(R.Place);
    J["from"] = R.Callers;
    J["thread"] = R.Thread;
    J["place"] = R.Id;
    J["lost"] = R.lost();
    J["ranks"] = R.Came;
    J["of"] = R.Ranks.Count;
    J["mean"] = R.mean();
    J["dev"] = R.Ranks.deviation() / 1e9;
    J["min"] = static_cast<double>(R.Ranks.Min) / 1e9;
    J["min_rank"] = R.Ranks.MinRank;
    J["max"] = R.max();
    J["max_rank"] = R.Ranks.MaxRank;
    Out += (&R == Rows.data() ? "" : ",") + J.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
  Out += "]";
  if (Left)
    Out += fmt::format(",\"more\":{{\"rows\":{}}}", Left);
  Out += fmt::format(",\"untraced\":{}}}\n", Untraced);
}
} // namespace

int imbalance(const std::string &File, const Trace &T, const ImbalanceQuery &Q) {
  const Walk W(T);
  if (std::ranges::none_of(W.threads(), &ThreadShape::IsTimed))
    return fail(File, "no times in this trace (timing=off): nothing to compare ranks by");
  const std::vector<Row> Rows = RowFinder(T, W, Q).run();
  const uint64_t Untraced = untracedCalls(T);
  const size_t Most = std::min(Rows.size(), Q.Json && !Q.Rows.Top ? SIZE_MAX : Q.Rows.rows());
  Output Out;
  const auto Shown = std::span(Rows).first(Most);
  if (Q.Json)
    printJson(Out.Text, Shown, Rows.size() - Most, Untraced);
  else
    printTable(Out.Text, Shown, Rows.size() - Most, Untraced);
  return Out.finish() ? 0 : 2;
}

} // namespace pilgrim
