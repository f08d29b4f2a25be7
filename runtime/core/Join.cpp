//===- Join.cpp - which functions may reach MPI ---------------------------===//
#include "core/Join.h"
#include "core/Structure.h"

#include <cstring>
#include <unordered_map>
#include <vector>

namespace pilgrim {

static uint64_t varint(const uint8_t *&At) {
  uint64_t V = 0;
  for (unsigned Shift = 0; Shift < 64; Shift += 7) {
    uint8_t B = *At++;
    V |= static_cast<uint64_t>(B & 0x7f) << Shift;
    if (!(B & 0x80))
      break;
  }
  return V;
}

void joinModules(std::span<const PilgrimModule *const> Modules) {
  std::vector<const PilgrimFunction *> Reach; // may reach MPI; their callers are still to be marked
  std::unordered_multimap<uint64_t, const PilgrimFunction *> CallersOf;
  std::unordered_map<const PilgrimFunction *, bool> Seen;
  for (const PilgrimModule *M : Modules)
    for (const PilgrimFunction *F = M->Begin; F < M->End; ++F) {
      if (!F->Table)
        continue; // padding by the linker
      const uint8_t *At = tableOf(F);
      for (unsigned String = 0; String < 2; ++String) {
        uint64_t Length = varint(At);
        At += Length;
      }
      varint(At);
      if (*At++) {
        Reach.push_back(F);
        Seen[F] = true;
      }
      for (uint64_t N = varint(At); N--; At += sizeof(uint64_t)) {
        uint64_t Name;
        std::memcpy(&Name, At, sizeof Name);
        CallersOf.emplace(Name, F);
      }
    }
  while (!Reach.empty()) {
    const PilgrimFunction *F = Reach.back();
    Reach.pop_back();
    if (F->Flag)
      *const_cast<char *>(reinterpret_cast<const char *>(&F->Flag) + F->Flag) = 1;
    if (!F->Name)
      continue;
    for (auto [At, End] = CallersOf.equal_range(F->Name); At != End; ++At)
      if (!Seen[At->second]) {
        Seen[At->second] = true;
        Reach.push_back(At->second);
      }
  }
}

} // namespace pilgrim
