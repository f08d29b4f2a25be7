//===- Player.cpp - makes the calls of one thread again -------------------===//
#include "proxygen/replay/Player.h"
#include "proxygen/replay/Special.h"

#include <algorithm>
#include <sched.h>

namespace pilgrim {

Player::Player(Replayed &R, CallCursor Of) : R(R), Calls(std::move(Of)), Thread(Calls.view().thread()), Time(R.Gaps) {}

void Player::bad(std::string What) {
  if (Error.empty())
    Error = std::move(What);
}

/// Whether there is another call; Next is it.
bool Player::peek() {
  if (!HasNext && Error.empty()) {
    HasNext = Calls.next(Next);
    if (!HasNext && !Calls.error().empty())
      bad(Calls.error());
  }
  return HasNext && Error.empty();
}

bool Player::run() {
  setCallbackListener(this);
  while (peek())
    playNext(nullptr);
  setCallbackListener(nullptr);
  R.Turns.ended(Thread);
  return Error.empty();
}

/// The calls that the recorded program made in its functions follow the call that MPI made these functions in. Which of
/// several functions made which is not recorded, so the first one makes all.
int Player::calledBack(MPI_Status *Status) {
  if (IsQuiet)
    return MPI_SUCCESS;
  const uint32_t Inside = Depth;
  while (Inside && peek() && Next.Depth >= Inside)
    playNext(Status);
  // What the user's function put into the status is what the call gave the program.
  if (Status && Inside)
    CallArguments::fill(R.State.Constants, *Status, Levels[Inside - 1]->Status);
  // Where the call failed, it was such a function that made it fail, as far as MPI looks at what they return.
  return Inside ? Levels[Inside - 1]->Result : MPI_SUCCESS;
}

/// What the next call waits for; nullopt: for no message.
std::optional<Order::Message> Player::messageOfNext(const CallInfo &Info) const {
  if (!awaitsMessage(Info) && (specialOf(Info) != Special::Improbe || asksOnly(Next, Info)))
    return std::nullopt;
  Order::Message M{.AnySource = MPI_ANY_SOURCE, .AnyTag = MPI_ANY_TAG};
  for (size_t I = 0; I < Info.Params.size(); ++I) {
    const Value &V = Next.Slots[I + 1];
    if (V.Words.empty())
      continue;
    const std::string_view Name = Info.Params[I].Name;
    const int64_t Number = R.State.Constants.number(Next.Function->Slots[I + 1], V.Words[0]);
    if (Name == "source")
      M.Source = static_cast<int>(Number);
    else if (Name == "recvtag" || Name == "tag")
      M.Tag = static_cast<int>(Number);
    else if (Name == "recvcount" || Name == "count")
      M.Count = Number;
  }
  return M;
}

void Player::playNext(MPI_Status *FromCallback) {
  const CallInfo *Info = findCall(Next.Function->Id);
  const std::optional<Order::Message> Gets = Info ? messageOfNext(*Info) : std::nullopt;
  R.Turns.begin(Thread, !Info || !endsWhatOthersUse(*Info), Gets);
  if (!isCall(*Next.Function)) {
    HasNext = false;
    if (isFreed(*Next.Function))
      if (auto Block = placeOf(Next.Slots[FreedBlock], *Next.View))
        R.State.Buffers.freed(Block->In);
    R.Turns.begun();
    return;
  }
  if (Next.Depth != Depth) {
    HasNext = false;
    ++R.LeftOut; // of a function that MPI did not call here
    R.Turns.begun();
    return;
  }
  while (Levels.size() <= Depth)
    Levels.push_back(std::make_unique<Level>(Level{{R.State, Thread}, Completion(R.State.Objects), {}, MPI_SUCCESS}));
  play(*Levels[Depth], FromCallback, Gets.has_value());
}

namespace {
/// A call that is under way.
struct CallUnderWay {
  explicit CallUnderWay(Order &In) : In(In) { In.entered(); }
  CallUnderWay(const CallUnderWay &) = delete;
  ~CallUnderWay() { In.left(); }
  Order &In;
};
} // namespace

static uint64_t communicatorOf(const CallInfo &I, std::span<const Argument> Arguments) {
  const auto At = std::ranges::find(I.Params, std::string_view("comm"), &ParamInfo::Name);
  return At == I.Params.end() ? 0 : Arguments[static_cast<size_t>(At - I.Params.begin())].bits();
}

void Player::play(Level &L, MPI_Status *FromCallback, bool GetsMessage) {
  const CallInfo *Info = findCall(Next.Function->Id);
  const bool IsMade = Info && L.Arguments.make(Next, *Info, FromCallback);
  const CallUnderWay Own(R.Turns);
  const Special Is = Info ? specialOf(*Info) : Special::None;
  L.Arguments.leave();
  if (!Info || !keepsTurn(*Info) || Is == Special::Finalize) // that waits for the others
    R.Turns.begun();
  if (!IsMade)
    return bad(Info ? L.Arguments.error() : Next.Function->Name + ": no such function is known");
  L.Status.clear();
  L.Result = static_cast<int>(R.State.Constants.number(Next.Function->Slots[0], Next.result()));
  for (const Value &V : Next.Slots)
    if (V.T == Tag::Status)
      L.Status.assign(V.Words.begin(), V.Words.end());
  const bool IsOutermost = Depth == 0, Repeats = repeatsUntilTrue(Next, *Info);
  const bool Succeeded = Next.result() == 0;
  if (Is == Special::Finalize) {
    while (R.Turns.underWay() > 1)
      ::sched_yield();
    R.BeforeFinalize();
  }
  if (GetsMessage)
    R.Turns.awaits(communicatorOf(*Info, L.Arguments.arguments()));
  L.Arguments.waitForUsers();
  IsQuiet = true;
  L.Requests.before(Next, *Info, L.Arguments);
  IsQuiet = false;
  const bool IsLeftOut = isLeftOut(Next, *Info);
  if (IsOutermost)
    Time.before(Next);
  // Calls of callbacks are read while this one is made.
  HasNext = false;
  ++Depth;
  int Result = MPI_SUCCESS;
  bool Exists = true;
  if (asksOnly(Next, *Info))
    Result = ask(L.Arguments);
  else if (!IsLeftOut)
    do
      Exists = makeCall(Info->Id, L.Arguments.arguments(), Result);
    while (Exists && Repeats && Result == MPI_SUCCESS && L.Arguments.output("flag") == 0);
  --Depth;
  if (!Exists)
    return bad(std::string(Info->Name) + ": this MPI does not have the function");
  if (IsOutermost)
    Time.after();
  R.Calls += !IsLeftOut;
  R.OtherResults += (Result == MPI_SUCCESS) != Succeeded;
  L.Requests.after(*Info, L.Arguments, Result == MPI_SUCCESS && !IsLeftOut);
  if (Result == MPI_SUCCESS && Is == Special::Init)
    R.State.OfOthers.share();
  if (Result == MPI_SUCCESS && Is == Special::WinAttach)
    if (auto At = placeOf(*slotNamed(Next, "base"), *Next.View))
      R.State.OfOthers.publish(*At, L.Arguments.arguments()[1]);
  L.Arguments.finish(Result == MPI_SUCCESS);
}

} // namespace pilgrim
