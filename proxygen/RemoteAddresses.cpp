//===- RemoteAddresses.cpp - addresses of other ranks' memory -------------===//
#include "proxygen/RemoteAddresses.h"
#include "trace/read/RankCursor.h"

#include <algorithm>

namespace pilgrim {

static constexpr std::string_view Attaches = "MPI_Win_attach";

bool isRemotePlace(const ParamSchema &P) { return P.K == Kind::Displacement && P.Name == "target_disp"; }

bool attachesMemory(const Trace &T) {
  return std::ranges::any_of(T.functions(), [](const auto &F) { return F.second.Name == Attaches; });
}

/// The number of the window in C, if ranks have the numbers there that they have in MPI_COMM_WORLD, as far as this one
/// tells.
std::optional<int64_t> WorldWindows::idOf(const Call &C) const {
  const Value *Window = slotNamed(C, "win");
  if (!Window || Window->T != Tag::Object)
    return std::nullopt;
  const ObjectInfo &O = C.View->object(Window->Ref);
  return O.Size == World && O.Rank == Rank ? std::optional(O.Id) : std::nullopt;
}

bool WorldWindows::follow(const Call &C) {
  const std::string &Name = C.Function->Name;
  if (Name == "MPI_Win_create_dynamic") {
    const auto Id = idOf(C);
    if (Id) {
      Of[*Id] = static_cast<uint32_t>(Windows.size());
      Windows.emplace_back();
    }
    return Id.has_value();
  }
  if (Name != Attaches && Name != "MPI_Win_detach")
    return false;
  const Value *Base = slotNamed(C, "base");
  const auto At = Base ? placeOf(*Base, *C.View) : std::nullopt;
  const auto Window = At ? find(C) : std::nullopt;
  if (!Window)
    return false;
  Attachments &To = Windows[*Window];
  if (Name == Attaches)
    To.Live[*At] = To.Number++;
  else
    To.Live.erase(*At);
  auto Sorted = std::make_shared<std::vector<uint32_t>>();
  for (const auto &[Place, Before] : To.Live)
    Sorted->push_back(Before);
  std::ranges::sort(*Sorted);
  To.Sorted = std::move(Sorted);
  return true;
}

std::optional<uint32_t> WorldWindows::find(const Call &C) const {
  const auto Id = idOf(C);
  const auto At = Id ? Of.find(*Id) : Of.end();
  return At == Of.end() ? std::nullopt : std::optional(At->second);
}

std::vector<AttachedMemory> attachedMemory(const Trace &T, uint32_t Rank) {
  std::vector<AttachedMemory> Out;
  std::map<MemoryPlace, size_t> Seen;
  WorldWindows Windows(Rank, T.world());
  const std::vector<uint32_t> Threads = T.threads(Rank);
  RankCursor Cursor(T, Rank, Threads);
  for (Call C; Cursor.next(C);) {
    if (!Windows.follow(C) || C.Function->Name != Attaches)
      continue;
    const MemoryPlace At = *placeOf(*slotNamed(C, "base"), *C.View);
    const uint32_t Window = *Windows.find(C);
    const auto [It, IsNew] = Seen.try_emplace(At, Out.size());
    if (IsNew)
      Out.push_back({At, {}});
    AttachedMemory::Use &Use = Out[It->second].Windows[Window];
    Use.Bytes = std::max(Use.Bytes, wordOf(slotNamed(C, "size")));
    Use.Before.push_back(Windows.attached(Window)->back());
  }
  return Out;
}

bool RemoteAddresses::note(const Call &C) {
  constexpr size_t Most = 1 << 16;
  const Value *Target = slotNamed(C, "target_rank"), *Place = slotNamed(C, "target_disp");
  if (!Target || !Place || !isAddress(wordOf(Place)))
    return true;
  const auto Window = Windows.find(C);
  if (!Window)
    return false;
  Uses &Of = Noted[{wordOf(Target), *Window}];
  if (const auto [It, IsNew] = Of.try_emplace(wordOf(Place)); IsNew)
    It->second = Windows.attached(*Window);
  return Of.size() <= Most;
}

/// What lies in one piece of memory, if that is where it is supposed to be.
struct RemoteAddresses::Found {
  Places At;
  size_t Timely = 0; ///< how many of these were used when the piece was attached, as far as the rank's own tell
  bool isMoreThan(const Found &Other) const {
    return std::pair(Timely, At.size()) > std::pair(Other.Timely, Other.At.size());
  }
};

/// Where addresses of a window lie, of those that lie somewhere. Left: all of them.
RemoteAddresses::Places RemoteAddresses::placesOf(Uses Left, const std::vector<AttachedMemory> &Attached,
                                                  uint32_t Window) {
  // Candidates for the base of a piece: it begins with one of so many places.
  constexpr size_t MostFirst = 64;
  std::vector<MemoryPiece> Pieces; // in the order in which they were attached
  std::map<MemoryPiece, std::vector<uint32_t>> Parts;
  for (uint32_t I = 0; I < Attached.size(); ++I)
    if (Attached[I].Windows.contains(Window)) {
      std::vector<uint32_t> &Of = Parts[Attached[I].At.In];
      if (Of.empty())
        Pieces.push_back(Attached[I].At.In);
      Of.push_back(I);
    }
  /// What lies in a piece whose offset 0 has this address.
  auto Within = [&](const std::vector<uint32_t> &Of, int64_t Base) {
    Found Out;
    for (const uint32_t I : Of) {
      const AttachedMemory::Use &Use = Attached[I].Windows.at(Window);
      const int64_t First = Base + Attached[I].At.Offset;
      const int64_t End = First + std::max<int64_t>(Use.Bytes, 1); // of no bytes, where they would be
      for (auto It = Left.lower_bound(First); It != Left.end() && It->first < End; ++It)
        if (Out.At.try_emplace(It->first, Place{I, It->first - First}).second)
          Out.Timely +=
              std::ranges::any_of(Use.Before, [&](uint32_t N) { return std::ranges::binary_search(*It->second, N); });
    }
    return Out;
  };
  // Blocks may have the same name one after the other, and then other addresses.
  Places Out;
  for (bool IsOver = false; !Left.empty() && !IsOver;) {
    Found Best;
    for (const MemoryPiece &Piece : Pieces) {
      const std::vector<uint32_t> &Of = Parts[Piece];
      for (size_t N = 0; N < std::min(Of.size(), MostFirst); ++N)
        if (Found Now = Within(Of, Left.begin()->first - Attached[Of[N]].At.Offset); Now.isMoreThan(Best))
          Best = std::move(Now);
    }
    IsOver = Best.At.empty();
    for (const auto &[Address, At] : Best.At)
      Left.erase(Address);
    Out.merge(Best.At);
  }
  return Out;
}

std::string RemoteAddresses::resolve(AttachedByRank &All) {
  for (auto &[Of, Addresses] : Noted) {
    const auto [Target, Window] = Of;
    const size_t Number = Addresses.size();
    const Places Found = Target >= 0 && Target < int64_t(All.ranks())
                             ? placesOf(std::move(Addresses), All.of(static_cast<uint32_t>(Target)), Window)
                             : Places();
    if (Found.size() < Number)
      return "that lie in nothing which that one attached to the window";
    for (const auto &[Address, At] : Found)
      if (const auto [It, IsNew] = Known[Target].try_emplace(Address, At); !IsNew && It->second != At)
        return "that were those of some memory, and in another window those of other memory";
  }
  Noted.clear();
  return "";
}

std::optional<RemoteAddresses::Place> RemoteAddresses::find(int64_t Target, int64_t Address) const {
  const auto Of = Known.find(Target);
  if (Of == Known.end())
    return std::nullopt;
  const auto At = Of->second.find(Address);
  return At == Of->second.end() ? std::nullopt : std::optional(At->second);
}

} // namespace pilgrim
