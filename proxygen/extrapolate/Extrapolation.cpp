//===- Extrapolation.cpp - a trace at another number of ranks -------------===//
#include "proxygen/extrapolate/Extrapolation.h"
#include "proxygen/extrapolate/ListFit.h"
#include "proxygen/extrapolate/Matching.h"
#include "proxygen/extrapolate/PossibleCalls.h"
#include "proxygen/extrapolate/Texts.h"
#include "trace/base/Counted.h"
#include "trace/file/Format.h"
#include "trace/merge/Merge.h"
#include "trace/read/Soundness.h"
#include "trace/read/Walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace pilgrim {

namespace {
/// Lines of what does not fit.
constexpr size_t MostLines = 20;

class Extrapolator {
public:
  /// IsMatched: in all of the traces, calls of different ranks fit together, so that they must in the result.
  Extrapolator(std::vector<TraceData> From, std::vector<std::vector<PlainList>> Lists, bool IsMatched, uint32_t Ranks,
               bool Force)
      : From(std::move(From)), Lists(std::move(Lists)), IsMatched(IsMatched), Ranks(Ranks), Force(Force) {
    for (const TraceData &T : this->From)
      Counts.push_back(T.World);
  }

  std::expected<Extrapolated, std::vector<std::string>> run(std::map<std::string, std::string> Meta) {
    AreAlike = isAlike();
    if (!AreAlike)
      return std::unexpected(Problems);
    // The simplest shape that explains everything, unless another one does, too, and says otherwise. What a shape does
    // not explain takes long to find, and is asked for only if none explains everything.
    std::vector<std::string> Least;
    Shape LeastBy = Shape::Square;
    std::optional<Answer> Found;
    for (bool IsHasty : {true, false}) {
      for (Shape By : {Shape::Line, Shape::Square, Shape::Cube}) {
        // The sides of a cubic grid explain many numbers. One trace more confirms them, or all sides are equal.
        if (By == Shape::Cube && Counts.size() < 4 && !areCubes())
          continue;
        Problems.clear();
        Extrapolated Out;
        Out.By = By;
        const std::vector<PlainList> Made = build(By, Out, IsHasty);
        if (Problems.empty() && Found && !areSame(Found->Made, Made)) {
          const auto Other = finish(std::move(Out), Made, Meta);
          if (Other)
            Ambiguous = true;
        } else if (Problems.empty() && !Found) {
          if (auto Whole = finish(std::move(Out), Made, Meta))
            Found = Answer{std::move(*Whole), Made};
          else if (Least.empty())
            Least = Whole.error();
        }
        if (!IsHasty && !Problems.empty() && (Least.empty() || Problems.size() < Least.size())) {
          Least = Problems;
          LeastBy = By;
        }
      }
      if (Found && !Ambiguous)
        return std::move(Found->Result);
      if (Found)
        break;
    }
    if (Ambiguous)
      Least = {"how ranks are arranged: several arrangements explain all numbers, and say different ones for " +
               std::to_string(Ranks) + " ranks"};
    if (!Force) {
      shorten(Least);
      if (Counts.size() < 4 && !areCubes())
        Least.push_back("(with a fourth trace, ranks in a cubic grid are tried, too)");
      return std::unexpected(Least);
    }
    Problems.clear();
    Extrapolated Out;
    Out.By = LeastBy;
    const std::vector<PlainList> Made = build(LeastBy, Out, false);
    if (Ambiguous)
      Problems.insert(Problems.end(), Least.begin(), Least.end());
    if (HasNoGuess) {
      shorten(Problems);
      return std::unexpected(Problems);
    }
    Out.Guesses = Problems;
    return finish(std::move(Out), Made, std::move(Meta));
  }

  /// Of run(): whether the traces differ in numbers alone.
  bool areAlike() const { return AreAlike; }

private:
  struct Answer {
    Extrapolated Result;
    std::vector<PlainList> Made;
  };
  static bool areSame(const std::vector<PlainList> &A, const std::vector<PlainList> &B) {
    return std::ranges::equal(A, B, [](const PlainList &X, const PlainList &Y) {
      return std::ranges::equal(X.Records, Y.Records, [](const PlainRecord &R, const PlainRecord &S) {
        return std::ranges::equal(R.Values, S.Values,
                                  [](const PlainValue &V, const PlainValue &W) { return V.K == W.K && V.V == W.V; });
      });
    });
  }

  /// Where a record of a list belongs to, for a user. Slot: as of PlainPart.
  std::string placeOf(const PlainList &L, const PlainRecord &R, uint32_t Slot = 0) const {
    auto F = From[0].Functions.find(R.Function);
    if (F == From[0].Functions.end())
      return L.Where;
    const auto &Slots = F->second.Slots;
    return (Slot > 1 && Slot <= Slots.size() ? Slots[Slot - 1].Name : "a parameter") + " of " + F->second.Name;
  }

  void problem(const std::string &Where, const std::string &What) {
    const std::string Line = Where + ": " + What;
    if (std::ranges::find(Problems, Line) == Problems.end())
      Problems.push_back(Line);
  }

  bool areCubes() const {
    auto IsCube = [](int64_t Ranks) {
      const std::vector<int64_t> Sides = gridSides(Ranks, 3);
      return Sides.front() == Sides.back();
    };
    return IsCube(Ranks) && std::ranges::all_of(Counts, IsCube);
  }

  static std::string guessOf(NumberFit::Guess G) {
    const double Percent = 100 * G.Error;
    return fmt::format(" (the guess is {}, of a rule that is up to {:.{}f} % off)", G.Value, Percent,
                       Percent < 10 ? 1 : 0);
  }

  static void shorten(std::vector<std::string> &Lines) {
    if (Lines.size() <= MostLines)
      return;
    const size_t More = Lines.size() - MostLines;
    Lines.resize(MostLines);
    Lines.push_back("and " + std::to_string(More) + " more");
  }

  std::string list(const std::function<std::string(size_t)> &Of) const {
    std::string Out;
    for (size_t I = 0; I < From.size(); ++I)
      Out += (I ? ", " : "") + Of(I) + " on " + std::to_string(Counts[I]);
    return Out + " ranks";
  }

  /// Whether the traces say the same, but for numbers and for how much there is in lists.
  bool isAlike() {
    for (size_t I = 1; I < From.size(); ++I) {
      if (From[I].Functions != From[0].Functions || From[I].Names != From[0].Names)
        problem("the functions called",
                "not the same on " + std::to_string(Counts[0]) + " and " + std::to_string(Counts[I]) + " ranks");
      if (From[I].Regions != From[0].Regions)
        problem("the functions and loops passed",
                "not the same on " + std::to_string(Counts[0]) + " and " + std::to_string(Counts[I]) + " ranks");
    }
    if (!Problems.empty())
      return false;
    for (const auto &Own : Lists)
      for (size_t L = 0; L < Lists[0].size(); ++L)
        if (L >= Own.size() || !isAlike(Lists[0][L], Own[L])) {
          problem(L < Own.size() ? differenceIn(Lists[0][L], Own[L]) : Lists[0][L].Where,
                  "the traces differ in more than numbers from here on");
          findNumbers();
          shorten(Problems);
          findAlike();
          return false;
        }
    return true;
  }
  static bool isAlike(const PlainList &A, const PlainList &B) {
    return A.Where == B.Where &&
           (A.Records.size() != B.Records.size() || std::ranges::equal(A.Records, B.Records, RecordFit::isAlike));
  }

  /// The place of the first record that is not alike.
  std::string differenceIn(const PlainList &A, const PlainList &B) const {
    const auto At = std::ranges::mismatch(A.Records, B.Records, RecordFit::isAlike).in1;
    return At == A.Records.end() ? A.Where : placeOf(A, *At);
  }

  /// Names the traces that are like the largest one, if these are enough without the others.
  void findAlike() {
    std::string Alike;
    size_t N = 0;
    for (size_t I = 0; I < Lists.size(); ++I)
      if (std::ranges::equal(Lists[I], Lists.back(), [](const auto &A, const auto &B) { return isAlike(A, B); })) {
        Alike += (N ? ", " : "") + std::to_string(Counts[I]);
        ++N;
      }
    if (N > 2)
      Problems.push_back("(the traces of " + Alike + " ranks do not)");
  }

  /// Names functions whose calls take more or fewer forms on more ranks.
  void findNumbers() {
    std::map<std::string, std::vector<size_t>> Forms;
    for (size_t I = 0; I < From.size(); ++I)
      for (const Group &G : From[I].Groups)
        for (const Entry &E : G.table(TableId::Signatures)) {
          auto F = From[I].Functions.find(E[0].Tokens[0]);
          if (F == From[I].Functions.end())
            continue;
          auto &Of = Forms[F->second.Name];
          Of.resize(From.size());
          ++Of[I];
        }
    for (const auto &[Name, Of] : Forms)
      if (std::ranges::adjacent_find(Of, std::not_equal_to<>()) != Of.end())
        problem(Name, "as many different calls: " + list([&](size_t I) { return std::to_string(Of[I]); }));
  }

  void compareTexts() {
    for (const DifferentTexts &D : differentTexts(From))
      problem("a text of " + D.Function, list([&](size_t I) { return "\"" + D.Texts[I] + "\""; }) +
                                             " (the guess: what " + std::to_string(Counts.back()) + " ranks have)");
  }

  /// IsHasty: no further than to the first problem.
  std::vector<PlainList> build(Shape By, Extrapolated &Out, bool IsHasty) {
    compareTexts();
    RecordFit Fit(By, Counts, Ranks);
    for (size_t L = 0; L < Lists[0].size(); ++L)
      learn(Fit, L);
    std::vector<PlainList> Made;
    for (size_t L = 0; L < Lists[0].size() && !(IsHasty && !Problems.empty()); ++L) {
      std::vector<const PlainList *> Own;
      bool IsEqual = true;
      for (const auto &Of : Lists) {
        Own.push_back(&Of[L]);
        IsEqual &= Of[L].Records.size() == Lists[0][L].Records.size();
      }
      Made.push_back(*Own.back());
      if (IsEqual) {
        for (size_t R = 0; R < Made.back().Records.size() && !(IsHasty && !Problems.empty()); ++R)
          fit(Fit, Own, R, Made.back().Records[R], Out);
      } else if (auto Longer = longerList(Fit, Own)) {
        for (const PlainRecord &R : *Longer)
          Out.Fitted += static_cast<size_t>(
              std::ranges::count_if(R.Values, [](const PlainValue &V) { return V.K != PlainValue::Fixed; }));
        Made.back().Records = std::move(*Longer);
      } else {
        HasNoGuess = true;
        problem(Own[0]->Where, "parts: " + list([&](size_t I) {
                                 return I < Own.size() ? std::to_string(Own[I]->Records.size()) : std::string("?");
                               }));
        findNumbers();
      }
    }
    return Made;
  }

  /// Functions that explain one number are tried for all.
  void learn(RecordFit &Fit, size_t L) const {
    for (size_t R = 0; R < Lists[0][L].Records.size(); ++R) {
      std::vector<const PlainRecord *> Own;
      for (size_t T = 0; T < Lists.size() && R < Lists[T][L].Records.size(); ++T)
        Own.push_back(&Lists[T][L].Records[R]);
      if (Own.size() == Lists.size())
        Fit.learn(Own);
    }
  }

  void fit(RecordFit &Fit, const std::vector<const PlainList *> &Lists, size_t Record, PlainRecord &To,
           Extrapolated &Out) {
    std::vector<const PlainRecord *> Own;
    for (const PlainList *L : Lists)
      Own.push_back(&L->Records[Record]);
    RecordFit::Result Then = Fit.fit(Own);
    for (const RecordFit::Misfit &M : Then.Misfits)
      problem(placeOf(*Lists[0], *Own[0], M.Slot),
              M.Values.empty()
                  ? std::string(M.IsSet ? "for which ranks" : "how it follows from the rank") + " (the guess: what " +
                        std::to_string(Counts.back()) + " ranks have)"
                  : (M.IsValue ? "" : "its form has ") + list([&](size_t T) { return std::to_string(M.Values[T]); }) +
                        (M.IsAmbiguous ? "; several functions of the number of ranks fit" : "") + guessOf(M.Then));
    Out.Constant += Then.Constant;
    Out.Fitted += Then.Fitted;
    To = std::move(Then.Record);
  }

  /// The trace must be one: its calls are checked as those of a file are.
  std::expected<Extrapolated, std::vector<std::string>> finish(Extrapolated Out, const std::vector<PlainList> &Made,
                                                               std::map<std::string, std::string> Meta) {
    auto T = traceOf(Made, From.back());
    std::string Wrong = T ? "" : T.error();
    if (T && T->World != Ranks)
      Wrong = "it has " + std::to_string(T->World) + " ranks";
    if (Wrong.empty()) {
      std::string Of;
      for (int64_t Count : Counts)
        Of += (Of.empty() ? "" : ", ") + std::to_string(Count);
      T->Meta = std::move(Meta);
      T->Meta["extrapolated"] = "from " + Of + " ranks";
      if (!Out.Guesses.empty())
        T->Meta["extrapolated"] += ", with " + counted(Out.Guesses.size(), "guess");
      Out.File = writeTrace(*T);
      auto Again = Trace::fromBytes(Out.File);
      Wrong = Again ? findInconsistency(*Again) : Again.error().What;
      if (Wrong.empty() && Again)
        Wrong = findBadObject(*Again);
      if (Wrong.empty())
        Wrong = findBadRank(*T);
      if (Wrong.empty() && std::ranges::all_of(From, [](const TraceData &X) { return findBadDims(X).empty(); }))
        Wrong = findBadDims(*T);
      if (Wrong.empty() && Again && IsMatched && Out.Guesses.empty())
        Wrong = findUnmatched(Walk(*Again));
    }
    if (!Wrong.empty())
      return std::unexpected(
          std::vector<std::string>{std::string("the trace as a whole: ") +
                                   (Out.Guesses.empty() ? "each number fits, but " : "with the guesses, ") + Wrong});
    return Out;
  }

  std::vector<TraceData> From;
  std::vector<std::vector<PlainList>> Lists; ///< by trace
  std::vector<int64_t> Counts;
  bool IsMatched;
  uint32_t Ranks;
  bool Force, AreAlike = false, HasNoGuess = false, Ambiguous = false;
  std::vector<std::string> Problems;
};
} // namespace

std::expected<Extrapolated, std::vector<std::string>> extrapolate(std::vector<Trace> From, uint32_t Ranks, bool Force) {
  std::ranges::sort(From, {}, &Trace::world);
  for (const Trace &T : From)
    if (auto It = T.meta().find("extrapolated"); !Force && It != T.meta().end() && It->second.contains("guess"))
      return std::unexpected(std::vector<std::string>{"the trace of " + counted(T.world(), "rank") +
                                                      " was extrapolated " + It->second +
                                                      ", which --force takes for what they are"});
  std::map<std::string, std::string> Meta;
  for (const char *Key : {"program", "tracer", "mode", "mpi", "options"})
    if (auto It = From.back().meta().find(Key); It != From.back().meta().end())
      Meta[Key] = It->second;
  Meta["timing"] = "off";
  std::vector<TraceData> All;
  std::vector<std::vector<PlainList>> Lists;
  bool IsMatched = true;
  for (Trace &T : From) {
    IsMatched = IsMatched && findUnmatched(Walk(T)).empty();
    auto Own = plainLists(All.emplace_back(withoutTimes(std::move(T).take())));
    if (!Own)
      return std::unexpected(std::vector<std::string>{"the trace of " + std::to_string(All.back().World) +
                                                      " ranks has calls that do not repeat, which follow no rule"});
    Lists.push_back(std::move(*Own));
  }
  auto Result = Extrapolator(All, Lists, IsMatched, Ranks, false).run(Meta);
  if (Result)
    return Result;
  // Sequences of several ranks may be one in some traces, and not in others, for which that would have been longer.
  std::vector<TraceData> Joined = All;
  std::vector<std::vector<PlainList>> JoinedLists;
  bool AreOther = false;
  for (TraceData &T : Joined) {
    AreOther |= joinSequences(T);
    if (auto Own = plainLists(T))
      JoinedLists.push_back(std::move(*Own));
  }
  if (AreOther && JoinedLists.size() == Joined.size()) {
    Extrapolator Again(std::move(Joined), std::move(JoinedLists), IsMatched, Ranks, false);
    if (auto Other = Again.run(Meta); Other || Again.areAlike())
      Result = std::move(Other);
    if (Result)
      return Result;
  }
  return Force ? Extrapolator(std::move(All), std::move(Lists), IsMatched, Ranks, true).run(std::move(Meta)) : Result;
}

} // namespace pilgrim
