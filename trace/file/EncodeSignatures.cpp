//===- EncodeSignatures.cpp - the table of signatures as bytes ------------===//
#include "trace/file/Encoder.h"
#include "trace/file/Vectors.h"
#include "trace/ranks/Affine.h"

#include <algorithm>

namespace pilgrim {

uint32_t TableEncoder::encodeSignature(const Entry &E, bool Ranked) {
  std::vector<SignatureEncoder::Row> Rows;
  Rows.reserve(E.size());
  for (const Variant &V : E) {
    const uint32_t Site = V.Tokens[1] ? entry(TableId::Sites, V.Tokens[1] - 1) + 1 : 0;
    ByteWriter Form;
    std::vector<WordSpan> Words = writeForm(Form, V, Ranked);
    Rows.push_back({&V.Ranks, V.Tokens[0], Signatures.form(std::move(Form.Data)), Site, std::move(Words)});
  }
  return Signatures.entry(std::move(Rows), Ranked);
}

std::vector<WordSpan> TableEncoder::writeForm(ByteWriter &W, const Variant &V, bool Ranked) {
  const auto &Tokens = V.Tokens;
  std::vector<DerivedVector> Derived = findDerived(V, Ranked);
  std::vector<WordSpan> Words;
  const WordSpan All = V.Words;
  size_t Begin = 0; // of what is written, and not yet in Words
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
      if (Begin < S.FirstWord)
        Words.push_back(All.subspan(Begin, S.FirstWord - Begin));
      Begin = S.FirstWord + S.Words;
      continue;
    }
    for (size_t I = S.FirstToken; I < S.FirstToken + S.Tokens; ++I) {
      uint32_t X = Tokens[I];
      if (S.RefToken && I >= S.RefToken)
        X = entry(S.hasObjects() ? TableId::Objects : TableId::Strings, X);
      W.varint(X);
    }
  }
  if (Begin < All.size())
    Words.push_back(All.subspan(Begin, All.size() - Begin));
  return Words;
}

bool SignatureEncoder::isSame(const EntryHead &E, const std::vector<Row> &Variants, bool Ranked) const {
  auto HaveSame = [](const WordSpan &A, const WordSpan &B) {
    bool Are = A.size() == B.size();
    for (size_t I = 0; Are && I < A.size(); ++I)
      Are = A[I].isSame(B[I]);
    return Are;
  };
  auto IsSame = [&](const Row &A, const Row &B) {
    return A.Form == B.Form && A.Site == B.Site && (!Ranked || *A.Ranks == *B.Ranks) &&
           std::ranges::equal(A.Words, B.Words, HaveSame);
  };
  return E.Ranked == Ranked && std::ranges::equal(std::span(Rows).subspan(E.First, E.Variants), Variants, IsSame);
}

uint32_t SignatureEncoder::entry(std::vector<Row> Variants, bool Ranked) {
  uint64_t Hash = Ranked;
  for (const Row &R : Variants) {
    Hash = mix(mix(Hash, R.Form), R.Site);
    if (Ranked)
      Hash = mix(Hash, uint64_t(R.Ranks->first()) << 32 | R.Ranks->last());
    for (const WordSpan &S : R.Words)
      for (const RankFn F : S)
        Hash = mix(Hash, F.hash());
  }
  size_t I = Find.find(Hash, [&](size_t J) { return isSame(Entries[J], Variants, Ranked); });
  if (I == Finder::None) {
    I = Entries.size();
    Find.add(Hash, I);
    Entries.push_back({Rows.size(), Variants.size(), Ranked});
    std::ranges::move(Variants, std::back_inserter(Rows));
  }
  return static_cast<uint32_t>(I);
}

void SignatureEncoder::write(ByteWriter &W) const {
  W.varint(Forms.size());
  for (const auto &F : Forms)
    W.bytes(F);
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
    size_t I = Alike.try_emplace({R.Function, R.size()}, Columns.size()).first->second;
    if (I == Columns.size())
      Columns.emplace_back();
    Columns[I].push_back(&R);
  }
  AffineWriter Affine;
  for (const auto &C : Columns)
    for (size_t I = 0, N = C[0]->size(); I < N; ++I)
      for (const Row *R : C)
        Affine.write(W, R->word(I), *R->Ranks);
}

} // namespace pilgrim
