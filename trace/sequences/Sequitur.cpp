//===- Sequitur.cpp - the rules of a sequence -----------------------------===//
//
// Losslessness depends only on the list operations; the digram
// index is a hint that must never point to a symbol whose digram changed, so
// every change of a symbol's value, count or neighbour drops its digram first.
//
//===----------------------------------------------------------------------===//
#include "trace/sequences/Sequitur.h"
#include "trace/sequences/Grammar.h"

namespace pilgrim {

Sequitur::Sequitur(uint32_t Terminal, uint64_t Count, ChunkStore *Store) : Store(Store) {
  Symbols.reserve(8); // many stay as short
  newRule();
  insertAfter(RuleTable[0].Guard, allocate(Terminal, Count));
  growTable();
}

Sequitur::Index Sequitur::allocate(uint32_t Value, uint64_t Count) {
  Index I;
  if (!FreeSymbols.empty()) {
    I = FreeSymbols.back();
    FreeSymbols.pop_back();
  } else {
    I = static_cast<Index>(Symbols.size());
    const size_t Room = Symbols.capacity();
    Symbols.emplace_back();
    if (Store && Symbols.capacity() != Room) [[unlikely]]
      Store->addRoom(Symbols.capacity() - Room);
  }
  Symbols[I] = {Value, None, None, 0, Count};
  if (Value != GuardValue)
    use(Value, 1);
  return I;
}

uint32_t Sequitur::newRule() {
  uint32_t R;
  if (!FreeRules.empty()) {
    R = FreeRules.back();
    FreeRules.pop_back();
  } else {
    R = static_cast<uint32_t>(RuleTable.size());
    RuleTable.emplace_back();
  }
  Index G = allocate(GuardValue, 0);
  Symbols[G].Prev = Symbols[G].Next = G;
  Symbols[G].GuardRule = R;
  RuleTable[R] = {G, 0};
  return R;
}

void Sequitur::use(uint32_t Value, int By) {
  if (Value & RuleBit)
    RuleTable[Value & ~RuleBit].Uses += By;
}

void Sequitur::insertAfter(Index At, Index I) {
  Index Next = Symbols[At].Next;
  Symbols[I].Prev = At;
  Symbols[I].Next = Next;
  Symbols[At].Next = I;
  Symbols[Next].Prev = I;
}

void Sequitur::unlink(Index I) {
  Symbols[Symbols[I].Prev].Next = Symbols[I].Next;
  Symbols[Symbols[I].Next].Prev = Symbols[I].Prev;
}

void Sequitur::release(Index I) {
  if (!isGuard(I))
    use(Symbols[I].Value, -1);
  FreeSymbols.push_back(I);
}

//===----------------------------------------------------------------------===//
// Digram index
//===----------------------------------------------------------------------===//

uint32_t Sequitur::digramHash(Index First) const {
  const Symbol &A = Symbols[First], &B = Symbols[A.Next];
  uint64_t H = (static_cast<uint64_t>(A.Value) << 32 | B.Value) * 0x9e3779b97f4a7c15ull;
  H ^= (A.Count * 0xc2b2ae3d27d4eb4full) ^ (B.Count * 0x165667b19e3779f9ull << 1);
  H ^= H >> 29;
  H *= 0xbf58476d1ce4e5b9ull;
  return static_cast<uint32_t>(H ^ (H >> 32));
}

bool Sequitur::sameDigram(Index A, Index B) const {
  const Symbol &A1 = Symbols[A], &B1 = Symbols[B], &A2 = Symbols[A1.Next], &B2 = Symbols[B1.Next];
  return A1.Value == B1.Value && A1.Count == B1.Count && A2.Value == B2.Value && A2.Count == B2.Count;
}

/// Symbols are only looked at where hashes are equal: most digrams of what does not repeat are in no table.
Sequitur::DigramPlace *Sequitur::findDigram(Index First, uint32_t Hash) {
  size_t Mask = Table.size() - 1;
  for (size_t I = Hash & Mask;; I = (I + 1) & Mask) {
    DigramPlace &P = Table[I];
    if (P.First == None)
      return nullptr;
    if (P.Hash == Hash && (P.First == First || sameDigram(P.First, First)))
      return &P;
  }
}

/// It is not there.
void Sequitur::enterDigram(DigramPlace New) {
  size_t Mask = Table.size() - 1, I = New.Hash & Mask;
  while (Table[I].First != None)
    I = (I + 1) & Mask;
  Table[I] = New;
}

void Sequitur::growTable() {
  std::vector<DigramPlace> Old = std::move(Table);
  Table.assign(Old.empty() ? 32 : Old.size() * 2, {});
  for (const DigramPlace &P : Old)
    if (P.First != None)
      enterDigram(P);
}

void Sequitur::insertDigram(Index First, uint32_t Hash) {
  if ((TableUsed + 1) * 4 > Table.size() * 3)
    growTable();
  enterDigram({First, Hash});
  ++TableUsed;
}

/// Enters the digram that starts at First unless an equal one is there.
void Sequitur::addDigram(Index First) {
  if (isGuard(First) || isGuard(Symbols[First].Next))
    return;
  const uint32_t Hash = digramHash(First);
  if (!findDigram(First, Hash))
    insertDigram(First, Hash);
}

/// Removes the entry of the digram that starts at First if it is First's own.
void Sequitur::dropDigram(Index First) {
  if (isGuard(First) || isGuard(Symbols[First].Next))
    return;
  DigramPlace *Entry = findDigram(First, digramHash(First));
  if (!Entry || Entry->First != First)
    return;
  // Close the probe chain behind the hole.
  size_t Mask = Table.size() - 1, Hole = static_cast<size_t>(Entry - Table.data());
  for (size_t I = (Hole + 1) & Mask; Table[I].First != None; I = (I + 1) & Mask) {
    size_t Home = Table[I].Hash & Mask;
    if (((I - Home) & Mask) >= ((I - Hole) & Mask)) {
      Table[Hole] = Table[I];
      Hole = I;
    }
  }
  Table[Hole] = {};
  --TableUsed;
}

//===----------------------------------------------------------------------===//
// Sequitur
//===----------------------------------------------------------------------===//

/// Restores digram uniqueness for the digram at First; true if the symbols
/// there were replaced.
bool Sequitur::check(Index First) {
  if (isGuard(First) || isGuard(Symbols[First].Next))
    return false;
  const uint32_t Hash = digramHash(First);
  const DigramPlace *Entry = findDigram(First, Hash);
  if (!Entry) {
    insertDigram(First, Hash);
    return false;
  }
  if (Entry->First == First)
    return false;
  match(First, Entry->First);
  return true;
}

void Sequitur::match(Index New, Index Old) {
  Index OldNext = Symbols[Old].Next;
  uint32_t R;
  Index Before = Symbols[Old].Prev;
  if (isGuard(Before) && Symbols[OldNext].Next == Before && Symbols[Before].GuardRule != 0) {
    R = Symbols[Before].GuardRule; // the older one is a whole rule already
    substitute(New, R);
  } else {
    R = newRule();
    Index G = RuleTable[R].Guard;
    Index A = allocate(Symbols[Old].Value, Symbols[Old].Count);
    insertAfter(G, A);
    Index B = allocate(Symbols[OldNext].Value, Symbols[OldNext].Count);
    insertAfter(A, B);
    // A use of the rule must survive while its occurrences are put in place.
    substitute(Old, R);
    addDigram(A);
    substitute(New, R);
  }
  // Both substitutions may have cascaded and dissolved the rule; only a live
  // one is looked at.
  Index G = RuleTable[R].Guard;
  if (RuleTable[R].Uses == 0 || Symbols[G].Value != GuardValue || Symbols[G].GuardRule != R)
    return;
  inlineIfUnderused(Symbols[G].Next);
  G = RuleTable[R].Guard;
  inlineIfUnderused(Symbols[G].Prev);
}

/// Joins I with its predecessor if both name the same thing; returns the symbol
/// that is left.
Sequitur::Index Sequitur::mergeWithPrev(Index I) {
  Index P = Symbols[I].Prev;
  if (isGuard(P) || isGuard(I) || Symbols[P].Value != Symbols[I].Value)
    return I;
  dropDigram(Symbols[P].Prev);
  dropDigram(P);
  dropDigram(I);
  Symbols[P].Count += Symbols[I].Count;
  unlink(I);
  release(I);
  return P;
}

/// Replaces the two symbols at First by one symbol of rule R and repairs the
/// surroundings.
Sequitur::Index Sequitur::substitute(Index First, uint32_t R) {
  Index Second = Symbols[First].Next, Prev = Symbols[First].Prev;
  dropDigram(Prev);
  dropDigram(First);
  dropDigram(Second);
  Index S = allocate(RuleBit | R, 1);
  unlink(First);
  unlink(Second);
  insertAfter(Prev, S);
  release(First);
  release(Second);
  S = mergeWithPrev(S);
  Index Next = Symbols[S].Next;
  if (!isGuard(Next) && Symbols[Next].Value == Symbols[S].Value)
    S = mergeWithPrev(Next);
  if (!check(Symbols[S].Prev))
    check(S);
  return S;
}

/// Where I names a rule that nothing else names, once: puts the rule's body in
/// its place.
void Sequitur::inlineIfUnderused(Index I) {
  if (isGuard(I) || !(Symbols[I].Value & RuleBit) || Symbols[I].Count != 1)
    return;
  uint32_t R = Symbols[I].Value & ~RuleBit;
  if (RuleTable[R].Uses != 1)
    return;
  Index G = RuleTable[R].Guard, First = Symbols[G].Next, Last = Symbols[G].Prev;
  if (First == G)
    return;
  Index Prev = Symbols[I].Prev, Next = Symbols[I].Next;
  dropDigram(Prev);
  dropDigram(I);
  Symbols[Prev].Next = First;
  Symbols[First].Prev = Prev;
  Symbols[Next].Prev = Last;
  Symbols[Last].Next = Next;
  release(I);
  Symbols[G].GuardRule = None;
  FreeSymbols.push_back(G);
  FreeRules.push_back(R);
  Index F = mergeWithPrev(First);
  if (F != First && Last == First)
    Last = F;
  if (!isGuard(Next) && Symbols[Next].Value == Symbols[Last].Value) {
    Last = mergeWithPrev(Next);
    addDigram(Symbols[Last].Prev);
  }
  addDigram(Symbols[F].Prev);
  addDigram(F);
  addDigram(Last);
}

void Sequitur::append(uint32_t Terminal) {
  const Index Last = last();
  if (Symbols[Last].Value == Terminal)
    return repeatEnd(1);
  insertAfter(Last, allocate(Terminal, 1));
  check(Last);
}

void Sequitur::repeatEnd(uint64_t Times) {
  const Index Last = last();
  dropDigram(Symbols[Last].Prev);
  Symbols[Last].Count += Times;
  check(Symbols[Last].Prev);
}

/// Writes what Value^Count expands to behind Out; false if there would be more than Most in it.
bool Sequitur::expandTo(uint32_t Value, uint64_t Count, size_t Most, std::vector<uint32_t> &Out) const {
  if (Count > Most - Out.size())
    return false;
  if (!(Value & RuleBit)) {
    Out.insert(Out.end(), Count, Value);
    return true;
  }
  Index G = RuleTable[Value & ~RuleBit].Guard;
  size_t Start = Out.size();
  for (Index I = Symbols[G].Next; I != G; I = Symbols[I].Next)
    if (!expandTo(Symbols[I].Value, Symbols[I].Count, Most, Out))
      return false;
  size_t One = Out.size() - Start;
  if (One * Count > Most - Start)
    return false;
  for (uint64_t K = 1; K < Count; ++K)
    for (size_t J = 0; J < One; ++J)
      Out.push_back(Out[Start + J]);
  return true;
}

} // namespace pilgrim
