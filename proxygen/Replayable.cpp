//===- Replayable.cpp - whether a trace's calls can be made again ---------===//
#include "proxygen/Replayable.h"
#include "proxygen/CallTable.h"
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

/// Whether a call was left by a longjmp or an exception: it has no parameters, not even what it returned.
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

std::string whyNotReplayable(const Trace &T) {
  const uint64_t Ranks = T.ranks().size();
  if (Ranks != T.world())
    return "incomplete: it has " + std::to_string(Ranks) + " of " + std::to_string(T.world()) + " ranks";
  if (const uint64_t Calls = untracedCalls(T))
    return std::to_string(Calls) + " calls were not traced; their effects are not known";
  if (auto It = T.meta().find("options");
      It != T.meta().end() && (":" + It->second + ":").find(":buffers=off:") != std::string::npos)
    return "taken with --buffers off: it does not say where buffers lie";
  if (const FunctionSchema *Left = findLeft(T))
    return "a call of " + Left->Name + " was left by a longjmp or an exception: its parameters are not known";
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
