//===- ProbedMessages.cpp - what probes found -----------------------------===//
#include "proxygen/replay/ProbedMessages.h"
#include "proxygen/replay/Special.h"
#include "proxygen/replay/Untraced.h"
#include "trace/model/Signature.h"

#include <algorithm>
#include <string_view>

namespace pilgrim {

static size_t placeOf(const CallInfo &I, std::string_view Name) {
  return static_cast<size_t>(std::ranges::find(I.Params, Name, &ParamInfo::Name) - I.Params.begin());
}

void ProbedMessages::before(const Call &C, const CallInfo &I, std::span<Argument> Arguments, Arena &Room) {
  const Special Is = specialOf(I);
  Recorded = -1;
  if (Is == Special::Mrecv)
    return receive(I, Arguments, Room);
  if (Is != Special::Mprobe && Is != Special::Improbe)
    return;
  if (const Value *Status = slotNamed(C, "status");
      Status && Status->T == Tag::Status && Status->Words[0] != NoStatus && Status->Words[0] != SizeAlone)
    Recorded = Status->Words[2];
}

void ProbedMessages::after(const CallInfo &I, std::span<const Argument> Arguments) {
  if (Recorded < 0)
    return;
  const MPI_Message *Message = Arguments[placeOf(I, "message")];
  const MPI_Status *Status = Arguments[placeOf(I, "status")];
  MPI_Count Now = 0;
  if (Message && Status != MPI_STATUS_IGNORE &&
      PILGRIM_UNTRACED(PMPI_Get_elements_x)(Status, MPI_BYTE, &Now) == MPI_SUCCESS)
    Found[*Message] = {Recorded, Now};
}

void ProbedMessages::receive(const CallInfo &I, std::span<Argument> Arguments, Arena &Room) {
  const MPI_Message *Message = Arguments[placeOf(I, "message")];
  const auto Its = Message ? Found.find(*Message) : Found.end();
  if (Its == Found.end())
    return;
  const Sizes S = Its->second;
  Found.erase(Its);
  Argument &Count = Arguments[placeOf(I, "count")];
  const MPI_Datatype Type = Arguments[placeOf(I, "datatype")];
  MPI_Count Size = 0, Lower = 0, Extent = 0;
  if (S.Now == S.Recorded || PILGRIM_UNTRACED(PMPI_Type_size_x)(Type, &Size) != MPI_SUCCESS || Size <= 0 ||
      static_cast<int64_t>(Count.bits()) * Size != S.Recorded || S.Now % Size)
    return;
  PILGRIM_UNTRACED(PMPI_Type_get_extent_x)(Type, &Lower, &Extent);
  if (Lower < 0 || Extent < 0)
    return;
  Count = static_cast<uint64_t>(S.Now / Size);
  if (S.Now > S.Recorded)
    Arguments[placeOf(I, "buf")] = Room.take<char>(static_cast<size_t>(Lower + Extent * (S.Now / Size) + Size));
}

} // namespace pilgrim
