//===- Stats.cpp - pilgrim stats ------------------------------------------===//
//
// Calls, bytes and time by function, call site or rank. Computed from how often
// each signature occurs, without expanding the calls; only where a count, a
// root or a destination varies so much that it left its signature, that
// thread's calls are read one by one.
//
//===----------------------------------------------------------------------===//
#include "driver/CallText.h"
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/Output.h"
#include "driver/SiteText.h"
#include "driver/Volume.h"
#include "trace/base/Saturate.h"
#include "trace/read/Untraced.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace pilgrim {

namespace {
struct Row {
  std::string Function; ///< as far as rows are by it
  SiteText Site;        ///< likewise
  uint32_t Rank = 0;
  uint64_t Calls = 0, Sent = 0, Received = 0;
  uint64_t Untraced = 0; ///< calls made while tracing was off
  MeasuredSum Measured;  ///< of calls that are not in Time
  MeasuredPart Time;     ///< what they took, nanoseconds

  double seconds() const { return static_cast<double>(Time.Sum) / 1e9; }
  /// When all calls of each measure that are the row's are there.
  void addTimes() {
    Time.add(Measured.total(Metric::Duration));
    Measured = {};
  }
};

enum class By { Function, Site, Rank };

class Statistics {
public:
  Statistics(const Trace &T, By B) : T(T), B(B), Lines(T.data()) {}

  void collect() {
    for (const Group &G : T.data().Groups) {
      Timed &= G.Timed;
      G.ranks().forEach([&](uint32_t Rank) { addThread(Rank, G); });
    }
  }

  std::vector<Row> rows() {
    std::vector<Row> Out;
    for (auto &[Key, R] : Rows) {
      R.addTimes();
      Out.push_back(R);
    }
    if (B != By::Rank)
      std::stable_sort(Out.begin(), Out.end(), [&](const Row &X, const Row &Y) {
        return Timed && X.Time.Sum != Y.Time.Sum ? X.Time.Sum > Y.Time.Sum : X.Calls > Y.Calls;
      });
    return Out;
  }
  /// All calls that were not traced.
  uint64_t untraced() const { return Untraced; }
  bool timed() const { return Timed && !T.data().Groups.empty(); }
  const std::string &error() const { return Error; }

private:
  using Key = std::pair<std::string, std::string>;

  void addThread(uint32_t Rank, const Group &G) {
    auto View = T.view(Rank, G.Thread);
    if (hasUntraced(T.data()))
      addUntraced(Rank, G);
    const auto &Signatures = View->signatures();
    std::vector<Row *> RowOf(Signatures.size());
    bool Expand = false;
    for (uint32_t I = 0; I < Signatures.size(); ++I) {
      const ResolvedSignature &S = Signatures[I];
      if (!isCall(*S.Function))
        continue;
      Row &R = row(*View, S);
      RowOf[I] = &R;
      R.Calls += S.Calls;
      if (S.Measured)
        R.Measured.add(*S.Measured, S.Calls);
      const VolumeRule &Rule = rule(*S.Function);
      if (!Rule.moves())
        continue;
      if (isStreamed(S, Rule))
        Expand = true;
      else
        add(R, Rule.of(S.Slots, *View), S.Calls);
    }
    if (B == By::Rank)
      rowOfRank(Rank).addTimes(); // measures are of one thread
    if (!Expand)
      return;
    CallCursor Cursor = Trace::calls(View);
    for (Call C; Cursor.next(C);) {
      const ResolvedSignature &S = Signatures[C.Terminal];
      const VolumeRule &Rule = rule(*S.Function);
      if (Rule.moves() && isStreamed(S, Rule))
        add(*RowOf[C.Terminal], Rule.of(C.Slots, *View), 1);
    }
    if (!Cursor.error().empty())
      Error = Cursor.error();
  }

  void addUntraced(uint32_t Rank, const Group &G) {
    uint64_t N = 0;
    G.forEachEvent([&](const NodeData &, uint32_t, const EventData &E) {
      addProduct(N, untracedCalls(T.data(), G, E, RankSet(Rank)), 1);
    });
    addProduct(Untraced, N, 1);
    if (B == By::Rank)
      addProduct(rowOfRank(Rank).Untraced, N, 1);
  }

  static bool isStreamed(const ResolvedSignature &S, const VolumeRule &Rule) {
    for (const auto &Slot : S.Streams)
      if (Rule.uses(Slot.Slot))
        return true;
    return false;
  }

  static void add(Row &R, const Volume &V, uint64_t Times) {
    auto Add = [Times](uint64_t &Sum, int64_t One) {
      uint64_t Product;
      if (__builtin_mul_overflow(static_cast<uint64_t>(One), Times, &Product) ||
          __builtin_add_overflow(Sum, Product, &Sum))
        Sum = UINT64_MAX;
    };
    Add(R.Sent, V.Sent);
    Add(R.Received, V.Received);
  }

  Row &rowOfRank(uint32_t Rank) {
    Row New;
    New.Rank = Rank;
    return Rows.try_emplace({fmt::format("{:010}", Rank), ""}, New).first->second;
  }

  Row &row(const RankView &View, const ResolvedSignature &S) {
    if (B == By::Rank)
      return rowOfRank(View.rank());
    Row New;
    Key K;
    K.first = New.Function = S.Function->Name;
    if (B == By::Site) {
      New.Site = siteText(View, S, Lines);
      // Files of one name may be in several folders.
      for (const PlaceText &P : New.Site)
        (K.second += P.Text + '\0' + P.File) += '\0';
    }
    return Rows.try_emplace(K, New).first->second;
  }

  const VolumeRule &rule(const FunctionSchema &F) { return Rules.try_emplace(F.Id, F, T.data()).first->second; }

  const Trace &T;
  By B;
  SourceLines Lines;
  bool Timed = true;
  uint64_t Untraced = 0;
  std::string Error;
  std::vector<uint64_t> Counts;
  std::map<Key, Row> Rows;
  std::map<uint32_t, VolumeRule> Rules;
};

/// A string from a trace in a column that others follow.
std::string oneWord(std::string S) {
  for (char &C : S)
    if (static_cast<unsigned char>(C) <= 0x20 || C == 0x7f)
      C = '?';
  return S;
}

void printTable(std::string &Out, const std::vector<Row> &Rows, By B, bool Timed, uint64_t Untraced) {
  Row All;
  for (const Row &R : Rows) {
    All.Calls += R.Calls;
    All.Sent += R.Sent;
    All.Received += R.Received;
    All.Time.add(R.Time);
  }
  Out += fmt::format("{:>12} {:>16} {:>16}", "calls", "bytes sent", "bytes received");
  if (Timed)
    Out += timeHeader(All.Time.IsMean);
  Out += B == By::Rank ? "  rank\n" : B == By::Site ? "  function, site\n" : "  function\n";
  auto Line = [&](const Row &R, const std::string &Name) {
    Out += fmt::format("{:>12} {:>16} {:>16}", R.Calls, R.Sent, R.Received);
    if (Timed)
      Out += fmt::format(" {:>14.6f} {:>7.2f}", R.seconds(), All.Time.Sum ? 100 * R.seconds() / All.seconds() : 0.0);
    Out += "  " + Name + "\n";
  };
  for (const Row &R : Rows)
    Line(R, B == By::Rank   ? std::to_string(R.Rank) + (R.Untraced ? "  " + untracedText(R.Untraced) : "")
            : B == By::Site ? oneWord(R.Function) + " " + (R.Site[0].Text.empty() ? "-" : printable(chainText(R.Site)))
                            : printable(R.Function));
  Line(All, "(all)" + (Untraced ? "  " + untracedText(Untraced) : ""));
}

std::string jsonTable(const std::vector<Row> &Rows, By B, bool Timed, uint64_t Untraced) {
  using Json = nlohmann::ordered_json;
  Json List = Json::array();
  for (const Row &R : Rows) {
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
    J["calls"] = R.Calls;
    J["bytes"] = R.Sent;
    J["received"] = R.Received;
    J["time"] = Timed ? Json(R.seconds()) : Json();
    if (Timed && R.Time.IsMean)
      J["timed"] = "mean";
    if (B == By::Rank)
      J["untraced"] = R.Untraced;
    List.push_back(std::move(J));
  }
  static const char *const Names[] = {"function", "site", "rank"};
  Json J;
  J["by"] = Names[static_cast<int>(B)];
  J["rows"] = std::move(List);
  J["untraced"] = Untraced;
  return J.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

int stats(const std::string &File, By B, bool AsJson) {
  auto T = openTrace(File);
  if (!T)
    return 2;
  Statistics S(*T, B);
  S.collect();
  if (!S.error().empty())
    return fail(File, S.error());
  Output Out;
  if (AsJson)
    Out.Text = jsonTable(S.rows(), B, S.timed(), S.untraced());
  else
    printTable(Out.Text, S.rows(), B, S.timed(), S.untraced());
  return Out.finish() ? 0 : 2;
}
} // namespace

void addStats(CLI::App &Tool, Action &Chosen) {
  CLI::App *C = Tool.add_subcommand("stats", "Sum up calls, bytes and time by function, call site or rank");
  auto File = std::make_shared<std::string>();
  auto ByWhat = std::make_shared<std::string>("function");
  auto AsJson = std::make_shared<bool>(false);
  C->add_option("TRACE", *File, "trace file")->required();
  C->add_option("--by", *ByWhat, "a row per: function (default), site, rank")
      ->check(CLI::IsMember({"function", "site", "rank"}))
      ->type_name("WHAT");
  C->add_flag("--json", *AsJson, "as one JSON object");
  addLater(*C, {"--from", "--to", "--imbalance"});
  C->callback([=, &Chosen] {
    Chosen = [=] {
      By B = *ByWhat == "site" ? By::Site : *ByWhat == "rank" ? By::Rank : By::Function;
      return stats(*File, B, *AsJson);
    };
  });
}

} // namespace pilgrim
