//===- Requests.cpp - names of requests -----------------------------------===//
#include "pmpi/Requests.h"

namespace pilgrim {

[[gnu::noinline]] RequestPool *Requests::findPool(uint32_t Thread, uint32_t Function, uint64_t Site) {
  // Pools whose keys collide are a list.
  uint32_t &First = PoolBySite.enter(Site * 0x9e3779b97f4a7c15ull ^ Function ^ uint64_t(Thread) << 32);
  RequestPool *const Old = First == HandleMap::None ? nullptr : Pools[First].get();
  RequestPool *P = Old;
  while (P && !P->is(Thread, Function, Site))
    P = P->Next;
  if (!P) {
    First = static_cast<uint32_t>(Pools.size());
    P = Pools.emplace_back(std::make_unique<RequestPool>()).get();
    P->Thread = Thread;
    P->Function = Function;
    P->Site = Site;
    P->Next = Old;
  }
  return P;
}

/// Gives a place that was never used a number.
[[gnu::noinline]] void Requests::numberPlace(RequestPool &P, uint32_t Place) {
  if (NextNumber.size() <= P.Thread)
    NextNumber.resize(P.Thread + 1);
  P.Numbers.resize(Place + 1); // places are handed out in their order
  P.Numbers[Place] = NextNumber[P.Thread]++;
}

uint32_t Requests::made(uint32_t Thread, uint32_t Function, uint64_t Site, uint64_t Handle, const void *Variable,
                        unsigned Traits) {
  uint32_t Index;
  if (!Free.empty()) {
    Index = Free.back();
    Free.pop_back();
  } else {
    Index = static_cast<uint32_t>(Records.size());
    Records.emplace_back();
  }
  RequestPool *&P = Cache[(Site ^ Site >> 6 ^ Function ^ Thread * 7) % CacheSize];
  if (!P || !P->is(Thread, Function, Site))
    P = findPool(Thread, Function, Site);
  RequestRecord &R = Records[Index];
  R.Handle = Handle;
  R.Variable = Variable;
  R.Serial = ++Changes;
  R.Traits = static_cast<uint16_t>(Traits);
  R.Taken = R.Indexed = false;
  R.Pool = P;
  R.Place = P->Places.alloc();
  if (R.Place >= P->Numbers.size())
    numberPlace(*P, R.Place);
  R.Name = {Thread, P->Numbers[R.Place]};
  R.Next = R.Previous = HandleMap::None;
  uint32_t &Head = Oldest.enter(Handle);
  if (Head != HandleMap::None) {
    enqueueBehind(Head, Index);
    return Index;
  }
  R.Last = Head = Index;
  R.Variables = bitOf(Variable);
  R.Count = 1;
  R.Begin = HandleMap::None;
  return Index;
}

/// What a variable is that another request was made in.
static const char Overwritten = 0;

[[gnu::cold]] void Requests::overwrite(uint32_t Head, const void *Variable) {
  uint32_t Found = HandleMap::None, I = Head;
  for (uint32_t N = 0; I != HandleMap::None && N < Few && Found == HandleMap::None; ++N, I = Records[I].Next)
    if (Records[I].Variable == Variable)
      Found = I;
  if (Found == HandleMap::None && I != HandleMap::None)
    if (uint32_t *Same = ByVariable.find(keyOf(Records[Head].Handle, Variable)))
      for (I = *Same; I != HandleMap::None && Found == HandleMap::None; I = Records[I].NextSame)
        if (Records[I].Handle == Records[Head].Handle && Records[I].Variable == Variable)
          Found = I;
  if (Found == HandleMap::None)
    return;
  if (Records[Found].Indexed)
    unindex(Found);
  Records[Found].Indexed = false;
  Records[Found].Variable = &Overwritten;
}

[[gnu::noinline]] void Requests::enqueueBehind(uint32_t Head, uint32_t Index) {
  const uint64_t Bit = bitOf(Records[Index].Variable);
  if (Records[Head].Variables & Bit)
    overwrite(Head, Records[Index].Variable);
  RequestRecord &First = Records[Head];
  First.Variables |= Bit;
  Records[First.Last].Next = Index;
  Records[Index].Previous = First.Last;
  First.Last = Index;
  // A request only moves forward in its queue. One that is not among the first few now has to be found by its variable.
  if (++First.Count > Few)
    index(Index);
}

uint32_t Requests::findBehind(uint32_t Head, uint32_t Thread, uint64_t Handle, const void *Variable) {
  uint32_t First = HandleMap::None, Own = HandleMap::None, I = Head;
  for (uint32_t N = 0; I != HandleMap::None && N < Few; ++N, I = Records[I].Next) {
    if (Records[I].Taken)
      continue;
    if (Records[I].Variable == Variable)
      return I;
    if (First == HandleMap::None)
      First = I;
    if (Own == HandleMap::None && Records[I].Name.Thread == Thread)
      Own = I;
  }
  if (I != HandleMap::None)
    if (uint32_t Same = findIndexed(Handle, Variable); Same != HandleMap::None)
      return Same;
  if (Own != HandleMap::None)
    return Own;
  if (First == HandleMap::None && I != HandleMap::None)
    I = First = oldest(Head);
  for (uint32_t N = 0; I != HandleMap::None && N < Many; ++N, I = Records[I].Next)
    if (!Records[I].Taken && Records[I].Name.Thread == Thread)
      return I;
  return First;
}

/// The oldest request of a queue that is not Taken.
uint32_t Requests::oldest(uint32_t Head) {
  RequestRecord &First = Records[Head];
  uint32_t I = First.Searches == Searches && First.Begin != HandleMap::None ? First.Begin : Head;
  while (I != HandleMap::None && Records[I].Taken)
    I = Records[I].Next;
  First.Begin = I;
  First.Searches = Searches;
  return I;
}

uint32_t Requests::findIndexed(uint64_t Handle, const void *Variable) {
  uint32_t *Head = ByVariable.find(keyOf(Handle, Variable));
  for (uint32_t I = Head ? *Head : HandleMap::None; I != HandleMap::None; I = Records[I].NextSame)
    if (!Records[I].Taken && Records[I].Handle == Handle && Records[I].Variable == Variable)
      return I;
  return HandleMap::None;
}

void Requests::index(uint32_t Index) {
  RequestRecord &R = Records[Index];
  R.Indexed = true;
  R.NextSame = R.PreviousSame = HandleMap::None;
  uint32_t &Head = ByVariable.enter(keyOf(R.Handle, R.Variable));
  if (Head == HandleMap::None) {
    Head = R.LastSame = Index;
    return;
  }
  RequestRecord &First = Records[Head];
  R.PreviousSame = First.LastSame;
  Records[First.LastSame].NextSame = Index;
  First.LastSame = Index;
}

void Requests::unindex(uint32_t Index) {
  RequestRecord &R = Records[Index];
  if (R.NextSame != HandleMap::None)
    Records[R.NextSame].PreviousSame = R.PreviousSame;
  if (R.PreviousSame != HandleMap::None)
    Records[R.PreviousSame].NextSame = R.NextSame;
  if (R.NextSame != HandleMap::None && R.PreviousSame != HandleMap::None)
    return;
  uint32_t *Head = ByVariable.find(keyOf(R.Handle, R.Variable));
  if (R.PreviousSame != HandleMap::None) {
    Records[*Head].LastSame = R.PreviousSame;
  } else if (R.NextSame != HandleMap::None) {
    Records[R.NextSame].LastSame = R.LastSame;
    *Head = R.NextSame;
  } else {
    ByVariable.eraseAt(Head);
  }
}

uint32_t Requests::findAny(uint32_t Thread, uint64_t Handle, const void *Variable) {
  uint32_t I = find(Thread, Handle, Variable);
  const uint32_t *Head = I == HandleMap::None ? Oldest.find(Handle) : nullptr;
  return Head ? *Head : I;
}

void Requests::retire(uint32_t Index) {
  RequestRecord &R = Records[Index];
  uint32_t *Head = Oldest.find(R.Handle);
  if (R.Previous == HandleMap::None) {
    if (R.Next == HandleMap::None) {
      Oldest.eraseAt(Head);
    } else {
      RequestRecord &Second = Records[R.Next];
      Second.Last = R.Last;
      Second.Count = R.Count - 1;
      Second.Variables = R.Variables;
      Second.Begin = Second.Previous = HandleMap::None;
      *Head = R.Next;
    }
  } else {
    RequestRecord &First = Records[*Head];
    Records[R.Previous].Next = R.Next;
    (R.Next == HandleMap::None ? First.Last : Records[R.Next].Previous) = R.Previous;
    --First.Count;
    if (First.Begin == Index)
      First.Begin = HandleMap::None;
  }
  if (R.Indexed)
    unindex(Index);
  ++Changes;
  R.Serial = 0;
  R.Pool->Places.free(R.Place);
  Free.push_back(Index);
}

[[gnu::cold]] int64_t Requests::nameOfOther(uint32_t Caller, RequestName Name) {
  NamesOthers = true;
  return Name.in(Caller);
}

} // namespace pilgrim
