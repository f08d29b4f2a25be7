//===- Decoder.h - the parts of the decoder ---------------------*- C++ -*-===//
//
// The common tables of a file, decoded (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_DECODER_H
#define PILGRIM_TRACE_FILE_DECODER_H

#include "trace/file/Format.h"
#include "trace/file/Vectors.h"

namespace pilgrim {

/// Bytes that an entry takes in memory.
uint64_t sizeOf(const Entry &E);

/// Head of a node in the section calls: the form of its numbers of visits, the form of its paths, and flags for
/// optional parts. 0 is the frequent case.
struct NodeHead {
  enum Visits : uint64_t { Once, Listed, Joint, JointEqual, VisitsMask = 3 };
  enum Paths : uint64_t { Whole = 0, OnePath = 4, ListedPaths = 8, PathsMask = 12 };
  enum Also : uint64_t { EventZero = 16, Arms = 32, Max = 63 };
};

/// Head of an event. UsualItem, or OtherItem + code: one item. Nothing: no items. Items + bits: a list.
struct EventHead {
  enum : uint64_t { UsualItem, Nothing, Items, OtherItem = 8 };
  enum : uint64_t { Changes = 1, Columns = 2, SameNumber = 4 }; ///< the bits
};

/// Code of a path. 2 * mask; ByRank: the mask follows, as a function of the rank; Step + 2 * step: a path of the table.
struct PathCode {
  enum : uint64_t { ByRank = 1, Step = 3 };
};

/// The name of an arm that is a critical section with a name of its own: NamedArm + string.
constexpr uint64_t NamedArm = uint64_t(1) << 32;

/// The name by which Fortran programs call an MPI function.
std::string fortranName(std::string_view C);
/// An event that calls an MPI function has the code 2 * place of the function in the schema, plus 1 for its Fortran
/// name. Predicts the code after an event with Code: the next unused function, in the same language.
inline int64_t afterSite(int64_t Expected, uint64_t Code) {
  return std::max(Expected & ~int64_t(1), static_cast<int64_t>((Code & ~uint64_t(1)) + 2)) |
         static_cast<int64_t>(Code & 1);
}

/// The common tables of the file. References between them are checked.
class TableDecoder {
public:
  static constexpr uint32_t None = UINT32_MAX;
  /// An event of a region that is in the file.
  struct KnownEvent {
    uint32_t Id;
    uint32_t Region; ///< that is activated there by default; None
  };

  /// Functions: of the schema, in its order.
  TableDecoder(const TraceData &T, const std::vector<uint32_t> &Functions) : T(T), Functions(Functions) {}
  bool read(ByteReader &R);
  const Table &table(TableId Id) const { return Tables[static_cast<unsigned>(Id)]; }

  std::vector<Region> Regions;
  std::vector<std::vector<KnownEvent>> Known; ///< by region
  /// The world, and the rank sets of the file.
  RankScope scope() const { return {T.World, &Sets}; }

private:
  size_t size(TableId Id) const { return table(Id).size(); }
  uint32_t ref(ByteReader &R, TableId Id, bool Optional = false);
  /// Whether all variants of an object are.
  bool isDatatype(uint32_t Object) const;
  size_t readVariants(ByteReader &R, bool &Ranked);
  RankSet readRanks(ByteReader &R);
  void readEntry(ByteReader &R, TableId Id, Entry &E);
  void readSite(ByteReader &R);
  size_t readTokens(ByteReader &R, TableId Id, std::vector<uint32_t> &Tokens);
  RankFn readWord(ByteReader &R, const RankSet &Ranks, bool Ranked, AffineReader *Earlier = nullptr);

  // DecodeSignatures.cpp
  struct Form;
  void readSignatures(ByteReader &R);
  void readForm(ByteReader &R, Form &F);
  void readSlot(ByteReader &R, Form &F);
  void readDerived(ByteReader &R, Form &F, uint32_t Code);
  void fillSignature(ByteReader &R, const Form &F, WordList Words, Variant &X);

  // DecodeRegions.cpp
  void readRegions(ByteReader &R);
  void readFunctions(ByteReader &R);
  void readEvents(ByteReader &R);
  void readAbout(ByteReader &R);
  void readPlaces(ByteReader &R);
  std::string text(ByteReader &R, uint64_t String);
  void findExpected();

  const TraceData &T;
  const std::vector<uint32_t> &Functions;
  Table Tables[NumTables];
  mutable RankSetPool Sets;
  std::vector<uint32_t> FirstRegions; ///< of the functions
  std::vector<unsigned> Callers;      ///< by site: length of its chain of callers
};

/// Decodes the section schema. Order: gets the functions' ids, in file order.
bool decodeSchema(ByteReader &R, TraceData &T, std::vector<uint32_t> &Order);

/// The place of items: a group of the trace, a node of the group, an event of the node.
struct EventPlace {
  uint32_t Group, Node, Event;
};
/// Decodes the section calls. Timed: whether calls have measures. Events: gets the events with items, in file order.
bool decodeCalls(ByteReader &R, TraceData &T, const TableDecoder &D, bool Timed, std::vector<EventPlace> &Events);
/// Decodes the section measures. A trace without times has no such section.
bool decodeMeasures(ByteReader &R, TraceData &T, const std::vector<EventPlace> &Events);

} // namespace pilgrim

#endif
