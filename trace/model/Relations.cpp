//===- Relations.cpp - how the slots of a function belong together --------===//
#include "trace/model/Relations.h"

#include <algorithm>

namespace pilgrim {

/// What this relation of a slot is said to be, or null: it follows from kinds and order.
static const SlotRelation *said(const ParamSchema &P, std::initializer_list<Relation> Any) {
  for (const SlotRelation &R : P.Said)
    if (std::find(Any.begin(), Any.end(), R.Meaning) != Any.end())
      return &R;
  return nullptr;
}

Relations::Relations(const FunctionSchema &F) : F(F), Slots(F.Slots.size()) {
  findGroups();
  findBuffers();
  findDirections();
  findSignificance();
  findUses();
}

/// Slots that do not exist are none.
static uint32_t slotOf(const SlotRelation &R, const FunctionSchema &F) {
  return R.Number < F.Slots.size() ? R.Number : 0;
}

void Relations::findGroups() {
  auto IsGroup = [&](size_t I) {
    const ParamSchema &P = F.Slots[I];
    return !P.IsOutput && !P.IsHidden &&
           (P.K == Kind::Comm || P.K == Kind::Group || P.K == Kind::Win || P.K == Kind::File);
  };
  for (uint32_t I = 1; I < F.Slots.size(); ++I) {
    const ParamSchema &P = F.Slots[I];
    if (IsGroup(I) && P.K != Kind::Group && (!Comm || (P.K == Kind::Comm && F.Slots[Comm].K != Kind::Comm)))
      Comm = I;
    if (P.IsHidden || P.K != Kind::Rank)
      continue;
    uint32_t &Group = Slots[I].Group;
    for (uint32_t J = I; --J && !Group;)
      Group = IsGroup(J) ? J : 0;
    for (uint32_t J = I + 1; J < F.Slots.size() && !Group; ++J)
      Group = IsGroup(J) ? J : 0;
    if (const SlotRelation *R = said(P, {Relation::Group}))
      Group = slotOf(*R, F);
    if (!Root && F.IsCollective && Group && !P.IsArray && !P.IsOutput)
      Root = I;
  }
}

/// Behind a buffer stand other buffers, counts, displacements and its datatype; or its size.
void Relations::findContents(BufferRelations &B) const {
  uint32_t Count = 0, Displacements = 0;
  for (uint32_t I = B.Slot + 1; I < F.Slots.size() && !F.Slots[I].IsHidden; ++I) {
    const ParamSchema &P = F.Slots[I];
    if (P.K == Kind::Count) {
      Count = Count ? Count : I;
    } else if (P.K == Kind::Displacement && P.IsArray) {
      Displacements = Displacements ? Displacements : I;
    } else if (P.K == Kind::Datatype && !P.IsOutput) {
      B.Count = Count;
      B.Datatype = I;
      B.Displacements = Displacements;
      break;
    } else if (P.K != Kind::Buffer) {
      if (I == B.Slot + 1 && (P.K == Kind::Bytes || P.K == Kind::Displacement))
        B.Count = I;
      break;
    }
  }
  for (const SlotRelation &R : F.Slots[B.Slot].Said)
    switch (R.Meaning) {
    case Relation::Count:
      B.Count = slotOf(R, F);
      break;
    case Relation::Datatype:
      B.Datatype = slotOf(R, F);
      break;
    case Relation::Displacements:
      B.Displacements = slotOf(R, F);
      break;
    case Relation::Factor:
      B.Factor = slotOf(R, F);
      break;
    case Relation::PerProcess:
    case Relation::PerMember:
    case Relation::PerSource:
    case Relation::PerDestination:
      B.Per = R.Meaning;
      break;
    case Relation::OwnCount:
      B.IsOwnCount = true;
      break;
    default:
      break;
    }
}

void Relations::findBuffers() {
  for (uint32_t I = 1; I < F.Slots.size(); ++I) {
    if (F.Slots[I].K != Kind::Buffer || F.Slots[I].IsHidden)
      continue;
    BufferRelations B;
    B.Slot = I;
    findContents(B);
    Buffers.push_back(B);
  }
}

void Relations::findDirections() {
  for (BufferRelations &B : Buffers) {
    const ParamSchema &P = F.Slots[B.Slot];
    const SlotRelation *R = said(P, {Relation::ReadAndWritten, Relation::ReadAtRoot});
    B.IsReadAtRoot = R ? R->Meaning == Relation::ReadAtRoot : P.IsOutput && Root && Buffers.size() == 1;
    B.IsRead = !P.IsOutput || R || B.IsReadAtRoot;
    B.IsWritten = P.IsOutput;
    uint32_t Peers[2] = {0, 0};
    for (uint32_t I = B.Slot + 1; I < F.Slots.size() && !F.IsCollective && !Peers[1]; ++I)
      if (F.Slots[I].K == Kind::Rank && !F.Slots[I].IsHidden)
        Peers[Peers[0] != 0] = I;
    B.To = B.IsRead ? Peers[0] : 0;
    B.From = !B.IsWritten ? 0 : B.IsRead && Peers[1] ? Peers[1] : Peers[0];
  }
}

void Relations::findSignificance() {
  auto Where = [&](uint32_t Slot, Relation Usual) {
    const SlotRelation *R = said(F.Slots[Slot], {Relation::AtRoot, Relation::NotAtRoot, Relation::Everywhere});
    return R ? R->Meaning : Usual;
  };
  std::vector<uint32_t> Owners(Slots.size()), Owner(Slots.size());
  for (const BufferRelations &B : Buffers) {
    bool IsResult = Root && B.IsWritten && !B.IsRead;
    Slots[B.Slot].Where = Where(B.Slot, IsResult ? Relation::AtRoot : Relation::Everywhere);
    for (uint32_t S : {B.Count, B.Datatype, B.Displacements, B.Factor})
      if (S) {
        ++Owners[S];
        Owner[S] = B.Slot;
      }
  }
  for (uint32_t I = 1; I < Slots.size(); ++I)
    if (F.Slots[I].K != Kind::Buffer)
      Slots[I].Where = Where(I, Owners[I] == 1 ? Slots[Owner[I]].Where : Relation::Everywhere);
}

void Relations::findUses() {
  size_t Parameters = 0;
  bool HasStatusBehind = false;
  for (size_t I = Slots.size(); I-- > 1;)
    Parameters += !F.Slots[I].IsHidden;
  for (size_t I = Slots.size(); I-- > 1;) {
    const ParamSchema &P = F.Slots[I];
    if (P.IsHidden)
      continue;
    HasStatusBehind |= P.K == Kind::Status;
    if (!isHandle(P.K) && P.K != Kind::Keyval)
      continue;
    Relation &Use = Slots[I].Use;
    if (!P.IsOutput)
      Use = Relation::Keeps;
    else if (Parameters == 1)
      Use = Relation::Frees;
    else if (P.K == Kind::Group)
      Use = Relation::Finds; // libraries may hand out one handle again and again
    else if (P.K == Kind::Request && HasStatusBehind)
      Use = Relation::Completes;
    else
      Use = Relation::Makes;
    if (const SlotRelation *R = said(P, {Relation::Makes, Relation::Finds, Relation::Frees, Relation::Starts,
                                         Relation::Completes, Relation::Keeps}))
      Use = R->Meaning;
  }
}

} // namespace pilgrim
