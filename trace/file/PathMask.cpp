//===- PathMask.cpp - a path through a region as a number -----------------===//
#include "trace/file/PathMask.h"

#include <algorithm>

namespace pilgrim {

PathMask::PathMask(const Region &X, const std::vector<uint32_t> &Events)
    : X(X), Events(Events), Bits(static_cast<unsigned>(std::min<size_t>(Events.size(), MaxBits))) {
  for (uint32_t E : Events)
    Arms += X.Events[E - 1].K == Region::Arm;
}

/// Calls F(event, its bit, the event that is its arm or 0) for all events.
template <typename Fn> void PathMask::forEach(Fn &&F) const {
  unsigned Arm = 0, Other = Arms;
  for (uint32_t E : Events)
    F(E, X.Events[E - 1].K == Region::Arm ? Arm++ : Other++, X.Events[E - 1].Arm);
}

std::optional<uint64_t> PathMask::of(const std::vector<uint32_t> &Path) const {
  std::vector<bool> IsOn(X.Events.size() + 1);
  IsOn[0] = true; // where what is in no arm stands
  uint64_t Mask = 0;
  auto Next = Path.begin();
  bool Fits = true;
  forEach([&](uint32_t E, unsigned Bit, uint32_t Arm) {
    IsOn[E] = Next != Path.end() && *Next == E;
    Next += IsOn[E];
    if (IsOn[E] == IsOn[Arm])
      return;
    Fits &= Bit < Bits;
    Mask |= uint64_t(1) << (Bit & 63);
  });
  return Fits && Next == Path.end() ? std::optional(Mask) : std::nullopt;
}

std::vector<uint32_t> PathMask::path(uint64_t Mask) const {
  std::vector<bool> IsOn(X.Events.size() + 1);
  IsOn[0] = true;
  std::vector<uint32_t> Path;
  forEach([&](uint32_t E, unsigned Bit, uint32_t Arm) {
    IsOn[E] = IsOn[Arm] != (Bit < Bits && (Mask >> Bit & 1));
    if (IsOn[E])
      Path.push_back(E);
  });
  return Path;
}

} // namespace pilgrim
