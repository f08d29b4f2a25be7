//===- State.cpp - the tracer of one process and of one thread ------------===//
#include "pmpi/State.h"
#include "platform/Generation.h"
#include "platform/Stacks.h"
#include "pmpi/Fortran.h"
#include "pmpi/RawWriter.h"
#include "verify/CallLog.h"

#include <algorithm>

namespace pilgrim {

Process *CurrentProcess;
constinit thread_local ThreadState *CurrentThread;
constinit thread_local ThreadState *IdleThread;
constinit std::atomic<WrapperForm> ActiveForm{WrapperForm::Other};

void Process::trace(bool On) {
  logTrace(On);
  Tracing = On;
  chooseForm();
}

void Process::chooseForm() {
  const bool IsUsual = Tracing && !IsOff && !HasOrphans && Opts.Verify == VerifyOption::Off &&
                       !Opts.Callstack.value_or(0) && !isClockPretended();
  ActiveForm = !IsUsual                    ? WrapperForm::Other
               : hasBindings() || HasTurns ? WrapperForm::UsualAfterPrologue
                                           : WrapperForm::Usual;
}

std::pair<ThreadState *, bool> Process::stateFor(unsigned Wanted) {
  constexpr unsigned MostWanted = 1 << 16;
  const auto Of = [&](unsigned Number) { return std::ranges::lower_bound(Threads, Number, {}, &ThreadState::Index); };
  const auto IsKnown = [&](auto At, unsigned Number) { return At != Threads.end() && (*At)->Index == Number; };
  unsigned Number = Wanted;
  if (!Wanted || Wanted > MostWanted || Threads.empty() || (IsKnown(Of(Wanted), Wanted) && !Ended.contains(Wanted))) {
    // Numbers ascend, so those at their places are all below the first gap.
    const auto Gap = std::ranges::partition_point(Threads, [&](const std::unique_ptr<ThreadState> &T) {
      return T->Index == static_cast<size_t>(&T - Threads.data());
    });
    Number = Ended.empty() ? static_cast<unsigned>(Gap - Threads.begin()) : *Ended.begin();
  }
  auto At = Of(Number);
  if (Ended.erase(Number))
    return {At->get(), false};
  At = Threads.insert(At, std::make_unique<ThreadState>(*this, Number));
  return {At->get(), true};
}

ThreadState::ThreadState(Process &P, unsigned Index)
    : P(P), Index(Index), Timed(P.Timed), Buffer(256 + RawWriter::Slack), Encoder(P), Calls(Encoder, generation()) {
  if (P.Opts.Verify != VerifyOption::Off)
    Log = std::make_unique<CallLog>();
  Turns.sealTo(Calls.chunks());
  Calls.startClock(P.Timed ? clockTicks() : 0);
  if (P.KeepsTimes)
    Calls.keepTimes(P.TimeErrors);
  if (P.NanoPerTick > 0)
    Calls.keepHistograms(static_cast<uint32_t>(P.Opts.Error.Duration.Relative * 1e6),
                         P.Opts.Timing == TimingOption::PathHistogram, P.NanoPerTick);
  StackEnd = stackEnd();
  Tid = threadId();
  if (const unsigned Callers = P.Opts.Callstack.value_or(0))
    Stacks = std::make_unique<CallStacks>(Callers, StackEnd);
  Calls.Tree.limitStack(StackEnd);
}
ThreadState::~ThreadState() = default;

Process::Process() = default;
Process::~Process() = default;

} // namespace pilgrim
