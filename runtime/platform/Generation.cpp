//===- Generation.cpp - how long raw values mean the same -----------------===//
#include "platform/Generation.h"

namespace pilgrim {

static constinit std::atomic<uint64_t> Generation = 1;

const std::atomic<uint64_t> &generation() { return Generation; }

void newGeneration(Renewal What) { Generation.fetch_add(static_cast<uint64_t>(What), std::memory_order_release); }

} // namespace pilgrim
