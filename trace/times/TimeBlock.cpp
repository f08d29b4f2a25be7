//===- TimeBlock.cpp - the times of consecutive calls, decoded ------------===//
#include "trace/times/TimeBlock.h"
#include "trace/times/TimeCoder.h"
#include "trace/times/TimeNumbers.h"
#include "trace/times/TimeScale.h"

#include <algorithm>
#include <array>

namespace pilgrim {

TimeBlockHead TimeBlockHead::read(ByteReader &R) {
  TimeBlockHead H;
  H.Calls = R.varint();
  H.FirstStart = R.varint();
  H.Earliest = H.FirstStart - R.varintMax(H.FirstStart);
  H.Latest = H.FirstStart + R.varintMax(UINT64_MAX - H.FirstStart);
  H.Drift = R.varint();
  return H;
}

void TimeBlockHead::write(ByteWriter &W) const {
  W.varint(Calls);
  W.varint(FirstStart);
  W.varint(FirstStart - Earliest);
  W.varint(Latest - FirstStart);
  W.varint(Drift);
}

namespace {
/// The corrections of a block, one after the other.
class CorrectionReader {
public:
  CorrectionReader(std::span<const uint8_t> Bytes, uint64_t Step) : Code(Bytes), Step(Step) {
    Left = Bytes.empty() ? 0 : Number.code(Code, 0);
    next();
  }
  /// What is added to the start of the call, which comes behind those that were asked for before.
  uint64_t at(uint64_t Call) {
    if (Call != Next) [[likely]]
      return 0;
    const auto Steps = static_cast<uint64_t>(unzigzag(Size.code(Code, 0)));
    next();
    return Steps * Step;
  }

private:
  void next() {
    Next = Left ? Next + 1 + Distance.code(Code, 0) : UINT64_MAX;
    Left -= Left > 0;
  }

  RangeReader Code;
  uint64_t Step;
  NumberModel Number, Distance, Size;
  uint64_t Left, Next = 0; ///< calls; the first one has no correction
};

/// The times of one kind.
template <TimeKind Kind> class KindReader {
public:
  KindReader(TimeCodeReader &Code, BitReader &Raw, const TimeModel &Model, const TimeBounds &Bounds,
             const TimeScales &Scales)
      : Code(Code), Raw(Raw), Model(Model), Bounds(Bounds), Scales(Scales) {}
  /// False: damage. Time: a negative gap wraps round.
  [[gnu::always_inline]] bool read(uint32_t Context, unsigned Class, ScaledTime &Time) {
    const TimeModel::Row &Row = row(Context, Class);
    TimeModel::Found F = Model.find(Row, Code.share<Which>());
    Code.advance<Which>(F.Shares);
    if (F.Symbol == TimeModel::Escaped) [[unlikely]]
      F.Symbol = further(Row, Context);
    const uint32_t Symbol = F.Symbol & (TimeKey::Negative - 1);
    const TimeScale &Scale = Scales.of<Kind>(Context);
    if (Symbol >= Scale.numSymbols()) [[unlikely]]
      return false;
    Time = Scale.read(Symbol, Raw);
    if (F.Symbol & TimeKey::Negative) [[unlikely]]
      Time.Time = -Time.Time;
    return true;
  }

private:
  static constexpr auto Which = static_cast<unsigned>(Kind);
  using RowOfClass = std::array<const TimeModel::Row *, 1u << TimeKey::ClassBits>;
  const TimeModel::Row &row(uint32_t Context, unsigned Class) {
    if (Context >= Rows.size()) [[unlikely]]
      Rows.resize(std::max<size_t>(Context + size_t(1), Rows.size() * 2));
    const TimeModel::Row *&Row = Rows[Context][Class];
    if (!Row) [[unlikely]] {
      Row = Model.row(Kind, Context, Class);
      if (!Row)
        Row = &Model.fallback(Kind, Bounds.pair(Kind, Context));
    }
    return *Row;
  }
  /// Behind the escape of the context's row.
  [[gnu::noinline]] uint32_t further(const TimeModel::Row &Row, uint32_t Context) {
    const TimeModel::Row &All = Model.fallback(Kind, Bounds.pair(Kind, Context));
    if (&Row != &All) {
      const TimeModel::Found F = Model.find(All, Code.share<Which>());
      Code.advance<Which>(F.Shares);
      if (F.Symbol != TimeModel::Escaped)
        return F.Symbol;
    }
    const uint32_t Symbol = TimeModel::unknownOf(Code.share<Which>());
    Code.advance<Which>(TimeModel::unknown(Symbol));
    return Symbol;
  }

  TimeCodeReader &Code;
  BitReader &Raw;
  const TimeModel &Model;
  const TimeBounds &Bounds;
  const TimeScales &Scales;
  std::vector<RowOfClass> Rows; ///< by context; null: not looked up yet
};
} // namespace

bool decodeTimes(ByteReader &R, const TimeModel &Model, const TimeBounds &Bounds, std::span<const CallContext> Contexts,
                 std::vector<CallTime> &Out) {
  const TimeBlockHead Head = TimeBlockHead::read(R);
  CorrectionReader Corrections(R.blob(), Head.step());
  BitReader Bits(R.blob());
  TimeCodeReader Code(R);
  if (R.ok() && Head.Calls != Contexts.size())
    R.fail("a block of times is one of other calls");
  if (!R.ok())
    return false;
  const TimeScales Scales(Bounds, Model.unit(), Head.Drift);
  KindReader<TimeKind::Duration> Durations(Code, Bits, Model, Bounds, Scales);
  KindReader<TimeKind::Gap> Gaps(Code, Bits, Model, Bounds, Scales);
  const size_t Before = Out.size();
  Out.resize(Before + Contexts.size());
  uint64_t Now = Head.FirstStart;
  unsigned Class = 0;
  ScaledTime Time{};
  bool IsSound = true;
  for (size_t I = 0; I < Contexts.size() && IsSound; ++I) {
    CallTime &C = Out[Before + I];
    if (I) {
      IsSound = Gaps.read(Contexts[I].Path, Class, Time);
      Now += Time.Time + Corrections.at(I);
    }
    C.Start = Now;
    IsSound &= Durations.read(Contexts[I].Place, Class, Time);
    C.Duration = Time.Time;
    Class = Time.Class;
    Now += C.Duration;
  }
  if (IsSound && Code.isAtEnd() && Bits.isAtEnd())
    return true;
  Out.resize(Before);
  R.fail("a block of times is damaged");
  return false;
}

} // namespace pilgrim
