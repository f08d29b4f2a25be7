//===- Allocation.cpp - memory of the runtime itself ----------------------===//
//
// What the runtime allocates must not be seen by its own malloc wrappers: operator new goes to the functions behind
// them. Hidden: the program's operator new is not touched.
//
//===----------------------------------------------------------------------===//
#include "memory/Reserve.h"

#include <cstdint>
#include <new>

void *operator new(std::size_t Size) { return pilgrim::memory::ownMalloc(Size); }
void *operator new[](std::size_t Size) { return pilgrim::memory::ownMalloc(Size); }
void *operator new(std::size_t Size, const std::nothrow_t &) noexcept { return pilgrim::memory::ownMalloc(Size); }
void operator delete(void *P) noexcept { pilgrim::memory::ownFree(P); }
void operator delete[](void *P) noexcept { pilgrim::memory::ownFree(P); }
void operator delete(void *P, std::size_t) noexcept { pilgrim::memory::ownFree(P); }
void operator delete[](void *P, std::size_t) noexcept { pilgrim::memory::ownFree(P); }

// The block's begin stands before what is handed out. Blocks are aligned as std::max_align_t is, so there is room.
void *operator new(std::size_t Size, std::align_val_t Alignment) {
  auto Step = static_cast<std::size_t>(Alignment);
  char *Block = static_cast<char *>(pilgrim::memory::ownMalloc(Size + Step));
  auto *P = reinterpret_cast<void **>(Block + (Step - reinterpret_cast<uintptr_t>(Block) % Step));
  P[-1] = Block;
  return P;
}
void operator delete(void *P, std::align_val_t) noexcept {
  if (P)
    pilgrim::memory::ownFree(static_cast<void **>(P)[-1]);
}
void operator delete(void *P, std::size_t, std::align_val_t Alignment) noexcept { operator delete(P, Alignment); }
