//===- Encoder.h - the parts of the encoder ---------------------*- C++ -*-===//
//
// Encodes the tables and regions of a trace, and numbers their entries for the file (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_ENCODER_H
#define PILGRIM_TRACE_FILE_ENCODER_H

#include "trace/base/ByteStrings.h"
#include "trace/file/Decoder.h"

#include <map>

namespace pilgrim {

/// The table of signatures. Signatures with equal forms share one form; words are written column by column.
class SignatureEncoder {
public:
  struct Row {
    const RankSet *Ranks;
    uint32_t Function, Form, Site; ///< Site: + 1, 0 for none
    std::vector<WordSpan> Words;   ///< those that are written

    size_t size() const {
      size_t N = 0;
      for (const WordSpan &S : Words)
        N += S.size();
      return N;
    }
    RankFn word(size_t I) const {
      const WordSpan *S = Words.data();
      for (; I >= S->size(); ++S)
        I -= S->size();
      return (*S)[I];
    }
  };
  /// The number of a form: the slots of a variant, as written to the file.
  uint32_t form(std::vector<uint8_t> Bytes) { return Forms.number(std::move(Bytes)); }
  /// The index of the entry with these variants, which must outlive the encoder. Ranked: it names its ranks.
  uint32_t entry(std::vector<Row> Variants, bool Ranked);
  void write(ByteWriter &W) const;

private:
  struct EntryHead {
    size_t First, Variants; ///< of Rows
    bool Ranked;
  };
  bool isSame(const EntryHead &E, const std::vector<Row> &Variants, bool Ranked) const;

  std::vector<EntryHead> Entries;
  std::vector<Row> Rows; ///< the variants of all entries
  Finder Find{0};        ///< of entries
  ByteStrings Forms;
};

class TableEncoder {
public:
  /// Enters a group; afterwards entry() takes indices of its tables.
  void enter(const Group &Entered) {
    G = &Entered;
    for (auto &Map : Local)
      Map.clear();
    for (auto &Map : Placed)
      Map = {};
  }
  /// Index of a group's entry in the common table. Signatures and paths belong to one place, so each is requested once
  /// or twice. Ranks: the ranks that have the sequence at that place.
  uint32_t entry(TableId Id, uint32_t Index, const RankSet *Ranks = nullptr);
  uint32_t string(const std::string &S) { return encode(TableId::Strings, {{{}, packString(S), {}}}, false); }
  std::vector<uint8_t> bytes() const;

private:
  uint32_t place(TableId Id, const Entry &E, const RankSet *Ranks);
  /// Whether an entry names its ranks. Ranks: those that have the sequence at its place.
  static bool isRanked(const Entry &E, const RankSet *Ranks = nullptr);
  uint32_t encode(TableId Id, const Entry &E, bool Ranked);
  void writeTokens(ByteWriter &W, TableId Id, const std::vector<uint32_t> &Tokens);
  uint32_t encodeSignature(const Entry &E, bool Ranked);
  std::vector<WordSpan> writeForm(ByteWriter &W, const Variant &V, bool Ranked);

  const Group *G = nullptr;
  ByteStrings Entries[NumTables]; ///< of the other tables than that of signatures
  std::map<uint32_t, uint32_t> Local[NumTables];
  OfShared<uint32_t> Placed[2]; ///< of signatures and paths of the group, without and with their ranks
  SignatureEncoder Signatures;
};

/// The order of functions in the schema: first those that sites of regions name, in the order of naming; then the
/// others.
class SiteNames {
public:
  explicit SiteNames(const TraceData &T);
  /// Appends the function with that linkage name to the named ones, if the schema has it.
  void name(const std::string &Linkage);
  /// All functions, in this order.
  std::vector<uint32_t> inOrder() const;
  /// 2 * place in that order, plus 1 for a Fortran name; None if there is no such function.
  uint64_t code(const std::string &Linkage) const;
  static constexpr uint64_t None = UINT64_MAX;

private:
  struct Function {
    uint32_t Id;
    bool IsFortran;
  };
  const TraceData &T;
  std::map<std::string, Function> Known;
  std::vector<uint32_t> Order;          ///< of the named functions
  std::map<uint32_t, uint64_t> PlaceOf; ///< by id
};

/// The regions that were visited, and the events that some visit passed. Events keep their numbers, since other ranks'
/// traces have other events of the same region.
class StructureEncoder {
public:
  explicit StructureEncoder(const TraceData &T);
  /// Number of a region among those that are written.
  uint32_t region(uint32_t R) const { return Places[R]; }
  /// Events of a region that are written, ascending.
  const std::vector<uint32_t> &events(uint32_t R) const { return Used[R]; }
  /// The region, numbered among those that are written, that is activated at an event by default; None.
  uint32_t expected(uint32_t R, uint32_t Event) const;
  static constexpr uint32_t None = UINT32_MAX;

  const SiteNames &sites() const { return Sites; }
  void write(ByteWriter &W, TableEncoder &Tables) const;

private:
  void note(const Group &G, const NodeData &N, std::vector<std::vector<bool>> &Seen) const;
  uint32_t function(const std::string &Name) const;
  /// Position by function. Callees follow callers; apart from that, the order is that of Written.
  std::map<uint64_t, size_t> byCalls() const;
  void writeAbout(ByteWriter &W, TableEncoder &Tables) const;

  const TraceData &T;
  SiteNames Sites;
  std::vector<std::vector<uint32_t>> Used;                   ///< by region
  std::vector<uint32_t> Written, Places;                     ///< Places: by region; None: not visited
  std::vector<uint32_t> Functions;                           ///< first written region of each function
  std::map<std::string, uint32_t> FunctionNamed;             ///< by name: the first function with it
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> PlaceOf; ///< by function and index
};

/// Encodes the section schema. Order: the order of all functions.
std::vector<uint8_t> encodeSchema(const TraceData &T, const std::vector<uint32_t> &Order);

/// The sections calls, measures and times.
struct EncodedCalls {
  std::vector<uint8_t> Calls, Measures, Times;
};
EncodedCalls encodeCalls(const TraceData &T, TableEncoder &Tables, const StructureEncoder &Structure, bool IsInTransit);

} // namespace pilgrim

#endif
