//===- ReadEverything.h - reads whatever bytes as a trace -------*- C++ -*-===//
//
// What the fuzzer runs, and what its corpus is replayed through in the unit
// tests. Bytes that begin with the magic are a file. Others are the five
// unpacked sections, each with its length in front, and perhaps the sections
// of times and chunks: no checksum and no compression stands between them and
// the decoder. The checksums of models and frames of times are made good.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TEST_FUZZ_READEVERYTHING_H
#define PILGRIM_TEST_FUZZ_READEVERYTHING_H

#include "trace/merge/Merge.h"
#include "trace/read/CallIndex.h"
#include "trace/read/RankCursor.h"
#include "trace/read/Soundness.h"

#include <cstdio>
#include <cstdlib>

namespace pilgrim::test {

/// Uses every value that a call has.
inline uint64_t useCall(const Call &C) {
  uint64_t Sum = C.Function->Name.size() + static_cast<uint64_t>(C.result());
  for (uint32_t Site = C.Site; Site; Site = C.View->site(Site - 1).Caller)
    Sum += C.View->site(Site - 1).Module.size();
  for (const Value &V : C.Slots) {
    if (V.T == Tag::Name || V.T == Tag::String || V.T == Tag::Data)
      Sum += C.View->text(V).size();
    if (V.T == Tag::Object)
      Sum += static_cast<uint64_t>(C.View->object(V.Ref).Id);
    for (uint32_t R : V.Refs)
      Sum += static_cast<uint64_t>(C.View->object(R).Id);
    for (int64_t W : V.Words)
      Sum += static_cast<uint64_t>(W);
  }
  return Sum;
}

/// What is in frames is decoded by who asks for it, so it may be damaged in a trace that is sound otherwise.
inline uint64_t useTimes(const Trace &T, uint32_t Rank, uint32_t Thread) {
  auto View = T.view(Rank, Thread);
  if (!View->times())
    return 0;
  uint64_t Sum = 0;
  CallCursor Calls = Trace::timedCalls(View);
  int N = 0;
  for (Call C; N < 2000 && Calls.next(C); ++N)
    Sum += C.Start < C.Duration;
  const CallIndex Index(View, true);
  for (double Time : {0.0, 1e-6}) {
    CallCursor Later = Index.fromTime(Time);
    Call C;
    Sum += Later.next(C);
  }
  return Sum + Calls.error().size();
}

/// Expands some ranks up to a bound of calls and words, since a few bytes may
/// stand for any number of them. What is sound can be read.
inline uint64_t useTrace(const Trace &T) {
  const bool IsSound = findInconsistency(T).empty();
  auto Finish = [&](const std::string &Error) {
    if (IsSound && Error.starts_with("damaged") && !Error.starts_with("damaged: times of rank")) {
      std::fprintf(stderr, "found when it was read: %s\n", Error.c_str());
      std::abort();
    }
    return Error.size();
  };
  uint64_t Sum = T.data().calls(), Views = 0, Words = 0;
  for (const Group &G : T.data().Groups) {
    const auto &All = G.ranks().intervals();
    for (uint32_t Rank : {All.front().First, All.back().Last}) {
      if (++Views > 16)
        return Sum;
      CallCursor Calls = Trace::calls(T.view(Rank, G.Thread));
      int N = 0;
      for (Call C; N < 2000 && Words < (1 << 20) && Calls.next(C); ++N) {
        Sum += useCall(C);
        for (const Value &V : C.Slots)
          Words += V.Words.size();
      }
      Sum += Finish(Calls.error());
      Sum += useTimes(T, Rank, G.Thread);
    }
    Sum += T.threads(All.front().First).size();
  }
  if (!T.data().Groups.empty()) {
    const uint32_t Rank = T.data().Groups[0].ranks().first();
    RankCursor Calls(T, Rank, T.threads(Rank));
    int N = 0;
    for (Call C; N < 2000 && Words < (1 << 20) && Calls.next(C); ++N)
      Sum += C.Seq;
    Sum += Finish(Calls.error());
  }
  return Sum;
}

/// What was computed is not to be optimised away.
inline void keep(uint64_t V) { asm volatile("" : : "r"(V)); }

/// Models and frames of times with the checksums that their bytes have.
inline void reseal(TraceData &T) {
  auto Resealed = [](const Chunk &C) {
    std::vector<uint8_t> Bytes = C.bytes();
    if (Bytes.size() >= 4)
      Bytes.resize(Bytes.size() - 4);
    Bytes = withChecksum({std::move(Bytes)});
    const uint64_t Size = Bytes.size();
    return Chunk(std::make_shared<ChunkMemory>(std::move(Bytes)), 0, Size, C.length());
  };
  for (Group &G : T.Groups)
    for (CallTimes &X : G.Times) {
      for (Chunk &M : X.Models)
        M = Resealed(M);
      for (TimesFrame &F : X.Frames)
        F.Bytes = Resealed(F.Bytes);
    }
}

/// Whether the bytes are a trace; one that is has been expanded.
inline bool readEverything(std::span<const uint8_t> Bytes) {
  if (Bytes.size() >= 8 && std::memcmp(Bytes.data(), "PILGRIM\n", 8) == 0) {
    auto Head = readHead(Bytes);
    auto T = Trace::fromBytes(Bytes);
    if (T && (!Head || !(Head->Ranks == T->data().Ranks) || Head->Meta != T->data().Meta)) {
      std::fprintf(stderr, "the head is not what the trace says\n");
      std::abort();
    }
    if (T)
      keep(useTrace(*T));
    return T.has_value();
  }
  ByteReader R(Bytes);
  SectionBytes S;
  for (auto *Section : {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Measures}) {
    auto B = R.blob();
    Section->assign(B.begin(), B.end());
  }
  if (!R.atEnd()) {
    const auto Times = R.blob(), Chunks = R.blob();
    S.Times.assign(Times.begin(), Times.end());
    S.Chunks = std::make_shared<ChunkMemory>(std::vector<uint8_t>(Chunks.begin(), Chunks.end()));
  }
  auto Data = decodeSections(S);
  if (!Data)
    return false;
  reseal(*Data);
  // What was read can be written, and read again.
  auto T = Trace::fromBytes(writeTrace(*Data, {.Level = 0}));
  if (!T) {
    std::fprintf(stderr, "written again: %s\n", T.error().What.c_str());
    std::abort();
  }
  keep(useTrace(*T));
  // As shards are.
  deriveCandidates(*Data);
  chooseCandidates(*Data);
  return true;
}

} // namespace pilgrim::test

#endif
