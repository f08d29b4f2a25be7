//===- CallText.h - calls as lines ------------------------------*- C++ -*-===//
//
// One call as one line, in JSON or text. What does not change from call to call
// of a signature is written once and kept.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_CALLTEXT_H
#define PILGRIM_DRIVER_CALLTEXT_H

#include "driver/SiteText.h"
#include "driver/ValueText.h"

namespace pilgrim {

/// "(12 calls not traced)".
std::string untracedText(uint64_t Calls);

/// The columns of a time in a table, and of its share of All: the head, and a row. ~ is before a share that ranks have
/// of what more ranks took together.
std::string timeHeader();
std::string timeColumns(const MeasuredPart &Time, uint64_t All);
/// Columns of how the durations of Calls calls are distributed: the head, and a row, empty where S does not have all.
/// HasHistograms: also what half of them, and 99 of 100, do not exceed.
std::string spreadHeader(bool HasHistograms);
std::string spreadColumns(const Spread &S, uint64_t Calls, bool HasHistograms);
/// [[seconds,times],...]: the bins that are not empty.
std::string binsAsJson(const TimeHistogram &H);

/// The trace ends in these calls, before they return: it has a result and a duration for them that nobody has seen.
inline bool endsTrace(const FunctionSchema &F) { return F.Name == "MPI_Finalize" || F.Name == "MPI_Abort"; }
/// False: the trace ended in the call, or the call never returned (a jump left it). It has no result and no duration.
inline bool hasReturned(const Call &C) {
  return !isCall(*C.Function) || (C.Slots[0].T != Tag::Absent && !(endsTrace(*C.Function) && C.result() == 0));
}
inline bool hasReturned(const CallShape &C) {
  if (!isCall(*C.Function) || C.Slots[0].T != Tag::Word)
    return !isCall(*C.Function) || C.Slots[0].T != Tag::Absent;
  const SlotShape &Result = C.Slots[0];
  return !endsTrace(*C.Function) || Result.IsStreamed || !Result.Words[0].isConst() || Result.Words[0].single().C != 0;
}

class CallText {
public:
  CallText(const Trace &T, ValueText::Form F) : Values(T, F), Lines(T) {}

  /// Appends the call and a line end.
  void append(std::string &Out, const Call &C);
  /// The call alone, as text: without rank, number and times.
  std::string callOnly(const Call &C) {
    std::string Out;
    textBody(Out, C);
    return Out.substr(Out.find_first_not_of(' '));
  }
  /// Where it was made: "halo.c:42 <- main.c:7".
  std::string siteOnly(const Call &C) { return chainText(siteOf(C)); }

private:
  void body(std::string &Out, const Call &C);
  void jsonBody(std::string &Out, const Call &C);
  void textBody(std::string &Out, const Call &C);
  void matched(std::string &Out, const Value &V);
  void result(std::string &Out, const Call &C);

  /// What is no call was done somewhere before the next one: nobody knows where.
  SiteText siteOf(const Call &C) {
    return isCall(*C.Function) ? siteText(*C.View, C.View->signatures()[C.Terminal], Lines) : SiteText(1);
  }

  ValueText Values;
  SourceLines Lines;
  // Whose calls Bodies are. (Not by address: a later view may get an old
  // one's.)
  bool HasBodies = false;
  uint32_t Rank = 0, Thread = 0;
  std::vector<std::string> Bodies;
};

} // namespace pilgrim

#endif
