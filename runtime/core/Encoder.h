//===- Encoder.h - from raw values to symbols --------------------*- C++ -*-===//
//
// The recorder asks its Encoder when it meets a raw record for the first time: for the symbolic form of handles and
// addresses, for names of constants, for the module of a return address. In a traced program pmpi/ answers; tests have
// an encoder of their own.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_ENCODER_H
#define PILGRIM_CORE_ENCODER_H

#include "core/Contexts.h"
#include "core/FunctionInfo.h"
#include "trace/model/Signature.h"

#include <string>
#include <string_view>
#include <vector>

namespace pilgrim {

/// Receives the encoded form of one raw value.
class SlotSink {
public:
  virtual void put(Tag T) = 0;                                       ///< Absent, Null
  virtual void put(Tag T, std::string_view Text) = 0;                ///< Name, String
  virtual void put(Tag T, int64_t A, int64_t B) = 0;                 ///< Word, Raw, Heap, Stack, Map
  virtual void putData(std::string_view Module, int64_t Offset) = 0; ///< Data
  /// Object; Name or null. Memo, or null: what a sink has noted of these words, to be kept with them; 0 at first.
  virtual void putObject(Kind K, const char *Name, std::span<const int64_t> Words, uint64_t *Memo) = 0;
  /// The value may be another at the next call, even if the raw value is the same.
  virtual void doNotKeep() = 0;

protected:
  ~SlotSink() = default;
};

/// A place in code: a return address.
struct SitePlace {
  std::string Module;
  int64_t Offset = 0;
};

class Encoder : public Contexts::Surroundings {
public:
  /// A handle of the kinds Comm to Session and Tool.
  virtual void handle(Kind K, uint64_t Raw, SlotSink &Sink) = 0;
  /// An address: Buffer, Pointer, Function, Address.
  virtual void address(Kind K, uint64_t Raw, SlotSink &Sink) = 0;
  /// Name of a value under a Names key, or null.
  virtual const char *constantName(const char *Names, int64_t Value) = 0;
  /// Calls Fn for all values that a Names key has.
  virtual void allConstants(const char *Names, void *Context, void (*Fn)(void *, int64_t, const char *)) = 0;
  virtual const char *sentinelName(unsigned Sentinel) = 0;
  /// Appends the places that the site of a record stands for: first the place of the call, then the places that its
  /// callers were called at, as far as they belong to the site. Appends nothing if the place is not known.
  virtual void site(uint64_t Site, std::vector<SitePlace> &Places) = 0;
  /// The class of an error code.
  virtual int64_t errorClass(int64_t Code) = 0;
  virtual FunctionInfo function(uint32_t Id) = 0;

protected:
  ~Encoder() = default;
};

} // namespace pilgrim

#endif
