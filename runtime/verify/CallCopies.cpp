//===- CallCopies.cpp - plain copies of calls, for --verify ---------------===//
#include "verify/CallCopies.h"
#include "verify/VerifyLock.h"

namespace pilgrim {

static std::vector<ReleasedSegment> *Released;

void watchReleases() {
  if (Released)
    return;
  Released = new std::vector<ReleasedSegment>;
  VerifyLock::keepOverFork();
}

void noteRelease(uint32_t Id, uint64_t Base) {
  if (!Released)
    return;
  VerifyLock L;
  Released->push_back({Id, Base});
}

size_t countReleases() {
  VerifyLock L;
  return Released->size();
}

const std::vector<ReleasedSegment> &releases() { return *Released; }

} // namespace pilgrim
