//===- Replayable.cpp - whether a trace's calls can be made again ---------===//
#include "proxygen/Replayable.h"
#include "proxygen/CallTable.h"
#include "trace/base/Counted.h"
#include "trace/model/RequestName.h"
#include "trace/model/Signature.h"
#include "trace/read/Soundness.h"
#include "trace/read/Untraced.h"

#include <algorithm>
#include <string_view>

namespace pilgrim {

/// Functions whose partners are processes outside the trace.
static bool needsOtherProcesses(std::string_view Function) {
  constexpr std::string_view Names[] = {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple", "MPI_Comm_accept",
                                        "MPI_Comm_connect", "MPI_Comm_join"};
  return std::find(std::begin(Names), std::end(Names), Function) != std::end(Names);
}

/// Whether a call did not return, but for those that end a run: it has no parameters, not even what it returned.
static bool wasLeft(const Variant &V) {
  constexpr size_t Head = 3; // function, site, depth
  return V.Tokens.size() > Head + 1 &&
         std::all_of(V.Tokens.begin() + Head, V.Tokens.end(), [](uint32_t T) { return T == uint32_t(Tag::Absent); });
}

/// A function of which a call was left; null: there is none.
static const FunctionSchema *findLeft(const Trace &T) {
  for (const Group &G : T.data().Groups)
    for (const Entry &E : G.table(TableId::Signatures))
      for (const Variant &V : E)
        if (const auto F = T.functions().find(V.Tokens[0]); F != T.functions().end() && isCall(F->second) && wasLeft(V))
          return &F->second;
  return nullptr;
}

/// A function that was called with a handle that was none, or of an object that no recorded call has made; null: there
/// is none. Where a handle means nothing to the call, a trace has none.
static const FunctionSchema *findUnknownHandle(const Trace &T) {
  for (const Group &G : T.data().Groups) {
    auto IsUnknown = [&](uint32_t Ref) {
      return std::ranges::any_of(G.table(TableId::Objects)[Ref], [&](const Variant &O) {
        return O.Tokens[1] && G.string(O.Tokens[1] - 1) == "invalid";
      });
    };
    for (const Entry &E : G.table(TableId::Signatures))
      for (const Variant &V : E) {
        const auto F = T.functions().find(V.Tokens[0]);
        if (F == T.functions().end() || !isCall(F->second))
          continue;
        SlotWalker Walk(V.Tokens);
        SlotView At;
        for (uint32_t Slot = 0; Walk.next(At); ++Slot) {
          const Tag Is = At.T == Tag::Stream ? At.Inner : At.T;
          const Kind K = Slot < F->second.Slots.size() ? F->second.Slots[Slot].K : Kind::Int;
          if (Is == Tag::Raw && isHandle(K))
            return &F->second;
          for (size_t I = 0; K == Kind::Request && I < At.Words; ++I)
            if (const RankFn &Name = V.Words[At.FirstWord + I]; Name.isConst() && Name.single().C == UnknownRequestName)
              return &F->second;
          const size_t Refs = Is == Tag::Object ? 1 : Is == Tag::Objects ? At.Length : 0;
          for (size_t I = 0; I < Refs; ++I)
            if (IsUnknown(V.Tokens[At.RefToken + I]))
              return &F->second;
        }
      }
  }
  return nullptr;
}

std::string whyNotReplayable(const Trace &T) {
  const uint64_t Ranks = T.ranks().size();
  if (Ranks != T.world())
    return "incomplete: it has " + std::to_string(Ranks) + " of " + counted(T.world(), "rank");
  if (const uint64_t Calls = untracedCalls(T))
    return counted(Calls, "call") + (Calls == 1 ? " was" : " were") + " not traced; the effects are not known";
  if (auto It = T.meta().find("options");
      It != T.meta().end() && (":" + It->second + ":").find(":buffers=off:") != std::string::npos)
    return "taken with --buffers off: it does not say where buffers lie";
  if (const FunctionSchema *Left = findLeft(T))
    return "a call of " + Left->Name +
           " did not return (a jump left it, or the run ended in it): its parameters are not known";
  if (const FunctionSchema *Unknown = findUnknownHandle(T))
    return Unknown->Name + " was given a handle that is none, or of an object that no recorded call made";
  // Each thread waits for its turn.
  if (auto Problem = findBadTurnsInChunks(T); !Problem.empty())
    return Problem;
  const bool HasThreads = Walk(T).threads().size() > 1;
  for (const auto &[Id, F] : T.functions()) {
    if (!isCall(F))
      continue;
    if (needsOtherProcesses(F.Name))
      return F.Name + " has a partner outside the trace";
    // What its callbacks do in a thread that waits stands in the trace before the call of another thread that let it go
    // on.
    if (HasThreads && F.Name == "MPI_Grequest_complete")
      return F.Name + " in a program with threads: which calls it made possible is not known";
    const CallInfo *Info = findCall(Id);
    if (!Info || F.Name != Info->Name || F.Slots.size() <= Info->Params.size())
      return F.Name + " is no function that this version knows";
    if (const auto P = std::ranges::find(Info->Params, Callback::Other, &ParamInfo::Calls); P != Info->Params.end())
      return F.Name + " has a function of type " + P->Type + ", which is not made again";
  }
  return "";
}

bool isTimed(const Trace &T) {
  const Walk W(T);
  return std::ranges::all_of(W.threads(), [](const ThreadShape &X) { return X.IsTimed; });
}

bool hasOwnTimes(const Trace &T) {
  if (!T.world())
    return false;
  for (uint32_t Thread : T.threads(0))
    if (!T.view(0, Thread)->times())
      return false;
  return true;
}

} // namespace pilgrim
