//===- KeyvalWriter.cpp - keyvals in calls ----------------------------------===//
//
// A keyval is a number that MPI gives. In a proxy each has a variable of its own, after the number of the recorded run.
// Where such a number depends on the rank, or on the call, the variables are looked up by it.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/CallWriter.h"
#include "trace/model/Signature.h"

#include <algorithm>

namespace pilgrim {

bool CallWriter::findVaryingKeyvals(const Walk &W) {
  const TraceData &T = W.trace().data();
  auto IsKeyval = [&](uint32_t Function, uint32_t Slot) {
    const auto F = T.Functions.find(Function);
    return F != T.Functions.end() && Slot < F->second.Slots.size() && F->second.Slots[Slot].K == Kind::Keyval;
  };
  auto Varies = [&](const Variant &V) {
    SlotWalker Walk(V.Tokens);
    SlotView At;
    for (uint32_t Slot = 0; Walk.next(At); ++Slot)
      if (IsKeyval(V.Tokens[0], Slot) && At.Words && !V.Words[At.FirstWord].isConst())
        return true;
    return false;
  };
  auto HasStreams = [&](const NodeData &N) {
    return std::ranges::any_of(N.Events, [&](const auto &E) {
      return std::ranges::any_of(E.second.Streams,
                                 [&](const auto &S) { return IsKeyval(S.first.Function, S.first.Slot); });
    });
  };
  return std::ranges::any_of(T.Groups, [&](const Group &G) {
    return std::ranges::any_of(G.Nodes, HasStreams) ||
           std::ranges::any_of(G.table(TableId::Signatures),
                               [&](const Entry &E) { return std::ranges::any_of(E, Varies); });
  });
}

/// Whether a keyval is one of MPI's own, by name.
bool CallWriter::isPredefined(const Slot &X) const {
  return !X.P.Names.empty() && !X.V.IsStreamed && X.V.Words[0].isConst() &&
         W.trace().constantName(X.P.Names, X.V.Words[0].single().C);
}

/// The variable of a keyval, of which this is the place.
std::string CallWriter::keyvalPlace(const Slot &X) {
  if (!KeyvalsVary)
    return "&" + plainNumber(X, [&](int64_t V) { return wordText(X.P, V); });
  S.use("keyval_at");
  return "keyval_at(" + plainNumber(X, numberText) + ")";
}

} // namespace pilgrim
