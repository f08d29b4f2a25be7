//===- Sections.h - choice buffers of mpi_f08 with flang ---------*- C++ -*-===//
//
// flang passes TYPE(*), DIMENSION(..) as a descriptor. Where what it describes lies in one piece, the generated shims
// hand its address on. Where it does not (a section such as A(1:9:2, :)), the call gets a datatype made for the
// section, so that nothing is copied and calls that do not block are right; or, of calls that block, a copy.
//
// Everything here belongs to the program: it is linked with or without libpilgrim, and needs the C library alone.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_F08_SECTIONS_H
#define PILGRIM_DRIVER_F08_SECTIONS_H

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace pilgrim::f08 {

/// flang's descriptor: CFI_cdesc_t of the Fortran standard (18.5.3).
struct Section {
  struct Dim {
    ptrdiff_t Lower, Extent, Stride; // Stride in bytes; Extent -1: assumed size
  };
  static constexpr int32_t FlangVersion = 20180515;

  char *Base;
  size_t ElementBytes;
  int32_t Version;
  uint8_t Rank, Type, Attribute, Extra;
  Dim Dims[15];

  /// Whether flang made it. Those of other compilers look otherwise.
  bool isOurs() const { return Version == FlangVersion; }
  /// Whether it lies in one piece, and is ours.
  bool isWhole() const {
    if (!isOurs())
      return false;
    ptrdiff_t Bytes = static_cast<ptrdiff_t>(ElementBytes);
    for (unsigned D = 0; D < Rank; Bytes *= Dims[D].Extent, ++D)
      if (Dims[D].Stride != Bytes && Dims[D].Extent > 1)
        return isEmpty();
    return true;
  }
  bool isEmpty() const {
    for (unsigned D = 0; D < Rank; ++D)
      if (Dims[D].Extent == 0)
        return true;
    return false;
  }
  size_t elements() const {
    size_t N = 1;
    for (unsigned D = 0; D < Rank; ++D)
      N *= static_cast<size_t>(Dims[D].Extent);
    return N;
  }
};

/// A call that is not just handed on.
class FarCall {
public:
  /// Function: its name. Comm: whose error handler learns of a section that cannot be passed, or null.
  FarCall(const char *Function, const MPI_Fint *Comm) : Function(Function), Comm(Comm) {}
  /// Says what was wrong with a section, and calls the error handler. If that returns, finish() gives the caller an
  /// error.
  void fail(const char *What);
  bool isFailed() const { return Error != MPI_SUCCESS; }
  /// Ends a call that the library has not seen, or whose error code is known.
  void finish(int CallsError, void *IError) const {
    if (IError)
      *static_cast<MPI_Fint *>(IError) = isFailed() ? Error : CallsError;
  }

private:
  const char *Function;
  const MPI_Fint *Comm;
  int Error = MPI_SUCCESS;
};

/// How a section may be passed where it is not whole.
enum How : unsigned {
  AsType = 1,    // by a datatype of its own
  AsCopy = 2,    // as a copy: the call blocks
  Written = 4,   // and the copy is copied back
  AsAddress = 8, // where it begins is asked for
};

/// What is passed for one choice buffer.
class Lent {
public:
  /// Type is null for a buffer that has no count and type of its own.
  Lent(FarCall &Call, const Section &S, MPI_Count Count, const MPI_Fint *Type, unsigned How);
  Lent(const Lent &) = delete;
  Lent &operator=(const Lent &) = delete;
  ~Lent();

  void *base() const { return Base; }
  const MPI_Count &count() const { return Count; }
  MPI_Fint *smallCount() {
    Small = static_cast<MPI_Fint>(Count);
    return &Small;
  }
  MPI_Fint *type() { return &Type; }

private:
  bool makeType(FarCall &Call);
  void copy(bool Back) const;

  const Section &S;
  void *Base;
  MPI_Count Count = 0;
  MPI_Fint Type = 0, Small = 0;
  bool HasType = false, IsCopy = false, IsWritten = false;
};

/// The address that C has for what Fortran passes.
void *choiceAddress(void *Base);
MPI_Status *statusAddress(void *Status);
/// A procedure of the MPI's own modules, for objects of the compiler that these were built with. Ends the program, with
/// a line, if there is none.
void *foreignProcedure(const char *Symbol);
/// A text as C has it, without blanks at the end.
class CText {
public:
  CText(const void *Text, size_t Length);
  operator const char *() const { return Room; }

private:
  char Room[1024];
};

} // namespace pilgrim::f08

#endif
