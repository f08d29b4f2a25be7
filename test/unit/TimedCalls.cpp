#include "test/unit/TimedCalls.h"

#include <cmath>
#include <map>

namespace pilgrim::test {

bool isWithin(const TimeBound &Bound, uint64_t Time, uint64_t Decoded) {
  const unsigned __int128 Off = Time < Decoded ? Decoded - Time : Time - Decoded;
  return Bound.Relative ? Off * 1'000'000 <= static_cast<unsigned __int128>(Time) * Bound.Relative
                        : Off <= Bound.Absolute;
}

std::vector<CallContext> contextsOf(const std::vector<TimedCall> &Calls) {
  std::vector<CallContext> Out;
  for (const TimedCall &C : Calls)
    Out.push_back({C.Place, C.Path});
  return Out;
}

double entropy(const std::vector<TimedCall> &Calls, const TimeBounds &Bounds) {
  std::map<TimeKey, double> Counts;
  std::map<uint64_t, double> Totals;
  auto Add = [&](TimeKind Kind, uint32_t Context, int64_t Time) {
    const uint32_t Symbol = Bounds.bins(Kind, Context).symbol(static_cast<uint64_t>(std::abs(Time)));
    const TimeKey Key(Kind, Context, 0, Symbol | (Time < 0 ? TimeKey::Negative : 0));
    ++Counts[Key];
    ++Totals[Key.group()];
  };
  for (size_t I = 0; I < Calls.size(); ++I) {
    Add(TimeKind::Duration, Calls[I].Place, static_cast<int64_t>(Calls[I].End - Calls[I].Start));
    if (I)
      Add(TimeKind::Gap, Calls[I].Path, static_cast<int64_t>(Calls[I].Start - Calls[I - 1].End));
  }
  double Sum = 0;
  for (const auto &[Key, Count] : Counts)
    Sum += Count * std::log2(Totals[Key.group()] / Count);
  return Sum;
}

ProgramLike::ProgramLike(uint64_t Shape, uint32_t FirstPlace, uint64_t Noise)
    : Random(Shape * 1000 + Noise), FirstPlace(FirstPlace) {
  std::mt19937_64 Means(Shape);
  for (double &M : Mean)
    M = std::exp(3 + static_cast<double>(Means() % 1000) * 0.008);
}

std::vector<TimedCall> ProgramLike::next(size_t Calls) {
  std::vector<TimedCall> Out;
  while (Out.size() < Calls) {
    const uint32_t Place = Step++ % 6;
    const uint64_t Start = Now += time(6 + Place);
    if (Place == 3 && Random() % 10 == 0 && Out.size() + 1 < Calls) {
      const uint64_t Inner = Now += time(3);
      Now += time(4);
      Out.push_back(call(6, Inner));
    }
    Now += time(Place);
    Out.push_back(call(Place, Start));
  }
  return Out;
}

TimedCall ProgramLike::call(uint32_t Place, uint64_t Start) {
  const uint32_t Path = FirstPlace + Before * 7 + Place;
  Before = Place;
  return {FirstPlace + Place, Path, Start, Now};
}

uint64_t ProgramLike::time(unsigned Of) {
  const double Factor = std::exp(std::normal_distribution<double>(0, 0.3)(Random));
  return static_cast<uint64_t>(Mean[Of] * Factor * (Random() % 500 == 0 ? 300 : 1));
}

} // namespace pilgrim::test
