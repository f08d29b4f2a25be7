//===- Requests.cpp - names of requests -----------------------------------===//
#include "pmpi/Requests.h"

namespace pilgrim {

uint32_t Requests::poolOf(uint32_t Function, uint64_t Site) {
  uint32_t &Cached = Cache[(Site ^ Site >> 6 ^ Function) % CacheSize];
  if (Cached && Pools[Cached - 1]->Site == Site && Pools[Cached - 1]->Function == Function)
    return Cached - 1;
  for (uint32_t I = 0; I < Pools.size(); ++I)
    if (Pools[I]->Site == Site && Pools[I]->Function == Function) {
      Cached = I + 1;
      return I;
    }
  Pools.push_back(std::make_unique<Pool>());
  Pools.back()->Function = Function;
  Pools.back()->Site = Site;
  Cached = static_cast<uint32_t>(Pools.size());
  return Cached - 1;
}

uint32_t Requests::made(uint32_t Function, uint64_t Site, uint64_t Handle, const void *Variable, unsigned Traits) {
  uint32_t Index;
  if (!Free.empty()) {
    Index = Free.back();
    Free.pop_back();
  } else {
    Index = static_cast<uint32_t>(Records.size());
    Records.emplace_back();
  }
  RequestRecord &R = Records[Index];
  R.Handle = Handle;
  R.Variable = Variable;
  R.Traits = Traits;
  R.Taken = false;
  R.Next = HandleMap::None;
  R.Pool = poolOf(Function, Site);
  Pool &P = *Pools[R.Pool];
  R.Place = P.Places.alloc();
  if (R.Place >= P.Numbers.size())
    P.Numbers.resize(R.Place + 1, UINT32_MAX);
  if (P.Numbers[R.Place] == UINT32_MAX)
    P.Numbers[R.Place] = NextNumber++;
  R.Number = P.Numbers[R.Place];
  if (uint32_t &Head = Oldest.enter(Handle); Head != HandleMap::None) {
    RequestRecord &First = Records[Head];
    Records[First.Last].Next = Index;
    First.Last = Index;
  } else {
    R.Last = Head = Index;
  }
  return Index;
}

uint32_t Requests::find(uint64_t Handle, const void *Variable) {
  uint32_t *Head = Oldest.find(Handle);
  if (!Head)
    return HandleMap::None;
  uint32_t First = HandleMap::None;
  for (uint32_t I = *Head; I != HandleMap::None; I = Records[I].Next) {
    if (Records[I].Taken)
      continue;
    if (Records[I].Variable == Variable)
      return I;
    if (First == HandleMap::None)
      First = I;
  }
  return First;
}

uint32_t Requests::findAny(uint64_t Handle, const void *Variable) {
  uint32_t I = find(Handle, Variable);
  const uint32_t *Head = I == HandleMap::None ? Oldest.find(Handle) : nullptr;
  return Head ? *Head : I;
}

void Requests::retire(uint32_t Index) {
  RequestRecord &R = Records[Index];
  uint32_t *Head = Oldest.find(R.Handle);
  if (*Head == Index) {
    if (R.Next == HandleMap::None)
      Oldest.eraseAt(Head);
    else {
      Records[R.Next].Last = R.Last;
      *Head = R.Next;
    }
  } else {
    uint32_t I = *Head;
    while (Records[I].Next != Index)
      I = Records[I].Next;
    Records[I].Next = R.Next;
    if (R.Next == HandleMap::None)
      Records[*Head].Last = I;
  }
  Pools[R.Pool]->Places.free(R.Place);
  Free.push_back(Index);
}

} // namespace pilgrim
