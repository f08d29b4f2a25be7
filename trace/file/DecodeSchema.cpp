//===- DecodeSchema.cpp - the section schema from bytes -------------------===//
//
// A later writer may have more kinds and relations: kinds that are not known are
// kept, relations are left out.
//
//===----------------------------------------------------------------------===//
#include "trace/file/Decoder.h"

namespace pilgrim {

namespace {
class SchemaDecoder {
public:
  explicit SchemaDecoder(ByteReader &R) : R(R) {}

  bool read(TraceData &T, std::vector<uint32_t> &Order) {
    size_t NumWords = R.count();
    R.spend(NumWords * sizeof(std::string));
    if (!R.ok())
      return false;
    Words.resize(NumWords);
    for (std::string &S : Words)
      S = R.string();
    for (size_t N = R.count(3); N-- && R.ok();) {
      FunctionSchema F;
      readFunction(F);
      Order.push_back(F.Id);
      if (!T.Functions.try_emplace(F.Id, std::move(F)).second)
        R.fail("two functions have one id");
    }
    for (size_t N = R.count(3); N-- && R.ok();) {
      std::string Key = word();
      int64_t V = R.svarint();
      T.Names[{Key, V}] = word();
    }
    return R.ok() && R.atEnd();
  }

private:
  std::string word() {
    if (Words.empty())
      R.fail("a word that is not in the list");
    if (!R.ok())
      return {};
    const std::string &S = Words[R.varintMax(Words.size() - 1, "a word that is not in the list")];
    R.spend(sizeof(ParamSchema) + S.size());
    return R.ok() ? S : std::string();
  }

  void readFunction(FunctionSchema &F) {
    F.Id = static_cast<uint32_t>(R.varintMax(UINT32_MAX, "the id of a function is 2^32 or more"));
    F.Name = word();
    F.L = usualLevel(F.Name);
    uint64_t V = R.varint();
    F.IsCollective = V & 1;
    const uint64_t NumSlots = V >> 1;
    if (NumSlots == 0 || NumSlots > R.remaining() || NumSlots > 255)
      R.fail("a function has no slots, or more than 255"); // every call has at least its return code
    for (uint64_t I = 0; R.ok() && I < NumSlots; ++I)
      readSlot(F, F.Slots.emplace_back(), NumSlots);
  }

  void readSlot(FunctionSchema &F, ParamSchema &P, uint64_t NumSlots) {
    P.Name = word();
    P.K = static_cast<Kind>(R.byte());
    unsigned Bits = R.byte();
    if (Bits > 127)
      R.fail("a slot has unknown bits");
    P.IsArray = Bits & 1;
    P.IsOutput = Bits & 2;
    P.IsMachine = Bits & 4;
    P.IsHidden = Bits & 8;
    P.IsFlags = Bits & 16;
    if (Bits & 32)
      P.Names = word();
    for (bool More = Bits & 64; More && R.ok();) {
      uint64_t V = R.varintMax(UINT8_MAX << 2 | 3, "a relation is 256 or more");
      More = V & 1;
      SlotRelation S{static_cast<Relation>(V >> 2), 0};
      if (V & 2)
        S.Number = static_cast<uint8_t>(R.varintMax(UINT8_MAX));
      if (!isKnown(S.Meaning))
        continue;
      if (bool(V & 2) != hasNumber(S.Meaning) || (isToSlot(S.Meaning) && S.Number >= NumSlots))
        R.fail("a relation with or without a number, or to a slot that is not there");
      R.spend(sizeof(SlotRelation));
      if (S.Meaning != Relation::LevelIs)
        P.Said.push_back(S);
      else if (F.Slots.size() == 1)
        F.L = static_cast<Level>(S.Number);
    }
  }

  ByteReader &R;
  std::vector<std::string> Words;
};
} // namespace

bool decodeSchema(ByteReader &R, TraceData &T, std::vector<uint32_t> &Order) { return SchemaDecoder(R).read(T, Order); }

} // namespace pilgrim
