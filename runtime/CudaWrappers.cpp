//===- CudaWrappers.cpp - CUDA's functions that give and take memory ------===//
//
// Where a program calls the CUDA runtime (or the driver) as a shared library, the dynamic linker binds these functions
// to ours. They pass every call on and tell the segment table when memory comes and goes. All else about memory the
// driver is asked (memory/CudaRanges.cpp): without these functions names are the same, but no answer can be kept.
//
// They are exported under CUDA's own symbol versions, and hidden ones, so that nobody else finds them: not a linker
// that is to find CUDA's library, nor a configure script that asks whether there is CUDA, nor dlsym(). exports.map has
// the versions. No library of CUDA is needed to build or to load this one.
//
//===----------------------------------------------------------------------===//
#include "memory/Internal.h"
#include "platform/Symbols.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>

namespace {

using pilgrim::memory::cudaAllocated;
using pilgrim::memory::cudaReleased;
using pilgrim::memory::cudaWasReset;

// ---- From cuda.h and cuda_runtime_api.h

using Result = int;        ///< CUresult, cudaError_t
using Handle = void *;     ///< of a stream, a pool, a context
using Address = uintptr_t; ///< CUdeviceptr
enum : Result { Success = 0, SymbolNotFound = 500 };

struct Extent {
  size_t Width, Height, Depth;
};
struct PitchedPointer {
  void *Pointer;
  size_t Pitch, XSize, YSize;
};

// ---- Passing on

/// The function that one of ours stands before.
class Next {
public:
  constexpr Next(const char *Library, const char *Version, const char *Name)
      : Library(Library), Version(Version), Name(Name) {}

  template <typename... A> Result operator()(A... Arguments) {
    void *F = Found.load(std::memory_order_relaxed);
    if (!F && !(F = find()))
      return SymbolNotFound;
    return reinterpret_cast<Result (*)(A...)>(F)(Arguments...);
  }

private:
  void *find() {
    void *F = Version ? dlvsym(RTLD_NEXT, Name, Version) : dlsym(RTLD_NEXT, Name);
    // A plugin's libraries are not in the program's scope, while we are in theirs.
    if (!F)
      F = pilgrim::symbolInLoaded(Library, Name);
    Found.store(F, std::memory_order_relaxed);
    return F;
  }
  const char *Library, *Version, *Name;
  std::atomic<void *> Found = nullptr;
};

void made(const void *Start, size_t Size) {
  if (pilgrim::memory::enabled())
    cudaAllocated(Start, Size);
}

void made(Address Start, size_t Size) { made(reinterpret_cast<const void *>(Start), Size); }

void freeing(const void *Start) {
  if (pilgrim::memory::enabled())
    cudaReleased(Start);
}

void freeing(Address Start) { freeing(reinterpret_cast<const void *>(Start)); }

Result reset(Result R) {
  if (pilgrim::memory::enabled())
    cudaWasReset();
  return R;
}

/// What follows a call that makes memory; where it is is known only afterwards, and only if the call succeeded.
#define PILGRIM_MAKES(Call, Start, Size)                                                                               \
  Result R = Call;                                                                                                     \
  if (R == Success)                                                                                                    \
    made(Start, Size);                                                                                                 \
  return R;

} // namespace

// ---- The functions

/// NAME of one library: Body uses Real.
#define PILGRIM_CUDA(Tag, Library, Version, Symbol, Name, Parameters, Body)                                            \
  extern "C" __attribute__((visibility("default"), used)) Result pilgrim_##Tag##_##Name Parameters {                   \
    static constinit Next Real(Library, Version, #Name);                                                               \
    Body                                                                                                               \
  }                                                                                                                    \
  __asm__(".symver pilgrim_" #Tag "_" #Name "," #Name "@" Symbol ",remove");

#define PILGRIM_RUNTIME(Tag, Soname)                                                                                   \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaMalloc, (void **P, size_t N), PILGRIM_MAKES(Real(P, N), *P, N))            \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaMallocManaged, (void **P, size_t N, unsigned Flags),                       \
                           PILGRIM_MAKES(Real(P, N, Flags), *P, N))                                                    \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaMallocHost, (void **P, size_t N), PILGRIM_MAKES(Real(P, N), *P, N))        \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaHostAlloc, (void **P, size_t N, unsigned Flags),                           \
                           PILGRIM_MAKES(Real(P, N, Flags), *P, N))                                                    \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaMallocPitch, (void **P, size_t *Pitch, size_t Width, size_t Height),       \
                           PILGRIM_MAKES(Real(P, Pitch, Width, Height), *P, *Pitch *Height))                           \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaMalloc3D, (PitchedPointer * P, Extent E),                                  \
                           PILGRIM_MAKES(Real(P, E), P->Pointer, P->Pitch *E.Height *E.Depth))                         \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaMallocAsync, (void **P, size_t N, Handle Stream),                          \
                           PILGRIM_MAKES(Real(P, N, Stream), *P, N))                                                   \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaMallocAsync_ptsz, (void **P, size_t N, Handle Stream),                     \
                           PILGRIM_MAKES(Real(P, N, Stream), *P, N))                                                   \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaMallocFromPoolAsync, (void **P, size_t N, Handle Pool, Handle Stream),     \
                           PILGRIM_MAKES(Real(P, N, Pool, Stream), *P, N))                                             \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaMallocFromPoolAsync_ptsz,                                                  \
                           (void **P, size_t N, Handle Pool, Handle Stream),                                           \
                           PILGRIM_MAKES(Real(P, N, Pool, Stream), *P, N))                                             \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaHostRegister, (void *P, size_t N, unsigned Flags),                         \
                           PILGRIM_MAKES(Real(P, N, Flags), P, N))                                                     \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaHostUnregister, (void *P), freeing(P); return Real(P);)                    \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaFree, (void *P), freeing(P); return Real(P);)                              \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaFreeHost, (void *P), freeing(P); return Real(P);)                          \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaFreeAsync, (void *P, Handle Stream), freeing(P); return Real(P, Stream);)  \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaFreeAsync_ptsz, (void *P, Handle Stream), freeing(P);                      \
                           return Real(P, Stream);)                                                                    \
  PILGRIM_RUNTIME_FUNCTION(Tag, Soname, cudaDeviceReset, (), return reset(Real());)

// A runtime's version has the name of its file.
#define PILGRIM_RUNTIME_FUNCTION(Tag, Soname, Name, Parameters, ...)                                                   \
  PILGRIM_CUDA(Tag, Soname, Soname, Soname, Name, Parameters, __VA_ARGS__)
PILGRIM_RUNTIME(cudart11, "libcudart.so.11.0")
PILGRIM_RUNTIME(cudart12, "libcudart.so.12")
PILGRIM_RUNTIME(cudart13, "libcudart.so.13")

// The driver has no versions. A reference without one is bound to the first version of a library, even if it is hidden.
#define PILGRIM_DRIVER_FUNCTION(Name, Parameters, ...)                                                                 \
  PILGRIM_CUDA(cuda, "libcuda.so.1", nullptr, "PILGRIM_CUDA_DRIVER", Name, Parameters, __VA_ARGS__)
PILGRIM_DRIVER_FUNCTION(cuMemAlloc_v2, (Address * P, size_t N), PILGRIM_MAKES(Real(P, N), *P, N))
PILGRIM_DRIVER_FUNCTION(cuMemAllocManaged, (Address * P, size_t N, unsigned Flags),
                        PILGRIM_MAKES(Real(P, N, Flags), *P, N))
PILGRIM_DRIVER_FUNCTION(cuMemAllocHost_v2, (void **P, size_t N), PILGRIM_MAKES(Real(P, N), *P, N))
PILGRIM_DRIVER_FUNCTION(cuMemHostAlloc, (void **P, size_t N, unsigned Flags), PILGRIM_MAKES(Real(P, N, Flags), *P, N))
PILGRIM_DRIVER_FUNCTION(cuMemAllocPitch_v2, (Address * P, size_t *Pitch, size_t Width, size_t Height, unsigned Element),
                        PILGRIM_MAKES(Real(P, Pitch, Width, Height, Element), *P, *Pitch *Height))
PILGRIM_DRIVER_FUNCTION(cuMemAllocAsync, (Address * P, size_t N, Handle Stream),
                        PILGRIM_MAKES(Real(P, N, Stream), *P, N))
PILGRIM_DRIVER_FUNCTION(cuMemAllocAsync_ptsz, (Address * P, size_t N, Handle Stream),
                        PILGRIM_MAKES(Real(P, N, Stream), *P, N))
PILGRIM_DRIVER_FUNCTION(cuMemAllocFromPoolAsync, (Address * P, size_t N, Handle Pool, Handle Stream),
                        PILGRIM_MAKES(Real(P, N, Pool, Stream), *P, N))
PILGRIM_DRIVER_FUNCTION(cuMemAllocFromPoolAsync_ptsz, (Address * P, size_t N, Handle Pool, Handle Stream),
                        PILGRIM_MAKES(Real(P, N, Pool, Stream), *P, N))
PILGRIM_DRIVER_FUNCTION(cuMemHostRegister_v2, (void *P, size_t N, unsigned Flags),
                        PILGRIM_MAKES(Real(P, N, Flags), P, N))
PILGRIM_DRIVER_FUNCTION(cuMemHostUnregister, (void *P), freeing(P); return Real(P);)
PILGRIM_DRIVER_FUNCTION(cuMemFree_v2, (Address P), freeing(P); return Real(P);)
PILGRIM_DRIVER_FUNCTION(cuMemFreeHost, (void *P), freeing(P); return Real(P);)
PILGRIM_DRIVER_FUNCTION(cuMemFreeAsync, (Address P, Handle Stream), freeing(P); return Real(P, Stream);)
PILGRIM_DRIVER_FUNCTION(cuMemFreeAsync_ptsz, (Address P, Handle Stream), freeing(P); return Real(P, Stream);)
PILGRIM_DRIVER_FUNCTION(cuCtxDestroy_v2, (Handle Context), return reset(Real(Context));)
PILGRIM_DRIVER_FUNCTION(cuDevicePrimaryCtxReset_v2, (int Device), return reset(Real(Device));)
