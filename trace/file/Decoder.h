//===- Decoder.h - the parts of the decoder ---------------------*- C++ -*-===//
//
// The common tables of a file, as they were read (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_DECODER_H
#define PILGRIM_TRACE_FILE_DECODER_H

#include "trace/file/Format.h"
#include "trace/file/Vectors.h"

namespace pilgrim {

/// What an entry takes in memory.
uint64_t sizeOf(const Entry &E);

/// What a node begins with in the section calls: how its numbers of visits are given, how its paths, and what else
/// is there. 0 is what is frequent.
struct NodeHead {
  enum Visits : uint64_t { Once, Listed, Joint, JointEqual, VisitsMask = 3 };
  enum Paths : uint64_t { Whole = 0, OnePath = 4, ListedPaths = 8, PathsMask = 12 };
  enum Also : uint64_t { EventZero = 16, Arms = 32, Max = 63 };
};

/// What an event begins with: an item, as 0 or its code and OtherItem; nothing; or bits and Items.
struct EventHead {
  enum : uint64_t { UsualItem, Nothing, Items, OtherItem = 8 };
  enum : uint64_t { Changes = 1, Columns = 2, SameNumber = 4 }; ///< the bits
};

/// A path: twice its mask, a function of the rank behind this, or a step in the table and Step.
struct PathCode {
  enum : uint64_t { ByRank = 1, Step = 3 };
};

/// The name that Fortran programs call an MPI function by.
std::string fortranName(std::string_view C);
/// An event that calls an MPI function has a code, 2 * place of the function in the schema, and one more for the name
/// as Fortran has it. What is expected behind an event of this code: the next function of which there was none, in the
/// same language.
inline int64_t afterSite(int64_t Expected, uint64_t Code) {
  return std::max(Expected & ~int64_t(1), static_cast<int64_t>((Code & ~uint64_t(1)) + 2)) |
         static_cast<int64_t>(Code & 1);
}

/// The common tables of the file, with references between them checked.
class TableDecoder {
public:
  static constexpr uint32_t None = UINT32_MAX;
  /// An event of a region that stands in the file.
  struct KnownEvent {
    uint32_t Id;
    uint32_t Region; ///< that is activated there unless it is said otherwise; None
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
  void fillSignature(ByteReader &R, const Form &F, std::vector<RankFn> Words, Variant &X);

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
  std::vector<unsigned> Callers;      ///< of the sites: how many there are one above the other
};

/// The section schema. Order: gets the functions' ids.
bool decodeSchema(ByteReader &R, TraceData &T, std::vector<uint32_t> &Order);

/// Where items are: a group of the trace, a node of it, an event of that.
struct EventPlace {
  uint32_t Group, Node, Event;
};
/// The section calls. Timed: whether calls have measures. Events: gets those with items, in the order of the file.
bool decodeCalls(ByteReader &R, TraceData &T, const TableDecoder &D, bool Timed, std::vector<EventPlace> &Events);
/// The section of measures, which a trace without times has not.
bool decodeMeasures(ByteReader &R, TraceData &T, const std::vector<EventPlace> &Events);

} // namespace pilgrim

#endif
