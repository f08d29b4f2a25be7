//===- TimeModelBytes.cpp - models as bytes -------------------------------===//
//
//   varint length of what follows, which a range coder has written:
//   unit; significant bits of counts
//   of durations, then of gaps: the number of contexts; of each, the distance from the one before, and whether it
//   begins a new histogram, or else which one it shares. A histogram: its pair of bounds, the number of its symbols; of
//   each symbol, the distance from the one before, and its rounded count, as the difference from the one before
//
//===----------------------------------------------------------------------===//
#include "trace/times/TimeModel.h"
#include "trace/times/TimeNumbers.h"

#include <algorithm>

namespace pilgrim {

/// What is foreseen of each number.
struct ModelModels {
  NumberModel Unit, Members[2], Context[2], Row, Pair, Size, First[2], Step[4], Level[8];
  BitModel IsNew[2];
};

namespace {
/// A histogram's symbol is foreseen from the one before: whether they are neighbours, and its count.
unsigned bucket(uint32_t Level) { return Level < 2 ? 0 : Level < 5 ? 1 : Level < 10 ? 2 : 3; }
} // namespace

template <typename Code> bool TimeModel::codeRow(Code &C, ModelModels &M, Row &R, unsigned Kind) {
  R.Kind = static_cast<uint8_t>(Kind);
  const uint64_t Pair = M.Pair.code(C, R.Pair), Size = M.Size.code(C, R.Size - 1) + 1;
  if (Pair >= TimeBounds::MaxPairs || Size > (1u << TimeKey::SymbolBits) || R.First + Size > MaxModelEntries)
    return false;
  R.Pair = static_cast<uint8_t>(Pair);
  R.Size = static_cast<uint32_t>(Size);
  if (Symbols.size() < R.First + Size) {
    Symbols.resize(R.First + Size);
    Counts.resize(R.First + Size);
  }
  uint64_t Symbol = 0;
  uint32_t Level = 0, Step = 2;
  for (uint32_t I = R.First; I < R.First + R.Size; ++I) {
    if (I == R.First) {
      Symbol = M.First[Kind].code(C, Symbols[I]);
    } else {
      const uint64_t More = M.Step[bucket(Level)].code(C, Symbols[I] - Symbol - 1);
      Step = More ? 2 : 1;
      if (More >> TimeKey::SymbolBits)
        return false;
      Symbol += More + 1;
    }
    const int64_t Change =
        unzigzag(M.Level[bucket(Level) * 2 + Step - 1].code(C, zigzag(int64_t(levelOf(Counts[I], Precision)) - Level)));
    const int64_t Now = int64_t(Level) + Change;
    if (Symbol >> TimeKey::SymbolBits || Now < 1 || Now > levelOf(MaxCount, Precision))
      return false;
    Level = static_cast<uint32_t>(Now);
    Symbols[I] = static_cast<uint16_t>(Symbol);
    Counts[I] = countOf(Level, Precision);
  }
  return true;
}

template <typename Code> bool TimeModel::code(Code &C, ByteReader *Reader) {
  ModelModels M;
  Unit = M.Unit.code(C, Unit);
  Precision = static_cast<unsigned>(C.raw(3, Precision));
  if (!Unit || !Precision)
    return false;
  size_t Number = 0, NumRows = 0;
  uint32_t Entries = 0;
  for (unsigned Kind = 0; Kind < 2; ++Kind) {
    const uint64_t Begin = TimeKey(static_cast<TimeKind>(Kind), 0, 0, 0).group(),
                   End = Begin + (uint64_t(1) << (32 + TimeKey::ClassBits));
    const auto Here =
        std::count_if(Members.begin(), Members.end(), [&](auto &E) { return E.Group >= Begin && E.Group < End; });
    const uint64_t Size = M.Members[Kind].code(C, static_cast<uint64_t>(Here));
    if (Reader) {
      if (Size > MaxMembers)
        return false;
      Reader->spend(Size * sizeof(Member));
      if (!Reader->ok())
        return false;
      Members.resize(Number + Size);
    }
    const size_t FirstRow = NumRows;
    uint64_t Next = Begin;
    for (uint64_t I = 0; I < Size; ++I, ++Number) {
      Member &E = Members[Number];
      const uint64_t More = M.Context[Kind].code(C, E.Group - Next);
      if (More >= End - Next)
        return false;
      E.Group = Next + More;
      Next = E.Group + 1;
      if (C.bit(M.IsNew[Kind], E.Row == NumRows)) {
        if (Reader) {
          Reader->spend(2 * sizeof(Row));
          if (!Reader->ok())
            return false;
          Rows.push_back({.First = Entries});
        }
        E.Row = static_cast<uint32_t>(NumRows++);
        if (!codeRow(C, M, Rows[E.Row], Kind))
          return false;
        Entries += Rows[E.Row].Size;
      } else {
        const uint64_t Back = M.Row.code(C, NumRows - 1 - E.Row);
        if (Back >= NumRows - FirstRow)
          return false;
        E.Row = static_cast<uint32_t>(NumRows - 1 - Back);
      }
    }
  }
  return true;
}

void TimeModel::write(ByteWriter &W) const {
  std::vector<uint8_t> Bytes;
  RangeWriter C(Bytes);
  TimeModel Same(*this); // what is written is assigned once more
  Same.code(C, nullptr);
  C.finish();
  W.blob(Bytes);
}

TimeModel TimeModel::read(ByteReader &R) {
  TimeModel M;
  M.Rows.clear();
  RangeReader C(R.blob());
  if (R.ok() && M.code(C, &R)) {
    R.spend(M.Symbols.size() * 16);
    if (R.ok()) {
      M.finish();
      return M;
    }
  }
  R.fail("a model of times is damaged");
  return {};
}

} // namespace pilgrim
