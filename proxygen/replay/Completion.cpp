//===- Completion.cpp - the same requests complete again ------------------===//
#include "proxygen/replay/Completion.h"
#include "proxygen/replay/Special.h"
#include "proxygen/replay/Untraced.h"

#include <algorithm>
#include <sched.h>

namespace pilgrim {

/// The requests that the call completed in the recorded run.
static std::vector<uint32_t> completed(const Call &C, const CallInfo &I) {
  std::vector<uint32_t> Out;
  if (C.result() != 0 || (slotNamed(C, "flag") && !wordOf(slotNamed(C, "flag"))))
    return Out;
  const Value *Requests = slotNamed(C, "array_of_requests");
  switch (I.Which) {
  case Completes::None:
    break;
  case Completes::One:
    Out.push_back(0);
    break;
  case Completes::All:
    for (uint32_t N = 0; Requests && N < Requests->Words.size(); ++N)
      Out.push_back(N);
    break;
  case Completes::Any:
    if (const int64_t Index = wordOf(slotNamed(C, "index"), 0, -1); Index >= 0)
      Out.push_back(static_cast<uint32_t>(Index));
    break;
  case Completes::Some:
    if (const Value *Indices = slotNamed(C, "array_of_indices"); Indices && Indices->T == Tag::Array)
      for (int64_t Index : Indices->Words)
        Out.push_back(static_cast<uint32_t>(Index));
    break;
  }
  return Out;
}

/// The requests that it completed here.
static std::vector<uint32_t> given(const CallInfo &I, const CallArguments &A) {
  std::vector<uint32_t> Out;
  if (I.MayCompleteNone && A.output("flag") == 0)
    return Out;
  switch (I.Which) {
  case Completes::None:
    break;
  case Completes::One:
  case Completes::All:
    for (uint32_t N = 0; N < A.Requests.size(); ++N)
      Out.push_back(N);
    break;
  case Completes::Any:
    if (const int64_t Index = A.output("index").value_or(-1); Index >= 0)
      Out.push_back(static_cast<uint32_t>(Index));
    break;
  case Completes::Some:
    for (int64_t N = 0; N < A.output("outcount").value_or(0); ++N)
      Out.push_back(static_cast<uint32_t>(*A.output("array_of_indices", static_cast<size_t>(N))));
    break;
  }
  std::erase_if(Out, [&](uint32_t N) { return N >= A.Requests.size(); });
  return Out;
}

static bool foundNothing(const Call &C) { return C.result() == 0 && !wordOf(slotNamed(C, "flag")); }

static bool isComplete(MPI_Request R) {
  int Flag = 0;
  return PILGRIM_UNTRACED(PMPI_Request_get_status)(R, &Flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || Flag;
}

static void waitUntilComplete(MPI_Request R) {
  while (R != MPI_REQUEST_NULL && !isComplete(R))
    ::sched_yield();
}

/// A message like the one that a probe found in the recorded run.
static void waitForMessage(const Call &C, const CallArguments &A) {
  if (C.result() != 0 || !wordOf(slotNamed(C, "flag")))
    return;
  // Source, tag, communicator.
  for (int Flag = 0; !Flag; ::sched_yield())
    if (PILGRIM_UNTRACED(PMPI_Iprobe)(A.arguments()[0], A.arguments()[1], A.arguments()[2], &Flag, MPI_STATUS_IGNORE) !=
        MPI_SUCCESS)
      return;
}

bool Completion::isGone(const CallArguments &A, uint32_t N) {
  return A.Raw[N] == MPI_REQUEST_NULL || A.Requests[N].IsGiven;
}

void Completion::before(const Call &C, const CallInfo &I, CallArguments &A) {
  Expected.clear();
  Before.clear();
  HasNone = MayBeEarly = false;
  const Special Is = specialOf(I);
  if (Is == Special::Iprobe || Is == Special::Improbe)
    waitForMessage(C, A);
  if (Is == Special::Start)
    for (CallArguments::RequestSlot &R : A.Requests) {
      R.IsGiven = false;
      Objects.setGiven(R.Number, false);
      Objects.setEarly(R.Number, false);
    }
  if (I.Which == Completes::None) {
    // This one tests without completing.
    if (Is == Special::RequestGetStatus && wordOf(slotNamed(C, "flag")))
      waitUntilComplete(A.arguments()[0]);
    return;
  }
  if (!A.Raw)
    return;
  Before.assign(A.Raw, A.Raw + A.Requests.size());
  // MPI_Test that found nothing may give a persistent request here. The call that gave it then gets a null one.
  if (I.Which == Completes::One && A.Requests.size() == 1 && A.Requests[0].IsPersistent) {
    const CallArguments::RequestSlot &R = A.Requests[0];
    MayBeEarly = I.MayCompleteNone && foundNothing(C);
    HasNone = R.IsEarly || (MayBeEarly && isComplete(A.Raw[0]));
    if (R.IsEarly && !MayBeEarly)
      Objects.setEarly(R.Number, false);
  }
  if (HasNone) {
    A.Raw[0] = MPI_REQUEST_NULL;
    return;
  }
  // A call that waits for one, or for all, does so by itself.
  if (!I.MayCompleteNone && (I.Which == Completes::One || I.Which == Completes::All))
    return;
  Expected = completed(C, I);
  std::erase_if(Expected, [&](uint32_t N) { return N >= Before.size(); });
  for (uint32_t N : Expected)
    waitUntilComplete(Before[N]);
  // The other requests may never be complete before this call returns.
  const bool HasOthers = I.Which == Completes::Any || I.Which == Completes::Some;
  HasNone = HasOthers && !Expected.empty() && std::ranges::all_of(Expected, [&](uint32_t N) { return isGone(A, N); });
  if (HasNone)
    std::fill_n(A.Raw, Before.size(), MPI_REQUEST_NULL);
}

void Completion::after(const CallInfo &I, CallArguments &A, bool Succeeded) {
  if (!A.Raw || !Succeeded)
    return;
  if (HasNone) {
    std::ranges::copy(Before, A.Raw);
    return;
  }
  const std::vector<uint32_t> Given = given(I, A);
  for (uint32_t N : Given)
    A.Requests[N].IsGiven = true;
  if (MayBeEarly && !Given.empty())
    Objects.setEarly(A.Requests[0].Number, true);
  if (!Expected.empty())
    exchange(A, Given);
  for (const CallArguments::RequestSlot &R : A.Requests)
    if (R.IsPersistent && R.IsGiven)
      Objects.setGiven(R.Number, true);
}

/// What was expected and not given changes places with what was given instead.
void Completion::exchange(CallArguments &A, const std::vector<uint32_t> &Given) {
  std::vector<uint32_t> Early;
  for (uint32_t N : Given)
    if (Before[N] != MPI_REQUEST_NULL && A.Raw[N] == MPI_REQUEST_NULL &&
        std::find(Expected.begin(), Expected.end(), N) == Expected.end())
      Early.push_back(N);
  for (uint32_t N : Expected) {
    if (isGone(A, N))
      continue;
    if (A.Requests[N].IsPersistent || Early.empty()) {
      PILGRIM_UNTRACED(PMPI_Wait)(&A.Raw[N], MPI_STATUS_IGNORE); // complete already
      A.Requests[N].IsGiven = true;
      continue;
    }
    std::swap(A.Raw[N], A.Raw[Early.back()]);
    Early.pop_back();
  }
}

bool asksOnly(const Call &C, const CallInfo &I) { return specialOf(I) == Special::Improbe && foundNothing(C); }
bool isLeftOut(const Call &C, const CallInfo &I) { return specialOf(I) == Special::WinTest && foundNothing(C); }

int ask(const CallArguments &Of) {
  const std::span<const Argument> A = Of.arguments(); // MPI_Iprobe has all of them but the message
  return MPI_Iprobe(A[0], A[1], A[2], A[3], A[5]);
}

bool repeatsUntilTrue(const Call &C, const CallInfo &I) {
  const Special Is = specialOf(I);
  // Between MPI_Iprobe and MPI_Improbe, another thread may get the message.
  return (Is == Special::WinTest || Is == Special::Parrived || Is == Special::Improbe) && C.result() == 0 &&
         wordOf(slotNamed(C, "flag"));
}

} // namespace pilgrim
