//===- RawAddress.cpp - where addresses in plain copies lie ---------------===//
//
// A trace names an address by the segment that it lies in. A copy finds out by other means what kind of memory that is:
// the stack's limits, the dynamic linker's list of modules, and whether the page is mapped.
//
//===----------------------------------------------------------------------===//
#include "memory/Segments.h"
#include "pmpi/RawCopy.h"

#include <cerrno>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace pilgrim {

namespace {
struct StackLimits {
  uintptr_t Low = 0, High = 0;
};
} // namespace

static StackLimits limitsOfStack() {
  StackLimits L;
  pthread_attr_t Attributes;
  if (pthread_getattr_np(pthread_self(), &Attributes) != 0)
    return L;
  void *Low = nullptr;
  size_t Size = 0;
  if (pthread_attr_getstack(&Attributes, &Low, &Size) == 0) {
    L.Low = reinterpret_cast<uintptr_t>(Low);
    L.High = L.Low + Size;
  }
  pthread_attr_destroy(&Attributes);
  return L;
}

/// Whether an address is that of a local variable of a function that is being run. False on stacks that the program has
/// made itself.
static bool isOnStack(uintptr_t A) {
  static thread_local const StackLimits Limits = limitsOfStack();
  const auto Here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return Here >= Limits.Low && Here < Limits.High && A >= Here && A < Limits.High;
}

static bool isMapped(uintptr_t A) {
  const auto Page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char Resident;
  const int Saved = errno;
  const bool Is = mincore(reinterpret_cast<void *>(A & ~(Page - 1)), 1, &Resident) == 0;
  errno = Saved;
  return Is;
}

CopiedModule CopiedModule::of(uintptr_t Address) {
  struct Search {
    uintptr_t Address;
    CopiedModule Found;
  } S{Address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Context) {
        auto &Of = *static_cast<Search *>(Context);
        const ElfW(Phdr) *First = nullptr;
        for (int I = 0; I < Info->dlpi_phnum; ++I) {
          const auto &H = Info->dlpi_phdr[I];
          if (H.p_type != PT_LOAD)
            continue;
          if (!First)
            First = &H;
          if (Of.Address - (Info->dlpi_addr + H.p_vaddr) >= H.p_memsz)
            continue;
          Of.Found.IsFound = true;
          Of.Found.Offset = static_cast<int64_t>(Of.Address - Info->dlpi_addr);
          const auto Page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
          Of.Found.FromBegin = static_cast<int64_t>(Of.Address - Info->dlpi_addr - (First->p_vaddr & ~(Page - 1)));
          Of.Found.Path = Info->dlpi_name ? Info->dlpi_name : "";
          return 1;
        }
        return 0;
      },
      &S);
  return S.Found;
}

void RawCopy::putAddress(unsigned Slot, const void *P, Origin O, int64_t Offset, const char *Name) {
  const size_t N = std::strlen(Name);
  head(Slot, RawType::Address, static_cast<int64_t>(4 + N));
  word(static_cast<int64_t>(reinterpret_cast<uintptr_t>(P)));
  word(static_cast<int64_t>(countReleases()));
  word(static_cast<int64_t>(O));
  word(Offset);
  for (size_t I = 0; I < N; ++I)
    word(static_cast<unsigned char>(Name[I]));
}

void RawCopy::address(unsigned Slot, const volatile void *P) {
  // What the recorder will learn in the course of this call counts as released before it.
  memory::noticeReleases();
  const void *Plain = const_cast<const void *>(P);
  const auto A = reinterpret_cast<uintptr_t>(P);
  if (!A || P == MPI_IN_PLACE || P == MPI_BOTTOM)
    return putAddress(Slot, Plain, Origin::Unclear, 0, "");
  if (isOnStack(A))
    return putAddress(Slot, Plain, Origin::Stack, 0, "");
  if (const CopiedModule M = CopiedModule::of(A); M.IsFound)
    return putAddress(Slot, Plain, Origin::Module, M.Offset, M.Path);
  putAddress(Slot, Plain, isMapped(A) ? Origin::Mapped : Origin::Unmapped, 0, "");
}

void RawCopy::function(unsigned Slot, const void *F) {
  Dl_info Info;
  if (F && dladdr(F, &Info) && Info.dli_sname && Info.dli_saddr == F)
    return putAddress(Slot, F, Origin::Symbol, 0, Info.dli_sname);
  address(Slot, F);
}

void RawCopy::freed(unsigned Slot, const void *Base) { putAddress(Slot, Base, Origin::Unclear, 0, ""); }

} // namespace pilgrim
