//===- Stats.cpp - pilgrim stats ------------------------------------------===//
//
// Calls, bytes and time by function, call site or rank, as a table or JSON.
//
//===----------------------------------------------------------------------===//
#include "api/Quantity.h"
#include "driver/CallText.h"
#include "driver/Command.h"
#include "driver/Imbalance.h"
#include "driver/Input.h"
#include "driver/Output.h"
#include "driver/StatsRows.h"
#include "trace/base/Saturate.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace pilgrim {

namespace {
using By = StatsQuery::By;

struct StatsOptions {
  std::string File, ByWhat, Ranks, From, To;
  FunctionChoice Functions;
  RowChoice Rows;
  bool Json = false, Imbalance = false;

  std::string what() const { return ByWhat.empty() ? "function" : ByWhat; }
};

/// A string from a trace in a column that others follow.
std::string oneWord(std::string S) {
  for (char &C : S)
    if (static_cast<unsigned char>(C) <= 0x20 || C == 0x7f)
      C = '?';
  return S;
}

/// The rows that are shown, and the sum of those that are not.
class Shown {
public:
  std::vector<StatsRow> Rows;
  StatsRow Rest;
  size_t Left = 0; ///< rows in Rest

  Shown(const StatsTable &T, const StatsOptions &O, By B) : O(O) {
    if (B == By::Rank)
      addRanks(T.Rows);
    else
      Rows = T.Rows;
    if (!O.Rows.Sort.empty())
      sort();
    // As JSON, everything that nobody asked to leave out.
    const size_t Most = O.Json && !O.Rows.Top ? SIZE_MAX : O.Rows.rows();
    for (; Rows.size() > Most; Rows.pop_back(), ++Left)
      Rest.add(Rows.back());
  }

private:
  /// One row for each rank, or blocks of equally many ranks where these are too many rows. Who wants some ranks of all
  /// gets single ones.
  void addRanks(const std::vector<StatsRow> &Alike) {
    uint64_t N = 0;
    for (const StatsRow &R : Alike)
      N += uint64_t(R.Rank) - R.FirstRank + 1;
    const bool IsSingle = O.Json || O.Rows.All || O.Rows.Top || !O.Rows.Sort.empty() || N <= RowChoice::MostRows;
    const uint64_t Block = IsSingle ? 1 : (N + RowChoice::MostRows - 1) / RowChoice::MostRows;
    uint64_t InBlock = Block; // a block has no gaps
    for (const StatsRow &R : Alike)
      for (uint64_t Rank = R.FirstRank; Rank <= R.Rank; ++Rank) {
        if (InBlock++ == Block || (Block > 1 && Rank != uint64_t(Rows.back().Rank) + 1)) {
          InBlock = 1;
          Rows.emplace_back().FirstRank = static_cast<uint32_t>(Rank);
        }
        Rows.back().add(R);
        Rows.back().Rank = static_cast<uint32_t>(Rank);
      }
  }

  void sort() {
    const std::string &Key = O.Rows.Sort;
    auto Of = [&](const StatsRow &R) {
      return Key == "calls" ? R.Calls : Key == "sent" ? R.Sent : Key == "received" ? R.Received : R.Time.Sum;
    };
    if (Key == "name")
      std::stable_sort(Rows.begin(), Rows.end(), [](const StatsRow &X, const StatsRow &Y) {
        return X.Function != Y.Function ? X.Function < Y.Function : X.FirstRank < Y.FirstRank;
      });
    else
      std::stable_sort(Rows.begin(), Rows.end(), [&](const StatsRow &X, const StatsRow &Y) { return Of(X) > Of(Y); });
  }

  const StatsOptions &O;
};

std::string nameOf(const StatsRow &R, By B) {
  if (B == By::Function)
    return printable(R.Function);
  if (B == By::Site)
    return oneWord(R.Function) + " " + (R.Site[0].Text.empty() ? "-" : printable(chainText(R.Site)));
  std::string Name = std::to_string(R.FirstRank);
  if (R.Rank != R.FirstRank)
    Name += "-" + std::to_string(R.Rank);
  return Name + (R.Untraced ? "  " + untracedText(R.Untraced) : "");
}

void printTable(std::string &Out, const StatsTable &T, const Shown &S, By B) {
  std::string Head = fmt::format("{:>12} {:>16} {:>16}", "calls", "bytes sent", "bytes received");
  if (T.IsTimed)
    Head += timeHeader();
  const bool HasSpread = T.IsTimed && B != By::Rank;
  if (HasSpread)
    Head += spreadHeader(T.HasHistograms);
  Head += B == By::Rank ? "  rank" : B == By::Site ? "  function, site" : "  function";
  Out += styled(Look::Heading, Head) + "\n";
  auto Line = [&](const StatsRow &R, const std::string &Name) {
    Out += fmt::format("{:>12} {:>16} {:>16}", R.Calls, R.Sent, R.Received);
    if (T.IsTimed)
      Out += R.isTimeKnown() ? timeColumns(R.Time, T.All.Time.Sum) : std::string(23, ' ');
    if (HasSpread)
      Out += spreadColumns(R.Durations, R.Calls - R.NotReturned, T.HasHistograms);
    Out += "  " + Name + "\n";
  };
  for (const StatsRow &R : S.Rows)
    Line(R, nameOf(R, B));
  if (S.Left)
    Line(S.Rest, fmt::format("({} more)", S.Left));
  Line(T.All, "(all)" + (T.All.Untraced ? "  " + untracedText(T.All.Untraced) : ""));
}

using Json = nlohmann::ordered_json;

void addNumbers(Json &J, const StatsRow &R, bool IsTimed) {
  J["calls"] = R.Calls;
  J["bytes"] = R.Sent;
  J["received"] = R.Received;
  J["time"] = IsTimed && R.isTimeKnown() ? Json(R.seconds()) : Json();
  if (IsTimed && R.Time.IsMean)
    J["timed"] = "mean";
  if (IsTimed && R.Durations.Count && R.Durations.Count == R.Calls - R.NotReturned) {
    J["min"] = static_cast<double>(R.Durations.Min) / 1e9;
    J["max"] = static_cast<double>(R.Durations.Max) / 1e9;
    J["dev"] = R.Durations.deviation() / 1e9;
    if (R.Durations.hasHistogram())
      J["histogram"] = Json::parse(binsAsJson(R.Durations.Bins));
  }
}

std::string text(const Json &J) { return J.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Row by row: there may be a million.
void printJson(Output &Out, const StatsTable &T, const Shown &S, const StatsOptions &O, By B) {
  Out.Text += "{\"by\":" + text(O.what()) + ",\"rows\":[";
  for (const StatsRow &R : S.Rows) {
    Json J;
    if (B == By::Rank)
      J["rank"] = R.Rank;
    else
      J["func"] = R.Function;
    if (B == By::Site) {
      J["site"] = R.Site[0].Text.empty() ? Json() : Json(R.Site[0].Text);
      for (size_t I = 1; I < R.Site.size(); ++I)
        J["callers"].push_back(R.Site[I].Text);
    }
    addNumbers(J, R, T.IsTimed);
    if (B == By::Rank)
      J["untraced"] = R.Untraced;
    Out.Text += (&R == S.Rows.data() ? "" : ",") + text(J);
    if (!Out.drain())
      return;
  }
  Out.Text += "]";
  if (S.Left) {
    Json More = {{"rows", S.Left}};
    addNumbers(More, S.Rest, T.IsTimed);
    Out.Text += ",\"more\":" + text(More);
  }
  Out.Text += ",\"untraced\":" + std::to_string(T.All.Untraced) + "}\n";
}

int stats(const StatsOptions &O) {
  auto T = openTrace(O.File);
  StatsQuery Q;
  if (!T || !chooseRanks(O.File, *T, O.Ranks, Q.Ranks) || !O.Functions.check(O.File, *T))
    return 2;
  if (O.Imbalance) {
    if (!O.Ranks.empty() || !O.Rows.Sort.empty())
      return fail(O.File, "--imbalance compares all ranks, the largest differences first: no --rank or --sort with it");
    if (!O.ByWhat.empty())
      return fail(O.File, "--imbalance has rows of its own: no --by with it");
    if (!O.From.empty() || !O.To.empty())
      return fail(O.File, "--imbalance is of the whole run: no --from or --to with it");
    return imbalance(O.File, *T, {O.Functions, O.Rows, O.Json});
  }
  Q.What = O.ByWhat == "site" ? By::Site : O.ByWhat == "rank" ? By::Rank : By::Function;
  Q.Functions = O.Functions;
  if (!O.From.empty() && !parseSeconds(O.From, Q.From))
    return fail("--from " + O.From + ": expected a time, such as 1.5 or 20ms");
  if (!O.To.empty() && !parseSeconds(O.To, Q.To))
    return fail("--to " + O.To + ": expected a time, such as 1.5 or 20ms");
  if (Q.To < Q.From)
    return fail("--to " + O.To + ": that is before --from " + O.From);
  const StatsTable Table = O.From.empty() && O.To.empty() ? sumUp(Walk(*T), Q) : sumUpRange(*T, Q);
  if (!Table.Error.empty())
    return fail(O.File, Table.Error);
  if (O.Rows.Sort == "time" && !Table.IsTimed)
    return fail(O.File, "no times in this trace (timing=off): --sort time has nothing to go by");
  const Shown Rows(Table, O, Q.What);
  Output Out;
  if (O.Json)
    printJson(Out, Table, Rows, O, Q.What);
  else
    printTable(Out.Text, Table, Rows, Q.What);
  return Out.finish() ? 0 : 2;
}
} // namespace

void addStats(CommandLine &Tool) {
  Command C = Tool.add("stats", "Sum up calls, bytes and time by function, call site or rank");
  auto O = std::make_shared<StatsOptions>();
  C.add("TRACE", O->File, "trace file").required();
  C.add("--by", O->ByWhat, "a row per: function (default), site, rank")
      .oneOf({"function", "site", "rank"})
      .argument("WHAT");
  addRankChoice(C, O->Ranks);
  O->Functions.addTo(C);
  O->Rows.addTo(C, {"time", "calls", "sent", "received", "name"});
  C.flag("--json", O->Json, "as one JSON object");
  C.flag("--imbalance", O->Imbalance, "the places where times differ most between ranks, and which ranks these are");
  C.add("--from", O->From,
        "only calls under way at or after this time, as print shows it: 1.5, 20ms (needs --timing calls)")
      .argument("TIME");
  C.add("--to", O->To, "and before this time; of calls across a limit, the time between the limits").argument("TIME");
  C.example("pilgrim stats --by site --top 10 app.pilgrim", "the ten places in the source where most time goes");
  C.example("pilgrim stats --by rank app.pilgrim", "what each rank does; --imbalance says where they differ");
  C.runs([O] { return stats(*O); });
}

} // namespace pilgrim
