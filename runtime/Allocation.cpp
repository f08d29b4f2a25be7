//===- Allocation.cpp - memory of the runtime itself ----------------------===//
//
// What the runtime allocates must not be seen by its own malloc wrappers: operator new goes to the functions behind
// them. Hidden: the program's operator new is not touched.
//
//===----------------------------------------------------------------------===//
#include "memory/Reserve.h"

#include <new>

void *operator new(std::size_t Size) { return pilgrim::memory::ownMalloc(Size); }
void *operator new[](std::size_t Size) { return pilgrim::memory::ownMalloc(Size); }
void operator delete(void *P) noexcept { pilgrim::memory::ownFree(P); }
void operator delete[](void *P) noexcept { pilgrim::memory::ownFree(P); }
void operator delete(void *P, std::size_t) noexcept { pilgrim::memory::ownFree(P); }
void operator delete[](void *P, std::size_t) noexcept { pilgrim::memory::ownFree(P); }
