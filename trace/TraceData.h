//===- TraceData.h - a trace in memory --------------------------*- C++ -*-===//
//
// The form in which traces are merged, written and read. Ranks (and threads)
// whose calls form the same sequence of local terminals are one group: one
// grammar and one set of tables for all of them. A table's entry may have
// variants for different ranks, and a variant's integers are functions of the
// rank, so everything that ranks have in common is there once.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_TRACEDATA_H
#define PILGRIM_TRACE_TRACEDATA_H

#include "trace/Grammar.h"
#include "trace/IntStream.h"
#include "trace/RankFn.h"
#include "trace/RankSet.h"
#include "trace/Schema.h"
#include "trace/Signature.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pilgrim {

/// Sums over all calls with one signature, over all ranks that have it, in
/// nanoseconds.
struct CallTime {
  uint64_t Duration = 0;
  uint64_t Gap = 0; ///< time since the end of the previous call of the thread
};

/// One content of a table entry, for the ranks that have it.
struct Variant {
  RankSet Ranks; ///< empty where the entry has no other variant: all ranks of
                 ///< the group
  std::vector<uint32_t> Tokens;
  std::vector<RankFn> Words;
  CallTime Time; ///< of a signature of a group with times
};
using Entry = std::vector<Variant>;
using Table = std::vector<Entry>;

/// Tables of a group. What their variants hold:
///   Strings     Tokens: length in bytes, then the bytes, four to a token
///   Sites       Tokens: string (module); Words: offset of the return address
///   in the module Objects     Tokens: Kind, string + 1 (name of a predefined
///   object) or 0
///               Words: Comm: id, own rank, size, smallest world rank of the
///               group, size of the remote group or -1
///                      Win, File: id, own rank, size;   Datatype: id, size in
///                      bytes
///   Signatures  Tokens as Signature.h says; Words: the slots' words
enum class TableId : uint8_t { Strings, Sites, Objects, Signatures };
constexpr unsigned NumTables = 4;
/// Number of words of an object of this kind.
constexpr unsigned objectWords(Kind K) { return K == Kind::Comm ? 5 : K == Kind::Datatype ? 2 : 3; }

/// Values of a slot that left its signature: of all signatures of one function
/// at one site with a Stream there.
struct SlotStreamKey {
  uint32_t Function = 0;
  uint32_t Site = 0; ///< site + 1, 0: unknown
  uint32_t Slot = 0;
  uint32_t Column = 0;
  auto operator<=>(const SlotStreamKey &) const = default;
};
struct SlotStreamVariant {
  RankSet Ranks;
  IntStreamData Values;
};

struct Group {
  RankSet Ranks;
  uint32_t Thread = 0;
  GrammarData Calls; ///< over indices into the Signatures table
  Table Tables[NumTables];
  std::map<SlotStreamKey, std::vector<SlotStreamVariant>> Streams;
  bool Timed = false; ///< whether signatures have times

  Table &table(TableId T) { return Tables[static_cast<unsigned>(T)]; }
  const Table &table(TableId T) const { return Tables[static_cast<unsigned>(T)]; }
  /// The variant of an entry that is Rank's.
  const Variant &variant(TableId T, uint32_t Index, uint32_t Rank) const;
  /// The ranks that have a variant.
  const RankSet &ranks(const Variant &V) const { return V.Ranks.empty() ? Ranks : V.Ranks; }
  std::string string(uint32_t Index, uint32_t Rank) const;
  int64_t objectWord(uint32_t Object, unsigned Word, uint32_t Rank, uint32_t World) const;
  /// Rank and size in the communicator, window or file that a signature belongs
  /// to; else those in the world.
  RankContext context(std::span<const uint32_t> SignatureTokens, uint32_t Rank, uint32_t World) const;
};

std::vector<uint32_t> packString(std::string_view S);
std::string unpackString(std::span<const uint32_t> Tokens);

struct TraceData {
  uint32_t World = 0; ///< number of ranks of the program's world
  RankSet Ranks;      ///< the ranks that are in this trace
  std::map<std::string, std::string> Meta;
  std::map<uint32_t, FunctionSchema> Functions; ///< by id; those that occur
  NameTable Names;
  std::vector<Group> Groups;

  uint64_t calls() const;
};

} // namespace pilgrim

#endif
