//===- Encoder.h - the parts of the encoder ---------------------*- C++ -*-===//
//
// Tables and regions of a trace as bytes, and the numbers that their entries get there (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_ENCODER_H
#define PILGRIM_TRACE_FILE_ENCODER_H

#include "trace/file/Decoder.h"

#include <map>

namespace pilgrim {

/// The table of signatures: what has the same form has it once, and words stand column by column.
class SignatureEncoder {
public:
  /// Of an entry that will live as long as this.
  void begin(size_t Variants, bool Ranked) { Entries.push_back({Variants, Ranked}); }
  /// Form: its slots, as they stand in the file. Words: those that do.
  void variant(const Variant &V, uint32_t Site, std::vector<uint8_t> Form, std::vector<const RankFn *> Words);
  void write(ByteWriter &W) const;

private:
  struct EntryHead {
    size_t Variants;
    bool Ranked;
  };
  struct Row {
    const RankSet *Ranks;
    uint32_t Function, Form, Site; ///< Site: + 1, 0 for none
    std::vector<const RankFn *> Words;
  };
  std::vector<EntryHead> Entries;
  std::vector<Row> Rows; ///< the variants of all entries
  std::map<std::vector<uint8_t>, uint32_t> FormIndex;
  std::vector<const std::vector<uint8_t> *> Forms;
};

class TableEncoder {
public:
  /// Enters a group; afterwards entry() takes indices of its tables.
  void enter(const Group &Entered) {
    G = &Entered;
    for (auto &Map : Local)
      Map.clear();
  }
  /// Index of a group's entry in the common table. Signatures and paths are those of one place, so each is asked for
  /// once or twice; Ranks: those that have the sequence there.
  uint32_t entry(TableId Id, uint32_t Index, const RankSet *Ranks = nullptr);
  uint32_t string(const std::string &S) { return encode(TableId::Strings, {{{}, packString(S), {}}}); }
  std::vector<uint8_t> bytes() const;

private:
  uint32_t encode(TableId Id, const Entry &E, const RankSet *Ranks = nullptr);
  void writeTokens(ByteWriter &W, TableId Id, const std::vector<uint32_t> &Tokens);
  uint32_t encodeSignature(const Entry &E, bool Ranked);
  std::vector<const RankFn *> writeForm(ByteWriter &W, const Variant &V, bool Ranked);

  const Group *G = nullptr;
  std::map<std::vector<uint8_t>, uint32_t> Index[NumTables];
  std::vector<const std::vector<uint8_t> *> Order[NumTables];
  std::map<uint32_t, uint32_t> Local[NumTables];
  SignatureEncoder Signatures;
};

/// The functions of the schema, those that sites of regions name first and in the order in which they do.
class SiteNames {
public:
  explicit SiteNames(const TraceData &T);
  /// Puts the function of that linkage name behind those that were named, if it is there.
  void name(const std::string &Linkage);
  /// All of them.
  std::vector<uint32_t> inOrder() const;
  /// 2 * place in that order, and one more for a name as Fortran has it; None.
  uint64_t code(const std::string &Linkage) const;
  static constexpr uint64_t None = UINT64_MAX;

private:
  struct Function {
    uint32_t Id;
    bool IsFortran;
  };
  const TraceData &T;
  std::map<std::string, Function> Known;
  std::vector<uint32_t> Order;          ///< of what was named
  std::map<uint32_t, uint64_t> PlaceOf; ///< by id
};

/// The regions that were visited, and their events that some visit came by. These keep their numbers: other ranks'
/// traces have others of them.
class StructureEncoder {
public:
  explicit StructureEncoder(const TraceData &T);
  /// Number of a region among those that are written.
  uint32_t region(uint32_t R) const { return Places[R]; }
  /// Events of a region that are written, ascending.
  const std::vector<uint32_t> &events(uint32_t R) const { return Used[R]; }
  /// The region, among those that are written, that is activated at an event unless it is said otherwise; None.
  uint32_t expected(uint32_t R, uint32_t Event) const;
  static constexpr uint32_t None = UINT32_MAX;

  const SiteNames &sites() const { return Sites; }
  void write(ByteWriter &W, TableEncoder &Tables) const;

private:
  void note(const Group &G, const NodeData &N, std::vector<std::vector<bool>> &Seen) const;
  uint32_t function(const std::string &Name) const;
  /// By function: where it stands if each is behind one that calls it, and else as in Written.
  std::map<uint64_t, size_t> byCalls() const;
  void writeAbout(ByteWriter &W, TableEncoder &Tables) const;

  const TraceData &T;
  SiteNames Sites;
  std::vector<std::vector<uint32_t>> Used;                   ///< by region
  std::vector<uint32_t> Written, Places;                     ///< Places: by region; None: not visited
  std::vector<uint32_t> Functions;                           ///< first region that is written of each function
  std::map<std::string, uint32_t> FunctionNamed;             ///< the first with a name
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> PlaceOf; ///< by function and index
};

/// The section schema. Order: of all functions.
std::vector<uint8_t> encodeSchema(const TraceData &T, const std::vector<uint32_t> &Order);

/// The sections of calls and of measures.
struct EncodedCalls {
  std::vector<uint8_t> Calls, Measures;
};
EncodedCalls encodeCalls(const TraceData &T, TableEncoder &Tables, const StructureEncoder &Structure);

} // namespace pilgrim

#endif
