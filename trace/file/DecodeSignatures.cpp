//===- DecodeSignatures.cpp - the table of signatures from bytes ----------===//
#include "trace/file/Decoder.h"
#include "trace/file/Vectors.h"
#include "trace/ranks/Affine.h"

#include <algorithm>

namespace pilgrim {

/// What signatures have in common that differ in their site and in integers.
struct TableDecoder::Form {
  std::vector<uint32_t> Tokens;
  std::vector<DerivedVector> Derived; ///< ascending; their words do not stand in the file
  std::vector<uint32_t> Lengths;      ///< of slots that are arrays; else 0
  size_t Words = 0;                   ///< that stand in the file
};

/// Bytes of memory of one of so many words, if it is a number.
static size_t sizeOfWord(size_t Number) { return Number < WordList::Many ? sizeof(RankFn) : sizeof(int64_t); }

/// Adds one of so many words.
static void addWord(ByteReader &R, size_t Number, const RankFn &F, WordList &To) {
  if (Number < WordList::Many)
    return To.push_back(F);
  if (!F.isConst() && (To.empty() || To.areNumbers()))
    R.spend(Number * (sizeof(RankFn) - sizeof(int64_t)));
  if (R.ok())
    To.pushNumber(F);
}

void TableDecoder::readSignatures(ByteReader &R) {
  std::vector<Form> Forms;
  for (size_t N = R.count(3); N-- && R.ok();)
    readForm(R, Forms.emplace_back());
  Table &Signatures = Tables[static_cast<unsigned>(TableId::Signatures)];
  struct Row {
    Variant *V;
    bool Ranked;
    uint32_t Form = 0;
    WordList Words = {};
  };
  std::vector<Row> Rows;
  for (size_t N = R.count(3); N-- && R.ok();) {
    bool Ranked;
    const size_t Variants = readVariants(R, Ranked);
    R.spend(Variants * (sizeof(Row) + sizeof(Variant)) + sizeof(Entry));
    if (!R.ok())
      return;
    for (Variant &V : Signatures.emplace_back(Variants).own()) {
      if (Ranked && R.ok())
        V.Ranks = readRanks(R);
      Rows.push_back({&V, Ranked});
    }
  }
  std::vector<std::vector<Row *>> Columns;
  std::map<std::pair<uint32_t, size_t>, size_t> Alike;
  for (Row &V : Rows) {
    if (!R.ok() || Forms.empty())
      return R.fail("signatures, but no forms");
    V.Form = static_cast<uint32_t>(R.varintMax(Forms.size() - 1, "a signature's form is not in the list"));
    const Form &F = Forms[V.Form];
    size_t I = Alike.try_emplace({F.Tokens[0], F.Words}, Columns.size()).first->second;
    if (I == Columns.size())
      Columns.emplace_back();
    Columns[I].push_back(&V);
    R.spend(F.Tokens.size() * sizeof(uint32_t) + F.Words * sizeOfWord(F.Words));
    if (!R.ok())
      return;
    V.V->Tokens = F.Tokens;
    V.Words.reserve(F.Words);
  }
  uint64_t Site = 0;
  for (Row &V : Rows) {
    Site += static_cast<uint64_t>(R.svarint());
    if (Site > size(TableId::Sites))
      return R.fail("a signature's site is not in the table");
    V.V->Tokens[1] = static_cast<uint32_t>(Site);
  }
  AffineReader Earlier;
  for (const auto &C : Columns)
    for (size_t I = Forms[C[0]->Form].Words; I--;)
      for (Row *V : C)
        if (R.ok())
          addWord(R, Forms[V->Form].Words, readWord(R, V->V->Ranks, V->Ranked, &Earlier), V->Words);
  for (Row &V : Rows)
    if (R.ok())
      fillSignature(R, Forms[V.Form], std::move(V.Words), *V.V);
}

/// Words: those that stand in the file.
void TableDecoder::fillSignature(ByteReader &R, const Form &F, WordList Words, Variant &X) {
  if (F.Derived.empty()) {
    X.Words = std::move(Words);
    return;
  }
  std::vector<size_t> First;
  size_t All = 0;
  SlotWalker Count(X.Tokens);
  for (SlotView S; Count.next(S);)
    All += S.Words;
  SlotWalker Walk(X.Tokens);
  auto D = F.Derived.begin();
  size_t Next = 0;
  for (SlotView S; Walk.next(S) && R.ok();) {
    First.push_back(S.FirstWord);
    if (D == F.Derived.end() || D->Slot + 1 != First.size()) {
      for (const size_t End = Next + S.Words; Next < End && R.ok(); ++Next)
        addWord(R, All, Words[Next], X.Words);
      continue;
    }
    R.spend(S.Length * (sizeOfWord(All) + std::max<size_t>(X.Ranks.size(), 1) * 2 * sizeof(int64_t)));
    auto Add = [&](const RankFn &W) { addWord(R, All, W, X.Words); };
    if (R.ok() && !deriveVector(*D, X, First[D->From], S.Length, Add))
      R.fail("an array does not follow from the earlier one as it says");
    ++D;
  }
}

void TableDecoder::readForm(ByteReader &R, Form &F) {
  auto Function = T.Functions.find(static_cast<uint32_t>(R.varintMax(UINT32_MAX)));
  if (Function == T.Functions.end())
    return R.fail("a function that the schema does not have");
  F.Tokens = {Function->first, 0, static_cast<uint32_t>(R.varintMax(255, "a call is deeper than 255"))};
  while (F.Lengths.size() < Function->second.Slots.size() && R.ok()) {
    size_t First = F.Tokens.size();
    readSlot(R, F);
    bool IsArray = R.ok() && F.Tokens[First] == static_cast<uint32_t>(Tag::Array);
    F.Lengths.push_back(IsArray ? F.Tokens.back() : 0);
  }
  SlotWalker Walk(F.Tokens);
  size_t Slots = 0;
  auto D = F.Derived.begin();
  for (SlotView S; Walk.next(S); ++Slots) {
    if (D != F.Derived.end() && D->Slot == Slots)
      ++D;
    else
      F.Words += S.Words;
  }
  if (Walk.bad() || Slots != F.Lengths.size())
    R.fail("the slots of a signature are not its function's");
  R.spend(sizeof(Form) + F.Tokens.size() * sizeof(uint32_t) + F.Derived.size() * sizeof(DerivedVector));
}

bool TableDecoder::isDatatype(uint32_t Object) const {
  return std::ranges::all_of(table(TableId::Objects)[Object],
                             [](const Variant &V) { return static_cast<Kind>(V.Tokens[0]) == Kind::Datatype; });
}

void TableDecoder::readSlot(ByteReader &R, Form &F) {
  uint32_t Code = static_cast<uint32_t>(R.varintMax(NumSlotCodes - 1, "a slot of an unknown tag"));
  if (Code >= NumTags)
    return readDerived(R, F, Code);
  std::vector<uint32_t> &Tokens = F.Tokens;
  Tokens.push_back(Code);
  Tag Value = static_cast<Tag>(Code);
  bool IsStream = Value == Tag::Stream;
  if (IsStream) {
    Code = static_cast<uint32_t>(R.varintMax(NumTags - 1, "a stream of an unknown tag"));
    Tokens.push_back(Code);
    Value = static_cast<Tag>(Code);
    if (!streamColumns(Value))
      R.fail("a stream of a tag that has none");
  }
  switch (Value) {
  case Tag::String:
    if (IsStream)
      break;
    [[fallthrough]];
  case Tag::Name:
  case Tag::Data:
    Tokens.push_back(ref(R, TableId::Strings));
    break;
  case Tag::Object:
    Tokens.push_back(ref(R, TableId::Objects));
    if (IsStream && R.ok() && !isDatatype(Tokens.back()))
      R.fail("a stream of sizes of what is no datatype");
    break;
  case Tag::Array:
  case Tag::Statuses:
    if (!IsStream)
      Tokens.push_back(static_cast<uint32_t>(R.count()));
    break;
  case Tag::Objects: {
    size_t N = R.count();
    Tokens.push_back(static_cast<uint32_t>(N));
    for (size_t I = 0; I < N && R.ok(); ++I) {
      Tokens.push_back(ref(R, TableId::Objects));
      if (IsStream && R.ok() && !isDatatype(Tokens.back()))
        R.fail("a stream of sizes of what is no datatype");
    }
    break;
  }
  default:
    break;
  }
}

/// An array that follows from an earlier one.
void TableDecoder::readDerived(ByteReader &R, Form &F, uint32_t Code) {
  DerivedVector D;
  D.Slot = F.Lengths.size();
  size_t Distance = R.varint();
  if (Distance == 0 || Distance > D.Slot || !F.Lengths[D.Slot - Distance])
    return R.fail("an array follows from something that is no earlier array");
  D.From = D.Slot - Distance;
  D.Code = Code;
  if (Code == SumsCode) {
    D.Base = R.svarint();
    D.Scale = R.svarint();
  }
  F.Derived.push_back(D);
  F.Tokens.insert(F.Tokens.end(), {static_cast<uint32_t>(Tag::Array), F.Lengths[D.From]});
}

} // namespace pilgrim
