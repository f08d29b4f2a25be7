//===- RawCopy.cpp - writing plain copies of MPI calls --------------------===//
#include "pmpi/RawCopy.h"
#include "memory/Segments.h"
#include "pmpi/Real.h"

namespace pilgrim {

void RawCopy::address(unsigned Slot, const volatile void *P) {
  // What the recorder will learn in the course of this call counts as released before it.
  memory::noticeReleases();
  put(Slot, RawType::Address,
      {static_cast<int64_t>(reinterpret_cast<uintptr_t>(P)), static_cast<int64_t>(countReleases())});
}

void RawCopy::freed(unsigned Slot, const void *Base) {
  put(Slot, RawType::Address,
      {static_cast<int64_t>(reinterpret_cast<uintptr_t>(Base)), static_cast<int64_t>(countReleases())});
}

void RawCopy::putStatus(const MPI_Status &S) {
  MPI_Count Bytes = 0;
  int Cancelled = 0;
  Real.MPI_Get_elements_x(&S, MPI_BYTE, &Bytes);
  Real.MPI_Test_cancelled(&S, &Cancelled);
  for (int64_t V : {int64_t(S.MPI_SOURCE), int64_t(S.MPI_TAG), static_cast<int64_t>(Bytes), int64_t(Cancelled)})
    word(V);
}

} // namespace pilgrim
