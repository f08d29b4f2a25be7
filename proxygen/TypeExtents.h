//===- TypeExtents.h - where the data of datatypes lie -----------*- C++ -*-===//
//
// Follows the calls that make datatypes, and tells how much memory a buffer of a datatype spans.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_TYPEEXTENTS_H
#define PILGRIM_PROXYGEN_TYPEEXTENTS_H

#include "trace/read/Reader.h"

#include <map>
#include <string_view>

namespace pilgrim {

/// Bytes from First up to but not including End, relative to an address.
struct ByteSpan {
  int64_t First = 0, End = 0;
  bool isEmpty() const { return End <= First; }
  void include(ByteSpan Other);
};

/// Bounds of a datatype in bytes (MPI 4.0, section 5.1.6 and following).
struct TypeExtent {
  int64_t Lb = 0, Ub = 0;
  ByteSpan Data; ///< where there are data: from the true lower bound to the true upper bound
  int64_t Align = 1;
  int64_t extent() const { return Ub - Lb; }
};

/// The value of a call's parameter by its name, or null.
const Value *slotNamed(const Call &C, std::string_view Name);
/// The number at an index of a value that is a number or an array of numbers; Default if there is none.
int64_t wordOf(const Value *V, size_t Index = 0, int64_t Default = 0);

/// A displacement between these can only be an address.
constexpr int64_t FirstAddress = int64_t(1) << 40, LastAddress = int64_t(1) << 57;
constexpr bool isAddress(int64_t Displacement) { return Displacement >= FirstAddress && Displacement <= LastAddress; }

class TypeExtents {
public:
  /// Names: of the trace, which the calls are from.
  explicit TypeExtents(const NameTable &Names) : Names(&Names) {}
  /// Notes what C makes or frees, if that is a datatype; true: it did.
  bool follow(const Call &C);
  TypeExtent of(const ObjectInfo &Type) const;
  /// Bytes that Count elements take.
  static ByteSpan span(const TypeExtent &T, int64_t Count);

private:
  TypeExtent made(const Call &C, std::string_view Function) const;
  TypeExtent arrayOf(const Call &C, const TypeExtent &Old) const;
  TypeExtent typeOf(const Call &C, std::string_view Name, size_t Index = 0) const;
  const NameTable *Names;
  std::map<int64_t, TypeExtent> Known; ///< by number
};

} // namespace pilgrim

#endif
