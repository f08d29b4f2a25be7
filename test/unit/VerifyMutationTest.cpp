// Whatever is changed in a parameter of any kind, --verify notices: in the plain copy, and in the call that the trace
// decodes to.
#include "test/unit/VerifyFixture.h"

#include <gtest/gtest.h>

#include <set>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
SlotInfo statusSlot(bool IsArray) { return slot("x", Kind::Status, Layout::Vector, IsArray); }
SlotInfo vectorSlot(Kind K) { return slot("x", K, Layout::Vector, true); }

template <typename T> std::vector<T> join(std::vector<T> A, const std::vector<T> &B) {
  A.insert(A.end(), B.begin(), B.end());
  return A;
}

void addNumbers(std::vector<SampleSlot> &All) {
  for (Kind K : {Kind::Int, Kind::Count, Kind::Displacement, Kind::Bytes, Kind::Offset, Kind::Rank, Kind::Tag,
                 Kind::Flag, Kind::Keyval}) {
    All.push_back({slot("x", K), {7}, {RawType::Number, {7}}});
    All.push_back({vectorSlot(K), {3, 7, 8, 9}, {RawType::Numbers, {7, 8, 9}}});
  }
  All.push_back({slot("x", Kind::Error, Layout::Word, false, "error"), {0x105}, {RawType::Number, {0x105}}});
  All.push_back({slot("x", Kind::Error, Layout::Vector, true, "error"), {2, 0, 0x105}, {RawType::Numbers, {0, 0x105}}});
  All.push_back({vectorSlot(Kind::Address), {2, 4096, 0}, {RawType::Numbers, {4096, 0}}});
  All.push_back({vectorSlot(Kind::Int), {0}, {RawType::Numbers, {}}});
}

void addHandles(std::vector<SampleSlot> &All) {
  int64_t Serial = 100;
  for (Kind K : {Kind::Comm, Kind::Datatype, Kind::Op, Kind::Group, Kind::Win, Kind::File, Kind::Message, Kind::Info,
                 Kind::Errhandler, Kind::Session, Kind::Tool}) {
    const auto Words = [&](uint64_t Raw) {
      ++Serial;
      return isTableObject(K) ? measuredWords(K, Raw, Serial) : handleWords(Raw, Serial);
    };
    const std::vector<int64_t> Head{int64_t(K)};
    All.push_back({slot("x", K), {0x11}, {RawType::Handle, join(Head, Words(0x11))}});
    const auto Two = join(Words(0x12), Words(0x13));
    All.push_back({vectorSlot(K), {2, 0x12, 0x13}, {RawType::Handles, join(Head, Two)}});
    All.push_back(
        {slot("x", K), {UnknownFrom}, {RawType::Handle, join(Head, handleWords(UnknownFrom, UnknownObject))}});
  }
  All.push_back({slot("x", Kind::Comm),
                 {World},
                 {RawType::Handle, join({int64_t(Kind::Comm)}, handleWords(World, UnknownObject, 2, 5, 0, -1))}});
  All.push_back({slot("x", Kind::Op, Layout::Word, false, "op"),
                 {NullOp},
                 {RawType::Handle, join({int64_t(Kind::Op)}, handleWords(NullOp, UnknownObject))}});
  All.push_back({slot("x", Kind::Request), {5}, {RawType::Request, {50}}});
  All.push_back({slot("x", Kind::Request), {uint64_t(-1)}, {RawType::Request, {NoRequest}}});
  All.push_back({slot("x", Kind::Request), {uint64_t(-2)}, {RawType::Request, {UnknownObject}}});
  All.push_back({vectorSlot(Kind::Request), {3, 6, uint64_t(-1), 7}, {RawType::Requests, {51, NoRequest, 52}}});
}

void addTexts(std::vector<SampleSlot> &All) {
  All.push_back({slot("x", Kind::String, Layout::Text), textWords("text"), {RawType::String, characters("text")}});
  All.push_back({slot("x", Kind::String, Layout::Text), {uint64_t(NullState)}, {RawType::Null, {}}});
  const std::string Vector("a\0bc\0", 5);
  All.push_back(
      {slot("x", Kind::Strings, Layout::Text, true), textWords(Vector), {RawType::String, characters(Vector)}});
}

void addStatuses(std::vector<SampleSlot> &All) {
  const uint64_t None = uint64_t(NoStatus);
  All.push_back({statusSlot(false), {1, 4, 6, 80, 3}, {RawType::Status, {4, 6, 80, 3}}});
  All.push_back({statusSlot(true), {2, 4, 6, 80, 0, 3, 5, 8, 1}, {RawType::Statuses, {4, 6, 80, 0, 3, 5, 8, 1}}});
  All.push_back(
      {statusSlot(true), {2, None, 0, 0, 0, 3, 5, 8, 0}, {RawType::Statuses, {NoStatus, 0, 0, 0, 3, 5, 8, 0}}});
  All.push_back({statusSlot(true), {uint64_t(SentinelState)}, {RawType::Sentinel, characters("IGNORE")}});
  SlotInfo Matched = statusSlot(false);
  Matched.IsHidden = true;
  All.push_back({Matched, {1, 4, 6, 80, 0}, {RawType::Status, {4, 6, 80, 0}}});
  All.push_back({Matched, {uint64_t(AbsentState)}, {RawType::Absent, {}}});
}

void addAddresses(std::vector<SampleSlot> &All) {
  auto Add = [&](Kind K, uint64_t A, Origin From, int64_t Offset = 0, std::string_view Name = "") {
    All.push_back({slot("x", K), {A}, {RawType::Address, addressWords(A, From, Offset, Name)}});
  };
  for (Kind K : {Kind::Buffer, Kind::Pointer, Kind::Address, Kind::Function}) {
    Add(K, 4096 * 7 + 8, Origin::Mapped);
    Add(K, DataAt + 16, Origin::Module, 16, "");
    Add(K, DataAt + 16, Origin::Module, 16, "/lib/app");
    Add(K, StackTop - 64, Origin::Stack);
    Add(K, Mappings + 64, Origin::Mapped);
    Add(K, NoMemory + 5, Origin::Unmapped);
    Add(K, 0, Origin::Unclear);
  }
  Add(Kind::Buffer, InPlace, Origin::Unclear);
  Add(Kind::Buffer, Bottom, Origin::Unclear);
  Add(Kind::Function, Symbol, Origin::Symbol, 0, "callback");
}

std::vector<SampleSlot> samples() {
  watchReleases();
  std::vector<SampleSlot> All;
  addNumbers(All);
  addHandles(All);
  addTexts(All);
  addStatuses(All);
  addAddresses(All);
  All.push_back({slot("x", Kind::Int), {0}, {RawType::Absent, {}}, true});
  return All;
}

/// All samples, twice: at its second use every name is bound.
struct AllSamples : SampleRun {
  std::vector<uint8_t> File;
  AllSamples() : SampleRun(samples()) {
    for (int Round = 0; Round < 2; ++Round)
      for (uint32_t I = 0; I < Samples.size(); ++I)
        call(I, 3);
    File = file();
  }
  std::string said(size_t I) const {
    const SampleSlot &S = Samples[I % Samples.size()];
    return "sample " + std::to_string(I % Samples.size()) + " of kind " + std::to_string(int(S.Slot.K)) + ", item " +
           std::to_string(int(S.Item.T));
  }
};

/// Whether a word of an item says something that the trace says, too. The raw value of a handle does not, if the serial
/// number tells the object; nor does where an address lies, if its name does.
bool isSaid(const CopiedItem &I, size_t Word) {
  switch (I.T) {
  case RawType::Handle:
  case RawType::Handles: {
    if (Word == 0)
      return false; // the kind, which is the same in all calls of a function
    const size_t Part = (Word - 1) % HandleWords, First = Word - Part;
    const bool IsNamed = I.Words[First + HandleSerial] != UnknownObject;
    return Part == HandleRaw ? !IsNamed : Part == HandleSerial ? IsNamed : I.Words[Word] != NotMeasured;
  }
  case RawType::Status:
  case RawType::Statuses:
    return Word % StatusWords == 0 || I.Words[Word - Word % StatusWords] != NoStatus;
  case RawType::Address:
    if (static_cast<Origin>(I.Words[2]) == Origin::Symbol)
      return Word >= 4;
    if (Word == 3)
      return static_cast<Origin>(I.Words[2]) == Origin::Module;
    // Of a path, the name of the file counts.
    return Word == 0 || (Word >= 4 && std::find(I.Words.begin() + 4, I.Words.end(), '/') == I.Words.end()) ||
           (Word >= 4 && std::find(I.Words.begin() + std::ptrdiff_t(Word), I.Words.end(), '/') == I.Words.end());
  default:
    return true;
  }
}
} // namespace

TEST(VerifyMutationTest, SamplesAgree) {
  const AllSamples P;
  const Comparison C = compareLog(P.File, P.Log);
  EXPECT_EQ(C.Difference, "");
  EXPECT_EQ(C.Calls, 2 * P.Samples.size());
}

TEST(VerifyMutationTest, ThereAreSamplesOfEveryKindAndItem) {
  std::set<Kind> Kinds;
  std::set<RawType> Types;
  for (const SampleSlot &S : samples()) {
    Kinds.insert(S.Slot.K);
    Types.insert(S.Item.T);
  }
  EXPECT_EQ(Kinds.size(), NumKinds);
  EXPECT_EQ(Types.size(), size_t(RawType::Statuses) + 1);
}

TEST(VerifyMutationTest, EachWordOfACopyIsCompared) {
  const AllSamples P;
  for (size_t I = P.Samples.size(); I < P.Log.Calls.size(); ++I) {
    CallCopy &C = *P.Log.Calls[I];
    const auto Was = C.Items;
    const CopiedItem Item = P.Samples[I % P.Samples.size()].Item;
    for (size_t W = 0; W < Item.Words.size(); ++W) {
      if (!isSaid(Item, W))
        continue;
      for (int64_t Change : {1, -1, 64}) {
        C.Items[1 + W] += Change;
        EXPECT_NE(compareLog(P.File, P.Log).Difference, "") << P.said(I) << ", word " << W << " by " << Change;
        C.Items = Was;
      }
    }
  }
}

TEST(VerifyMutationTest, EachItemOfACopyIsCompared) {
  const AllSamples P;
  for (size_t I = P.Samples.size(); I < P.Log.Calls.size(); ++I) {
    CallCopy &C = *P.Log.Calls[I];
    const auto Was = C.Items;
    const SampleSlot &S = P.Samples[I % P.Samples.size()];
    C.Items.clear();
    EXPECT_NE(compareLog(P.File, P.Log).Difference, "") << P.said(I) << " was not copied";
    for (RawType T : {RawType::Absent, RawType::Null, RawType::Sentinel, RawType::String}) {
      C.Items.clear();
      P.put(C, {T, {}});
      const bool IsSame = T == S.Item.T || (T == RawType::Null && S.Item.T == RawType::Address && !S.Item.Words[0]);
      if (!IsSame) {
        EXPECT_NE(compareLog(P.File, P.Log).Difference, "") << P.said(I) << " became item " << int(T);
      }
    }
    C.Items = Was;
    ++C.Ret;
    EXPECT_NE(compareLog(P.File, P.Log).Difference, "") << P.said(I) << " returned something else";
    --C.Ret;
    // One element less.
    const size_t Each = S.Item.T == RawType::Numbers || S.Item.T == RawType::Requests || S.Item.T == RawType::String ||
                                S.Item.T == RawType::Sentinel
                            ? 1
                        : S.Item.T == RawType::Handles  ? size_t(HandleWords)
                        : S.Item.T == RawType::Statuses ? size_t(StatusWords)
                                                        : 0;
    if (!Each || S.Item.Words.size() < Each)
      continue;
    C.Items.resize(C.Items.size() - Each);
    C.Items[0] -= int64_t(Each) << 16;
    EXPECT_NE(compareLog(P.File, P.Log).Difference, "") << P.said(I) << " lost its last element";
    C.Items = Was;
  }
  EXPECT_EQ(compareLog(P.File, P.Log).Difference, "");
}

namespace {
/// Compares the second round of all samples, each after a change of the decoded value.
class DecodedMutations {
public:
  explicit DecodedMutations(const AllSamples &P) : P(P), T(*Trace::fromBytes(P.File)), View(T.view(2, 0)) {}
  /// Change returns false when it has nothing more to change.
  void run(const std::function<bool(Value &V, std::vector<int64_t> &Words, std::vector<uint32_t> &Refs, unsigned Turn)>
               &Change) {
    for (size_t I = P.Samples.size(); I < P.Log.Calls.size(); ++I)
      for (unsigned Turn = 0; compare(I, Change, Turn); ++Turn)
        ;
  }
  unsigned Changes = 0;

private:
  template <typename F> bool compare(size_t Which, const F &Change, unsigned Turn) {
    const ObjectLives None;
    const MpiValues Mpi = mpi();
    Names Named(None, None);
    CallComparer Comparer(T, *View, Mpi, Named);
    CallCursor Cursor = Trace::calls(View);
    Call C;
    for (size_t I = 0; I < Which && Cursor.next(C); ++I)
      EXPECT_EQ(Comparer.compare(*P.Log.Calls[I], C), "");
    EXPECT_TRUE(Cursor.next(C));
    std::vector<Value> Slots(C.Slots.begin(), C.Slots.end());
    std::vector<int64_t> Words(Slots[1].Words.begin(), Slots[1].Words.end());
    std::vector<uint32_t> Refs(Slots[1].Refs.begin(), Slots[1].Refs.end());
    const bool IsMore = Change(Slots[1], Words, Refs, Turn);
    if (!IsMore)
      return false;
    Slots[1].Words = Words;
    Slots[1].Refs = Refs;
    C.Slots = Slots;
    ++Changes;
    EXPECT_NE(Comparer.compare(*P.Log.Calls[Which], C), "")
        << P.said(Which) << ", change " << Turn << " to tag " << int(Slots[1].T);
    return true;
  }
  const AllSamples &P;
  Trace T;
  std::shared_ptr<const RankView> View;
};
} // namespace

TEST(VerifyMutationTest, EachWordOfACallIsCompared) {
  const AllSamples P;
  DecodedMutations M(P);
  M.run([](Value &V, std::vector<int64_t> &Words, std::vector<uint32_t> &, unsigned Turn) {
    const size_t At = Turn / 2;
    if (At >= Words.size())
      return false;
    const bool IsStatus = V.T == Tag::Status || V.T == Tag::Statuses;
    const size_t Changed = IsStatus && Words[At - At % StatusWords] == NoStatus ? At - At % StatusWords : At;
    Words[Changed] += Turn % 2 ? 1 : -1;
    return true;
  });
  EXPECT_GT(M.Changes, 150u);
}

TEST(VerifyMutationTest, EachTagOfACallIsCompared) {
  const AllSamples P;
  DecodedMutations M(P);
  M.run([](Value &V, std::vector<int64_t> &Words, std::vector<uint32_t> &Refs, unsigned Turn) {
    unsigned Next = Turn + (Turn >= unsigned(V.T));
    // A mapping may have become a block of MPI's, and a device's memory is not mapped: later uses of the names tell.
    const bool MayBe = (V.T == Tag::Map || V.T == Tag::Raw) && Tag(Next) == Tag::Heap;
    if (Next >= NumTags - 1)
      return false;
    V.T = MayBe ? Tag::Absent : Tag(Next);
    if (Words.size() < wordsOf(V.T))
      Words.resize(wordsOf(V.T));
    if (V.T == Tag::Objects && Refs.empty())
      Refs = {V.Ref};
    return true;
  });
  EXPECT_GT(M.Changes, 1000u);
}

TEST(VerifyMutationTest, EachReferenceOfACallIsCompared) {
  const AllSamples P;
  DecodedMutations M(P);
  M.run([](Value &V, std::vector<int64_t> &, std::vector<uint32_t> &Refs, unsigned Turn) {
    const bool HasRef = V.T == Tag::Name || V.T == Tag::String || V.T == Tag::Object || V.T == Tag::Data;
    if (Turn >= (HasRef ? 1 : Refs.size()))
      return false;
    uint32_t &Ref = HasRef ? V.Ref : Refs[Turn];
    Ref = Ref ? Ref - 1 : Ref + 1;
    return true;
  });
  EXPECT_GT(M.Changes, 30u);
}

TEST(VerifyMutationTest, EachLengthOfACallIsCompared) {
  const AllSamples P;
  DecodedMutations M(P);
  M.run([](Value &V, std::vector<int64_t> &Words, std::vector<uint32_t> &Refs, unsigned Turn) {
    const bool IsLong = V.T == Tag::Array || V.T == Tag::Statuses || V.T == Tag::Objects;
    if (Turn > 1 || !IsLong || (Turn == 1 && Words.empty() && Refs.empty()))
      return false;
    const size_t Each = V.T == Tag::Statuses ? size_t(StatusWords) : 1;
    if (V.T == Tag::Objects)
      Refs.resize(Turn ? Refs.size() - 1 : Refs.size() + 1);
    else
      Words.resize(Turn ? Words.size() - Each : Words.size() + Each);
    return true;
  });
  EXPECT_GT(M.Changes, 30u);
}
