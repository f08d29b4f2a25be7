//===- AttachedWriter.cpp - memory of other ranks in calls ------------------===//
//
// Addresses in calls on dynamic windows, and what these calls need before and after them.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/CallWriter.h"
#include "trace/model/SegmentName.h"

#include <algorithm>

namespace pilgrim {

/// On how many ranks the word is an address.
uint64_t CallWriter::countAddresses(const Slot &X, unsigned Word) const {
  uint64_t Number = 0;
  if (X.V.Words[Word].isConst())
    return isAddress(W.word(*C, X.Number, Word, Here.first())) ? Here.size() : 0;
  Here.forEach([&](uint32_t Rank) { Number += isAddress(W.word(*C, X.Number, Word, Rank)); });
  return Number;
}

/// Whether the call may have an address of another rank's memory.
bool CallWriter::reachesAttached() const {
  const SlotShape *Place = named("target_disp");
  return !M.Remote.empty() && Place && (Place->IsStreamed || Place->T == Tag::Word);
}

/// The address of another rank's memory is another number on each rank. It is said by its place: in the source where
/// that is the same for all ranks and calls, else it is looked up by the address that was recorded.
std::string CallWriter::remoteText(const Slot &X) {
  for (unsigned I = 0; I < Info->Params.size(); ++I) {
    if (std::string_view(Info->Params[I].Name) != "target_rank")
      continue;
    const Slot Target{C->Function->Slots[I + 1], Info->Params[I], C->Slots[I + 1], I + 1};
    if (std::string Place = onePlace(X, Target); !Place.empty())
      return Place;
    const std::string Table = remoteTable(),
                      Recorded = X.V.IsStreamed ? "next_int(" + next(X, 0) + ")"
                                                : Ranks.expression(X.V.Words[0], Here, Own, Size, numberText);
    return "attached_at(" + Table + ", " + number(Target) + ", " + Recorded + ")";
  }
  bad("an address of an unknown rank's memory is not written");
  return "0";
}

/// Empty: the place depends on the rank, or on the call.
std::string CallWriter::onePlace(const Slot &X, const Slot &Target) {
  if (X.V.IsStreamed || Target.V.IsStreamed)
    return "";
  if (countAddresses(X, 0) < Here.size())
    return "";
  std::optional<RemoteAddresses::Place> Place;
  for (const auto &[Rank, Addresses] : M.Remote) {
    if (!Here.contains(Rank))
      continue;
    const auto At = Addresses.find(W.word(*C, Target.Number, 0, Rank), W.word(*C, X.Number, 0, Rank));
    if (!At || (Place && *At != *Place))
      return "";
    Place = At;
  }
  if (!Place)
    return "";
  S.use("attached");
  return "attached_by(" + number(Target) + ", " + std::to_string(Place->Which) + ")" +
         (Place->Offset ? " + " + std::to_string(Place->Offset) : "");
}

/// All addresses of other ranks' memory, as attached_at() wants them: the table, and how many there are. Which place an
/// address belongs to is concluded for each rank that uses it, and not always alike.
std::string CallWriter::remoteTable() {
  std::map<std::pair<int64_t, int64_t>, std::map<uint32_t, RemoteAddresses::Place>> All; // by target and address
  for (const auto &[Rank, Addresses] : M.Remote)
    Addresses.forEach([&, Rank = Rank](int64_t Target, int64_t Address, const RemoteAddresses::Place &At) {
      All[{Target, Address}][Rank] = At;
    });
  for (const auto &[Rank, Places] : M.Attached)
    if (Here.contains(Rank) && M.Remote.size() == ProxyMemory::MostRanks && !M.Remote.contains(Rank))
      bad("addresses of so many ranks are not written, where they change from call to call");
  std::string Rows;
  size_t Number = 0;
  for (auto &[Of, ByRank] : All) {
    const bool AreAlike =
        std::ranges::all_of(ByRank, [&](const auto &R) { return R.second == ByRank.begin()->second; });
    for (const auto &[Rank, At] : ByRank) {
      Rows += (Number++ ? ", {" : "{") + numberText(Of.second) + ", " + std::to_string(Of.first) + ", " +
              (AreAlike ? "-1" : std::to_string(Rank)) + ", " + std::to_string(At.Which) + ", " +
              std::to_string(At.Offset) + "}";
      if (AreAlike)
        break;
    }
  }
  S.use("attached_at");
  return S.table("const struct remote", "remote", Rows) + ", " + std::to_string(Number);
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
