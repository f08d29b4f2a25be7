//===- Schema.h - what a trace says of the functions in it ------*- C++ -*-===//
//
// A trace describes itself: for each function that occurs, it has the parameters with their kinds and relations, and
// the names of the constants that occur. So a reader needs no knowledge of MPI, and traces of different MPI libraries
// read alike.
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

/// The kind of a slot's value. The numbers are part of the format. A trace may have kinds that this reader does not
/// know; their values are shown as numbers.
enum class Kind : uint8_t {
#define PILGRIM_KIND(Name, Number, Key, Prefix, Words) Name = Number,
#include "trace/model/Kinds.def"
};

struct KindInfo {
  const char *Names = "";       ///< key into NameTable of predefined values
  const char *Prefix = nullptr; ///< of symbolic names; null: the kind is no handle
  uint8_t ObjectWords = 3;      ///< in the table of objects; 0: not in the table
};

constexpr KindInfo KnownKinds[] = {
#define PILGRIM_KIND(Name, Number, Key, Prefix, Words) {Key, Prefix, Words},
#include "trace/model/Kinds.def"
};
constexpr unsigned NumKinds = sizeof KnownKinds / sizeof *KnownKinds;

/// An unknown kind may have objects; these are laid out like windows.
constexpr KindInfo kindInfo(Kind K) {
  return static_cast<unsigned>(K) < NumKinds ? KnownKinds[static_cast<unsigned>(K)] : KindInfo();
}
/// Kinds whose values are objects with a rank and size context or a size, kept
/// in the object table.
constexpr bool isTableObject(Kind K) { return kindInfo(K).ObjectWords != 0; }
/// The words of an object in its table.
constexpr unsigned objectWords(Kind K) { return kindInfo(K).ObjectWords; }
/// The prefix of a kind's symbolic names ("comm", "req"), or null.
constexpr const char *symbolPrefix(Kind K) { return kindInfo(K).Prefix; }
constexpr bool isHandle(Kind K) { return symbolPrefix(K) != nullptr; }
/// The Names key of predefined handles of a kind ("op", "group", ...), or "".
constexpr const char *handleNames(Kind K) { return kindInfo(K).Names; }

/// What a function belongs to. The numbers are part of the format.
enum class Level : uint8_t {
  Mpi = 0,
  Tracer = 1, ///< stands between calls and is not a call: nothing that counts or times calls may count it
};

/// A relation of a slot to the others of its function. The numbers are part of the format. Relations that follow from
/// kinds and order are not stored (see Relations.h).
enum class Relation : uint8_t {
  None = 0,
  // What a buffer holds.
  Count = 1,          ///< slot: its number of elements, or an array of such numbers; slot 0: one element
  Datatype = 2,       ///< slot: of its elements; slot 0: they are bytes
  Displacements = 3,  ///< slot: where in the buffer the counted parts are
  Factor = 4,         ///< slot: what the count is multiplied by
  PerProcess = 5,     ///< the count is for each process of the communicator, of the other group if it has two
  PerMember = 6,      ///< the count is for each process of the own group
  PerSource = 7,      ///< the count is for each neighbour that data come from
  PerDestination = 8, ///< the count is for each neighbour that data go to
  OwnCount = 9,       ///< in an array of counts, the one of the own rank applies
  // What the call does with a buffer.
  ReadAndWritten = 10,
  ReadAtRoot = 11, ///< and written elsewhere
  // The ranks on which the slot is significant.
  AtRoot = 12,
  NotAtRoot = 13,
  Everywhere = 14,
  // The group in which the value is a rank.
  Group = 15, ///< slot: a communicator, group, window or file; slot 0: none of these
  // What the call does with a handle.
  Makes = 16,     ///< gives a new object its name
  Finds = 17,     ///< gives an object that may be known already
  Frees = 18,     ///< ends the name; for a message: receives it
  Starts = 19,    ///< a persistent request
  Completes = 20, ///< a request
  Keeps = 21,     ///< none of these, although the handle is passed by address
  // Of the function itself; stored among the relations of slot 0.
  LevelIs = 24, ///< number: a Level
};

struct SlotRelation {
  Relation Meaning = Relation::None;
  uint8_t Number = 0; ///< a slot, or another number that the relation needs
  bool operator==(const SlotRelation &) const = default;
};
/// Whether the relation refers to another slot.
constexpr bool isToSlot(Relation R) { return (R >= Relation::Count && R <= Relation::Factor) || R == Relation::Group; }
constexpr bool hasNumber(Relation R) { return isToSlot(R) || R == Relation::LevelIs; }
constexpr bool isKnown(Relation R) { return R != Relation::None && (R <= Relation::Keeps || R == Relation::LevelIs); }

struct ParamSchema {
  std::string Name;
  Kind K = Kind::Int;
  bool IsArray = false;
  bool IsOutput = false;               ///< the call writes it; it may read it before
  bool IsMachine = false;              ///< a value of machine origin, which does not repeat from run to run
  bool IsHidden = false;               ///< not a parameter of the call: extra information from the tracer
  bool IsFlags = false;                ///< Names are or-able bits
  std::string Names = {};              ///< constants that name values: key into NameTable; empty: none
  std::vector<SlotRelation> Said = {}; ///< relations that do not follow from kinds and order
  bool operator==(const ParamSchema &) const = default;
};

/// The slots of a call in order: the return code, the parameters of the C
/// binding, hidden outputs.
struct FunctionSchema {
  uint32_t Id = 0;
  std::string Name;
  bool IsCollective = false;
  std::vector<ParamSchema> Slots;
  Level L = Level::Mpi;
  bool operator==(const FunctionSchema &) const = default;
};

/// The level of a function whose level is not stored.
inline Level usualLevel(const std::string &Name) { return Name.starts_with('(') ? Level::Tracer : Level::Mpi; }

// Functions of the tracer. Readers recognize them by their level and the kind of slot 1; this tracer writes these ids.

/// Stands for the calls that the program made while tracing was off; the slot gives their number (Untraced.h).
constexpr uint32_t UntracedId = 65535;
constexpr unsigned UntracedCalls = 1;
/// The program freed a block of memory that MPI had used; the slot gives the block. From then on another block may have
/// its number.
constexpr uint32_t FreedId = 65534;
constexpr unsigned FreedBlock = 1;

inline bool isCall(const FunctionSchema &F) { return F.L != Level::Tracer; }
inline bool isUntraced(const FunctionSchema &F) {
  return !isCall(F) && F.Slots.size() > UntracedCalls && F.Slots[UntracedCalls].K == Kind::Int;
}
inline bool isFreed(const FunctionSchema &F) {
  return !isCall(F) && F.Slots.size() > FreedBlock && F.Slots[FreedBlock].K == Kind::Buffer;
}

/// Names of the values that occur: (Names key, value) -> constant. Predefined
/// handles that are not table objects are values below zero under the key of
/// their kind ("op", "group", ...).
using NameTable = std::map<std::pair<std::string, int64_t>, std::string>;

} // namespace pilgrim

#endif
