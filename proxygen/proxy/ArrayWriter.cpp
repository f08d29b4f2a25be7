//===- ArrayWriter.cpp - arrays of numbers that depend on the rank ----------===//
//
// Arrays whose elements are not functions of the rank, as the counts of an irregular all-to-all: rows of a table, and
// sums of others.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/CallWriter.h"

#include <algorithm>

namespace pilgrim {

/// Numbers that one array may be looked at for, over all ranks.
static constexpr uint64_t MostNumbers = 1 << 18;

/// Whether so many elements are lists by rank that a table of all is shorter.
bool CallWriter::isIrregular(const Slot &X) const {
  if (Here.size() * X.V.Words.size() > MostNumbers)
    return false;
  const auto Lists = static_cast<size_t>(std::ranges::count_if(X.V.Words, [](const RankFn &F) {
    return !F.isSingle() && std::ranges::any_of(F.pieces(), [](const RankFn::Piece &P) { return P.List != nullptr; });
  }));
  if (Lists < 3 || Lists * 2 < X.V.Words.size())
    return false;
  bool AreNumbers = true; // not addresses, nor constants of MPI
  Here.forEach([&](uint32_t Rank) {
    for (unsigned I = 0; I < X.V.Words.size() && AreNumbers; ++I) {
      const int64_t V = W.word(*C, X.Number, I, Rank);
      AreNumbers = !isAddress(V) && (X.P.Names.empty() || !W.trace().constantName(X.P.Names, V));
    }
  });
  return AreNumbers;
}

/// Displacements that are the sums of the counts before them, from 0. Empty: X is nothing like that.
std::string CallWriter::sumsBefore(const Slot &X) {
  const size_t Length = X.V.Words.size();
  const auto Counts = NumbersAt.find(X.Number - 1);
  if (Counts == NumbersAt.end() || C->Slots[X.Number - 1].Words.size() != Length)
    return "";
  bool AreSums = true;
  Here.forEach([&](uint32_t Rank) {
    int64_t Sum = 0;
    for (unsigned I = 0; I < Length && AreSums; ++I) {
      AreSums = W.word(*C, X.Number, I, Rank) == Sum;
      Sum += W.word(*C, X.Number - 1, I, Rank);
    }
  });
  if (!AreSums)
    return "";
  const std::string Name = S.name("places_own");
  S.declare("static " + elementType(X.I) + " " + Name + "[" + std::to_string(Length) + "];\n");
  Before.push_back("for (int i = 1; i < " + std::to_string(Length) + "; ++i)");
  Before.push_back("  " + Name + "[i] = " + Name + "[i - 1] + " + Counts->second + "[i - 1];");
  return Name;
}

/// The rank's row in a table.
std::string CallWriter::rowOfRank(const Slot &X) {
  const size_t Length = X.V.Words.size();
  std::string Content;
  Here.forEach([&](uint32_t Rank) {
    for (unsigned I = 0; I < Length; ++I)
      Content += (Content.empty() ? "" : ", ") + numberText(W.word(*C, X.Number, I, Rank));
  });
  return "(" + S.table(elementType(X.I), "rows_", Content) + " + " + Ranks.place(Here) + " * " +
         std::to_string(Length) + ")";
}

} // namespace pilgrim
