//===- ListFit.cpp - a list that is longer on more ranks ------------------===//
#include "proxygen/extrapolate/ListFit.h"

#include <algorithm>
#include <numeric>

namespace pilgrim {

namespace {
/// Steps of a trace: First + a * sum of the Ratio^j, j below the step. Ratio 1: a line.
struct Progress {
  int64_t First, Step;
};

/// Of two values or more. Nothing if they are none with that ratio.
std::optional<Progress> progress(const std::vector<int64_t> &V, int64_t Ratio) {
  int64_t Step;
  if (__builtin_sub_overflow(V[1], V[0], &Step))
    return std::nullopt;
  const Progress P{V[0], Step};
  for (size_t I = 1; I < V.size(); ++I) {
    int64_t Wanted;
    if (__builtin_add_overflow(V[I - 1], Step, &Wanted) || Wanted != V[I] || __builtin_mul_overflow(Step, Ratio, &Step))
      return std::nullopt;
  }
  return P;
}

std::optional<std::vector<int64_t>> continued(Progress P, int64_t Ratio, size_t Steps) {
  std::vector<int64_t> Out;
  int64_t V = P.First, Step = P.Step;
  for (size_t I = 0; I < Steps; ++I) {
    Out.push_back(V);
    if (I + 1 < Steps &&
        (__builtin_add_overflow(V, Step, &V) || (I + 2 < Steps && __builtin_mul_overflow(Step, Ratio, &Step))))
      return std::nullopt;
  }
  return Out;
}

/// The ratio of steps of the longest list; 0: it has none, or it is not confirmed and more steps are wanted.
int64_t ratioOf(const std::vector<std::vector<int64_t>> &Values, size_t Wanted) {
  const auto &V = *std::ranges::max_element(Values, {}, &std::vector<int64_t>::size);
  if (V.size() < 3 || V[1] == V[0] || (V.size() == 3 && Wanted > 3))
    return 0;
  const __int128 A = __int128(V[1]) - V[0], B = __int128(V[2]) - V[1];
  return B % A || B / A > 16 || B / A < 2 ? 0 : static_cast<int64_t>(B / A);
}
} // namespace

std::optional<std::vector<int64_t>> stepsAt(const NumberFit &Fit, const std::vector<std::vector<int64_t>> &Values,
                                            size_t Steps) {
  for (bool Backward : {false, true}) {
    std::vector<std::vector<int64_t>> Own = Values;
    if (Backward)
      for (auto &V : Own)
        std::ranges::reverse(V);
    for (int64_t Ratio : {int64_t(1), ratioOf(Own, Steps)}) {
      if (!Ratio)
        continue;
      std::vector<int64_t> Firsts, Lengths;
      for (const auto &V : Own) {
        if (V.size() > 1) {
          const auto P = progress(V, Ratio);
          if (!P)
            break;
          Lengths.push_back(P->Step);
        }
        Firsts.push_back(V[0]);
      }
      if (Firsts.size() < Own.size() || Lengths.size() < 2)
        continue;
      // One step alone does not say how long it is. Then it has to be as long everywhere.
      const bool IsConstant = std::ranges::adjacent_find(Lengths, std::not_equal_to<>()) == Lengths.end();
      const auto First = Fit.at(Firsts), Step = IsConstant                     ? std::optional(Lengths[0])
                                                : Lengths.size() == Own.size() ? Fit.at(Lengths)
                                                                               : std::nullopt;
      if (!First || !Step)
        continue;
      auto Out = continued({*First, *Step}, Ratio, Steps);
      if (Out && Backward)
        std::ranges::reverse(*Out);
      if (Out)
        return Out;
    }
  }
  return std::nullopt;
}

namespace {
/// Longer runs of records are not looked for as one step, and longer lists not divided.
constexpr size_t MostUnit = 24, MostRecords = 4000, MostStarts = 64;
/// Places in the shortest list, times growth, that divisions are looked for at.
constexpr size_t MostStates = 20000;

/// Finds the division of least cost. Numbers that change with the ranks cost more than those that do not; a run of
/// steps costs what one of its steps does.
class Divider {
public:
  Divider(RecordFit &Fit, const std::vector<const PlainList *> &Lists) : Fit(Fit), Lists(Lists) {}

  std::optional<std::vector<PlainRecord>> run() {
    const size_t Shortest = size(0);
    int64_t Common = 0;
    std::vector<int64_t> Sizes;
    for (size_t I = 0; I < Lists.size(); ++I) {
      if (size(I) < Shortest || size(I) > MostRecords)
        return std::nullopt;
      Sizes.push_back(static_cast<int64_t>(size(I)));
      More.push_back(static_cast<int64_t>(size(I) - Shortest));
      Common = std::gcd(Common, More.back());
    }
    if (!Common)
      return std::nullopt;
    for (int64_t &N : More)
      N /= Common;
    Growths = static_cast<size_t>(Common);
    const auto Then = Fit.numbers().at(Sizes);
    if (!Then || *Then < Sizes[0] || (*Then - Sizes[0]) % Common ||
        (*Then - Sizes[0]) / Common > static_cast<int64_t>(MostRecords))
      return std::nullopt;
    MoreThen = static_cast<size_t>((*Then - Sizes[0]) / Common);
    if ((Shortest + 1) * (Growths + 1) > MostStates)
      return std::nullopt;
    Best.assign((Shortest + 1) * (Growths + 1), {});
    return build();
  }

private:
  /// Behind records of the shortest list, and with so much growth used up.
  struct State {
    size_t Record, Growth;
  };
  struct Choice {
    double Cost = -1;                      ///< of all from here on; below 0: not known
    size_t Unit = 0, Steps = 0, Times = 0; ///< Unit 0: a record that all have
  };
  static constexpr double Never = 1e18;

  size_t size(size_t List) const { return Lists[List]->Records.size(); }
  const PlainRecord &record(size_t List, State At, size_t I) const {
    return Lists[List]->Records[At.Record + At.Growth * static_cast<size_t>(More[List]) + I];
  }
  Choice &best(State At) { return Best[At.Record * (Growths + 1) + At.Growth]; }

  std::optional<std::vector<PlainRecord>> build() {
    // From the end on, so that what follows is known.
    for (size_t Record = size(0) + 1; Record-- > 0;)
      for (size_t Growth = Growths + 1; Growth-- > 0;)
        choose({Record, Growth});
    std::vector<PlainRecord> Out;
    for (State At{0, 0}; At.Record < size(0) || At.Growth < Growths;) {
      const Choice &C = best(At);
      if (C.Cost >= Never)
        return std::nullopt;
      double Unused = 0;
      if (C.Unit) {
        const auto Own = steps(At, C.Unit, C.Steps, C.Times, Unused);
        Out.insert(Out.end(), Own->begin(), Own->end());
      } else {
        Out.push_back(*common(At, Unused));
      }
      At = C.Unit ? State{At.Record + C.Unit * C.Steps, At.Growth + C.Unit * C.Times} : State{At.Record + 1, At.Growth};
    }
    return Out;
  }

  void choose(State At) {
    Choice &C = best(At);
    C.Cost = At.Record == size(0) && At.Growth == Growths ? 0 : Never;
    if (At.Record < size(0)) {
      const double Behind = best({At.Record + 1, At.Growth}).Cost;
      double Cost = 0;
      if (Behind < Never)
        if (auto Own = common(At, Cost); Own && Cost + Behind < C.Cost)
          C = {Cost + Behind, 0, 0, 0};
    }
    for (size_t Unit = 1; Unit <= MostUnit && At.Growth + Unit <= Growths; ++Unit)
      for (size_t Times = 1; At.Growth + Unit * Times <= Growths && Times <= 2; ++Times)
        for (size_t Steps = 1; At.Record + Unit * Steps <= size(0) && Steps <= MostStarts; ++Steps) {
          const double Behind = best({At.Record + Unit * Steps, At.Growth + Unit * Times}).Cost;
          // What it costs at least.
          double Cost = 4;
          if (Behind + Cost + static_cast<double>(Unit) >= C.Cost)
            continue;
          // The longest list must have more steps than a progress has numbers.
          if (stepsOf(Lists.size() - 1, Steps, Times) < 3)
            continue;
          if (!stepsAlike(At, Unit, Steps, Times))
            break; // nor are more steps
          auto Own = steps(At, Unit, Steps, Times, Cost);
          if (Own && Cost + Behind < C.Cost)
            C = {Cost + Behind, Unit, Steps, Times};
        }
  }

  /// A record that all lists have.
  std::optional<PlainRecord> common(State At, double &Cost) {
    std::vector<const PlainRecord *> Own;
    for (size_t L = 0; L < Lists.size(); ++L) {
      Own.push_back(&record(L, At, 0));
      if (!RecordFit::isAlike(*Own[0], *Own[L]))
        return std::nullopt;
    }
    RecordFit::Result Out = Fit.fit(Own);
    if (!Out.Misfits.empty())
      return std::nullopt;
    Cost += static_cast<double>(1 + Out.Fitted);
    return std::move(Out.Record);
  }

  size_t stepsOf(size_t List, size_t Steps, size_t Times) const {
    return Steps + Times * static_cast<size_t>(More[List]);
  }

  bool stepsAlike(State At, size_t Unit, size_t Steps, size_t Times) const {
    for (size_t K = 0; K < Unit; ++K)
      for (size_t L = 0; L < Lists.size(); ++L)
        for (size_t I = 0; I < stepsOf(L, Steps, Times); ++I)
          if (!RecordFit::isAlike(record(0, At, K), record(L, At, I * Unit + K)))
            return false;
    return true;
  }

  /// Values of one form, by list and step.
  using StepValues = std::vector<std::vector<std::span<const PlainValue>>>;

  /// Adds numbers to the records of the steps that are wanted.
  bool addNumbers(const StepValues &Own, std::span<PlainRecord *const> To, bool ArePlaces, double &Cost) const {
    std::vector<std::vector<int64_t>> Values(Own.size());
    for (size_t I = 0; I < Own[0][0].size(); ++I) {
      const PlainValue Like = Own[0][0][I];
      bool Changes = false, ChangesWithStep = false;
      for (size_t L = 0; L < Own.size(); ++L) {
        Values[L].clear();
        for (const auto &Step : Own[L])
          Values[L].push_back(Step[I].V);
        ChangesWithStep |= std::ranges::adjacent_find(Values[L], std::not_equal_to<>()) != Values[L].end();
        Changes |= ChangesWithStep || Values[L][0] != Like.V;
      }
      std::optional<std::vector<int64_t>> Then;
      if (!Changes || (ArePlaces && !ChangesWithStep)) // a place is where it is at the largest count
        Then.emplace(To.size(), Values.back()[0]);
      else if (!ArePlaces && Like.K != PlainValue::Fixed)
        Then = stepsAt(Fit.numbers(), Values, To.size());
      if (!Then || (Like.K == PlainValue::Natural && std::ranges::any_of(*Then, [](int64_t V) { return V < 0; })))
        return false;
      Cost += Changes ? 0.5 : 0;
      for (size_t S = 0; S < To.size(); ++S)
        To[S]->Values.push_back({Like.K, (*Then)[S]});
    }
    return true;
  }

  /// Adds a set, or a function, which may be of another form in each step.
  bool addPart(const std::vector<std::vector<const PlainRecord *>> &Records, size_t Part,
               std::span<PlainRecord *const> To, double &Cost) {
    StepValues Own;
    bool IsSame = true;
    for (const auto &OfList : Records) {
      Own.emplace_back();
      for (const PlainRecord *R : OfList) {
        Own.back().push_back(valuesOf(*R, R->Parts[Part]));
        IsSame &= areSameForm(Own.back().back(), Own[0][0]);
      }
    }
    std::vector<size_t> Sizes;
    for (const PlainRecord *R : To)
      Sizes.push_back(R->Values.size());
    if (IsSame && addNumbers(Own, To, Records[0][0]->Parts[Part].K == PlainPart::Place, Cost))
      return true;
    const auto Then = Fit.steps(Records, Part, To.size());
    for (size_t S = 0; Then && S < To.size(); ++S) {
      To[S]->Values.resize(Sizes[S]);
      To[S]->Values.insert(To[S]->Values.end(), (*Then)[S].begin(), (*Then)[S].end());
    }
    Cost += 1;
    return Then.has_value();
  }

  std::optional<std::vector<PlainRecord>> steps(State At, size_t Unit, size_t Steps, size_t Times, double &Cost) {
    const size_t Wanted = Steps + Times * MoreThen;
    std::vector<PlainRecord> Out(Unit * Wanted);
    for (size_t K = 0; K < Unit; ++K) {
      std::vector<std::vector<const PlainRecord *>> Own(Lists.size());
      for (size_t L = 0; L < Lists.size(); ++L)
        for (size_t S = 0; S < stepsOf(L, Steps, Times); ++S)
          Own[L].push_back(&record(L, At, S * Unit + K));
      std::vector<PlainRecord *> To;
      for (size_t S = 0; S < Wanted; ++S) {
        To.push_back(&Out[S * Unit + K]);
        To.back()->Function = Own[0][0]->Function;
      }
      Cost += 1;
      for (size_t Part = 0; Part <= Own[0][0]->Parts.size(); ++Part) {
        StepValues Between;
        for (const auto &OfList : Own) {
          Between.emplace_back();
          for (const PlainRecord *R : OfList)
            Between.back().push_back(valuesBefore(*R, Part));
        }
        if (!addNumbers(Between, To, false, Cost) || (Part < Own[0][0]->Parts.size() && !addPart(Own, Part, To, Cost)))
          return std::nullopt;
      }
    }
    return Out;
  }

  RecordFit &Fit;
  const std::vector<const PlainList *> &Lists;
  std::vector<int64_t> More; ///< by list: steps more than the first one has, where one more step is the least
  size_t Growths = 0;        ///< records more for one step more, in all runs together
  size_t MoreThen = 0;
  std::vector<Choice> Best;
};
} // namespace

std::optional<std::vector<PlainRecord>> longerList(RecordFit &Fit, const std::vector<const PlainList *> &Lists) {
  return Divider(Fit, Lists).run();
}

} // namespace pilgrim
