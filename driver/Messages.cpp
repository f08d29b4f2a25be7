//===- Messages.cpp - what a call sends, and to whom ----------------------===//
#include "driver/Messages.h"
#include "trace/model/Relations.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace pilgrim {

namespace {
struct Collective {
  std::string_view Name;
  MessageRule::Way How;
};
/// By the name without MPI_, I, _c, _init.
constexpr Collective Collectives[] = {
    {"Bcast", MessageRule::FromRoot},       {"Scatter", MessageRule::FromRoot},
    {"Scatterv", MessageRule::FromRoot},    {"Reduce", MessageRule::ToRoot},
    {"Gather", MessageRule::ToRoot},        {"Gatherv", MessageRule::ToRoot},
    {"Allreduce", MessageRule::ToAll},      {"Allgather", MessageRule::ToAll},
    {"Allgatherv", MessageRule::ToAll},     {"Alltoall", MessageRule::ToAll},
    {"Alltoallv", MessageRule::ToAll},      {"Alltoallw", MessageRule::ToAll},
    {"Reduce_scatter", MessageRule::ToAll}, {"Reduce_scatter_block", MessageRule::ToAll},
    {"Scan", MessageRule::ToHigher},        {"Exscan", MessageRule::ToHigher},
};

std::string stem(std::string Name) {
  if (Name.starts_with("MPI_"))
    Name.erase(0, 4);
  if (Name.ends_with("_c"))
    Name.resize(Name.size() - 2);
  if (Name.ends_with("_init"))
    Name.resize(Name.size() - 5);
  if (Name.size() > 1 && Name[0] == 'I' && std::islower(static_cast<unsigned char>(Name[1]))) {
    Name.erase(0, 1);
    Name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(Name[0])));
  }
  return Name;
}
} // namespace

static int slotOf(uint32_t S) { return S ? static_cast<int>(S) : MessageRule::None; }

/// Of a call that starts requests, or that makes one or none.
static MessageRule ofRequest(const FunctionSchema &F) {
  MessageRule R;
  for (uint32_t I = 1; I < F.Slots.size() && R.Request == MessageRule::None; ++I)
    if (F.Slots[I].K == Kind::Request)
      R.Request = slotOf(I);
  R.IsPersistent = R.Request != MessageRule::None && (F.Name.ends_with("_init") || F.Name.ends_with("_init_c"));
  if (F.Name == "MPI_Start" || F.Name == "MPI_Startall")
    R.How = MessageRule::Start;
  return R;
}

MessageRule MessageRule::ofReceive(const FunctionSchema &F) {
  MessageRule R = ofRequest(F);
  const Relations In(F);
  if (R.How == Start || !In.comm() || F.Slots[In.comm()].K != Kind::Comm)
    return R;
  R.Comm = slotOf(In.comm());
  for (const BufferRelations &B : In.buffers())
    if (B.From && B.Count && B.Datatype) {
      R.How = Send;
      R.Dest = slotOf(B.From);
      R.Count = slotOf(B.Count);
      R.Type = slotOf(B.Datatype);
      R.Factor = slotOf(B.Factor);
    }
  return R;
}

MessageRule MessageRule::of(const FunctionSchema &F) {
  MessageRule R = ofRequest(F);
  const Relations In(F);
  if (R.How == Start || !In.comm() || F.Slots[In.comm()].K != Kind::Comm)
    return R;
  R.Comm = slotOf(In.comm());
  R.Root = slotOf(In.root());
  // What is sent; where that is MPI_IN_PLACE, it stands where what is received will.
  const BufferRelations *Sent = nullptr;
  for (const BufferRelations &B : In.buffers())
    if (!Sent && (B.IsRead || B.IsReadAtRoot)) {
      Sent = &B;
    } else if (Sent && R.InPlaceCount == None && B.Count != Sent->Count) {
      R.InPlaceCount = slotOf(B.Count);
      R.InPlaceType = slotOf(B.Datatype);
    }
  if (!Sent || !Sent->Count || !Sent->Datatype)
    return R;
  R.Count = slotOf(Sent->Count);
  R.Type = slotOf(Sent->Datatype);
  R.Factor = slotOf(Sent->Factor);
  R.Dest = slotOf(Sent->To);
  if (R.Dest != None) {
    R.How = Send;
    return R;
  }
  const std::string Stem = stem(F.Name);
  for (const Collective &C : Collectives)
    if (C.Name == Stem)
      R.How = C.How;
  R.IsByReceiver = Stem.starts_with("Reduce_scatter");
  if ((R.How == FromRoot || R.How == ToRoot) && R.Root == None)
    R.How = Nothing;
  return R;
}

std::vector<unsigned> MessageRule::streamed(const CallShape &C) const {
  std::vector<unsigned> Out;
  for (int Slot : {Dest, Root, Count, Type, Factor, InPlaceCount, InPlaceType})
    if (Slot != None && C.Slots[static_cast<size_t>(Slot)].IsStreamed)
      Out.push_back(static_cast<unsigned>(Slot));
  return Out;
}

} // namespace pilgrim
