//===- Finish.cpp - one trace for all ranks -------------------------------===//
//
// Ranks join their traces (MergeRanks.h), and the one that has them writes the file. Where several have some, each
// writes a shard with those. If the deadline passes, every rank writes its own shard, and the program goes on. If
// memory runs out, the ranks whose traces were being joined do so at once.
//
//===----------------------------------------------------------------------===//
#include "finish/Finish.h"
#include "core/Spool.h"
#include "finish/CompareClocks.h"
#include "finish/EndSignals.h"
#include "finish/MergeRanks.h"
#include "finish/Output.h"
#include "finish/OwnTrace.h"
#include "finish/Party.h"
#include "finish/Quiet.h"
#include "finish/Transport.h"
#include "finish/VerifyRun.h"
#include "memory/Reserve.h"
#include "platform/Clock.h"
#include "platform/FreeMemory.h"
#include "platform/LoadedModules.h"
#include "platform/Tasks.h"
#include "platform/Tell.h"
#include "pmpi/Functions.h"
#include "pmpi/Wrap.h"
#include "trace/base/Counted.h"
#include "trace/file/Container.h"
#include "trace/merge/Merge.h"
#include "trace/read/Sizes.h"
#include "trace/read/Soundness.h"
#include "trace/read/Untraced.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

namespace pilgrim {

using memory::tryInMemory;

namespace {
/// What joining the traces takes. If joining fails, this is never destroyed: see Party and tryInMemory().
struct Finish {
  Finish(Process &P, double Seconds) : All(P.Rank, P.Size, Seconds) {}
  bool isWhole() const { return All.numJoined() == All.NumRanks; }
  Party All;
  TraceData Own;
  MergedRanks Merged;
  TraceParts Parts;               ///< of what was merged; on the first of its ranks
  std::optional<OutputFile> File; ///< likewise
};

} // namespace

static double secondsSince(uint64_t Begin) { return static_cast<double>(nanoseconds() - Begin) * 1e-9; }

/// Behind countText().
static const char *isOrAre(const TraceData &T) { return T.calls() == 1 && !hasUntraced(T) ? "is" : "are"; }

static void summary(const Finish &F, double Seconds) {
  const TraceData &T = F.Merged.Joined;
  const std::string &Path = F.File->Path;
  const size_t Bytes = F.Parts.size();
  if (!F.isWhole())
    return tell(TellLevel::Event, "rank %d: %s: the %s of ranks %d to %d %s in %s", F.All.Rank, textOf(F.Merged.Limit),
                countText(T).c_str(), F.All.first(), F.All.first() + F.All.numJoined() - 1, isOrAre(T), Path.c_str());
  if (!tells(TellLevel::Event))
    return;
  const TraceSizes Sizes = sizesOf(T); // as pilgrim info counts them
  tell(TellLevel::Event, "%s: %s, %s, %zu bytes, %s, %s, %.3f s", Path.c_str(), counted(T.Ranks.size(), "rank").c_str(),
       countText(T).c_str(), Bytes, counted(Sizes.Signatures, "signature").c_str(),
       counted(Sizes.Rules, "rule").c_str(), Seconds);
}

/// Whether readers can read a shard to its end. Threads that did not stop may have been in the middle of recording.
static bool isSound(const TraceParts &Bytes) {
  FileBytes File = Bytes.Chunks ? FileBytes(Bytes.Head, Bytes.Chunks) : FileBytes(Bytes.Head);
  auto T = Trace::fromFile(File);
  return T && findInconsistency(*T).empty();
}

/// The whole, where it is to be verified.
static std::vector<uint8_t> inMemory(const TraceParts &Parts) {
  std::vector<uint8_t> Out = Parts.Head;
  if (Parts.Chunks)
    forEachPiece(*Parts.Chunks, [&](std::span<const uint8_t> Piece) {
      Out.insert(Out.end(), Piece.begin(), Piece.end());
      return true;
    });
  return Out;
}

/// As far as it can be read.
static std::vector<uint8_t> contentOf(const std::string &Path) {
  auto File = FileBytes::open(Path);
  const auto Size = File ? File->size(0) : 0;
  auto Bytes = File && Size ? File->at(0, *Size) : std::span<const uint8_t>();
  return Bytes ? std::vector<uint8_t>(Bytes->begin(), Bytes->end()) : std::vector<uint8_t>();
}

/// MayBeCut: something may have been in the middle of being recorded. UnderWay: to be said behind the file's name.
static void shard(Process &P, TraceData &Own, const char *Why, unsigned Unanswered, bool MayBeCut,
                  const WriteOptions &How, bool IsCause, const std::string &UnderWay = "") {
  bool Good = tryInMemory([&] {
    describe(P, Own);
    becomePart(P, Own);
    if (IsCause)
      Own.Meta[std::string(EndedKey)] = Why;
    chooseCandidates(Own);
    OutputFile File(P);
    const TraceParts Bytes = writeTraceInParts(Own, How);
    if ((MayBeCut || P.HasTurns) && !isSound(Bytes))
      return tell(TellLevel::Error, "%s while it was recording; its calls are lost", Why);
    if (!File.writeShard(P, Bytes))
      tell(TellLevel::Error, "%s; %s", Why, File.Error.c_str());
    else
      tell(TellLevel::Event, "%s: its %s %s in %s%s%s", Why, countText(Own).c_str(), isOrAre(Own), File.Path.c_str(),
           UnderWay.c_str(), Unanswered ? " (the last ones of some threads may be missing)" : "");
    if (P.Opts.Verify != VerifyOption::Off)
      reportVerification(verifiedRank(P), inMemory(Bytes));
  });
  if (!Good)
    tell(TellLevel::Error, "%s; out of memory for writing its calls", Why);
}

/// Why what was recorded cannot be read; empty: it can.
static std::string whyLost(const Process &P) {
  for (const auto &Thread : P.Threads)
    if (const std::string File = Thread->Calls.lostFile(); !File.empty())
      return "its calls are lost: " + File + ", where they were kept, cannot be read any more";
  return "";
}

/// Records the calls that have not returned. Returns what to say of them behind Why.
static std::string recordOpenCalls(Process &P, const char *Why, const OtherEnd &End) {
  std::string Which;
  for (const auto &Thread : P.Threads)
    if (Thread->NumOpen && isQuiet(*Thread) && (End.HasOpenCalls || Thread.get() != CurrentThread)) {
      const unsigned Function = Thread->Open[0].function();
      if (Which.empty() || Thread.get() == CurrentThread)
        Which = functionName(rowOf(Function));
      recordUnderWay(*Thread);
    }
  return Which.empty() || std::strstr(Why, Which.c_str()) ? "" : "; " + Which + " had not returned";
}

void writeShard(Process &P, const char *Why, const OtherEnd &End) {
  // The process ends: nothing is gained by freeing it, or lost if that is not possible.
  auto *Own = new TraceData;
  std::string Lost, UnderWay;
  if (!tryInMemory([&] {
        UnderWay = recordOpenCalls(P, Why, End);
        *Own = ownTrace(P, End.Unanswered || End.IsSudden);
        Lost = whyLost(P);
      }))
    return tell(TellLevel::Error, "%s; out of memory for writing its calls", Why);
  if (!Lost.empty())
    tell(TellLevel::Error, "%s; %s", Why, Lost.c_str());
  else if (!Own->Groups.empty()) // a handler of the program may have called what ends it
    shard(P, *Own, Why, End.Unanswered, true, End.IsSudden ? WriteOptions{.Level = 0} : WriteOptions{}, End.IsCause,
          UnderWay);
  Spool::removeFiles();
}

static double limitOf(const Process &P) {
  if (P.Opts.FinalizeLimit >= 0)
    return P.Opts.FinalizeLimit;
  constexpr double Few = 5; // messages mostly do not arrive
  return hasFirstThreadEnded() ? Few : 60 + P.Size * 0.001;
}

/// On the first rank, when everything is joined: writes the file, but for what is elsewhere. Leaves in All.Data what is
/// to be broadcast: where that belongs, or one byte.
static bool beginFile(Process &P, Finish &F) {
  return tryInMemory([&] {
    TraceData &T = F.Merged.Joined;
    describe(P, T);
    F.File.emplace(P);
    if (!F.isWhole()) {
      becomePart(P, T);
      F.File->becomeShard(P);
    }
    chooseCandidates(T);
    F.Parts = writeTraceInParts(T);
    F.All.Chunks = nullptr;
    F.All.Data.assign(1, 1);
    if (!F.File->begin(F.Parts))
      return;
    if (F.Parts.isElsewhere())
      F.All.Data = OwnFrames::places(T, F.Parts, F.File->Temporary);
  });
}

/// The trace without the times of single calls.
static void beginWithoutFrames(Finish &F, int Why) {
  F.File->abandon();
  tell(TellLevel::Error, "cannot write the times of single calls to %s: %s; the trace has totals only",
       F.File->Path.c_str(), std::strerror(Why));
  TraceData &T = F.Merged.Joined;
  for (Group &G : T.Groups)
    G.Times.clear();
  T.Meta["timing"] = "mean";
  F.Parts = writeTraceInParts(T);
  F.File->begin(F.Parts);
}

/// On the first rank, when the file is whole. Leaves in All.Data what is to be broadcast: the trace if it is to be
/// verified, else one byte.
static bool endFile(Process &P, Finish &F, int Why, uint64_t Begin) {
  return tryInMemory([&] {
    if (Why)
      beginWithoutFrames(F, Why);
    F.All.Chunks = nullptr;
    if (P.Opts.Verify == VerifyOption::Off)
      F.All.Data.assign(1, 1);
    else
      F.All.Data = F.Parts.isElsewhere() ? contentOf(F.File->Temporary) : inMemory(F.Parts);
    if (F.File->Error.empty() && F.File->commit())
      summary(F, secondsSince(Begin));
    else
      tell(TellLevel::Error, "%s; the trace is lost", F.File->Error.c_str());
  });
}

/// Joins the traces. Returns why this rank has to write its shard; empty if it has not.
static std::string join(Process &P, Finish &F, bool HasOwn, uint64_t LeastFree, uint64_t Begin) {
  char Late[64];
  std::snprintf(Late, sizeof Late, "not all ranks answered within %g s", limitOf(P));
  Party::Agreement Agreed{HasOwn ? P.Size : P.Rank, comparedClock(P)};
  if (P.Size > 1 && (!F.All.gather() || !F.All.agree(Agreed)))
    return Late;
  if (Agreed.WithoutTrace < P.Size)
    return "rank " + std::to_string(Agreed.WithoutTrace) + " has no trace to join";
  if (Agreed.HasOtherClock) {
    if (!compareClocks(F.All, comparedClock(P), P.Clock))
      return Late;
    noteClock(P, F.Own);
  }
  // Ranks that sent their part wait for the one that has it to say whether it has arrived.
  const char *NoMemory = "there is not enough memory to join the traces";
  if (!mergeRanks(F.All, F.Own, LeastFree, F.Merged))
    return Late;
  bool IsJoined = F.Merged.IsGood;
  if (P.Size > 1 && !F.All.narrow(F.Merged.Reach, IsJoined))
    return Late;
  if (!IsJoined)
    return NoMemory;
  if (F.All.numJoined() == 1 && P.Size > 1)
    return F.Merged.Limit == MergeLimit::Memory ? NoMemory : textOf(F.Merged.Limit);
  // Then, that it is written. Packing takes the time that it takes.
  F.All.waitLonger();
  bool IsWritten = false;
  auto End = [&](int Why) {
    if (!endFile(P, F, Why, Begin))
      F.All.giveNothing();
    IsWritten = !F.All.Data.empty();
  };
  const bool IsFirst = P.Rank == F.All.first();
  if (IsFirst) {
    tell(TellLevel::Info, "rank %d: the traces of %d ranks are joined after %.3f s", P.Rank, F.All.numJoined(),
         secondsSince(Begin));
    if (!beginFile(P, F))
      F.All.giveNothing();
    else if (!OwnFrames::arePlaces(F.All.Data))
      End(0);
  }
  if (P.Size > 1 && !F.All.broadcast())
    return IsWritten ? "" : Late;
  if (OwnFrames::arePlaces(F.All.Data)) {
    int Why;
    if (!F.Merged.Frames.write(F.All, F.All.Data, Why)) {
      if (IsFirst)
        F.File->abandon();
      return Late;
    }
    if (IsFirst)
      End(Why);
    if (!F.All.broadcast())
      return IsWritten ? "" : Late;
  }
  if (F.All.Data.empty())
    return NoMemory;
  if (!F.isWhole() && !IsFirst)
    tryInMemory([&] { OutputFile(P).removeShard(P); });
  if (P.Opts.Verify != VerifyOption::Off) {
    VerifiedRank Own = verifiedRank(P);
    Own.First = F.All.first();
    Own.Joined = F.All.numJoined();
    reportVerification(Own, std::vector<uint8_t>(F.All.Data), [&](const void *Mine, int Bytes, void *Everyone) {
      if (P.Size > 1)
        return F.All.collect(Mine, Bytes, Everyone);
      std::memcpy(Everyone, Mine, static_cast<size_t>(Bytes));
      return true;
    });
  }
  return "";
}

/// Joins the ranks' traces, or leaves a shard.
static void finish(Process &P) {
  uint64_t Begin = nanoseconds();
  const JoiningEnds Ends;
  const unsigned Unanswered = endRecording(P, false);
  std::optional<memory::UseSmallBlocks> Quickly(std::in_place);
  auto *F = new Finish(P, limitOf(P));
  const uint64_t Free = freeMemory();
  const memory::KeepFree Sixteenth(Free / 16); // for a shard
  bool HasOwn;
  std::string Lost;
  {
    const memory::KeepFree Quarter(Free / 4);
    HasOwn = tryInMemory([&] {
      size_t Memory = 0;
      if (tells(TellLevel::Debug))
        for (const auto &Thread : P.Threads)
          Memory += Thread->Calls.memory();
      F->Own = ownTrace(P, Unanswered != 0);
      Lost = whyLost(P);
      tell(TellLevel::Debug, "rank %d: %s, recorded in %zu bytes of memory, %s a trace after %.3f s", P.Rank,
           countText(F->Own).c_str(), Memory, isOrAre(F->Own), secondsSince(Begin));
    });
  }
  HasOwn &= Lost.empty();
  std::string Why;
  {
    const uint64_t LeastFree = P.Opts.KeepFree ? uint64_t(*P.Opts.KeepFree) << 20 : Free / 2;
    const memory::KeepFree Half(P.Size > 1 ? LeastFree : Free / 16);
    const TransportErrors Errors;
    Why = join(P, *F, HasOwn, LeastFree, Begin);
  }
  HasOwn &= P.Size > 1; // else it became what is joined
  if (Why.empty() && !F->All.IsLeftBehind) {
    if (P.Size > 1 && F->isWhole()) // else others have not come so far
      F->All.leave();
    Quickly.reset(); // nothing is made any more: blocks that are given back need not be found again
    delete F;
    return;
  }
  if (F->All.IsLeftBehind)
    hushTransport();
  if (!HasOwn)
    tell(TellLevel::Error, "rank %d: %s", P.Rank, Lost.empty() ? "out of memory for writing its calls" : Lost.c_str());
  else if (!Why.empty())
    shard(P, F->Own,
          ("rank " + std::to_string(P.Rank) + (JoiningEnds::hasCome() ? " " + std::string(Ends.why()) : ": " + Why))
              .c_str(),
          Unanswered, false, {}, JoiningEnds::hasCome());
}

void placeSpools(const Process &P) {
  const OutputFile File(P);
  if (P.Rank == 0)
    File.foresee();
  const std::string Folder = File.Path.starts_with('/') || P.Folder.empty() ? "" : P.Folder + "/";
  Spool::setPlace(Folder + File.Path + ".chunks." + std::to_string(std::max(P.Rank, 0)));
}

void beginRun(Process &P) {
  if (P.Opts.Clocks != ClocksOption::Both || P.Size == 1)
    return;
  auto *All = new Party(P.Rank, P.Size, limitOf(P));
  Party::Agreement Agreed{P.Size, comparedClock(P)};
  if (All->gather() && All->agree(Agreed) &&
      (!Agreed.HasOtherClock || compareClocks(*All, comparedClock(P), P.Clock))) {
    All->leave();
    delete All;
  } else
    tell(TellLevel::Error, "rank %d: not all ranks compared their clocks within %g s", P.Rank, limitOf(P));
}

void finishRun(Process &P) {
  finish(P);
  Spool::removeFiles();
}

void declineRun(Process &P) {
  auto *F = new Finish(P, limitOf(P));
  Party::Agreement Agreed{P.Rank};
  if (P.Size > 1 && F->All.gather() && F->All.agree(Agreed))
    F->All.leave();
  if (F->All.IsLeftBehind)
    hushTransport();
  Spool::removeFiles();
}

} // namespace pilgrim
