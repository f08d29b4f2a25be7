//===- Imbalance.cpp - where times differ between ranks --------------------===//
#include "driver/Imbalance.h"
#include "driver/CallText.h"
#include "driver/Command.h"
#include "driver/Output.h"
#include "driver/SiteText.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pilgrim {

namespace {
/// What the times of a row are. The words are those of the reports.
enum class Spent : uint8_t { InCall, BeforeCall, InMpi, OutsideMpi };

struct Row {
  Spent What;
  uint32_t Thread;   ///< number
  std::string Where; ///< the call, function or loop
  std::string Place; ///< file and line; empty: not known
  Spread Ranks;      ///< of the ranks' sums

  double mean() const { return Ranks.mean() / 1e9; }
  double max() const { return static_cast<double>(Ranks.Max) / 1e9; }
  double lost() const { return std::max(0.0, max() - mean()); }
  double ratio() const { return Ranks.Sum ? static_cast<double>(Ranks.Max) / Ranks.mean() : 1; }
};

std::vector<Row> rowsOf(const Trace &T, const Walk &W, const ImbalanceQuery &Q) {
  SourceLines Lines(T);
  std::vector<Row> Rows;
  auto Add = [&](Row R) {
    if (R.Ranks.Count > 1)
      Rows.push_back(std::move(R));
  };
  for (uint32_t Thread = 0; Thread < W.threads().size(); ++Thread)
    for (uint32_t Node = 0; Node < W.threads()[Thread].Nodes; ++Node) {
      const NodeShape N = W.node(Thread, Node);
      const uint32_t Number = W.threads()[Thread].Number;
      if (Q.Functions.all()) {
        const std::string Name = !N.Structure         ? "thread " + std::to_string(Number)
                                 : N.Structure->Index ? "loop"
                                                      : functionText(*N.Structure);
        const std::string Line = N.Structure ? lineText(*N.Structure, N.Structure->Line) : "";
        Add({Spent::InMpi, Number, Name, Line, W.times(Thread, Node).InMpi});
        Add({Spent::OutsideMpi, Number, Name, Line, W.times(Thread, Node).Outside});
      }
      for (const uint32_t Event : N.Events)
        for (const auto &[Place, Times] : W.places(Thread, Node, Event)) {
          const FunctionSchema &F = T.functions().at(Place.Function);
          if (!isCall(F) || !Q.Functions.wants(F.Name))
            continue;
          const std::string Site = chainText(siteText(W, Thread, Node, Event, Place.Site, Lines));
          if (!endsTrace(F)) // which takes no time that was measured
            Add({Spent::InCall, Number, F.Name, Site, Times.Durations});
          if (!Place.Depth)
            Add({Spent::BeforeCall, Number, F.Name, Site, Times.Gaps});
        }
    }
  std::ranges::stable_sort(Rows, [](const Row &X, const Row &Y) { return X.lost() > Y.lost(); });
  return Rows;
}

const char *wordsOf(Spent S) {
  static const char *const Words[] = {"in", "before", "MPI in", "outside MPI in"};
  return Words[static_cast<size_t>(S)];
}

void printTable(std::string &Out, std::span<const Row> Rows, size_t Left) {
  Out += fmt::format("{:>12} {:>8} {:>12} {:>12} {:>8} {:>12} {:>8} {:>8}  where\n", "max-mean [s]", "max/mean",
                     "mean [s]", "min [s]", "on rank", "max [s]", "on rank", "ranks");
  for (const Row &R : Rows)
    Out += fmt::format(
        "{:>12.6f} {:>8.2f} {:>12.6f} {:>12.6f} {:>8} {:>12.6f} {:>8} {:>8}  {}\n", R.lost(), R.ratio(), R.mean(),
        static_cast<double>(R.Ranks.Min) / 1e9, R.Ranks.MinRank, R.max(), R.Ranks.MaxRank, R.Ranks.Count,
        printable(std::string(wordsOf(R.What)) + " " + R.Where + (R.Place.empty() ? "" : " " + R.Place)));
  if (Left)
    Out += fmt::format("({} more)\n", Left);
}

void printJson(std::string &Out, std::span<const Row> Rows, size_t Left) {
  static const char *const Names[] = {"call", "gap", "mpi", "outside"};
  Out += "{\"by\":\"imbalance\",\"rows\":[";
  for (const Row &R : Rows) {
    nlohmann::ordered_json J;
    J["what"] = Names[static_cast<size_t>(R.What)];
    J["name"] = R.Where;
    J["site"] = R.Place.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(R.Place);
    J["thread"] = R.Thread;
    J["lost"] = R.lost();
    J["ranks"] = R.Ranks.Count;
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
  Out += "}\n";
}
} // namespace

int imbalance(const std::string &File, const Trace &T, const ImbalanceQuery &Q) {
  const Walk W(T);
  if (std::ranges::none_of(W.threads(), &ThreadShape::IsTimed))
    return fail(File, "no times in this trace (timing=off): nothing to compare ranks by");
  const std::vector<Row> Rows = rowsOf(T, W, Q);
  const size_t Most = std::min(Rows.size(), Q.Json && !Q.Rows.Top ? SIZE_MAX : Q.Rows.rows());
  Output Out;
  const auto Shown = std::span(Rows).first(Most);
  if (Q.Json)
    printJson(Out.Text, Shown, Rows.size() - Most);
  else
    printTable(Out.Text, Shown, Rows.size() - Most);
  return Out.finish() ? 0 : 2;
}

} // namespace pilgrim
