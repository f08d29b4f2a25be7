//===- CompareAddress.cpp - addresses and their names in a trace ----------===//
#include "verify/CompareAddress.h"
#include "verify/CallCopies.h"

#include <algorithm>
#include <utility>

namespace pilgrim {

static bool isText(std::span<const int64_t> Raw, const std::string &S) {
  return std::equal(Raw.begin(), Raw.end(), S.begin(), S.end(),
                    [](int64_t A, char B) { return A == static_cast<unsigned char>(B); });
}

bool AddressNames::isReleased(int64_t Id, const Base &Since, size_t Now) const {
  const auto &All = releases();
  for (size_t I = Since.Releases; I < All.size() && I <= Now; ++I)
    if (All[I].Id == static_cast<uint32_t>(Id) && All[I].Base == Since.Address)
      return true;
  return false;
}

bool AddressNames::segment(const Name &N, int64_t Id, uint64_t Start, size_t Now, std::string &Why, bool IsHandedOut) {
  auto [It, IsNew] = Bases.try_emplace(N, Base{Start, Now});
  if (It->second.Address != Start) {
    // Another block may have the number once the first one is gone.
    if (N.first != Tag::Heap || !isReleased(Id, It->second, Now)) {
      Why = "segment " + N.second + " is elsewhere";
      return false;
    }
    It->second = {Start, Now};
    IsNew = true;
    FromMpi.erase(Id);
  }
  if (IsHandedOut)
    FromMpi.insert(Id);
  if (!IsNew || (N.first != Tag::Heap && N.first != Tag::Map))
    return true;
  const std::pair Is{N.first, Id};
  auto [Place, IsFirst] = At.try_emplace(Start, Is);
  const auto Was = std::exchange(Place->second, Is);
  if (IsFirst || Was == Is || isFromMpi(Was) || isFromMpi(Is))
    return true;
  // Where a mapping was, MPI may allocate memory. Where a block was, there may be anything once it is gone.
  if (Was.first == Tag::Map && Is.first == Tag::Heap)
    return true;
  const auto Before = Bases.find({Was.first, std::to_string(Was.second)});
  if (Was.first == Tag::Heap &&
      (Before == Bases.end() || Before->second.Address != Start || isReleased(Was.second, Before->second, Now)))
    return true;
  Why = "segment " + N.second + " was segment " + std::to_string(Was.second);
  return false;
}

bool AddressNames::agrees(std::span<const int64_t> Raw, const Value &V, const ParamSchema &P, std::string &Why) {
  const auto A = static_cast<uint64_t>(Raw[0]);
  const auto Now = static_cast<size_t>(Raw[1]);
  const auto From = static_cast<Origin>(Raw[2]);
  const auto Text = Raw.subspan(4);
  const bool IsBuffer = P.K == Kind::Buffer;
  Why = "an address";
  // Constants, which no other name may stand for.
  if (IsBuffer && (A == Mpi.InPlace || A == Mpi.Bottom))
    return V.T == Tag::Name && View.string(V.Ref) == (A == Mpi.InPlace ? "MPI_IN_PLACE" : "MPI_BOTTOM");
  if (A == 0)
    return V.T == Tag::Null;
  if (IsBuffer && !Mpi.HasBuffers)
    return V.T == Tag::Absent;
  if (From == Origin::Symbol)
    return V.T == Tag::String && isText(Text, View.text(V));
  if (From == Origin::Stack && V.T != Tag::Stack)
    return false;
  // Other memory may be the stack's: below the frames that there are, and on a stack that the program has made.
  if (From != Origin::Unclear && (From == Origin::Module) != (V.T == Tag::Data))
    return false;
  switch (V.T) {
  case Tag::Raw:
    // Only what is no memory has no other name.
    return static_cast<uint64_t>(V.Words[0]) == A && (From == Origin::Unmapped || From == Origin::Unclear);
  case Tag::Map: // -1: another thread's stack, of which not all is mapped
    if (From == Origin::Unmapped && V.Words[0] != -1)
      return false;
    [[fallthrough]];
  case Tag::Heap:
    return segment({V.T, std::to_string(V.Words[0])}, V.Words[0], A - static_cast<uint64_t>(V.Words[1]), Now, Why,
                   V.T == Tag::Heap && P.Name == "baseptr");
  case Tag::Stack:
    return segment({V.T, ""}, 0, A - static_cast<uint64_t>(V.Words[0]), Now, Why);
  case Tag::Data: {
    const std::string &Module = View.string(V.Ref);
    if (From == Origin::Module) {
      std::string Path;
      for (int64_t C : Text)
        Path += static_cast<char>(C);
      const size_t Slash = Path.rfind('/');
      const std::string Expected = Path.empty() ? Mpi.Program : Path.substr(Slash == std::string::npos ? 0 : Slash + 1);
      if (Module != Expected || V.Words[0] != Raw[3])
        return false;
    }
    return segment({V.T, Module}, 0, A - static_cast<uint64_t>(V.Words[0]), Now, Why);
  }
  default:
    return false;
  }
}

} // namespace pilgrim
