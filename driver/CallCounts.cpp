//===- CallCounts.cpp - how often a thread makes each call -----------------===//
#include "driver/CallCounts.h"
#include "trace/model/Relations.h"
#include "trace/read/Untraced.h"

#include <algorithm>
#include <fmt/format.h>

namespace pilgrim {

const CallCounts::Waiting &CallCounts::waitingOf(const FunctionSchema &F) {
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
    W.IsMaker |= R.use(I) == Relation::Makes && P.K != Kind::Request && P.K != Kind::Message;
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

uint64_t CallCounts::completed(const Call &C, const Waiting &W) {
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

/// Whether a request that the call makes stands for a receive of one source and tag.
void CallCounts::noteReceive(const Call &C, const Waiting &W) {
  if (!W.Made || C.result())
    return;
  const auto Is = [&](uint32_t Slot) { return C.Slots[Slot].T == Tag::Word && C.Slots[Slot].Words[0] >= 0; };
  if (C.Slots[W.Made].T == Tag::Word)
    IsGiven[C.Slots[W.Made].Words[0]] = W.Source && W.Tag && Is(W.Source) && Is(W.Tag);
}

/// The requests that a call completed, in the order of its statuses.
std::vector<int64_t> CallCounts::completedRequests(const Call &C, const Waiting &W) {
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
void CallCounts::addMatches(const Call &C, const Waiting &W, uint64_t Number) {
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
      if (!E.Times++) {
        E.First = Number;
        E.Text = Text;
      }
    }
  }
}

/// As far as it is compared.
static void appendObject(std::string &Out, const ObjectInfo &O) {
  if (!O.Name.empty()) {
    Out += O.Name + ' ';
    return;
  }
  Out += fmt::format("size {}", O.Size);
  if (O.K != Kind::Datatype)
    Out += fmt::format(", rank {}", O.Rank);
  if (O.K == Kind::Comm)
    Out += fmt::format(", smallest rank {}", O.Leader);
  if (O.RemoteSize >= 0)
    Out += fmt::format(", remote size {}", O.RemoteSize);
  Out += ' ';
}

/// What two calls have to agree in.
std::string CallCounts::keyOf(const Call &C) {
  std::string Out = C.Function->Name + " " + std::to_string(C.Depth);
  if (isUntraced(*C.Function))
    return Out + " " + std::to_string(untracedCalls(C));
  for (uint32_t I = 0; I < C.Slots.size() && I < C.Function->Slots.size(); ++I) {
    const ParamSchema &P = C.Function->Slots[I];
    const Value &V = C.Slots[I];
    if (P.IsMachine || P.IsHidden || (P.K == Kind::Status && P.IsOutput))
      continue;
    Out += I == 0 ? "\nreturn code=" : "\n" + P.Name + "=";
    append(Out, P, V, *C.View);
  }
  return Out;
}

void CallCounts::append(std::string &Out, const ParamSchema &P, const Value &V, const RankView &View) {
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

void CallCounts::appendWord(std::string &Out, const ParamSchema &P, int64_t W) {
  constexpr int64_t FirstAddress = int64_t(1) << 40;
  if (CallCompare::areSymbols(P.K, W, W))
    Out += "object";
  else if ((P.K == Kind::Displacement || P.K == Kind::Address) && W >= FirstAddress)
    Out += "address";
  else
    Values.appendWord(Out, P, W);
  Out += ' ';
}

static bool hasStatus(const Call &C) {
  return std::ranges::any_of(C.Slots, [](const Value &V) { return V.T == Tag::Status || V.T == Tag::Statuses; });
}

std::string CallCounts::read(const std::shared_ptr<const RankView> &View) {
  Calls.clear();
  Completed = 0;
  IsGiven.clear();
  std::vector<Equal *> Known(View->signatures().size());
  DiffCalls In(View);
  uint64_t Number = 0;
  for (Call C; In.next(C); ++Number) {
    const Waiting &W = waitingOf(*C.Function);
    noteReceive(C, W);
    // The same signature is the same call where it says all.
    Equal *Same = Known[C.Terminal];
    if (Same) {
      ++Same->Times;
      continue;
    }
    if (!isProbe(W))
      addMatches(C, W, Number);
    if (W.Waits) {
      ++NotCompared;
      Completed += completed(C, W);
      continue;
    }
    Equal &E = Calls[keyOf(C)];
    if (!E.Times++) {
      E.First = Number;
      E.IsMaker = W.IsMaker;
      E.Text = isCall(*C.Function) ? Lines.callOnly(C) : "(block freed)";
      E.Site = Lines.siteOnly(C);
    }
    if (View->signatures()[C.Terminal].isConstant() && !hasStatus(C))
      Known[C.Terminal] = &E;
  }
  return In.error();
}

} // namespace pilgrim
