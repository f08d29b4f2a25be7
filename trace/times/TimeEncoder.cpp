//===- TimeEncoder.cpp - the times of a thread's calls, encoded -----------===//
#include "trace/times/TimeEncoder.h"
#include "trace/times/TimeNumbers.h"

#include <algorithm>
#include <numeric>

namespace pilgrim {

/// A time as its size and whether it is negative.
struct SignedTime {
  uint64_t Size;
  bool IsNegative;
};

namespace {
constexpr size_t MaxModels = 4;
SignedTime gapBetween(uint64_t End, uint64_t Start) {
  return Start >= End ? SignedTime{Start - End, false} : SignedTime{End - Start, true};
}
} // namespace

template <TimeKind Kind, bool HasUnit>
[[gnu::always_inline]] inline ScaledTime TimeEncoder::take(const TimeScale &Scale, TimeSlots::Slot *First,
                                                           uint32_t Context, unsigned Class, SignedTime Time,
                                                           uint16_t &Slot) {
  if (HasUnit) {
    IsOff |= Time.Size % Scale.unit() != 0;
    Time.Size /= Scale.unit();
  }
  const uint32_t Symbol = Scale.symbol(Time.Size), Sign = Time.IsNegative ? TimeKey::Negative : 0;
  Slot = Slots.count(First, TimeKey(Kind, Context, Class, Symbol | Sign));
  if (Slot == TimeSlots::None) [[unlikely]] // counted with others
    Slots.count(First, TimeKey(Kind, UINT32_MAX - Bounds.pair(Kind, Context), 0, Symbol | Sign));
  return Scale.write(Time.Size, Symbol, Raw);
}

// What the loop needs for each call stands in variables of its own: any store of a class may, to the compiler, change
// whatever is reached by a pointer.
template <bool HasUnit, bool AreSame> bool TimeEncoder::quantise(std::span<const TimedCall> Calls) {
  Slots.restart();
  SlotOf.resize(2 * Calls.size());
  Classes.resize(Calls.size());
  Corrections.clear();
  Raw.clear();
  IsOff = false;
  const TimeScale Gaps = Scales.of<TimeKind::Gap>(0), Durations = Scales.of<TimeKind::Duration>(0);
  auto Of = [&]<TimeKind Kind>(const TimeScale &Same, uint32_t Context) -> const TimeScale & {
    return AreSame ? Same : Scales.of<Kind>(Context);
  };
  TimeSlots::Slot *const First = Slots.data();
  uint16_t *SlotTo = SlotOf.data();
  uint8_t *ClassTo = Classes.data();
  const uint64_t Drift = Head.Drift;
  uint64_t Now = Calls[0].Start, Earliest = Now, Latest = Now, Total = 0, End = Now;
  unsigned Class = 0;
  for (const TimedCall *C = Calls.data(), *const Stop = C + Calls.size(); C != Stop; ++C, SlotTo += 2) {
    *ClassTo++ = static_cast<uint8_t>(Class);
    if (C != Calls.data()) {
      const SignedTime Gap = gapBetween(End, C->Start);
      const uint64_t Decoded = take<TimeKind::Gap, HasUnit>(Of.template operator()<TimeKind::Gap>(Gaps, C->Path), First,
                                                            C->Path, Class, Gap, SlotTo[0])
                                   .Time;
      Now += Gap.IsNegative ? -Decoded : Decoded;
      const auto Off = static_cast<int64_t>(Now - C->Start);
      if (static_cast<uint64_t>(Off < 0 ? -Off : Off) > Drift) [[unlikely]] {
        const auto Step = static_cast<int64_t>(Head.step());
        const int64_t Steps = -(Off + (Off < 0 ? -Step / 2 : Step / 2)) / Step;
        Corrections.push_back({static_cast<uint32_t>(C - Calls.data()), Steps});
        Now += static_cast<uint64_t>(Steps * Step);
      }
    }
    Earliest = std::min(Earliest, Now);
    End = C->End;
    const uint64_t Duration = End - C->Start;
    const ScaledTime Decoded =
        take<TimeKind::Duration, HasUnit>(Of.template operator()<TimeKind::Duration>(Durations, C->Place), First,
                                          C->Place, Class, {Duration, false}, SlotTo[1]);
    Now += Decoded.Time;
    Latest = std::max(Latest, Now);
    Class = Decoded.Class;
    Total += Duration;
  }
  Head.Earliest = Earliest;
  Head.Latest = Latest;
  TotalDuration = Total;
  return !IsOff;
}

bool TimeEncoder::quantise(std::span<const TimedCall> Calls) {
  const auto All = Bounds.all();
  const bool HasExact = std::any_of(All.begin(), All.end(), [](const TimeBins &B) { return B.bound().isExact(); });
  Head.Calls = Calls.size();
  Head.FirstStart = Calls[0].Start;
  Head.Drift = driftLimit(Calls);
  if (!HasExact)
    Unit = 1;
  else if (!Unit)
    findUnit(Calls);
  Scales = TimeScales(Bounds, Unit, Head.Drift);
  if (Unit == 1 ? quantise<false>(Calls) : quantise<true>(Calls))
    return true;
  // Clocks that step by more than one tick keep to that, mostly.
  findUnit(Calls);
  Models.clear();
  Prepared = nullptr;
  Scales = TimeScales(Bounds, Unit, Head.Drift);
  return Unit == 1 ? quantise<false>(Calls) : quantise<true>(Calls);
}

void TimeEncoder::findUnit(std::span<const TimedCall> Calls) {
  for (size_t I = 0; I < Calls.size() && Unit != 1; ++I) {
    if (I && Bounds.bins(TimeKind::Gap, Calls[I].Path).bound().isExact())
      Unit = std::gcd(Unit, gapBetween(Calls[I - 1].End, Calls[I].Start).Size);
    if (Bounds.bins(TimeKind::Duration, Calls[I].Place).bound().isExact())
      Unit = std::gcd(Unit, Calls[I].End - Calls[I].Start);
  }
  if (!Unit) // all times are 0
    Unit = 1;
}

uint64_t TimeEncoder::driftLimit(std::span<const TimedCall> Calls) const {
  double Relative = 0, Absolute = 0;
  for (const TimeBins &B : Bounds.all()) {
    Relative = std::max(Relative, B.bound().Relative * 1e-6);
    Absolute = std::max(Absolute, static_cast<double>(B.bound().Absolute));
  }
  const uint64_t Span = Calls.back().End - Calls[0].Start;
  const double Period = static_cast<double>(Span) / static_cast<double>(Calls.size());
  return static_cast<uint64_t>(std::min(16 * (Relative * Period + Absolute), 4e18));
}

std::vector<TimeCount> TimeEncoder::blockCounts() {
  std::vector<TimeCount> Out;
  for (uint16_t I : Slots.sorted())
    if (Slots[I].Count)
      Out.push_back({Slots[I].Key, Slots[I].Count});
  return Out;
}

std::vector<TimeCount> TimeEncoder::count(std::span<const TimedCall> Calls) {
  quantise(Calls);
  return blockCounts();
}

double TimeEncoder::costOf(const TimeModel &Model) {
  double Bits = 0;
  for (uint16_t I : Slots.sorted())
    if (const TimeSlots::Slot &S = Slots[I]; S.Count)
      Bits += S.Count * double(Model.path(S.Key, pairOf(S.Key)).bits());
  return Bits;
}

void TimeEncoder::use(size_t Which) {
  std::rotate(Models.begin(), Models.begin() + static_cast<ptrdiff_t>(Which),
              Models.begin() + static_cast<ptrdiff_t>(Which) + 1);
}

void TimeEncoder::insert(Known New) {
  NextNumber = std::max(NextNumber, New.Number + 1);
  if (Models.size() == MaxModels)
    Models.pop_back();
  Models.insert(Models.begin(), std::move(New));
}

void TimeEncoder::know(TimeModel Model, uint32_t Number) {
  if (!Unit)
    Unit = Model.unit();
  insert({Number, std::make_unique<TimeModel>(std::move(Model))});
  Prepared = nullptr;
}

bool TimeEncoder::choose(std::vector<uint8_t> &NewModel) {
  // What the block would take by its own counts, without a model: less is not possible.
  double Ideal = 0, Now = 0;
  uint64_t Group = 0, InGroup = 0;
  size_t Keys = 0;
  auto EndGroup = [&] { Ideal += InGroup ? double(InGroup) * double(log2Of(InGroup)) : 0; };
  prepareSlots();
  for (uint16_t I : Slots.sorted()) {
    const TimeSlots::Slot &S = Slots[I];
    if (!S.Count)
      continue;
    if (S.Key.group() != Group) {
      EndGroup();
      InGroup = 0;
      Group = S.Key.group();
    }
    InGroup += S.Count;
    Ideal -= S.Count * double(log2Of(S.Count));
    Now += S.Count * double(S.Bits);
    ++Keys;
  }
  EndGroup();
  const double Enough = Ideal * 1.02 + 4 * static_cast<double>(Keys);
  if (!Models.empty() && Now <= Enough)
    return false;
  double Best = Models.empty() ? 1e300 : Now;
  size_t Which = 0;
  for (size_t I = 1; I < Models.size(); ++I)
    if (const double Cost = costOf(*Models[I].Model); Cost < Best) {
      Best = Cost;
      Which = I;
    }
  if (!Models.empty()) {
    use(Which);
    if (Best <= Enough || !MakesModels)
      return false;
    if (Wait) {
      --Wait;
      return false;
    }
  }
  auto Own = std::make_unique<TimeModel>(blockCounts(), Bounds, Unit);
  ByteWriter W;
  Own->write(W);
  const double Bytes = static_cast<double>(W.Data.size());
  if (!Models.empty() && costOf(*Own) + 8 * Bytes > Best * 0.99 - 64) {
    if (Head.Calls >= 1024)
      Wait = Waits = std::min(2 * Waits + 1, 15u);
    return false;
  }
  Waits = 0;
  NewModel.insert(NewModel.end(), W.Data.begin(), W.Data.end());
  insert({NextNumber, std::move(Own)});
  return true;
}

void TimeEncoder::prepareSlots() {
  if (Models.empty())
    return;
  const TimeModel *Current = Models[0].Model.get();
  Slots.prepare(Prepared != Current, [&](TimeSlots::Slot &S) {
    const TimeModel::Path P = Current->path(S.Key, pairOf(S.Key));
    S.Bits = P.bits();
    S.Shares = P.Size == 1 ? PreparedShares(P.Steps[0]) : PreparedShares();
  });
  Prepared = Current;
}

TimeEncoder::Result TimeEncoder::encode(std::span<const TimedCall> Calls, std::vector<uint8_t> &Block,
                                        std::vector<uint8_t> &NewModel) {
  if (!quantise(Calls))
    return {}; // cannot be: the unit divides all times
  Result R;
  R.IsNewModel = choose(NewModel);
  prepareSlots();
  R.Model = Models[0].Number;
  ByteWriter W;
  W.Data.swap(Block);
  Head.write(W);
  writeCorrections(W);
  W.blob(Raw.finish());
  writeCalls(Calls, W);
  W.Data.swap(Block);
  R.Head = Head;
  R.TotalDuration = TotalDuration;
  return R;
}

void TimeEncoder::writeCorrections(ByteWriter &W) {
  std::vector<uint8_t> Bytes;
  if (!Corrections.empty()) {
    RangeWriter C(Bytes);
    NumberModel Number, Distance, Size;
    Number.code(C, Corrections.size());
    uint32_t Before = 0;
    for (const Correction &E : Corrections) {
      Distance.code(C, E.Call - Before - 1);
      Before = E.Call;
      Size.code(C, zigzag(E.Steps));
    }
    C.finish();
    if (Bytes.empty())
      Bytes.push_back(0);
  }
  W.blob(Bytes);
}

/// The rare case: more than one step, or no slot.
template <TimeKind Kind>
void TimeEncoder::writeRare(TimeCodeWriter::Run &Run, uint32_t Context, unsigned Class, SignedTime Time) const {
  const TimeScale &Scale = Scales.of<Kind>(Context);
  const uint32_t Symbol = Scale.symbol(Time.Size / Scale.unit()) | (Time.IsNegative ? TimeKey::Negative : 0);
  const TimeModel::Path P = Models[0].Model->path(TimeKey(Kind, Context, Class, Symbol), Bounds.pair(Kind, Context));
  for (unsigned I = P.Size; I-- > 0;)
    Run.put<static_cast<unsigned>(Kind)>(PreparedShares(P.Steps[I]));
}

void TimeEncoder::writeCalls(std::span<const TimedCall> Calls, ByteWriter &W) {
  constexpr size_t Some = 256, MostSteps = 6;
  for (size_t End = Calls.size(); End;) {
    const size_t Begin = End > Some ? End - Some : 0;
    TimeCodeWriter::Run Run = Code.begin(Some * MostSteps);
    for (size_t I = End; I-- > Begin;) {
      const uint16_t Gap = SlotOf[2 * I], Duration = SlotOf[2 * I + 1];
      if (Duration != TimeSlots::None && Slots[Duration].Shares.Limit) [[likely]]
        Run.put<0>(Slots[Duration].Shares);
      else
        writeRare<TimeKind::Duration>(Run, Calls[I].Place, Classes[I], {Calls[I].End - Calls[I].Start, false});
      if (!I)
        break;
      if (Gap != TimeSlots::None && Slots[Gap].Shares.Limit) [[likely]]
        Run.put<1>(Slots[Gap].Shares);
      else
        writeRare<TimeKind::Gap>(Run, Calls[I].Path, Classes[I], gapBetween(Calls[I - 1].End, Calls[I].Start));
    }
    Code.end(Run);
    End = Begin;
  }
  Code.finish(W);
}

size_t TimeEncoder::memory() const {
  size_t Sum = sizeof(*this) + Slots.memory() + Classes.capacity() + SlotOf.capacity() * sizeof(uint16_t) +
               Corrections.capacity() * sizeof(Correction) + Raw.memory() + Code.memory();
  for (const Known &K : Models)
    Sum += K.Model->memory();
  return Sum;
}

} // namespace pilgrim
