//===- RankText.cpp - sets and functions of the rank as C -----------------===//
#include "proxygen/proxy/RankText.h"
#include "proxygen/proxy/SequenceTables.h"
#include "trace/ranks/RankBlocks.h"
#include "trace/read/Levels.h"

#include <algorithm>

namespace pilgrim {

namespace {
/// More blocks or intervals than this are looked up in a table.
constexpr size_t MostBlocks = 4;
/// Longer conditions are variables.
constexpr size_t MostCondition = 100;

std::string sum(const std::string &A, int64_t B) {
  if (B == 0)
    return A;
  return B > 0 ? A + " + " + numberText(B) : A + " - " + numberText(B == INT64_MIN ? INT64_MAX : -B);
}

/// Whether a place in the block follows from its digits: no level reaches over a stride of the next larger one.
bool hasDigits(std::vector<RankBlock::Level> &Levels, uint32_t Length) {
  std::ranges::sort(Levels, {}, &RankBlock::Level::Stride);
  uint64_t Span = Length;
  for (const auto &L : Levels) {
    if (L.Stride < Span)
      return false;
    Span += uint64_t(L.Stride) * (L.Count - 1);
  }
  return true;
}

std::string conditionOf(const RankBlock &B, std::vector<RankBlock::Level> Levels, const RankSet &Among) {
  uint64_t Last = uint64_t(B.First) + B.Length - 1, Span = B.Length;
  std::vector<uint64_t> Spans{Span};
  for (const auto &L : Levels) {
    Span += uint64_t(L.Stride) * (L.Count - 1);
    Last += uint64_t(L.Stride) * (L.Count - 1);
    Spans.push_back(Span);
  }
  if (B.First == Last)
    return "rank == " + std::to_string(Last);
  std::string Out;
  auto And = [&](const std::string &More) { Out += (Out.empty() ? "" : " && ") + More; };
  if (B.First > Among.first())
    And("rank >= " + std::to_string(B.First));
  if (Last < Among.last())
    And("rank <= " + std::to_string(Last));
  std::string X = B.First ? "(rank - " + std::to_string(B.First) + ")" : "rank";
  for (size_t I = Levels.size(); I-- > 0;) {
    X += " % " + std::to_string(Levels[I].Stride);
    // The digit below must not be larger than its span.
    if (Spans[I] < Levels[I].Stride)
      And(Spans[I] == 1 ? X + " == 0" : X + " < " + std::to_string(Spans[I]));
  }
  return Out.empty() ? "1" : Out;
}
} // namespace

std::string RankText::variable(const std::string &Type, const std::string &Name, const std::string &Value,
                               const std::string &When) {
  const std::string Own = S.name(Name);
  S.declare("static " + Type + " " + Own + ";\n");
  S.setUp((When == "1" ? "" : "if (" + When + ")\n    ") + Own + " = " + Value + ";");
  return Own;
}

/// "rank" looks itself up once, and not at every call.
std::string RankText::placeVariable(const RankSet &Ranks) {
  std::vector<int64_t> Ends;
  for (const auto &I : Ranks.intervals())
    Ends.insert(Ends.end(), {I.First, I.Last});
  const auto Known = S.Variables.find(Ends);
  if (Known != S.Variables.end())
    return Known->second;
  std::string &Out = S.Variables[Ends];
  const auto D = shorterStream(Ends);
  if (!D)
    return Out;
  const std::string Name = S.name("ends");
  S.declare("static struct ints " + Name + ";\n");
  S.setUp(startInts(S, Name, *D, runTable(S, *D, true)));
  S.use("next_place");
  return Out = variable("long", "place_of_rank", "next_place(&" + Name + ", " + std::to_string(Ends.size() / 2) + ")");
}

std::string RankText::condition(const RankSet &Ranks, const RankSet &Among) {
  const std::string When = whenIn(Ranks, Among);
  if (When.size() <= MostCondition)
    return When;
  std::vector<int64_t> Key(When.begin(), When.end());
  const auto [It, IsNew] = S.Variables.try_emplace(std::move(Key));
  if (IsNew)
    It->second = variable("int", "is_in", When);
  return It->second;
}

std::string RankText::whenIn(const RankSet &Ranks, const RankSet &Among) {
  if (Among.isIn(Ranks))
    return "1";
  const RankSet Here = Ranks.common(Among), Others = Among.without(Ranks);
  if (Here.empty())
    return "0";
  // The shorter of "in these" and "not in those".
  for (const bool Negated : {false, true}) {
    const RankSet &Of = Negated ? Others : Here;
    const std::vector<RankBlock> Blocks = blocksOf(Of);
    if (Blocks.size() > (Negated ? 1 : MostBlocks) || (!Negated && Blocks.size() > 1 && blocksOf(Others).size() == 1))
      continue;
    std::string Out;
    bool Good = true;
    for (const RankBlock &B : Blocks) {
      auto Levels = B.Levels;
      Good &= hasDigits(Levels, B.Length);
      if (!Good)
        break;
      const std::string One = conditionOf(B, Levels, Among);
      Out += (Out.empty() ? "" : " || ") +
             (Blocks.size() > 1 && One.find("&&") != std::string::npos ? "(" + One + ")" : One);
    }
    if (!Good)
      continue;
    if (Negated)
      return Out.starts_with("rank == ") && Out.find('|') == std::string::npos ? "rank != " + Out.substr(8)
                                                                               : "!(" + Out + ")";
    return Out;
  }
  if (const std::string Place = placeVariable(Here); !Place.empty())
    return Place + " >= 0";
  S.use("in");
  std::string Content;
  for (const auto &I : Here.intervals())
    Content += (Content.empty() ? "" : ", ") + std::to_string(I.First) + ", " + std::to_string(I.Last);
  const std::string Name = S.table("const int", "ranks_", Content);
  return "in(" + Name + ", " + std::to_string(Here.intervals().size()) + ")";
}

std::string RankText::candidates(const Candidates &C, const std::string &Own, const std::string &Size,
                                 const ValueFn &Value) {
  if (C.Mask & Candidates::Const)
    return Value(C.C);
  if (C.Mask & Candidates::Offset)
    return C.Off ? "(" + sum(Own, C.Off) + ")" : Own;
  if (!(C.Mask & Candidates::Modulo))
    return "(" + Own + " ^ " + numberText(C.Flip) + ")";
  if (C.Mod >= 0)
    return "((" + sum(Own, C.Mod) + ") % " + Size + ")";
  return "((" + sum(Own, C.Mod) + " + " + Size + ") % " + Size + ")";
}

/// Grid::at() as an expression of X.
std::string RankText::grid(const Grid &G, const std::string &X, const std::string &Size) {
  std::string Out = G.First ? numberText(G.First) : "", Rest = X;
  uint64_t Stride = 1;
  for (uint32_t D = 0; D < G.Dimensions; ++D) {
    const auto &I = G.In[D];
    const bool IsLast = D + 1 == G.Dimensions;
    std::string Extent = IsLast ? "" : std::to_string(I.Extent), Digit = Rest;
    if (IsLast && G.Of == Grid::Own)
      Extent = "(" + Size + " / " + std::to_string(Stride) + ")";
    if (!Extent.empty()) {
      Digit = I.Shift ? "(" + Rest + " % " + Extent + " + " + std::to_string(I.Shift) + ") % " + Extent
                      : Rest + " % " + Extent;
      Rest = Rest + " / " + Extent;
      Stride *= I.Extent;
    }
    const bool IsPlain = Digit.find(' ') == std::string::npos;
    if (I.Weight && Digit != "0")
      Out += (Out.empty() ? "" : " + ") + (I.Weight == 1 ? "" : numberText(I.Weight) + " * ") +
             (IsPlain ? Digit : "(" + Digit + ")");
  }
  return Out.empty() ? "0" : "(" + Out + ")";
}

/// A list of few values, as conditions; empty: these are not simple.
std::string RankText::fewValues(const RankFn::Piece &P, const ValueFn &Value) {
  constexpr size_t MostValues = 4;
  std::map<int64_t, std::vector<RankSet::Interval>> Sets;
  uint64_t Place = 0;
  P.Ranks.forEach([&](uint32_t Rank) {
    if (Sets.size() > MostValues)
      return;
    auto &Of = Sets[P.List->at(Place++, Rank)];
    if (!Of.empty() && Of.back().Last + 1 == Rank)
      ++Of.back().Last;
    else
      Of.push_back({Rank, Rank});
  });
  if (Sets.size() > MostValues)
    return "";
  std::vector<std::pair<RankSet, int64_t>> Ordered;
  for (const auto &[V, Of] : Sets)
    Ordered.emplace_back(setOf(Of), V);
  std::ranges::stable_sort(Ordered, {}, [](const auto &X) { return blocksOf(X.first).size(); });
  std::string Out;
  RankSet Left = P.Ranks;
  for (size_t I = 0; I + 1 < Ordered.size(); ++I) {
    if (blocksOf(Ordered[I].first).size() > MostBlocks)
      return "";
    Out += "(" + condition(Ordered[I].first, Left) + ") ? " + Value(Ordered[I].second) + " : ";
    Left = Left.without(Ordered[I].first);
  }
  if (Out.find("in(") != std::string::npos)
    return "";
  return "(" + Out + Value(Ordered.back().second) + ")";
}

/// How many of Ranks are below `rank`, which is one of them.
std::string RankText::place(const RankSet &Ranks) {
  const std::vector<RankBlock> Blocks = blocksOf(Ranks);
  if (Blocks.size() == 1 && Blocks[0].Levels.size() <= 1) {
    const RankBlock &B = Blocks[0];
    const std::string X = B.First ? "(rank - " + std::to_string(B.First) + ")" : "rank";
    if (B.Levels.empty())
      return X;
    const std::string Stride = std::to_string(B.Levels[0].Stride);
    if (B.Length == 1)
      return "(" + X + " / " + Stride + ")";
    return "(" + X + " / " + Stride + " * " + std::to_string(B.Length) + " + " + X + " % " + Stride + ")";
  }
  if (const std::string Place = placeVariable(Ranks); !Place.empty())
    return Place;
  S.use("place_in");
  std::string Content;
  for (const auto &I : Ranks.intervals())
    Content += (Content.empty() ? "" : ", ") + std::to_string(I.First) + ", " + std::to_string(I.Last);
  return "place_in(" + S.table("const int", "ranks_", Content) + ", " + std::to_string(Ranks.intervals().size()) + ")";
}

std::string RankText::piece(const RankFn::Piece &P, const std::string &Own, const std::string &Size,
                            const ValueFn &Value) {
  if (P.In) {
    const Grid &G = *P.In;
    return grid(G, G.Of == Grid::Own ? Own : G.Of == Grid::World ? "rank" : place(P.Ranks), Size);
  }
  if (!P.List)
    return candidates(P.Cand, Own, Size, Value);
  if (std::string Few = P.Ranks.size() > 32 ? fewValues(P, Value) : ""; !Few.empty())
    return Few;
  return list(P);
}

/// An element of a table; of a long one that has a rule, what a stream gives at this place.
std::string RankText::list(const RankFn::Piece &P) {
  std::vector<int64_t> Values;
  P.Ranks.forEach([&](uint32_t Rank) { Values.push_back(P.List->at(Values.size(), Rank)); });
  if (const auto D = shorterStream(Values)) {
    const std::string Place = place(P.Ranks), When = condition(P.Ranks, RankSet::below(World));
    // The same values of other ranks are others.
    std::vector<int64_t> Key = Values;
    Key.insert(Key.end(), Place.begin(), Place.end());
    const auto [It, IsNew] = S.Variables.try_emplace(std::move(Key));
    if (IsNew) {
      const std::string Name = S.name("values_by_rank");
      S.declare("static struct ints " + Name + ";\n");
      S.setUp(startInts(S, Name, *D, runTable(S, *D, true)));
      S.use("nth_int");
      It->second = variable("long", "by_rank", "nth_int(&" + Name + ", " + Place + ")", When);
    }
    return It->second;
  }
  std::string Content;
  bool IsInt = true;
  for (const int64_t V : Values) {
    IsInt &= V >= INT32_MIN && V <= INT32_MAX;
    Content += (Content.empty() ? "" : ", ") + numberText(V);
  }
  return S.table(IsInt ? "const int" : "const long", "by_rank_", Content) + "[" + place(P.Ranks) + "]";
}

std::string RankText::expression(const RankFn &F, const RankSet &Among, const std::string &Own, const std::string &Size,
                                 const ValueFn &Value) {
  if (F.isSingle())
    return candidates(F.single(), Own, Size, Value);
  std::vector<const RankFn::Piece *> Pieces;
  for (const RankFn::Piece &P : F.pieces())
    if (!P.Ranks.common(Among).empty())
      Pieces.push_back(&P);
  if (Pieces.empty())
    return "0";
  // The one with the longest condition goes last, without it.
  std::ranges::stable_sort(Pieces, {}, [](const RankFn::Piece *P) { return blocksOf(P->Ranks).size(); });
  std::string Out, Close;
  RankSet Left = Among;
  for (size_t I = 0; I < Pieces.size(); ++I) {
    const std::string V = piece(*Pieces[I], Own, Size, Value);
    const std::string When = I + 1 == Pieces.size() ? "1" : condition(Pieces[I]->Ranks, Left);
    if (When == "1") {
      Out += V;
      break;
    }
    Out += (When.find("||") != std::string::npos || When.find("&&") != std::string::npos ? "(" + When + ")" : When) +
           " ? " + V + " : ";
    Left = Left.without(Pieces[I]->Ranks);
  }
  return Pieces.size() > 1 ? "(" + Out + ")" : Out;
}

} // namespace pilgrim
