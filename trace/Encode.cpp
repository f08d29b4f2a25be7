//===- Encode.cpp - TraceData to section bytes ----------------------------===//
//
// Groups have tables of their own in memory; in the file every distinct entry
// stands once, and references are to that common table. An entry whose ranks
// matter (several variants, or words that are more than one explanation) names
// its ranks; any other can serve several groups.
//
//===----------------------------------------------------------------------===//
#include "trace/Format.h"

#include <map>

namespace pilgrim {

namespace {
class TableEncoder {
public:
  explicit TableEncoder(const TraceData &T) : T(T) {}

  /// Enters a group's tables; afterwards global() maps its references.
  void enter(const Group &G) {
    for (unsigned I = 0; I < NumTables; ++I) {
      Local[I].assign(G.Tables[I].size(), 0);
      for (size_t J = 0; J < G.Tables[I].size(); ++J)
        Local[I][J] = enterEntry(static_cast<TableId>(I), G, G.Tables[I][J]);
    }
  }
  uint32_t global(TableId Id, uint32_t LocalIndex) const { return Local[static_cast<unsigned>(Id)][LocalIndex]; }
  std::vector<uint8_t> bytes() const {
    ByteWriter W;
    for (unsigned I = 0; I < NumTables; ++I) {
      W.varint(Order[I].size());
      for (const auto *E : Order[I])
        W.bytes(*E);
    }
    return std::move(W.Data);
  }

private:
  uint32_t enterEntry(TableId Id, const Group &G, const Entry &E) {
    bool Ranked = E.size() > 1;
    for (const Variant &V : E) {
      Ranked |= !V.Ranks.empty() && !(V.Ranks == G.Ranks);
      for (const RankFn &F : V.Words)
        Ranked |= !F.isSingle();
    }
    ByteWriter W;
    W.varint(E.size() << 1 | uint64_t(Ranked));
    for (const Variant &V : E) {
      if (Ranked)
        (V.Ranks.empty() ? G.Ranks : V.Ranks).write(W);
      writeTokens(W, Id, V.Tokens);
      for (const RankFn &F : V.Words)
        F.write(W);
    }
    unsigned I = static_cast<unsigned>(Id);
    auto [It, New] = Index[I].try_emplace(std::move(W.Data), static_cast<uint32_t>(Order[I].size()));
    if (New)
      Order[I].push_back(&It->first);
    return It->second;
  }

  void writeTokens(ByteWriter &W, TableId Id, const std::vector<uint32_t> &Tokens) {
    switch (Id) {
    case TableId::Strings:
      W.string(unpackString(Tokens));
      return;
    case TableId::Sites:
      W.varint(global(TableId::Strings, Tokens[0]));
      return;
    case TableId::Objects:
      W.varint(Tokens[0]);
      W.varint(Tokens[1] ? global(TableId::Strings, Tokens[1] - 1) + 1 : 0);
      return;
    case TableId::Signatures:
      break;
    }
    W.varint(Tokens[0]);
    W.varint(Tokens[1] ? global(TableId::Sites, Tokens[1] - 1) + 1 : 0);
    W.varint(Tokens[2]);
    SlotWalker Walk(Tokens);
    for (SlotView S; Walk.next(S);) {
      for (size_t I = S.FirstToken; I < S.FirstToken + S.Tokens; ++I) {
        uint32_t V = Tokens[I];
        if (S.RefToken && I >= S.RefToken)
          V = global(S.T == Tag::Object || S.T == Tag::Objects ? TableId::Objects : TableId::Strings, V);
        W.varint(V);
      }
    }
  }

  const TraceData &T;
  std::map<std::vector<uint8_t>, uint32_t> Index[NumTables];
  std::vector<const std::vector<uint8_t> *> Order[NumTables];
  std::vector<uint32_t> Local[NumTables];
};
} // namespace

static std::vector<uint8_t> encodeMeta(const TraceData &T) {
  ByteWriter W;
  W.varint(T.World);
  T.Ranks.write(W);
  W.varint(T.Meta.size());
  for (const auto &[K, V] : T.Meta) {
    W.string(K);
    W.string(V);
  }
  return std::move(W.Data);
}

static std::vector<uint8_t> encodeSchema(const TraceData &T) {
  ByteWriter W;
  // Parameter names repeat from function to function: they stand once.
  std::map<std::string, uint32_t> Words;
  std::vector<const std::string *> Order;
  auto Word = [&](const std::string &S) {
    auto [It, New] = Words.try_emplace(S, static_cast<uint32_t>(Order.size()));
    if (New)
      Order.push_back(&It->first);
    return It->second;
  };
  ByteWriter Body;
  Body.varint(T.Functions.size());
  for (const auto &[Id, F] : T.Functions) {
    Body.varint(Id);
    Body.varint(Word(F.Name));
    Body.varint(F.Slots.size() << 1 | uint64_t(F.IsCollective));
    for (const ParamSchema &P : F.Slots) {
      Body.varint(Word(P.Name));
      Body.byte(static_cast<uint8_t>(P.K));
      Body.byte(static_cast<uint8_t>(P.IsArray | P.IsOutput << 1 | P.IsMachine << 2 | P.IsHidden << 3 | P.IsFlags << 4 |
                                     (!P.Names.empty()) << 5));
      if (!P.Names.empty())
        Body.varint(Word(P.Names));
    }
  }
  Body.varint(T.Names.size());
  for (const auto &[Key, Name] : T.Names) {
    Body.varint(Word(Key.first));
    Body.svarint(Key.second);
    Body.varint(Word(Name));
  }
  W.varint(Order.size());
  for (const std::string *S : Order)
    W.string(*S);
  W.bytes(Body.Data);
  return std::move(W.Data);
}

SectionBytes encodeSections(const TraceData &T) {
  SectionBytes S;
  S.Meta = encodeMeta(T);
  S.Schema = encodeSchema(T);
  TableEncoder Tables(T);
  ByteWriter Calls, Times;
  Calls.varint(T.Groups.size());
  bool Timed = false;
  for (const Group &G : T.Groups)
    Timed |= G.Timed;
  for (const Group &G : T.Groups) {
    Tables.enter(G);
    G.Ranks.write(Calls);
    Calls.varint(G.Thread);
    G.Calls.write(Calls);
    uint32_t N = G.Calls.terminals();
    uint32_t Expected = 0;
    for (uint32_t I = 0; I < N; ++I) {
      uint32_t Ref = Tables.global(TableId::Signatures, I);
      Calls.svarint(static_cast<int64_t>(Ref) - Expected);
      Expected = Ref + 1;
    }
    Calls.varint(G.Streams.size());
    for (const auto &[Key, Variants] : G.Streams) {
      Calls.varint(Key.Function);
      Calls.varint(Key.Site ? Tables.global(TableId::Sites, Key.Site - 1) + 1 : 0);
      Calls.varint(Key.Slot);
      Calls.varint(Key.Column);
      bool Ranked = Variants.size() > 1 || !(Variants[0].Ranks == G.Ranks);
      Calls.varint(Variants.size() << 1 | uint64_t(Ranked));
      for (const SlotStreamVariant &V : Variants) {
        if (Ranked)
          V.Ranks.write(Calls);
        V.Values.write(Calls);
      }
    }
    if (Timed) {
      // Means: what a reader wants, and shorter than sums. Sums are restored
      // from them to a call's nanosecond.
      auto Counts = G.Calls.terminalCounts();
      for (uint32_t I = 0; I < N; ++I)
        for (const Variant &V : G.table(TableId::Signatures)[I]) {
          uint64_t Calls1 = Counts[I] * G.ranks(V).size();
          Times.varint(Calls1 ? (V.Time.Duration + Calls1 / 2) / Calls1 : 0);
          Times.varint(Calls1 ? (V.Time.Gap + Calls1 / 2) / Calls1 : 0);
        }
    }
  }
  S.Tables = Tables.bytes();
  S.Calls = std::move(Calls.Data);
  S.Times = std::move(Times.Data);
  return S;
}

} // namespace pilgrim
