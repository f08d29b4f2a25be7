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

std::pair<ThreadState *, bool> Process::stateFor(unsigned MadeBefore) {
  if (Ended.empty())
    return {Threads.emplace_back(std::make_unique<ThreadState>(*this, Threads.size(), MadeBefore)).get(), true};
  auto Best = std::ranges::find_if(Ended, [&](unsigned I) { return Threads[I]->MadeBefore == MadeBefore; });
  if (Best == Ended.end())
    Best = Ended.begin();
  ThreadState *T = Threads[*Best].get();
  Ended.erase(Best);
  return {T, false};
}

void Process::numberThreads() {
  std::vector<ThreadState *> Order;
  for (const auto &T : Threads)
    Order.push_back(T.get());
  if (!Order.empty() && !Pending.namesOthers())
    std::ranges::stable_sort(Order.begin() + 1, Order.end(), {}, &ThreadState::FirstTid);
  for (unsigned I = 0; I < Order.size(); ++I)
    Order[I]->Number = I;
}

ThreadState::ThreadState(Process &P, unsigned Index, unsigned MadeBefore)
    : P(P), Index(Index), Number(Index), MadeBefore(MadeBefore), Timed(P.Timed), Buffer(256 + RawWriter::Slack),
      Encoder(P), Calls(Encoder, generation()) {
  Encoder.Who.Thread = Index;
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
  Tid = FirstTid = threadId();
  if (const unsigned Callers = P.Opts.Callstack.value_or(0))
    Stacks = std::make_unique<CallStacks>(Callers, StackEnd);
  learnStack();
  Calls.Tree.limitStack(FrameStack);
}
ThreadState::~ThreadState() = default;

Process::Process() = default;
Process::~Process() = default;

} // namespace pilgrim
