//===- RecordFit.cpp - a record of several traces at another number of ranks -===//
#include "proxygen/extrapolate/RecordFit.h"

#include <algorithm>

namespace pilgrim {

bool areSameForm(std::span<const PlainValue> A, std::span<const PlainValue> B) {
  return std::ranges::equal(A, B, [](const PlainValue &X, const PlainValue &Y) {
    return X.K == Y.K && (X.K != PlainValue::Fixed || X.V == Y.V);
  });
}

bool RecordFit::isSame(const PlainRecord &A, const PlainRecord &B) { return areSameForm(A.Values, B.Values); }

std::span<const PlainValue> valuesOf(const PlainRecord &R, const PlainPart &P) {
  return std::span(R.Values).subspan(P.From, P.Size);
}
std::span<const PlainValue> valuesBefore(const PlainRecord &R, size_t Part) {
  const size_t From = Part ? R.Parts[Part - 1].From + R.Parts[Part - 1].Size : 0;
  return std::span(R.Values).subspan(From, (Part < R.Parts.size() ? R.Parts[Part].From : R.Values.size()) - From);
}

bool RecordFit::isAlike(const PlainRecord &A, const PlainRecord &B) {
  if (A.Parts.size() != B.Parts.size())
    return false;
  for (size_t I = 0; I <= A.Parts.size(); ++I)
    if (!areSameForm(valuesBefore(A, I), valuesBefore(B, I)) || (I < A.Parts.size() && A.Parts[I].K != B.Parts[I].K))
      return false;
  return true;
}

static std::vector<RankSet> ranksOf(std::span<const PlainRecord *const> Records, size_t Part) {
  std::vector<RankSet> Out;
  for (const PlainRecord *R : Records)
    Out.push_back(R->Parts[Part].Ranks);
  return Out;
}
static std::vector<RankFn> functionsOf(std::span<const PlainRecord *const> Records, size_t Part) {
  std::vector<RankFn> Out;
  for (const PlainRecord *R : Records)
    Out.push_back(R->Parts[Part].Values);
  return Out;
}

void RecordFit::learn(std::span<const PlainRecord *const> Records) {
  if (!std::ranges::all_of(Records, [&](const PlainRecord *R) { return isAlike(*R, *Records[0]); }))
    return;
  auto Learn = [&](auto &&ValuesOf) {
    std::vector<int64_t> Values(Records.size());
    for (size_t I = 0; I < ValuesOf(*Records[0]).size(); ++I) {
      for (size_t T = 0; T < Records.size(); ++T)
        Values[T] = ValuesOf(*Records[T])[I].V;
      Numbers.learn(Values);
    }
  };
  for (size_t Part = 0; Part <= Records[0]->Parts.size(); ++Part) {
    Learn([&](const PlainRecord &R) { return valuesBefore(R, Part); });
    if (Part == Records[0]->Parts.size() || Records[0]->Parts[Part].K == PlainPart::Place)
      continue;
    auto Own = [&](const PlainRecord &R) { return valuesOf(R, R.Parts[Part]); };
    if (std::ranges::all_of(Records, [&](const PlainRecord *R) { return areSameForm(Own(*R), Own(*Records[0])); }))
      Learn(Own);
    else if (Records[0]->Parts[Part].K == PlainPart::Function)
      Ranks.learn(functionsOf(Records, Part), ranksOf(Records, Part));
  }
}

/// What is never negative does not become so: counts, sizes and tags do not.
static bool isUnlikely(std::span<const int64_t> Values, int64_t Then, PlainValue::Kind K) {
  return Then < 0 && (K == PlainValue::Natural || std::ranges::all_of(Values, [](int64_t V) { return V >= 0; }));
}

int64_t RecordFit::addMisfit(const std::vector<int64_t> &Values, const PlainValue &Last, Result &To) const {
  // What refers to something else in the trace, or counts it, stays as it is.
  NumberFit::Guess Then = Numbers.guess(Values, !To.Record.Function);
  if (isUnlikely(Values, Then.Value, Last.K))
    Then = Numbers.guess(Values, true);
  if (isUnlikely(Values, Then.Value, Last.K))
    Then.Value = 0;
  To.Misfits.push_back({.Values = Values, .Then = Then, .IsAmbiguous = Numbers.isAmbiguous(Values)});
  return Then.Value;
}

void RecordFit::addNumbers(const Parts &Own, Result &To) const {
  std::vector<int64_t> Values(Own.size());
  for (size_t I = 0; I < Own[0].size(); ++I) {
    PlainValue V = Own.back()[I];
    if (V.K != PlainValue::Fixed) {
      for (size_t T = 0; T < Own.size(); ++T)
        Values[T] = Own[T][I].V;
      const auto Then = Numbers.at(Values);
      if (!Then || isUnlikely(Values, *Then, V.K))
        V.V = addMisfit(Values, V, To);
      else
        V.V = *Then;
      ++(std::ranges::adjacent_find(Values, std::not_equal_to<>()) == Values.end() ? To.Constant : To.Fitted);
    }
    To.Record.Values.push_back(V);
  }
}

const std::optional<RankSet> &RecordFit::setThen(std::span<const RankSet> Of, std::span<const PlainValue> Values) {
  std::vector<int64_t> Key;
  for (const RankSet &S : Of) {
    Key.push_back(static_cast<int64_t>(S.intervals().size()));
    for (const RankSet::Interval &I : S.intervals())
      Key.insert(Key.end(), {I.First, I.Last});
  }
  const auto [It, IsNew] = Sets.try_emplace(std::move(Key));
  if (IsNew)
    It->second = Values.empty() ? Ranks.set(Of) : rankSetOf(Values, World);
  return It->second;
}

std::optional<std::vector<PlainValue>> RecordFit::byRank(std::span<const PlainRecord *const> Records, size_t Part) {
  const std::vector<RankSet> Of = ranksOf(Records, Part);
  const std::optional<RankSet> &Then = setThen(Of);
  if (!Then)
    return std::nullopt;
  const PlainPart::Kind K = Records[0]->Parts[Part].K;
  if (K == PlainPart::Set)
    return plainValues(*Then, World);
  const bool InWorld = std::ranges::all_of(Records, [&](const PlainRecord *R) { return R->Parts[Part].InWorld; });
  const auto F = Ranks.function(functionsOf(Records, Part), Of, *Then, K == PlainPart::Place, InWorld);
  auto IsNegative = [](const RankFn &X, const RankSet &On, uint32_t Size) {
    return !On.empty() && X.range(On, Size).first < 0;
  };
  bool WasNegative = false;
  for (size_t T = 0; T < Records.size(); ++T)
    WasNegative |= IsNegative(Records[T]->Parts[Part].Values, Of[T], static_cast<uint32_t>(Counts[T]));
  if (F && K == PlainPart::Function && !WasNegative && IsNegative(*F, *Then, World))
    return std::nullopt;
  return F ? std::optional(plainValues(*F, *Then, World)) : std::nullopt;
}

std::optional<std::vector<std::vector<PlainValue>>>
RecordFit::steps(const std::vector<std::vector<const PlainRecord *>> &Of, size_t Part, size_t Steps) {
  std::vector<RankSet> Own;
  std::vector<std::vector<RankFn>> Functions;
  for (const auto &Trace : Of) {
    Own.push_back(Trace[0]->Parts[Part].Ranks);
    Functions.emplace_back();
    for (const PlainRecord *R : Trace) {
      const PlainPart &P = R->Parts[Part];
      if (P.K != PlainPart::Function || !P.InWorld || !(P.Ranks == Own.back()))
        return std::nullopt;
      Functions.back().push_back(P.Values);
    }
  }
  const std::optional<RankSet> &Then = setThen(Own);
  const auto All = Then ? Ranks.steps(Functions, Own, *Then, Steps) : std::nullopt;
  if (!All)
    return std::nullopt;
  std::vector<std::vector<PlainValue>> Out;
  for (const RankFn &F : *All)
    Out.push_back(plainValues(F, *Then, World));
  return Out;
}

void RecordFit::addPart(std::span<const PlainRecord *const> Records, size_t Part, Result &To) {
  Parts Own;
  bool IsSame = true;
  for (const PlainRecord *R : Records) {
    Own.push_back(valuesOf(*R, R->Parts[Part]));
    IsSame &= areSameForm(Own[0], Own.back());
  }
  const PlainPart &Last = Records.back()->Parts[Part];
  const auto Append = [&](std::span<const PlainValue> Values) {
    To.Record.Values.insert(To.Record.Values.end(), Values.begin(), Values.end());
  };
  const bool IsPlace = Last.K == PlainPart::Place;
  // A program is often built anew for each number of ranks.
  if (IsPlace && std::ranges::all_of(Records, [&](const PlainRecord *R) { return R->Parts[Part].Values.isConst(); }))
    return Append(Own.back());
  Result As;
  // Of other functions some numbers say how they are said.
  if (std::ranges::all_of(Records, [&](const PlainRecord *R) { return R->Parts[Part].Values.isConst(); }))
    As.Record.Function = To.Record.Function;
  if (IsSame && !IsPlace) {
    addNumbers(Own, As);
    if (As.Misfits.empty()) {
      To.Constant += As.Constant;
      To.Fitted += As.Fitted;
      if (Last.K == PlainPart::Set)
        setThen(ranksOf(Records, Part), As.Record.Values);
      return Append(As.Record.Values);
    }
  }
  if (auto Values = byRank(Records, Part)) {
    ++To.Fitted;
    return Append(*Values);
  }
  if (As.Misfits.empty())
    As.Misfits.push_back({.Values = {}, .Then = {}, .IsSet = Last.K == PlainPart::Set});
  for (Misfit &M : As.Misfits) {
    M.Slot = Last.Slot;
    M.IsValue = As.Record.Function != 0;
  }
  To.Misfits.insert(To.Misfits.end(), As.Misfits.begin(), As.Misfits.end());
  Append(As.Record.Values.empty() ? Own.back() : As.Record.Values);
}

RecordFit::Result RecordFit::fit(std::span<const PlainRecord *const> Records) {
  Result To;
  To.Record.Function = Records.back()->Function;
  for (size_t Part = 0; Part <= Records[0]->Parts.size(); ++Part) {
    Parts Own;
    for (const PlainRecord *R : Records)
      Own.push_back(valuesBefore(*R, Part));
    addNumbers(Own, To);
    if (Part < Records[0]->Parts.size())
      addPart(Records, Part, To);
  }
  return To;
}

} // namespace pilgrim
