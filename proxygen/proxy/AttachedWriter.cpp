//===- AttachedWriter.cpp - memory of other ranks in calls ------------------===//
//
// Addresses in calls on dynamic windows, and what these calls need before and after them.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/CallWriter.h"
#include "trace/model/SegmentName.h"

#include <algorithm>

namespace pilgrim {

size_t ProxyMemory::attachedPlaces() const {
  size_t Most = 1;
  for (const auto &[Rank, Places] : Attached)
    Most = std::max(Most, Places.size());
  return Most;
}

/// The address of another rank's memory is another number on each rank, and the same place.
std::string CallWriter::remoteText(const Slot &X) {
  std::optional<RemoteAddresses::Place> Place;
  std::string Target;
  for (unsigned I = 0; I < Info->Params.size(); ++I)
    if (std::string_view(Info->Params[I].Name) == "target_rank" && !C->Slots[I + 1].IsStreamed) {
      Target = number({C->Function->Slots[I + 1], Info->Params[I], C->Slots[I + 1], I + 1});
      for (const auto &[Rank, Addresses] : M.Remote) {
        if (!Here.contains(Rank))
          continue;
        const auto At = Addresses.find(W.word(*C, I + 1, 0, Rank), W.word(*C, X.Number, 0, Rank));
        if (!At || (Place && *At != *Place)) {
          Target.clear();
          break;
        }
        Place = At;
      }
    }
  if (Target.empty() || !Place) {
    bad("addresses of other ranks' memory that depend on the rank, or change from call to call, are not written");
    return "0";
  }
  S.use("attached");
  return "attached_by(" + Target + ", " + std::to_string(Place->Which) + ")" +
         (Place->Offset ? " + " + std::to_string(Place->Offset) : "");
}

/// Which of the places that its rank attaches the call attaches; nullopt: that depends on the rank, or on the call.
std::optional<size_t> CallWriter::attachedPlace(unsigned Number) const {
  const SlotShape &V = C->Slots[Number];
  if (V.IsStreamed)
    return std::nullopt;
  std::optional<size_t> Out;
  for (const auto &[Rank, Places] : M.Attached) {
    if (!Here.contains(Rank))
      continue;
    auto Word = [&](unsigned I) { return W.word(*C, Number, I, Rank); };
    MemoryPlace At;
    if (V.T == Tag::Heap)
      At = {{V.T, SegmentName::of(Word(0)).Number, ""}, Word(1)};
    else if (V.T == Tag::Map)
      At = {{V.T, Word(0), ""}, Word(1)};
    else if (V.T == Tag::Stack)
      At = {{V.T, threadNumber(), ""}, Word(0)};
    else if (V.T == Tag::Data)
      At = {{V.T, 0, W.string(C->Thread, V.Ref)}, Word(0)};
    const auto Found = static_cast<size_t>(std::ranges::find(Places, At) - Places.begin());
    if (Found == Places.size() || (Out && *Out != Found))
      return std::nullopt;
    Out = Found;
  }
  return Out;
}

/// In a program that attaches memory to windows.
void CallWriter::followAttached(std::span<const std::string> Arguments) {
  const std::string_view Name = C->Function->Name;
  if (Name != "MPI_Init" && Name != "MPI_Init_thread" && Name != "MPI_Finalize" && Name != "MPI_Win_attach")
    return;
  S.use("attached");
  if (Name == "MPI_Finalize") {
    Before.push_back("unshare_attached();");
  } else if (Name != "MPI_Win_attach") {
    After.push_back("share_attached(" + std::to_string(M.attachedPlaces()) + ");");
  } else if (const auto Which = attachedPlace(2)) {
    After.push_back("is_attached(" + std::to_string(*Which) + ", " + Arguments[1] + ");");
  } else {
    bad("memory that depends on the rank, or changes from call to call, is not attached");
  }
}

} // namespace pilgrim
