//===- TimeCodings.cpp - what each coding of times takes ------------------===//
//
//   time-codings TRACE
//
// Takes the exact times of a trace (--timing calls --error 0), codes them in each way that a traced run can, block by
// block as it does, decodes them again and compares. So all codings have the same times. Writes a line for each:
//
//   name  error  bits of a value  PSNR of durations  PSNR of gaps  nanoseconds of the processor a call for coding
//
// PSNR: 20 log10 of the range of the values over the square root of the mean squared error, in decibels; inf: no error.
// Models are among the bits, the directory of blocks is not.
//
//===----------------------------------------------------------------------===//
#include "trace/read/TimesCursor.h"
#include "trace/times/SeriesBlock.h"

#include <cmath>
#include <cstdio>
#include <time.h>

using namespace pilgrim;

namespace {
struct RankCalls {
  std::vector<TimedCall> Calls;
  std::vector<uint32_t> SignatureOf; ///< by place
  double NanoPerTick = 1;
};

struct Way {
  const char *Name;
  TimeCoding Coding;
  const char *Error;
  double Relative, DurationNano, GapNano;
};

/// How far decoded values are from true ones.
class Quality {
public:
  void add(int64_t Was, int64_t Is) {
    Least = std::min(Least, Was);
    Most = std::max(Most, Was);
    const double Off = static_cast<double>(Is - Was);
    Squares += Off * Off;
    ++Number;
  }
  double psnr() const {
    const double Range = static_cast<double>(Most - Least);
    return Squares > 0 ? 20 * std::log10(Range / std::sqrt(Squares / static_cast<double>(Number))) : INFINITY;
  }

private:
  int64_t Least = INT64_MAX, Most = INT64_MIN;
  double Squares = 0;
  uint64_t Number = 0;
};

struct Outcome {
  uint64_t Bytes = 0, Calls = 0;
  double Nano = 0;
  Quality Durations, Gaps;
  bool IsGood = true;
};

/// Of the processor, so that other programs do not matter much.
double cpuNano() {
  timespec T;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
  return static_cast<double>(T.tv_sec) * 1e9 + static_cast<double>(T.tv_nsec);
}

class Coder {
public:
  Coder(const RankCalls &R, const Way &W)
      : Rank(R), Coding(W.Coding), Bounds(bound(W, W.DurationNano), bound(W, W.GapNano)), Clusters(Coding.Cluster) {
    for (uint32_t P = 0; P < R.SignatureOf.size(); ++P)
      Clusters.assign(P, R.SignatureOf[P]);
    if (Coding.Codec == TimeCodec::Bins) {
      Bins.emplace(Bounds);
    } else {
      Series.emplace(makeSeriesCodec(Coding.Codec, Bounds), Bounds, Clusters);
      Decoder.emplace(Coding.Codec, Bounds, Clusters);
    }
  }

  void run(Outcome &O) {
    for (size_t At = 0; At < Rank.Calls.size(); At += Coding.blockCalls())
      block(std::span(Rank.Calls).subspan(At, std::min(Coding.blockCalls(), Rank.Calls.size() - At)), O);
  }

private:
  TimeBound bound(const Way &W, double Nano) const {
    return {static_cast<uint32_t>(W.Relative * 1e6), static_cast<uint64_t>(Nano / Rank.NanoPerTick)};
  }
  void block(std::span<const TimedCall> Calls, Outcome &O) {
    std::vector<uint8_t> Block, Model;
    const double Begin = cpuNano();
    const TimeEncoder::Result R = Bins ? Bins->encode(Calls, Block, Model) : Series->encode(Calls, Block, Model);
    O.Nano += cpuNano() - Begin;
    O.Bytes += Block.size() + Model.size();
    O.Calls += Calls.size();
    ByteReader M(Model);
    if (R.IsNewModel && Bins)
      Known[R.Model] = TimeModel::read(M);
    else if (R.IsNewModel)
      Decoder->readModel(R.Model, M);
    std::vector<CallContext> Contexts;
    for (const TimedCall &C : Calls)
      Contexts.push_back({C.Place, C.Path});
    ByteReader In(Block);
    std::vector<CallTime> Is;
    O.IsGood &= M.ok() && (Bins ? decodeTimes(In, Known[R.Model], Bounds, Contexts, Is)
                                : Decoder->decode(In, R.Model, Contexts, Is));
    for (size_t I = 0; I < Is.size(); ++I) {
      O.Durations.add(static_cast<int64_t>(Calls[I].End - Calls[I].Start), static_cast<int64_t>(Is[I].Duration));
      if (I)
        O.Gaps.add(static_cast<int64_t>(Calls[I].Start - Calls[I - 1].End),
                   static_cast<int64_t>(Is[I].Start - Is[I - 1].Start - Is[I - 1].Duration));
    }
  }

  const RankCalls &Rank;
  const TimeCoding Coding;
  const TimeBounds Bounds;
  TimeClusters Clusters;
  std::optional<TimeEncoder> Bins;
  std::map<uint32_t, TimeModel> Known;
  std::optional<SeriesEncoder> Series;
  std::optional<SeriesDecoder> Decoder;
};

bool readRanks(const Trace &T, std::vector<RankCalls> &Out) {
  for (const Group &G : T.data().Groups)
    for (const CallTimes &X : G.Times) {
      auto View = T.view(X.Rank, G.Thread);
      RankCalls &R = Out.emplace_back();
      R.NanoPerTick = X.NanoPerTick;
      SignatureNumbers Signatures;
      for (const TimeContexts::Place &P : X.Contexts->Places)
        R.SignatureOf.push_back(Signatures.of(P.Call));
      TimesCursor Times(View);
      uint64_t StartError, Items = 0;
      for (const TimesFrame &F : X.Frames)
        Items += F.Bytes.length();
      CallTime C;
      while (R.Calls.size() < Items && Times.next(C, StartError))
        R.Calls.push_back({Times.context().Place, Times.context().Path, C.Start, C.Start + C.Duration});
      if (!Times.error().empty()) {
        std::fprintf(stderr, "time-codings: %s\n", Times.error().c_str());
        return false;
      }
    }
  return !Out.empty();
}
} // namespace

int main(int Count, char **Arguments) {
  if (Count != 2) {
    std::fprintf(stderr, "usage: time-codings TRACE\n");
    return 2;
  }
  auto T = Trace::open(Arguments[1]);
  std::vector<RankCalls> Ranks;
  if (!T || !readRanks(*T, Ranks)) {
    std::fprintf(stderr, "time-codings: %s: %s\n", Arguments[1], T ? "no times of calls" : T.error().What.c_str());
    return 2;
  }
  using enum TimeCodec;
  using enum TimeCluster;
  constexpr double Us = 1000;
  const Way Ways[] = {
      {"calls", {Bins, None}, "10%", 0.1, 0, 0},
      {"hist-by-path", {Hist, Path}, "10%", 0.1, 0, 0},
      {"hist-by-signature", {Hist, Signature}, "10%", 0.1, 0, 0},
      {"cfg", {Cfg, None}, "10%", 0.1, 0, 0},
      {"sz", {Sz, None}, "10%", 0.1, 0, 0},
      {"sz-by-path", {Sz, Path}, "10%", 0.1, 0, 0},
      {"sz-by-signature", {Sz, Signature}, "10%", 0.1, 0, 0},
      {"calls", {Bins, None}, "10us,10us", 0, 10 * Us, 10 * Us},
      {"zfp", {Zfp, None}, "10us,10us", 0, 10 * Us, 10 * Us},
      {"zfp-by-path", {Zfp, Path}, "10us,10us", 0, 10 * Us, 10 * Us},
      {"zfp-by-signature", {Zfp, Signature}, "10us,10us", 0, 10 * Us, 10 * Us},
      {"zfp", {Zfp, None}, "1ms,10ms", 0, 1000 * Us, 10000 * Us},
      {"zfp-by-path", {Zfp, Path}, "1ms,10ms", 0, 1000 * Us, 10000 * Us},
      {"zfp-by-signature", {Zfp, Signature}, "1ms,10ms", 0, 1000 * Us, 10000 * Us},
      {"calls", {Bins, None}, "0", 0, 0, 0},
      {"zstd", {Zstd, None}, "0", 0, 0, 0},
  };
  bool IsGood = true;
  for (const Way &W : Ways) {
    if (W.Coding.Codec != Bins && !makeSeriesCodec(W.Coding.Codec, TimeBounds()))
      continue;
    Outcome O;
    for (const RankCalls &R : Ranks)
      Coder(R, W).run(O);
    std::printf("%s %s %.3f %.2f %.2f %.1f\n", W.Name, W.Error, 4 * static_cast<double>(O.Bytes) / O.Calls,
                O.Durations.psnr(), O.Gaps.psnr(), O.Nano / static_cast<double>(O.Calls));
    if (!O.IsGood) {
      std::fprintf(stderr, "time-codings: %s did not come back\n", W.Name);
      IsGood = false;
    }
  }
  return IsGood ? 0 : 1;
}
