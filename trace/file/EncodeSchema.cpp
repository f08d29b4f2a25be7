//===- EncodeSchema.cpp - the section schema to bytes ---------------------===//
//
// Names repeat from function to function: they stand once. How slots belong
// together is written only where it does not follow from kinds and order.
//
//===----------------------------------------------------------------------===//
#include "trace/file/Encoder.h"

namespace pilgrim {

namespace {
class SchemaEncoder {
public:
  std::vector<uint8_t> bytes(const TraceData &T, const std::vector<uint32_t> &Order) {
    Body.varint(T.Functions.size());
    for (uint32_t Id : Order)
      function(T.Functions.at(Id));
    Body.varint(T.Names.size());
    for (const auto &[Key, Name] : T.Names) {
      word(Key.first);
      Body.svarint(Key.second);
      word(Name);
    }
    ByteWriter W;
    W.varint(WordOrder.size());
    for (const std::string *S : WordOrder)
      W.string(*S);
    W.bytes(Body.Data);
    return std::move(W.Data);
  }

private:
  void word(const std::string &S) {
    auto [It, New] = Words.try_emplace(S, static_cast<uint32_t>(WordOrder.size()));
    if (New)
      WordOrder.push_back(&It->first);
    Body.varint(It->second);
  }

  void function(const FunctionSchema &F) {
    Body.varint(F.Id);
    word(F.Name);
    Body.varint(F.Slots.size() << 1 | uint64_t(F.IsCollective));
    for (size_t I = 0; I < F.Slots.size(); ++I) {
      const ParamSchema &P = F.Slots[I];
      std::vector<SlotRelation> Said = P.Said;
      if (I == 0 && F.L != usualLevel(F.Name))
        Said.push_back({Relation::LevelIs, static_cast<uint8_t>(F.L)});
      word(P.Name);
      Body.byte(static_cast<uint8_t>(P.K));
      Body.byte(static_cast<uint8_t>(P.IsArray | P.IsOutput << 1 | P.IsMachine << 2 | P.IsHidden << 3 | P.IsFlags << 4 |
                                     (!P.Names.empty()) << 5 | (!Said.empty()) << 6));
      if (!P.Names.empty())
        word(P.Names);
      relations(Said);
    }
  }

  void relations(const std::vector<SlotRelation> &Said) {
    for (size_t I = 0; I < Said.size(); ++I) {
      const bool HasNumber = hasNumber(Said[I].Meaning);
      Body.varint(static_cast<uint64_t>(Said[I].Meaning) << 2 | uint64_t(HasNumber) << 1 | (I + 1 < Said.size()));
      if (HasNumber)
        Body.varint(Said[I].Number);
    }
  }

  std::map<std::string, uint32_t> Words;
  std::vector<const std::string *> WordOrder;
  ByteWriter Body;
};
} // namespace

std::vector<uint8_t> encodeSchema(const TraceData &T, const std::vector<uint32_t> &Order) {
  return SchemaEncoder().bytes(T, Order);
}

} // namespace pilgrim
