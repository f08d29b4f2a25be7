//===- Schema.h - what a trace says of the functions in it ------*- C++ -*-===//
//
// A trace carries its own names: for each function that occurs, its parameters
// with their kinds, and the names of the constants that occur. So a reader
// needs no knowledge of MPI, and traces of different MPI libraries read alike.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_SCHEMA_H
#define PILGRIM_TRACE_MODEL_SCHEMA_H

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pilgrim {

/// What a slot's value is. The numbers are part of the format.
enum class Kind : uint8_t {
  Int = 0,
  Count = 1,
  Displacement = 2,
  Bytes = 3,
  Address = 4, ///< an address or an MPI_Aint that may be one
  Offset = 5,
  Rank = 6,
  Tag = 7,
  Flag = 8,
  Error = 9, ///< an error class
  Comm = 10,
  Datatype = 11,
  Op = 12,
  Group = 13,
  Win = 14,
  File = 15,
  Request = 16,
  Message = 17,
  Info = 18,
  Errhandler = 19,
  Session = 20,
  Keyval = 21,
  Status = 22,
  String = 23,
  Strings = 24,  ///< a vector of strings, stored as one string with NUL after each
  Buffer = 25,   ///< address of a choice buffer or other memory
  Pointer = 26,  ///< an opaque pointer-sized value of the program
  Function = 27, ///< a user function, by symbol name
  Tool = 28,     ///< an MPI_T handle
};
constexpr unsigned NumKinds = 29;

/// Kinds whose values are objects with a rank and size context or a size, kept
/// in the object table.
constexpr bool isTableObject(Kind K) {
  return K == Kind::Comm || K == Kind::Datatype || K == Kind::Win || K == Kind::File;
}

struct ParamSchema {
  std::string Name;
  Kind K = Kind::Int;
  bool IsArray = false;
  bool IsOutput = false;  ///< the call writes it (also where it reads it before)
  bool IsMachine = false; ///< a value of machine origin, which does not repeat
                          ///< from run to run
  bool IsHidden = false;  ///< no parameter of the call: what the tracer learned besides
  bool IsFlags = false;   ///< Names are or-able bits
  std::string Names;      ///< constants that name values: key into NameTable; empty: none
  bool operator==(const ParamSchema &) const = default;
};

/// The slots of a call in order: the return code, the parameters of the C
/// binding, hidden outputs.
struct FunctionSchema {
  uint32_t Id = 0;
  std::string Name;
  bool IsCollective = false;
  std::vector<ParamSchema> Slots;
  bool operator==(const FunctionSchema &) const = default;
};

// What stands between calls and is none, as if it were one. Nothing that counts
// or times calls may count it.

/// Calls that the program made while tracing was off, and the slot that says how
/// many (Untraced.h).
constexpr uint32_t UntracedId = 65535;
constexpr unsigned UntracedCalls = 1;
/// The program freed a block of memory that MPI had used, and the slot that
/// says which: from then on its number may be another block's.
constexpr uint32_t FreedId = 65534;
constexpr unsigned FreedBlock = 1;

constexpr bool isCall(uint32_t Function) { return Function < FreedId; }
inline bool isCall(const FunctionSchema &F) { return isCall(F.Id); }

/// Names of the values that occur: (Names key, value) -> constant. Predefined
/// handles that are not table objects are values below zero under the key of
/// their kind ("op", "group", ...).
using NameTable = std::map<std::pair<std::string, int64_t>, std::string>;

} // namespace pilgrim

#endif
