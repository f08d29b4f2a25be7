//===- EncodeSignatures.cpp - the table of signatures as bytes ------------===//
#include "trace/file/Encoder.h"
#include "trace/file/Vectors.h"
#include "trace/ranks/Affine.h"

namespace pilgrim {

uint32_t TableEncoder::encodeSignature(const Entry &E, bool Ranked) {
  constexpr unsigned I = static_cast<unsigned>(TableId::Signatures);
  struct Part {
    uint32_t Site;
    ByteWriter Form;
    std::vector<const RankFn *> Words;
  };
  std::vector<Part> Parts(E.size());
  ByteWriter Whole;
  Whole.varint(E.size() << 1 | uint64_t(Ranked));
  for (size_t N = 0; N < E.size(); ++N) {
    const Variant &V = E[N];
    Part &P = Parts[N];
    P.Site = V.Tokens[1] ? entry(TableId::Sites, V.Tokens[1] - 1) + 1 : 0;
    P.Words = writeForm(P.Form, V, Ranked);
    if (Ranked)
      V.Ranks.write(Whole);
    Whole.varint(P.Site);
    Whole.bytes(P.Form.Data);
    for (const RankFn *F : P.Words)
      writeWord(Whole, *F);
  }
  auto [It, New] = Index[I].try_emplace(std::move(Whole.Data), static_cast<uint32_t>(Index[I].size()));
  if (New) {
    Signatures.begin(E.size(), Ranked);
    for (size_t N = 0; N < E.size(); ++N)
      Signatures.variant(E[N], Parts[N].Site, std::move(Parts[N].Form.Data), std::move(Parts[N].Words));
  }
  return It->second;
}

void TableEncoder::writeWord(ByteWriter &W, const RankFn &F) {
  if (F.isSingle())
    return F.write(W);
  auto [It, New] = Written.try_emplace(F.pieces().data());
  if (New)
    It->second = bytesOf(F);
  W.bytes(It->second);
}

std::vector<const RankFn *> TableEncoder::writeForm(ByteWriter &W, const Variant &V, bool Ranked) {
  const auto &Tokens = V.Tokens;
  std::vector<DerivedVector> Derived = findDerived(V, Ranked);
  std::vector<const RankFn *> Words;
  W.varint(Tokens[0]);
  W.varint(Tokens[2]);
  SlotWalker Walk(Tokens);
  auto D = Derived.begin();
  size_t Slot = 0;
  for (SlotView S; Walk.next(S); ++Slot) {
    if (D != Derived.end() && D->Slot == Slot) {
      W.varint(D->Code);
      W.varint(Slot - D->From);
      if (D->Code == SumsCode) {
        W.svarint(D->Base);
        W.svarint(D->Scale);
      }
      ++D;
      continue;
    }
    for (size_t I = S.FirstToken; I < S.FirstToken + S.Tokens; ++I) {
      uint32_t X = Tokens[I];
      if (S.RefToken && I >= S.RefToken)
        X = entry(S.hasObjects() ? TableId::Objects : TableId::Strings, X);
      W.varint(X);
    }
    for (size_t I = S.FirstWord; I < S.FirstWord + S.Words; ++I)
      Words.push_back(&V.Words[I]);
  }
  return Words;
}

void SignatureEncoder::variant(const Variant &V, uint32_t Site, std::vector<uint8_t> Form,
                               std::vector<const RankFn *> Words) {
  auto [It, New] = FormIndex.try_emplace(std::move(Form), static_cast<uint32_t>(Forms.size()));
  if (New)
    Forms.push_back(&It->first);
  Rows.push_back({&V.Ranks, V.Tokens[0], It->second, Site, std::move(Words)});
}

void SignatureEncoder::write(ByteWriter &W) const {
  W.varint(Forms.size());
  for (const auto *F : Forms)
    W.bytes(*F);
  W.varint(Entries.size());
  auto At = Rows.begin();
  for (const EntryHead &E : Entries) {
    W.varint(E.Variants << 1 | uint64_t(E.Ranked));
    for (size_t N = E.Variants; N--; ++At)
      if (E.Ranked)
        At->Ranks->write(W);
  }
  for (const Row &R : Rows)
    W.varint(R.Form);
  int64_t Before = 0;
  for (const Row &R : Rows) {
    W.svarint(R.Site - Before);
    Before = R.Site;
  }
  // What calls of a function with as many words have in a place is alike.
  std::map<std::pair<uint32_t, size_t>, size_t> Alike;
  std::vector<std::vector<const Row *>> Columns;
  for (const Row &R : Rows) {
    size_t I = Alike.try_emplace({R.Function, R.Words.size()}, Columns.size()).first->second;
    if (I == Columns.size())
      Columns.emplace_back();
    Columns[I].push_back(&R);
  }
  AffineWriter Affine;
  for (const auto &C : Columns)
    for (size_t I = 0; I < C[0]->Words.size(); ++I)
      for (const Row *R : C)
        Affine.write(W, *R->Words[I], *R->Ranks);
}

} // namespace pilgrim
