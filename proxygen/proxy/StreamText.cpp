//===- StreamText.cpp - sequences of a trace as tables of C ---------------===//
#include "proxygen/proxy/StreamText.h"

#include <algorithm>
#include <unordered_map>

namespace pilgrim {

RuleTables StreamText::rules(const GrammarData &Of, const ByRank &Functions, const RankSet &OfRanks) {
  std::map<uint32_t, std::string> OwnCounts;
  for (const auto &[Place, F] : Functions)
    OwnCounts.emplace(Place, Ranks.expression(F, OfRanks, "rank", "size"));
  return ruleTables(S, Of.expanded(), OwnCounts);
}

std::string StreamText::start(const std::string &Statement, const RankSet &Of, const RankSet &Among) {
  const std::string When = Ranks.condition(Of, Among);
  return When == "1" ? Statement : "if (" + When + ") " + Statement;
}

std::string StreamText::cursor(const std::vector<RankedItems> &L, const RankSet &Among, const std::string &Prefix) {
  const std::string Name = S.name(Prefix);
  S.Cursors.insert(Name);
  // One sequence for all stands at its begin from the start.
  if (L.size() == 1 && Ranks.condition(L[0].Ranks, Among) == "1") {
    const RuleTables T = rules(L[0].Order, L[0].Functions, L[0].Ranks);
    S.declare("static struct cursor " + Name + " = {" + T.Rules + ", 0, {{" + T.First + ", 0}}};\n");
    return Name;
  }
  S.declare("static struct cursor " + Name + ";\n");
  for (const RankedItems &X : L)
    if (!X.Ranks.common(Among).empty())
      S.setUp(start("start(&" + Name + ", " + rules(X.Order, X.Functions, X.Ranks).Rules + ");", X.Ranks, Among));
  return Name;
}

std::string StreamText::ints(const RankedStreams &L, const RankSet &Among, const std::string &Key) {
  auto [It, New] = Known.try_emplace(Key);
  if (!New)
    return It->second;
  S.use("next_int");
  const std::string Name = It->second = S.name("values_" + std::to_string(Known.size()));
  S.declare("static struct ints " + Name + ";\n");
  for (const RankedStream &X : L) {
    if (X.Ranks.common(Among).empty())
      continue;
    const IntStreamData D = X.Values.expanded();
    const std::string Runs = runTable(S, D, false);
    static const char *const Fields[] = {"first", "stride", "count"};
    for (const auto &[Place, F] : X.Functions)
      S.setUp(Runs + "[" + std::to_string(Place / RankedStream::NumFields) + "]." +
              Fields[Place % RankedStream::NumFields] + " = " + Ranks.expression(F, X.Ranks, "rank", "size") + ";");
    S.setUp(start(startInts(S, Name, D, Runs), X.Ranks, Among));
  }
  return Name;
}

/// Texts, each once.
struct StreamText::TextTable {
  std::unordered_map<std::string, uint32_t> Places;
  std::string Content;
  RankedStreams Order; ///< over places
  size_t Bytes = 0;
};

/// False: there are too many.
bool StreamText::collectTexts(const RankedStream &Lengths, const RankedStream &Bytes, TextTable &Into) const {
  constexpr uint64_t MostTexts = 1 << 20, MostBytes = 1 << 23;
  const uint64_t Count = Lengths.Values.length();
  if (!Lengths.Functions.empty() || !Bytes.Functions.empty() || Count > MostTexts ||
      Bytes.Values.length() > MostBytes || (Into.Bytes += Count + Bytes.Values.length()) > MostBytes)
    return false;
  IntStreamData::Cursor Length(Lengths.Values), Byte(Bytes.Values);
  IntStream Order;
  int64_t N = 0, B = 0;
  while (Length.next(N)) {
    std::string Text;
    for (int64_t I = 0; I < N && Byte.next(B); ++I)
      Text += static_cast<char>(B);
    const auto [It, IsNew] = Into.Places.try_emplace(Text, static_cast<uint32_t>(Into.Places.size()));
    if (IsNew)
      Into.Content += (It->second ? ", " : "") + stringText(Text);
    Order.append(It->second);
  }
  Into.Order.push_back({Lengths.Ranks.common(Bytes.Ranks), Order.data(), {}});
  return true;
}

std::string StreamText::text(const RankedStreams &Lengths, const RankedStreams &Bytes, const RankSet &Among,
                             const std::string &Key) {
  auto [It, New] = Texts.try_emplace(Key);
  if (!New)
    return It->second;
  TextTable All;
  size_t Integers = 0;
  RankSet WithLengths, WithBytes;
  for (const RankedStream &L : Lengths)
    WithLengths.unite(L.Ranks.common(Among));
  for (const RankedStream &B : Bytes)
    WithBytes.unite(B.Ranks);
  if (!WithLengths.isIn(WithBytes)) // some have empty texts only
    return "";
  for (const RankedStream &B : Bytes) {
    if (B.Ranks.common(Among).empty())
      continue;
    const IntStreamData Whole = B.Values.expanded();
    Integers += Whole.Order.symbols() / 7 + Whole.Runs.size() / 8;
    for (const RankedStream &L : Lengths)
      if (!L.Ranks.common(B.Ranks).common(Among).empty() && !collectTexts(L, B, All))
        return "";
  }
  size_t Lines = static_cast<size_t>(std::ranges::count(Source::broken("", All.Content), '\n'));
  for (const RankedStream &O : All.Order)
    Lines += O.Values.Order.symbols() / 7 + O.Values.Runs.size() / 8;
  if (All.Order.empty() || Lines > Integers)
    return "";
  const std::string Table = S.table("char *const", "texts_", All.Content);
  return It->second = Table + "[next_int(&" + ints(All.Order, Among, Key + ",texts") + ")]";
}

std::string StreamText::onlyValue(const RankedStreams &L, const RankSet &Among) {
  std::vector<std::pair<RankSet, std::string>> Values;
  for (const RankedStream &X : L) {
    if (X.Ranks.common(Among).empty())
      continue;
    const IntStreamData &D = X.Values;
    if (D.AreSteps || D.Runs.size() != 1 || !D.Chunks.empty() || (D.Runs[0].Stride && D.Runs[0].Count > 1) ||
        X.Functions.contains(1))
      return "";
    auto Own = X.Functions.find(0);
    std::string V =
        Own == X.Functions.end() ? numberText(D.Runs[0].First) : Ranks.expression(Own->second, X.Ranks, "rank", "size");
    auto Same = std::ranges::find(Values, V, &std::pair<RankSet, std::string>::second);
    if (Same != Values.end())
      Same->first.unite(X.Ranks);
    else
      Values.emplace_back(X.Ranks, std::move(V));
  }
  if (Values.empty() || Values.size() > 4)
    return "";
  std::string Out;
  for (size_t I = 0; I + 1 < Values.size(); ++I)
    Out += "(" + Ranks.condition(Values[I].first, Among) + ") ? " + Values[I].second + " : ";
  return Values.size() > 1 ? "(" + Out + Values.back().second + ")" : Values.back().second;
}

} // namespace pilgrim
