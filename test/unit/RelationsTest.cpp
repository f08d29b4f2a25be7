// How slots belong together: by the rules, by what a schema says besides, and for every function of api/'s table.
#include "trace/model/Relations.h"
#include "pmpi/Functions.h"
#include "test/unit/TraceFixture.h"
#include "trace/file/Encoder.h"
#include "trace/read/Reader.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
FunctionSchema schema(const std::string &Name) {
  const FixtureFunction &F = fixtureFunctions().at(Name);
  return {F.Id, Name, F.IsCollective, F.Slots};
}

/// As a runtime makes it from the generated descriptions.
FunctionSchema schema(const FunctionRow &Row, const char *Name) {
  FunctionSchema F{Row.Id, Name, Row.IsCollective, {}};
  for (unsigned I = 0; I < Row.NumSlots; ++I) {
    const SlotInfo &S = SlotTable[SlotNumbers[Row.FirstSlot + I]];
    F.Slots.push_back({S.Name, S.K, S.IsArray, S.IsOutput, S.IsMachine, S.IsHidden, S.IsFlags, ""});
    for (const SlotRelation &R : S.Relations)
      if (R.Meaning != Relation::None)
        F.Slots.back().Said.push_back(R);
  }
  return F;
}

struct Row {
  uint32_t Function, Slot, Count, Datatype, Displacements, Factor;
  Relation Per;
  bool IsOwn;
  const char *Does;
  Relation Where;
  uint32_t Group;
  Relation Use;
};

std::vector<Row> table() {
  using enum Relation;
  return {
#define X(...) {__VA_ARGS__},
#include "relations.def"
#undef X
  };
}

std::string does(const BufferRelations &B) {
  return B.IsReadAtRoot ? "root" : B.IsRead && B.IsWritten ? "both" : B.IsWritten ? "out" : "in";
}
} // namespace

TEST(Relations, AreThoseOfTheTable) {
  std::map<uint32_t, FunctionSchema> Functions;
  for (unsigned I = 0; I < NumFunctions; ++I)
    Functions[FunctionRows[I].Id] = schema(FunctionRows[I], functionName(I));
  ASSERT_GT(Functions.size(), 400u);
  for (const Row &Said : table()) {
    const FunctionSchema &F = Functions.at(Said.Function);
    SCOPED_TRACE(F.Name + ": " + F.Slots[Said.Slot].Name);
    const Relations R(F);
    BufferRelations B;
    bool IsBuffer = false;
    for (const BufferRelations &One : R.buffers())
      if (One.Slot == Said.Slot) {
        B = One;
        IsBuffer = true;
      }
    EXPECT_EQ(B.Count, Said.Count);
    EXPECT_EQ(B.Datatype, Said.Datatype);
    EXPECT_EQ(B.Displacements, Said.Displacements);
    EXPECT_EQ(B.Factor, Said.Factor);
    EXPECT_EQ(B.Per, Said.Per);
    EXPECT_EQ(B.IsOwnCount, Said.IsOwn);
    EXPECT_EQ(IsBuffer ? does(B) : "", Said.Does);
    EXPECT_EQ(R.significance(Said.Slot), Said.Where);
    EXPECT_EQ(R.groupOf(Said.Slot), Said.Group);
    EXPECT_EQ(R.use(Said.Slot), Said.Use);
  }
}

TEST(Relations, FollowFromKindsAndOrder) {
  const FunctionSchema Send = schema("MPI_Send"), Bcast = schema("MPI_Bcast"), V = schema("MPI_Alltoallv");
  const Relations OfSend(Send), OfBcast(Bcast), OfV(V);
  ASSERT_EQ(OfSend.buffers().size(), 1u);
  EXPECT_EQ(OfSend.buffers()[0].Count, 2u);
  EXPECT_EQ(OfSend.buffers()[0].Datatype, 3u);
  EXPECT_EQ(OfSend.buffers()[0].To, 4u);
  EXPECT_EQ(OfSend.groupOf(4), 6u);
  EXPECT_EQ(OfSend.root(), 0u);
  EXPECT_EQ(OfBcast.root(), 4u);
  EXPECT_TRUE(OfBcast.buffers()[0].IsReadAtRoot);
  EXPECT_EQ(OfV.buffers()[1].Count, 6u);
  EXPECT_EQ(OfV.buffers()[1].Displacements, 7u);
  EXPECT_EQ(Relations(schema("MPI_Waitall")).use(2), Relation::Completes);
  EXPECT_EQ(Relations(schema("MPI_Comm_free")).use(1), Relation::Frees);
  EXPECT_EQ(Relations(schema("MPI_Comm_dup")).use(2), Relation::Makes);
  EXPECT_EQ(Relations(schema("MPI_Comm_dup")).use(1), Relation::Keeps);
}

TEST(Relations, AreOtherwiseWhereTheSchemaSaysSo) {
  FunctionSchema F = schema("MPI_Send");
  F.Slots[1].Said = {{Relation::Count, 0}, {Relation::Datatype, 0}};
  F.Slots[4].Said = {{Relation::Group, 0}};
  const Relations R(F);
  EXPECT_EQ(R.buffers()[0].Count, 0u);
  EXPECT_EQ(R.buffers()[0].Datatype, 0u);
  EXPECT_EQ(R.groupOf(4), 0u);
}

TEST(Schema, RelationsLevelsAndUnknownKindsAreReadAsTheyWereWritten) {
  TraceData T;
  T.World = 1;
  FunctionSchema &F = T.Functions[1] = schema("MPI_Send");
  F.Slots[1].Said = {{Relation::PerProcess, 0}, {Relation::Count, 6}};
  F.Slots[4].K = static_cast<Kind>(200);
  T.Functions[1].Id = 1;
  T.Functions[2] = {2, "open", false, {F.Slots[0]}, static_cast<Level>(7)};
  T.Functions[3] = {3, "(something)", false, {F.Slots[0]}, Level::Tracer};
  T.Functions[4] = {4, "(called)", false, {F.Slots[0]}, Level::Mpi};
  const std::vector<uint8_t> Bytes = encodeSchema(T, {1, 2, 3, 4});
  ByteReader R(Bytes);
  TraceData Read;
  std::vector<uint32_t> Order;
  ASSERT_TRUE(decodeSchema(R, Read, Order));
  EXPECT_EQ(Read.Functions, T.Functions);
  EXPECT_EQ(Order, (std::vector<uint32_t>{1, 2, 3, 4}));
  EXPECT_FALSE(isCall(Read.Functions[3]));
  EXPECT_TRUE(isCall(Read.Functions[4]));
}

/// The section for one function with one slot besides the return code, whose bits and relations are these.
static bool reads(std::vector<uint8_t> Slot, TraceData &T) {
  std::vector<uint8_t> Bytes = {1, 1, 'f', 1, 5, 0, 2 << 1, 0, 9, 2, 0, 25};
  Bytes.insert(Bytes.end(), Slot.begin(), Slot.end());
  Bytes.push_back(0); // names
  ByteReader R(Bytes);
  std::vector<uint32_t> Order;
  return decodeSchema(R, T, Order);
}

TEST(Schema, RelationsThatAreNotKnownAreLeftOutAndDamagedOnesRefused) {
  TraceData Known, Unknown, T;
  ASSERT_TRUE(reads({64, 1 << 2 | 2, 1}, Known));
  EXPECT_EQ(Known.Functions[5].Slots[1].Said, (std::vector<SlotRelation>{{Relation::Count, 1}}));
  ASSERT_TRUE(reads({64, 0xc8 | 3, 1, 77, 5 << 2}, Unknown)); // 50 with a number, then one that is known
  EXPECT_EQ(Unknown.Functions[5].Slots[1].Said, (std::vector<SlotRelation>{{Relation::PerProcess, 0}}));
  EXPECT_FALSE(reads({64, 1 << 2 | 2, 2}, T = {})); // no such slot
  EXPECT_FALSE(reads({64, 1 << 2}, T = {}));        // a count without its slot
  EXPECT_FALSE(reads({64, 5 << 2 | 2, 1}, T = {})); // a word with one
  EXPECT_FALSE(reads({64, 5 << 2 | 1}, T = {}));    // cut short
  EXPECT_FALSE(reads({128}, T = {}));
}
