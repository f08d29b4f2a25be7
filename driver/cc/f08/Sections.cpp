//===- Sections.cpp - choice buffers of mpi_f08 with flang ----------------===//
#include "Sections.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

// The places that mpif.h names (mpi_f08 as made by emit_fortran.py declares them so).
extern "C" MPI_Fint mpipriv1_[], mpipriv2_[];

/// MPI_F_sync_reg, which does nothing. MPICH's of mpif.h writes an error code, for which the standard has no argument.
extern "C" __attribute__((visibility("default"))) void pilgrim_sync_reg(const void *) {}

namespace pilgrim::f08 {

static_assert(sizeof(MPI_Datatype) == sizeof(MPI_Fint) && sizeof(MPI_Request) == sizeof(MPI_Fint),
              "handles are passed on as they are");

void *choiceAddress(void *Base) {
  return Base == &mpipriv1_[0] ? MPI_BOTTOM : Base == &mpipriv1_[1] ? MPI_IN_PLACE : Base;
}

MPI_Status *statusAddress(void *Status) {
  return Status == &mpipriv1_[2] || Status == &mpipriv2_[0] ? MPI_STATUS_IGNORE : static_cast<MPI_Status *>(Status);
}

void *foreignProcedure(const char *Symbol) {
  if (void *Found = dlsym(RTLD_NEXT, Symbol))
    return Found;
  std::fprintf(stderr, "mpi_f08: %s was called with another compiler's descriptor, and the MPI has no such procedure\n",
               Symbol);
  std::_Exit(127);
}

CText::CText(const void *Text, size_t Length) {
  const char *T = static_cast<const char *>(Text);
  while (Length && T[Length - 1] == ' ')
    --Length;
  Length = Length < sizeof Room ? Length : sizeof Room - 1;
  std::memcpy(Room, T, Length);
  Room[Length] = 0;
}

void FarCall::fail(const char *What) {
  if (isFailed())
    return;
  std::fprintf(stderr, "mpi_f08: %s: %s\n", Function, What);
  Error = MPI_ERR_BUFFER;
  PMPI_Comm_call_errhandler(Comm ? PMPI_Comm_f2c(*Comm) : MPI_COMM_SELF, Error);
}

//===----------------------------------------------------------------------===//
// A datatype for a section
//===----------------------------------------------------------------------===//

static int repeat(MPI_Count N, MPI_Aint Stride, MPI_Datatype Of, MPI_Datatype *Made) {
  if (N <= INT_MAX)
    return PMPI_Type_create_hvector(static_cast<int>(N), 1, Stride, Of, Made);
#if MPI_VERSION >= 4
  return PMPI_Type_create_hvector_c(N, 1, Stride, Of, Made);
#else
  return MPI_ERR_COUNT;
#endif
}

/// Makes a datatype of the first N elements of the section, N > 0, in its first Depth > 0 dimensions. Element: of one.
static int typeOfFirst(const Section &S, size_t N, unsigned Depth, MPI_Datatype Element, MPI_Datatype *Made) {
  const Section::Dim &D = S.Dims[Depth - 1];
  size_t Inner = 1;
  for (unsigned I = 0; I + 1 < Depth; ++I)
    Inner *= static_cast<size_t>(S.Dims[I].Extent);
  const size_t Whole = N / Inner, Rest = N % Inner;
  MPI_Datatype Parts[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
  int Error = MPI_SUCCESS;
  if (Whole && Depth == 1) {
    Error = repeat(static_cast<MPI_Count>(Whole), D.Stride, Element, &Parts[0]);
  } else if (Whole) {
    MPI_Datatype Slice;
    Error = typeOfFirst(S, Inner, Depth - 1, Element, &Slice);
    if (!Error) {
      Error = repeat(static_cast<MPI_Count>(Whole), D.Stride, Slice, &Parts[0]);
      PMPI_Type_free(&Slice);
    }
  }
  if (!Error && Rest)
    Error = typeOfFirst(S, Rest, Depth - 1, Element, &Parts[1]);
  if (Error || !Whole || !Rest) {
    *Made = Parts[Whole ? 0 : 1];
    return Error;
  }
  const int Lengths[2] = {1, 1};
  const MPI_Aint At[2] = {0, static_cast<MPI_Aint>(Whole) * D.Stride};
  Error = PMPI_Type_create_struct(2, Lengths, At, Parts, Made);
  PMPI_Type_free(&Parts[0]);
  PMPI_Type_free(&Parts[1]);
  return Error;
}

/// Bytes of a datatype whose items lie side by side without holes; 0 of another.
static size_t denseBytes(MPI_Datatype Type) {
  int Size = 0;
  MPI_Aint Lower = 0, Extent = 0, TrueLower = 0, TrueExtent = 0;
  if (PMPI_Type_size(Type, &Size) || PMPI_Type_get_extent(Type, &Lower, &Extent) ||
      PMPI_Type_get_true_extent(Type, &TrueLower, &TrueExtent))
    return 0;
  return Size > 0 && Lower == 0 && TrueLower == 0 && Extent == Size && TrueExtent == Size ? static_cast<size_t>(Size)
                                                                                          : 0;
}

bool Lent::makeType(FarCall &Call) {
  const MPI_Datatype Old = PMPI_Type_f2c(Type);
  const size_t Bytes = denseBytes(Old);
  if (!Bytes || S.ElementBytes % Bytes != 0)
    return false;
  const size_t InElement = S.ElementBytes / Bytes, Wanted = static_cast<size_t>(Count);
  if (Count < 0 || Wanted > S.elements() * InElement) {
    Call.fail("the section has fewer elements than the call names");
    return true;
  }
  if (Wanted % InElement || InElement > INT_MAX)
    return false;
  MPI_Datatype Element = Old, Made = MPI_DATATYPE_NULL;
  int Error = MPI_SUCCESS;
  if (InElement > 1)
    Error = PMPI_Type_contiguous(static_cast<int>(InElement), Old, &Element);
  if (!Error && Wanted)
    Error = typeOfFirst(S, Wanted / InElement, S.Rank, Element, &Made);
  if (InElement > 1 && Element != Old)
    PMPI_Type_free(&Element);
  if (!Error && Wanted)
    Error = PMPI_Type_commit(&Made);
  if (Error) {
    Call.fail("the datatype for a section could not be made");
  } else if (Wanted) {
    Count = 1;
    Type = PMPI_Type_c2f(Made);
    HasType = true;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// What is passed
//===----------------------------------------------------------------------===//

Lent::Lent(FarCall &Call, const Section &S, MPI_Count Count, const MPI_Fint *ItsType, unsigned How)
    : S(S), Base(S.Base), Count(Count) {
  if (ItsType)
    Type = *ItsType;
  if (S.isWhole() || (How & AsAddress) || Call.isFailed())
    return;
  if ((How & AsType) && makeType(Call))
    return;
  if (!(How & AsCopy)) {
    Call.fail("a section that is not contiguous cannot be passed here; accepted: arrays and sections that are, as "
              "the call goes on using them after it returned");
    return;
  }
  Base = std::malloc(S.elements() * S.ElementBytes);
  if (!Base) {
    Base = S.Base;
    Call.fail("no memory for a copy of a section");
    return;
  }
  IsCopy = true;
  IsWritten = How & Written;
  copy(false);
}

Lent::~Lent() {
  if (HasType) {
    // Calls that are under way keep it.
    MPI_Datatype Made = PMPI_Type_f2c(Type);
    PMPI_Type_free(&Made);
  }
  if (IsCopy) {
    if (IsWritten)
      copy(true);
    std::free(Base);
  }
}

void Lent::copy(bool Back) const {
  ptrdiff_t At[15] = {};
  const size_t Bytes = S.ElementBytes;
  char *Copy = static_cast<char *>(Base);
  for (size_t N = S.elements(); N; --N, Copy += Bytes) {
    char *Element = S.Base;
    for (unsigned D = 0; D < S.Rank; ++D)
      Element += At[D] * S.Dims[D].Stride;
    std::memcpy(Back ? Element : Copy, Back ? Copy : Element, Bytes);
    for (unsigned D = 0; D < S.Rank && ++At[D] == S.Dims[D].Extent; ++D)
      At[D] = 0;
  }
}

} // namespace pilgrim::f08
