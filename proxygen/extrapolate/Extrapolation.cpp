//===- Extrapolation.cpp - a trace at another number of ranks -------------===//
#include "proxygen/extrapolate/Extrapolation.h"
#include "trace/file/Format.h"
#include "trace/read/Soundness.h"
#include "trace/read/Walk.h"

#include <algorithm>
#include <set>

namespace pilgrim {

namespace {
/// Lines of what does not fit.
constexpr size_t MostLines = 20;

/// The trace without times, and without what belongs to one run.
TraceData plain(Trace From) {
  TraceData T = std::move(From).take();
  for (Group &G : T.Groups) {
    G.Timed = false;
    G.Times.clear();
    for (Entry &E : G.table(TableId::Signatures))
      for (Variant &V : E)
        V.Measure = NoMeasure;
    for (NodeData &N : G.Nodes) {
      N.Times = {};
      for (auto &[Id, E] : N.Events) {
        E.Measures.clear();
        E.Places.clear();
      }
    }
  }
  T.Meta = {};
  return T;
}

struct Sections {
  SectionBytes Bytes;
  SectionTokens Tokens;
  TraceData T;
  const std::vector<uint8_t> &bytes(size_t I) const {
    const std::vector<uint8_t> *const All[] = {&Bytes.Meta, &Bytes.Schema, &Bytes.Tables, &Bytes.Calls};
    return *All[I];
  }
  const std::vector<ByteToken> &tokens(size_t I) const {
    const std::vector<ByteToken> *const All[] = {&Tokens.Meta, &Tokens.Schema, &Tokens.Tables, &Tokens.Calls};
    return *All[I];
  }
};
constexpr size_t NumSections = 4;
const char *const SectionNames[] = {"meta", "schema", "tables", "calls"};

class Extrapolator {
public:
  Extrapolator(std::vector<Sections> From, uint32_t Ranks, bool Force)
      : From(std::move(From)), Ranks(Ranks), Force(Force) {
    for (const Sections &S : this->From)
      Counts.push_back(S.T.World);
  }

  std::expected<Extrapolated, std::vector<std::string>> run(std::map<std::string, std::string> Meta) {
    if (!isAlike())
      return std::unexpected(Problems);
    // The simplest shape that explains everything. With four traces or more, the last one is held out first: a model
    // must foresee it.
    std::vector<std::string> Least;
    for (Shape By : {Shape::Line, Shape::Square, Shape::Cube}) {
      // The sides of a cubic grid explain almost any three numbers: that takes a trace that confirms it.
      if (By == Shape::Cube && Counts.size() < 4)
        continue;
      Problems.clear();
      if (Counts.size() > 3)
        holdOut(By);
      std::vector<uint8_t> Bytes[NumSections];
      Extrapolated Out;
      Out.By = By;
      if (Problems.empty())
        build(NumberFit(By, Counts, Ranks), Out, Bytes);
      if (Problems.empty())
        return finish(std::move(Out), Bytes, std::move(Meta));
      if (Least.empty() || Problems.size() < Least.size())
        Least = Problems;
    }
    if (!Force) {
      if (Counts.size() < 4)
        Least.push_back("(with a fourth trace, ranks in a cubic grid are tried, too)");
      return std::unexpected(Least);
    }
    std::vector<uint8_t> Bytes[NumSections];
    Extrapolated Out;
    Problems.clear();
    Out.By = Shape::Square;
    build(NumberFit(Shape::Square, Counts, Ranks), Out, Bytes);
    Out.Guesses = Problems;
    return finish(std::move(Out), Bytes, std::move(Meta));
  }

private:
  /// Where a value of a section stands, for a user.
  std::string placeOf(size_t Section, size_t Token) const {
    const TraceData &T = From[0].T;
    const std::vector<ByteToken> &All = From[0].tokens(Section);
    for (size_t I = Token + 1; I-- > 0;) {
      if (All[I].K != ByteToken::Place)
        continue;
      if (!(All[I].Value & ByteToken::IsEvent)) {
        auto F = T.Functions.find(static_cast<uint32_t>(All[I].Value));
        return F == T.Functions.end() ? "" : "a parameter of " + F->second.Name;
      }
      const Group &G = T.Groups[std::min<size_t>(All[I].Value >> 48 & 0x7fff, T.Groups.size() - 1)];
      const NodeData &N = G.Nodes[std::min<size_t>(All[I].Value >> 24 & 0xffffff, G.Nodes.size() - 1)];
      const auto Event = static_cast<uint32_t>(All[I].Value & 0xffffff);
      if (&N == &G.Nodes[0])
        return "the order of calls";
      const Region &R = T.Regions[N.Region];
      const uint32_t Line = Event && Event <= R.Events.size() ? R.Events[Event - 1].Line : R.Line;
      return R.Name + ", " + R.File + ":" + std::to_string(Line);
    }
    return std::string("section ") + SectionNames[Section];
  }

  void problem(const std::string &Where, const std::string &What) {
    const std::string Line = Where + ": " + What;
    if (std::ranges::find(Problems, Line) == Problems.end())
      Problems.push_back(Line);
  }

  std::string list(const std::function<std::string(size_t)> &Of) const {
    std::string Out;
    for (size_t I = 0; I < From.size(); ++I)
      Out += (I ? ", " : "") + Of(I) + " on " + std::to_string(Counts[I]);
    return Out + " ranks";
  }

  /// Whether the traces say the same but for numbers.
  bool isAlike() {
    for (size_t S = 0; S < NumSections; ++S) {
      const auto &First = From[0].tokens(S);
      size_t At = SIZE_MAX;
      for (const Sections &X : From) {
        const auto &Own = X.tokens(S);
        size_t I = 0;
        while (I < std::min(First.size(), Own.size()) && isSame(S, X, I))
          ++I;
        if (I < First.size() || I < Own.size())
          At = std::min(At, I);
      }
      if (At == SIZE_MAX)
        continue;
      // What there is more or less of, as far as it has a name.
      findNumbers();
      problem(placeOf(S, std::min(At, First.size() - 1)), "the traces differ in more than numbers from here on");
    }
    return Problems.empty();
  }

  bool isSame(size_t S, const Sections &X, size_t I) const {
    const ByteToken &A = From[0].tokens(S)[I], &B = X.tokens(S)[I];
    if (A.K != B.K)
      return false;
    if (A.K == ByteToken::Place || A.K == ByteToken::Byte)
      return A.Value == B.Value;
    if (A.K == ByteToken::Raw)
      return std::ranges::equal(std::span(From[0].bytes(S)).subspan(A.At, A.Size),
                                std::span(X.bytes(S)).subspan(B.At, B.Size));
    return true;
  }

  /// Names functions whose calls take more or fewer forms on more ranks.
  void findNumbers() {
    std::map<std::string, std::vector<size_t>> Forms;
    for (size_t I = 0; I < From.size(); ++I)
      for (const Group &G : From[I].T.Groups)
        for (const Entry &E : G.table(TableId::Signatures)) {
          auto F = From[I].T.Functions.find(E[0].Tokens[0]);
          if (F == From[I].T.Functions.end())
            continue;
          auto &Of = Forms[F->second.Name];
          Of.resize(From.size());
          ++Of[I];
        }
    for (const auto &[Name, Of] : Forms)
      if (std::ranges::adjacent_find(Of, std::not_equal_to<>()) != Of.end())
        problem(Name, "as many different calls: " + list([&](size_t I) { return std::to_string(Of[I]); }));
  }

  /// Fits all but the last trace, and compares.
  void holdOut(Shape By) {
    const std::span<const int64_t> Fewer = std::span(Counts).first(Counts.size() - 1);
    const NumberFit Fit(By, Fewer, Counts.back());
    for (size_t S = 0; S < NumSections; ++S)
      for (size_t I = 0; I < From[0].tokens(S).size() && Problems.size() < MostLines; ++I) {
        const std::vector<int64_t> Values = valuesAt(S, I);
        if (Values.empty())
          continue;
        const auto V = Fit.at(std::span(Values).first(Fewer.size()));
        if (V != Values.back())
          problem(placeOf(S, I), list([&](size_t N) { return std::to_string(Values[N]); }) +
                                     (V ? "; " + std::to_string(*V) + " was foreseen for the last" : ""));
      }
  }

  /// The numbers of all traces in one place; none if that is no number.
  std::vector<int64_t> valuesAt(size_t S, size_t I) const {
    const ByteToken::Kind K = From[0].tokens(S)[I].K;
    std::vector<int64_t> Out;
    if (K == ByteToken::Varint || K == ByteToken::Signed)
      for (const Sections &X : From)
        Out.push_back(X.tokens(S)[I].number());
    return Out;
  }

  void build(const NumberFit &Fit, Extrapolated &Out, std::vector<uint8_t> (&Bytes)[NumSections]) {
    std::map<std::vector<int64_t>, std::optional<int64_t>> Known; // the same numbers stand in many places
    for (size_t S = 0; S < NumSections; ++S) {
      ByteWriter W;
      for (size_t I = 0; I < From[0].tokens(S).size(); ++I) {
        const ByteToken &A = From[0].tokens(S)[I];
        if (A.K == ByteToken::Place)
          continue;
        if (A.K == ByteToken::Byte || A.K == ByteToken::Raw) {
          W.bytes(std::span(From[0].bytes(S)).subspan(A.At, A.Size));
          continue;
        }
        const std::vector<int64_t> Values = valuesAt(S, I);
        const auto [It, IsNew] = Known.try_emplace(Values);
        if (IsNew)
          It->second = Fit.at(Values);
        std::optional<int64_t> V = It->second;
        if (!V || (A.K == ByteToken::Varint && *V < 0)) {
          if (Problems.size() < MostLines)
            problem(placeOf(S, I), list([&](size_t N) { return std::to_string(Values[N]); }));
          V = Values.back();
        }
        ++(std::ranges::adjacent_find(Values, std::not_equal_to<>()) == Values.end() ? Out.Constant : Out.Fitted);
        if (A.K == ByteToken::Signed)
          W.svarint(*V);
        else
          W.varint(static_cast<uint64_t>(*V));
      }
      Bytes[S] = std::move(W.Data);
    }
  }

  /// The trace must be one: its calls are checked as those of a file are.
  std::expected<Extrapolated, std::vector<std::string>>
  finish(Extrapolated Out, std::vector<uint8_t> (&Bytes)[NumSections], std::map<std::string, std::string> Meta) {
    SectionBytes S;
    S.Meta = std::move(Bytes[0]);
    S.Schema = std::move(Bytes[1]);
    S.Tables = std::move(Bytes[2]);
    S.Calls = std::move(Bytes[3]);
    auto T = decodeSections(std::move(S));
    std::string Wrong = T ? "" : T.error().What;
    if (T && T->World != Ranks)
      Wrong = "it has " + std::to_string(T->World) + " ranks";
    if (Wrong.empty()) {
      std::string Of;
      for (int64_t Count : Counts)
        Of += (Of.empty() ? "" : ", ") + std::to_string(Count);
      T->Meta = std::move(Meta);
      T->Meta["extrapolated"] = "from " + Of + " ranks";
      if (!Out.Guesses.empty())
        T->Meta["extrapolated"] += ", with " + std::to_string(Out.Guesses.size()) + " guesses";
      Out.File = writeTrace(*T);
      auto Again = Trace::fromBytes(Out.File);
      Wrong = Again ? findInconsistency(*Again) : Again.error().What;
      if (Wrong.empty() && Again)
        Wrong = findBadObject(*Again);
    }
    if (!Wrong.empty())
      return std::unexpected(std::vector<std::string>{"each number fits, but what they make is no trace: " + Wrong});
    return Out;
  }

  std::vector<Sections> From;
  std::vector<int64_t> Counts;
  uint32_t Ranks;
  bool Force;
  std::vector<std::string> Problems;
};
} // namespace

std::expected<Extrapolated, std::vector<std::string>> extrapolate(std::vector<Trace> From, uint32_t Ranks, bool Force) {
  std::ranges::sort(From, {}, &Trace::world);
  std::map<std::string, std::string> Meta;
  for (const char *Key : {"program", "tracer", "mode", "mpi", "options"})
    if (auto It = From.back().meta().find(Key); It != From.back().meta().end())
      Meta[Key] = It->second;
  Meta["timing"] = "off";
  std::vector<Sections> All;
  for (Trace &T : From) {
    Sections &S = All.emplace_back();
    S.Bytes = encodeSections(plain(std::move(T)));
    SectionBytes Copy = S.Bytes;
    Copy.Tokens = &S.Tokens;
    if (S.Bytes.Chunks)
      return std::unexpected(std::vector<std::string>{"the trace of " + std::to_string(From.size()) +
                                                      " has calls that do not repeat, which follow no rule"});
    auto Read = decodeSections(std::move(Copy));
    if (!Read)
      return std::unexpected(std::vector<std::string>{Read.error().What});
    S.T = std::move(*Read);
  }
  return Extrapolator(std::move(All), Ranks, Force).run(std::move(Meta));
}

} // namespace pilgrim
