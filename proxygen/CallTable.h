//===- CallTable.h - how the parameters of a call are passed -----*- C++ -*-===//
//
// Generated from api/ (emit_calls.py): for each function of MPI its parameters in order, as C sees them. Slot I + 1 of
// a call in a trace is the value of parameter I. Replay makes calls after this table, proxies write them after it.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_CALLTABLE_H
#define PILGRIM_PROXYGEN_CALLTABLE_H

#include <cstdint>
#include <span>
#include <string_view>

namespace pilgrim {

/// What the argument is made of.
enum class Passing : uint8_t {
  Number,       ///< by value
  Numbers,      ///< an array that the call reads
  OutNumber,    ///< the address of a number that the call writes
  OutNumbers,   ///< an array that the call writes
  InOutNumber,  ///< the address of a number that is read and written
  InOutNumbers, ///< an array of such
  Handle,       ///< by value; the others as for numbers
  Handles,
  OutHandle,
  OutHandles,
  InOutHandle,
  InOutHandles,
  Address,     ///< memory of the program, or a constant such as MPI_IN_PLACE
  OutAddress,  ///< the address of a pointer, which the call sets to memory
  Pointer,     ///< any value of a pointer's size
  OutPointer,  ///< the address of one, which the call writes
  GivenStatus, ///< the address of a status that the program filled
  Status,      ///< the address of a status that the call fills, or MPI_STATUS_IGNORE
  Statuses,    ///< an array of such, or MPI_STATUSES_IGNORE
  String,
  OutString,
  Strings, ///< a vector of strings with a null pointer behind it
  OtherStrings,
  Function, ///< of the user
};

/// What an array has as elements, or an output points to.
enum class Element : uint8_t { Int, Wide, Handle, Pointer, Char, Status };

/// What MPI calls a user's function with.
enum class Callback : uint8_t {
  None,
  Reduction,
  ReductionLarge,
  CopyComm,
  CopyType,
  CopyWin,
  DeleteComm,
  DeleteType,
  DeleteWin,
  CommError,
  WinError,
  FileError,
  Query,
  Free,
  Cancel,
  Conversion,
  ConversionLarge,
  Extent,
  Other,
};

/// Which of its requests a call completes.
enum class Completes : uint8_t { None, One, All, Any, Some };

struct ParamInfo {
  enum Flag : uint8_t {
    Freed = 1, ///< the handle is gone after the call
    Known = 2, ///< the handle that the call gives may be one that the program has already
    Array = 4,
  };
  const char *Name;
  const char *Kind; ///< as in api/README.md
  const char *Type; ///< of C: "const int*"
  Passing How;
  Element Of;
  Callback Calls;
  uint8_t Flags;
  const char *Most; ///< of an OutString: the constant of mpi.h that is its room; null: an argument says it
};

struct CallInfo {
  uint32_t Id;
  const char *Name;
  const char *Chapter; ///< of the standard, as the files of api/mpi are named
  std::span<const ParamInfo> Params;
  Completes Which;
  bool MayCompleteNone; ///< the Test functions
  bool IsPersistent;    ///< makes a persistent request
  bool IsLocal;         ///< ends whatever other processes do
};

/// By id.
extern const CallInfo CallTable[];
extern const unsigned NumCalls;

/// Null: no such function.
const CallInfo *findCall(uint32_t Id);

/// Whether no call of another thread begins before this one ends, when the calls are made again: it does not wait for
/// others, and ended before the next one began in nearly every run.
bool keepsTurn(const CallInfo &I);
/// Whether a call waits until a message has come: it has parameters source, comm, and tag or recvtag.
bool awaitsMessage(const CallInfo &I);
/// Whether a call ends what calls of other threads may use: MPI itself, or an object that is no request or message.
bool endsWhatOthersUse(const CallInfo &I);

} // namespace pilgrim

#endif
