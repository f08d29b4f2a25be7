//===- Matching.cpp - whether calls of different ranks fit together -------===//
#include "proxygen/extrapolate/Matching.h"
#include "driver/MatrixCells.h"
#include "trace/base/Counted.h"
#include "trace/ranks/Tally.h"

namespace pilgrim {

namespace {
/// Blocks of ranks on a side.
constexpr uint32_t Blocks = 512;

std::string unmatchedMessages(const Walk &W) {
  const Traffic Sent = findTraffic(W, Traffic::By::Nothing, false), Received = findReceives(W);
  if (!Sent.Error.empty() || !Received.Error.empty() || Sent.UnknownMessages || Received.UnknownMessages)
    return "who sends to whom is not known of all messages";
  MatrixCells From(W.world(), Blocks), To(W.world(), Blocks);
  for (const Flow &F : Sent.Flows)
    From.add(F);
  for (const Flow &F : Received.Flows)
    To.add(F);
  for (uint32_t I = 0; I < From.blocks(); ++I)
    for (uint32_t J = 0; J < From.blocks(); ++J) {
      const MatrixCell &S = From.at(I, J), &R = To.at(J, I);
      const std::string Ranks = " from " + From.name(I) + " to " + From.name(J);
      if (S.Messages != R.Messages)
        return counted(S.Messages, "message") + (S.Messages == 1 ? " is" : " are") + " sent" + Ranks + ", " +
               std::to_string(R.Messages) + (R.Messages == 1 ? " is" : " are") + " received";
      if (S.Bytes > R.Bytes)
        return counted(S.Bytes, "byte") + (S.Bytes == 1 ? " is" : " are") + " sent" + Ranks + ", there is room for " +
               std::to_string(R.Bytes);
    }
  return "";
}

std::string unmatchedCollectives(const Walk &W) {
  std::map<std::string, Tally> Calls;
  W.forEachCall(
      [&](const CallShape &C) {
        for (const SlotShape &S : C.Slots)
          if (S.T == Tag::Object && W.object(C.Thread, S.Ref).Name == "MPI_COMM_WORLD") {
            for (const RankedCount &X : C.Calls)
              Calls[C.Function->Name].add(X.Ranks, X.N);
            return;
          }
      },
      [](const FunctionSchema &F) { return F.IsCollective; });
  for (const auto &[Name, Numbers] : Calls)
    if (!Numbers.always(W.ranks()))
      return "ranks call " + Name + " on MPI_COMM_WORLD, which takes all of them, more or less often";
  return "";
}
} // namespace

std::string findUnmatched(const Walk &W) {
  std::string What = unmatchedMessages(W);
  return What.empty() ? unmatchedCollectives(W) : What;
}

} // namespace pilgrim
