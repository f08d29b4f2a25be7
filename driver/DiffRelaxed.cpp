//===- DiffRelaxed.cpp - differences that are not of order ----------------===//
#include "driver/DiffRelaxed.h"
#include "driver/CallText.h"
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/Output.h"
#include "trace/base/Counted.h"
#include "trace/model/Relations.h"
#include "trace/read/RequestSlots.h"
#include "trace/read/Untraced.h"

#include <algorithm>
#include <fmt/format.h>

namespace pilgrim {

namespace {
/// What a function does, as far as the order of calls may change it.
struct Waiting {
  bool Waits = false; ///< completes requests, or asks whether there is a message, or one thing is complete
  uint32_t Request = 0, Flag = 0;
  std::optional<RequestSlots> Some;
  uint32_t Made = 0, Source = 0, Tag = 0; ///< a request that is made, and of what message
};

/// The calls of one thread of a trace, as numbers of equal ones.
class CallCounts {
public:
  explicit CallCounts(const Trace &T) : Values(T, ValueText::Form::Text), Lines(T, ValueText::Form::Text) {}

  struct Equal {
    uint64_t Times = 0;
    std::string Text; ///< of one of them
  };
  /// By everything that is compared.
  std::map<std::string, Equal> Calls;
  uint64_t Completed = 0; ///< requests
  uint64_t NotCompared = 0;

  /// Error: what is wrong with the trace.
  std::string read(const std::shared_ptr<const RankView> &View) {
    Calls.clear();
    Completed = 0;
    IsGiven.clear();
    std::vector<Equal *> Known(View->signatures().size());
    DiffCalls In(View);
    for (Call C; In.next(C);) {
      const Waiting &W = waitingOf(*C.Function);
      noteReceive(C, W);
      // The same signature is the same call where it says all.
      Equal *Same = Known[C.Terminal];
      if (Same) {
        ++Same->Times;
        continue;
      }
      if (!isProbe(W))
        addMatches(C, W);
      if (W.Waits) {
        ++NotCompared;
        Completed += completed(C, W);
        continue;
      }
      Equal &E = Calls[keyOf(C)];
      if (!E.Times++)
        E.Text = isCall(*C.Function) ? Lines.callOnly(C) : "(block freed)";
      if (View->signatures()[C.Terminal].isConstant() && !hasStatus(C))
        Known[C.Terminal] = &E;
    }
    return In.error();
  }

private:
  static bool isProbe(const Waiting &W) { return W.Waits && !W.Request; }

  const Waiting &waitingOf(const FunctionSchema &F) {
    auto [It, New] = Functions.try_emplace(F.Id);
    if (!New)
      return It->second;
    Waiting &W = It->second;
    const Relations R(F);
    bool AsksForMessage = false, HasOne = false, GivesMore = false;
    for (uint32_t I = 1; I < F.Slots.size(); ++I) {
      const ParamSchema &P = F.Slots[I];
      if (R.use(I) == Relation::Completes)
        W.Request = I;
      if (P.K == Kind::Request && P.IsOutput && !W.Request)
        W.Made = I;
      if (!P.IsOutput && (P.Name == "source" || P.Name == "tag" || P.Name == "recvtag"))
        (P.K == Kind::Rank ? W.Source : W.Tag) = I;
      if (P.K == Kind::Flag && P.IsOutput)
        W.Flag = I;
      else
        GivesMore |= P.IsOutput;
      HasOne |= P.K == Kind::Request || P.K == Kind::Win;
      AsksForMessage |= P.K == Kind::Status && P.IsOutput && !P.IsHidden;
    }
    W.Waits = W.Request || (AsksForMessage && R.buffers().empty()) || (W.Flag && HasOne && !GivesMore);
    if (W.Request)
      W.Some = RequestSlots::of(F);
    return W;
  }

  static uint64_t completed(const Call &C, const Waiting &W) {
    uint64_t Out = 0;
    if (W.Some) {
      W.Some->forEachComplete([&](uint32_t Slot) { return C.Slots[Slot].Words; },
                              [&](int64_t Place) { Out += Place >= 0; });
      return Out;
    }
    if (!W.Request || C.result() || (W.Flag && C.Slots[W.Flag].T == Tag::Word && !C.Slots[W.Flag].Words[0]))
      return 0;
    for (int64_t Word : C.Slots[W.Request].Words)
      Out += Word >= 0;
    return Out;
  }

  static bool hasStatus(const Call &C) {
    return std::ranges::any_of(C.Slots, [](const Value &V) { return V.T == Tag::Status || V.T == Tag::Statuses; });
  }

  /// Whether a request that the call makes stands for a receive of one source and tag.
  void noteReceive(const Call &C, const Waiting &W) {
    if (!W.Made || C.result())
      return;
    const auto Is = [&](uint32_t Slot) { return C.Slots[Slot].T == Tag::Word && C.Slots[Slot].Words[0] >= 0; };
    if (C.Slots[W.Made].T == Tag::Word)
      IsGiven[C.Slots[W.Made].Words[0]] = W.Source && W.Tag && Is(W.Source) && Is(W.Tag);
  }

  /// The requests that a call completed, in the order of its statuses.
  static std::vector<int64_t> completedRequests(const Call &C, const Waiting &W) {
    const auto Words = [&](uint32_t Slot) { return C.Slots[Slot].Words; };
    const std::span<const int64_t> All = Words(W.Request);
    if (!W.Some)
      return {All.begin(), All.end()};
    std::vector<int64_t> Out;
    W.Some->forEachComplete(Words, [&](int64_t Place) {
      Out.push_back(Place >= 0 && static_cast<size_t>(Place) < All.size() ? All[static_cast<size_t>(Place)] : -1);
    });
    return Out;
  }

  /// The messages that the call received. Those whose source and tag a nonblocking receive gave are left out: a test
  /// that finds one may ask for its status, where a wait in another run does not.
  void addMatches(const Call &C, const Waiting &W) {
    const std::vector<int64_t> Requests = W.Request ? completedRequests(C, W) : std::vector<int64_t>();
    const auto IsSaid = [&](size_t Status) {
      const auto At = Status < Requests.size() ? IsGiven.find(Requests[Status]) : IsGiven.end();
      return At != IsGiven.end() && At->second;
    };
    for (uint32_t I = 1; I < C.Slots.size(); ++I) {
      const Value &V = C.Slots[I];
      if ((V.T != Tag::Status && V.T != Tag::Statuses) || !C.Function->Slots[I].IsOutput)
        continue;
      for (size_t At = 0; At + StatusWords <= V.Words.size(); At += StatusWords) {
        if (V.Words[At] == NoStatus || IsSaid(At / StatusWords))
          continue;
        std::string Text = "message ";
        Values.appendStatus(Text, V.Words.subspan(At, StatusWords), true);
        Equal &E = Calls[Text];
        if (!E.Times++)
          E.Text = Text;
      }
    }
  }

  /// What two calls have to agree in.
  std::string keyOf(const Call &C) {
    std::string Out = C.Function->Name + " " + std::to_string(C.Depth);
    if (isUntraced(*C.Function))
      return Out + " " + std::to_string(untracedCalls(C));
    for (uint32_t I = 0; I < C.Slots.size() && I < C.Function->Slots.size(); ++I) {
      const ParamSchema &P = C.Function->Slots[I];
      const Value &V = C.Slots[I];
      if (P.IsMachine || P.IsHidden || (P.K == Kind::Status && P.IsOutput))
        continue;
      Out += '\n';
      append(Out, P, V, *C.View);
    }
    return Out;
  }

  void append(std::string &Out, const ParamSchema &P, const Value &V, const RankView &View) {
    if (CallCompare::isOwnFunction(P, V)) {
      Out += "memory"; // only where a program exports them do functions have their names
      return;
    }
    switch (V.T) {
    case Tag::Word:
    case Tag::Array:
      for (int64_t W : V.Words)
        appendWord(Out, P, W);
      return;
    case Tag::Object:
      return appendObject(Out, View.object(V));
    case Tag::Objects:
      for (size_t I = 0; I < V.Refs.size(); ++I)
        appendObject(Out, View.object(V, I));
      return;
    case Tag::Heap:
    case Tag::Map:
      if (V.T == Tag::Map && V.Words[0] == MainStackRegion) {
        Out += "memory";
        return;
      }
      Out += V.T == Tag::Heap ? "heap+" : "map+";
      return appendNumber(Out, V.Words[1]);
    case Tag::Stack:
    case Tag::Data:
    case Tag::Raw:
      Out += "memory"; // where it lies is the compiler's business
      return;
    default:
      return Values.append(Out, P, V, View);
    }
  }

  void appendWord(std::string &Out, const ParamSchema &P, int64_t W) {
    constexpr int64_t FirstAddress = int64_t(1) << 40;
    if (CallCompare::areSymbols(P.K, W, W))
      Out += "object";
    else if ((P.K == Kind::Displacement || P.K == Kind::Address) && W >= FirstAddress)
      Out += "address";
    else
      Values.appendWord(Out, P, W);
    Out += ' ';
  }

  static void appendObject(std::string &Out, const ObjectInfo &O) {
    Out += O.Name.empty()
               ? fmt::format("{} {} {} {} {} ", static_cast<int>(O.K), O.Size, O.Rank, O.RemoteSize, O.Leader)
               : O.Name + " ";
  }

  ValueText Values;
  CallText Lines;
  std::map<uint32_t, Waiting> Functions;
  std::map<int64_t, bool> IsGiven; ///< by request
};

class RelaxedDiff {
public:
  RelaxedDiff(const DiffInput &A, const DiffInput &B) : A(A), B(B), CountsA(A.T), CountsB(B.T) {}

  int run() {
    RankSet All = A.T.ranks();
    All.unite(B.T.ranks());
    bool IsRead = true;
    All.forEach([&](uint32_t Rank) { IsRead = IsRead && rank(Rank); });
    if (!IsRead)
      return 2;
    std::vector<std::pair<const std::string, RankSet> *> Lines;
    for (auto &Line : Found)
      Lines.push_back(&Line);
    std::ranges::stable_sort(Lines, {}, [](const auto *L) { return L->second.first(); });
    for (const auto *L : Lines) {
      Out.Text += numbered("rank", L->second, SIZE_MAX) + L->first + "\n";
      Out.drain();
    }
    Out.Text +=
        fmt::format("not compared: the order of calls, which of several objects and blocks a call uses, and the "
                    "calls that wait, test or probe: {}, {} in {}\n",
                    CountsB.NotCompared, CountsA.NotCompared, A.File);
    return !Out.finish() ? 2 : Found.empty() ? 0 : 1;
  }

private:
  /// False: an error was printed.
  bool rank(uint32_t Rank) {
    const std::vector<uint32_t> ThreadsA = A.T.threads(Rank), ThreadsB = B.T.threads(Rank);
    std::vector<uint32_t> All;
    std::set_union(ThreadsA.begin(), ThreadsA.end(), ThreadsB.begin(), ThreadsB.end(), std::back_inserter(All));
    for (uint32_t Thread : All) {
      const std::string Of = Thread ? fmt::format(" thread {}: ", Thread) : ": ";
      auto ViewA = A.T.view(Rank, Thread), ViewB = B.T.view(Rank, Thread);
      if (!ViewA || !ViewB) {
        add(Rank, Of + "only in " + (ViewA ? A.File : B.File));
        continue;
      }
      if (const std::string Why = CountsA.read(ViewA); !Why.empty())
        return fail(A.File, Why), false;
      if (const std::string Why = CountsB.read(ViewB); !Why.empty())
        return fail(B.File, Why), false;
      if (const std::string What = compare(); !What.empty())
        add(Rank, Of + What);
    }
    return true;
  }

  void add(uint32_t Rank, const std::string &What) { Found[What].unite(RankSet(Rank)); }

  /// The first difference; empty: there is none.
  std::string compare() const {
    auto InA = CountsA.Calls.begin(), InB = CountsB.Calls.begin();
    while (InA != CountsA.Calls.end() || InB != CountsB.Calls.end()) {
      const bool HasA = InA != CountsA.Calls.end() && (InB == CountsB.Calls.end() || InA->first <= InB->first);
      const bool HasB = InB != CountsB.Calls.end() && (InA == CountsA.Calls.end() || InB->first <= InA->first);
      const uint64_t TimesA = HasA ? InA->second.Times : 0, TimesB = HasB ? InB->second.Times : 0;
      if (TimesA != TimesB)
        return fmt::format("{}: {}, not {}", (HasA ? InA : InB)->second.Text, counted(TimesB, "time"), TimesA);
      ++InA;
      ++InB;
    }
    if (CountsA.Completed != CountsB.Completed)
      return fmt::format("completes {}, not {}", counted(CountsB.Completed, "request"), CountsA.Completed);
    return "";
  }

  const DiffInput &A, &B;
  CallCounts CountsA, CountsB;
  Output Out;
  std::map<std::string, RankSet> Found; ///< by the difference
};
} // namespace

int diffRelaxed(const DiffInput &A, const DiffInput &B) { return RelaxedDiff(A, B).run(); }

} // namespace pilgrim
