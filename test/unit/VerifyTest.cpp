// The comparison behind --verify: equal calls agree, and whatever differs is noticed.
#include "verify/Verify.h"
#include "test/unit/RecorderFixture.h"
#include "trace/file/Format.h"
#include "verify/Compare.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
constexpr uint64_t NullRequest = 0x77;

int64_t errorClass(int64_t Code) { return Code & 0xff; }

MpiValues mpi() {
  watchReleases();
  MpiValues V;
  V.Handles[{Kind::Comm, 0}] = {0, "WORLD"};
  V.NullRequest = NullRequest;
  V.InPlace = 1;
  V.Bottom = 2;
  V.ErrorClass = errorClass;
  return V;
}

/// Calls that go to a recorder and, as plain copies, to a log.
struct Program {
  Recording R;
  CallLog Log;

  CallCopy &copy(uint32_t Function, int Ret = 0) {
    CallCopy *C = Log.begin<CallCopy>(Function, 0, true, 0);
    C->Returned = true;
    C->Ret = Ret;
    return *C;
  }
  static void address(CallCopy &C, unsigned Slot, uint64_t Raw) {
    C.put(Slot, RawType::Address, {int64_t(Raw), int64_t(countReleases())});
  }
  static void handle(CallCopy &C, unsigned Slot, Kind K, uint64_t Raw, bool IsMade = false) {
    C.put(Slot, IsMade ? RawType::MadeHandle : RawType::Handle, {int64_t(K), int64_t(Raw)});
  }

  void send(uint64_t Buffer, int64_t Tag, uint64_t Comm, int Ret = 0) {
    R.call(0, 0x10, {R.buffer(Buffer), number(8), number(3), number(Tag), R.comm(Comm)}, {}, Ret);
    CallCopy &C = copy(0, Ret);
    address(C, 1, Buffer);
    C.put(2, RawType::Number, {8});
    C.put(3, RawType::Number, {3});
    C.put(4, RawType::Number, {Tag});
    handle(C, 5, Kind::Comm, Comm);
  }
  void wait() {
    R.call(1, 0x20, {number(2), vector(Tag::Array, {5, ~uint64_t(0)}), vector(Tag::Statuses, {4, 6, 80, 1}, 4)});
    CallCopy &C = copy(1);
    C.put(1, RawType::Number, {2});
    C.put(2, RawType::Requests, {0x500, int64_t(NullRequest)});
    C.put(3, RawType::Statuses, {4, 6, 80, 1});
  }
  void open() {
    R.call(2, 0x30, {text("file"), number(4), number(1000), vector(Tag::Status, {2, 5, 64, 0}, 4)});
    CallCopy &C = copy(2);
    C.put(1, RawType::String, {'f', 'i', 'l', 'e'});
    C.put(2, RawType::Number, {4});
    C.put(3, RawType::Number, {1000});
    C.put(4, RawType::Status, {2, 5, 64, 0});
  }
  void type() {
    R.call(3, 0x40, {R.types({11, 12}), vector(Tag::Array, {8, 16}), R.op(13), R.buffer(4096 * 7)});
    CallCopy &C = copy(3);
    C.put(1, RawType::Handles, {int64_t(Kind::Datatype), 11, 12});
    C.put(2, RawType::Numbers, {8, 16});
    handle(C, 3, Kind::Op, 13);
    address(C, 4, 4096 * 7);
  }
  /// All of them, twice: at its second use every name is bound.
  void all() {
    for (int Round = 0; Round < 2; ++Round) {
      send(4096 * 2 + 16, 7, 0);
      send(4096 * 2 + 32, -1, 9, 0x105);
      wait();
      open();
      type();
    }
  }
  std::vector<uint8_t> file() { return writeTrace(R.finish()); }
};

Comparison compare(const std::vector<uint8_t> &File, const CallLog &Log) {
  auto T = Trace::fromBytes(File);
  if (!T)
    return {"(the trace does not read)", 0, {}};
  const MpiValues Mpi = mpi();
  const Bindings Others;
  return compareCalls(*T, T->view(2, 0), Log, Mpi, &Others);
}
} // namespace

TEST(VerifyTest, WhatWasRecordedAgrees) {
  mpi();
  Program P;
  P.all();
  const Comparison C = compare(P.file(), P.Log);
  EXPECT_EQ(C.Difference, "");
  EXPECT_EQ(C.Calls, 10u);
}

TEST(VerifyTest, EachValueIsCompared) {
  mpi();
  Program P;
  P.all();
  const auto File = P.file();
  unsigned Changes = 0;
  // In the second half, where each name has been bound.
  for (size_t I = P.Log.Calls.size() / 2; I < P.Log.Calls.size(); ++I) {
    CallCopy &C = *P.Log.Calls[I];
    for (size_t At = 0; At < C.Items.size();) {
      const auto Type = static_cast<RawType>(C.Items[At] >> 8 & 0xff);
      const auto Words = static_cast<size_t>(C.Items[At] >> 16);
      // Not the kind of handles, which is the same at every call of a function. Not the number of releases: it only
      // says which meanings of a name may still be met.
      const size_t First = Type == RawType::Handle || Type == RawType::Handles;
      const size_t End = Type == RawType::Address ? 1 : Words;
      for (size_t W = First; W < End; ++W) {
        int64_t &Word = C.Items[At + 1 + W];
        const int64_t Was = Word;
        Word ^= 1;
        EXPECT_NE(compare(File, P.Log).Difference, "") << "call " << I << " item at " << At << " word " << W;
        Word = Was;
        ++Changes;
      }
      At += Words + 1;
    }
  }
  EXPECT_GE(Changes, 30u);
  EXPECT_EQ(compare(File, P.Log).Difference, "");
}

TEST(VerifyTest, EachCallIsCompared) {
  mpi();
  Program P;
  P.all();
  const auto File = P.file();
  CallCopy &C = *P.Log.Calls[3];
  C.Ret = 3;
  EXPECT_EQ(compare(File, P.Log).Difference, "call 3 parameter (return code) (Open)");
  C.Ret = 0;
  C.Depth = 1;
  EXPECT_NE(compare(File, P.Log).Difference, "");
  C.Depth = 0;
  C.Function = 1;
  EXPECT_NE(compare(File, P.Log).Difference, "");
  C.Function = 2;
  C.IsTraced = false;
  EXPECT_NE(compare(File, P.Log).Difference, "");
  C.IsTraced = true;
  C.Returned = false; // under way when the trace was written, which has it
  EXPECT_NE(compare(File, P.Log).Difference, "");
  C.Returned = true;
  EXPECT_EQ(compare(File, P.Log).Difference, "");
  P.send(4096 * 2 + 16, 7, 0); // after the trace was written
  EXPECT_EQ(compare(File, P.Log).Difference, "call 10 parameter (the trace ends)");
  P.Log.Calls.resize(9);
  EXPECT_EQ(compare(File, P.Log).Difference, "call 9 parameter (the trace goes on) (Type)");
}

TEST(VerifyTest, ANameMayStandForAnotherObjectOnceItIsMadeAnew) {
  mpi();
  Program P;
  P.R.Encoder.Ids[20] = 9; // the number of a communicator that is gone
  P.send(4096, 1, 9);
  P.send(4096, 2, 20);
  const auto File = P.file();
  EXPECT_NE(compare(File, P.Log).Difference, "");
  CallCopy &C = *P.Log.Calls[1];
  C.Items[C.Items.size() - 3] = 5 | int64_t(RawType::MadeHandle) << 8 | int64_t(2) << 16;
  EXPECT_EQ(compare(File, P.Log).Difference, "");
}

TEST(VerifyTest, ASegmentMayBeElsewhereOnceItIsReleased) {
  mpi();
  Program P;
  P.R.Encoder.Segments[5] = 2; // number 2 again, at another address
  P.send(4096 * 2, 1, 0);
  noteRelease(3);
  P.send(4096 * 5, 2, 0);
  EXPECT_NE(compare(P.file(), P.Log).Difference, "");
  Program Q;
  Q.R.Encoder.Segments[5] = 2;
  Q.send(4096 * 2, 1, 0);
  noteRelease(2);
  Q.send(4096 * 5, 2, 0);
  EXPECT_EQ(compare(Q.file(), Q.Log).Difference, "");
}

TEST(VerifyTest, ADifferenceChangesTheExitCodeOnlyIfThatIsWanted) {
  VerifiedRank R;
  R.Mpi = mpi();
  R.Rank = 2;
  R.Size = 5;
  Program P;
  P.all();
  const auto File = P.file();
  R.Threads = {&P.Log};
  P.Log.Calls[0]->Ret = 1;
  reportVerification(R, File);
  EXPECT_EQ(verificationExitCode(), 0);
  R.IsStrict = true;
  P.Log.Calls[0]->Ret = 0;
  reportVerification(R, File);
  EXPECT_EQ(verificationExitCode(), 0);
  P.Log.Calls[0]->Ret = 1;
  reportVerification(R, File);
  EXPECT_EQ(verificationExitCode(), 86);
}
