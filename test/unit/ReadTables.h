// The common tables of a file, written and read.
#ifndef PILGRIM_TEST_UNIT_READTABLES_H
#define PILGRIM_TEST_UNIT_READTABLES_H

#include "test/unit/Tables.h"
#include "trace/file/Encoder.h"

namespace pilgrim::test {

/// Tables without regions. Bytes: as TableEncoder gives them. T: has the world and the functions.
struct ReadTables {
  std::vector<uint32_t> Functions;
  TableDecoder D;
  std::vector<uint8_t> Bytes;
  ByteReader R;
  bool IsGood;

  ReadTables(const TraceData &T, std::vector<uint8_t> Tables, uint64_t Memory = ByteReader::DefaultMemory)
      : D(T, Functions), Bytes(withoutRegions(std::move(Tables))), R(Bytes, Memory), IsGood(D.read(R)) {}
  ReadTables(const ReadTables &) = delete;
  static std::vector<uint8_t> withoutRegions(std::vector<uint8_t> Tables) {
    Tables.push_back(0);
    return Tables;
  }
  std::string string(uint32_t Index) const { return unpackString(D.table(TableId::Strings)[Index][0].Tokens); }
};

/// A function with slots without names.
inline void addFunction(TraceData &T, uint32_t Id, size_t Slots) {
  FunctionSchema &F = T.Functions[Id];
  F.Id = Id;
  F.Name = "F" + std::to_string(Id);
  F.Slots.resize(Slots);
}

} // namespace pilgrim::test

#endif
