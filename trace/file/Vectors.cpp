//===- Vectors.cpp - arrays that follow from other arrays -----------------===//
#include "trace/file/Vectors.h"
#include "trace/base/Wrap.h"

#include <algorithm>
#include <optional>
#include <span>

namespace pilgrim {

namespace {
/// Values of an array's elements: [element][rank], with one rank for all where nothing depends on it.
struct Matrix {
  size_t Elements = 0, Columns = 0;
  std::vector<int64_t> Values; ///< element by element
  std::span<const int64_t> operator[](size_t I) const { return std::span(Values).subspan(I * Columns, Columns); }
};
constexpr size_t MaxTableValues = size_t(1) << 22, LeastLength = 3;

/// Nothing where an element depends on the rank in a way that is shorter than its values.
std::optional<Matrix> valuesOf(const Variant &V, size_t Word, size_t Length, bool Ranked) {
  const RankSet Ranks = Ranked ? V.Ranks : RankSet();
  if (std::max<uint64_t>(Ranks.size(), 1) * Length > MaxTableValues)
    return std::nullopt;
  Matrix M{Length, std::max<size_t>(Ranks.size(), 1), {}};
  M.Values.reserve(M.Elements * M.Columns);
  std::vector<int64_t> Element;
  for (size_t I = 0; I < Length; ++I) {
    if (!V.Words[Word + I].values(Ranks, Element))
      return std::nullopt;
    M.Values.insert(M.Values.end(), Element.begin(), Element.end());
  }
  return M;
}

bool isSums(const Matrix &From, const Matrix &M, DerivedVector &D) {
  D.Code = SumsCode;
  D.Base = M[0][0];
  bool HasScale = false;
  for (size_t C = 0; C < M.Columns; ++C)
    if (M[0][C] != D.Base)
      return false;
  for (size_t I = 0; I + 1 < M.Elements; ++I)
    for (size_t C = 0; C < M.Columns; ++C) {
      int64_t Step = static_cast<int64_t>(bits(M[I + 1][C]) - bits(M[I][C])), Count = From[I][C];
      if (!HasScale && Count) {
        // The quotient of the smallest and -1 is no number.
        if (Count == -1 || Step % Count)
          return false;
        D.Scale = Step / Count;
        HasScale = true;
      }
      if (bits(Step) != bits(Count) * bits(D.Scale))
        return false;
    }
  return true;
}

bool isTransposed(const Matrix &From, const Matrix &M, DerivedVector &D) {
  D.Code = TransposedCode;
  if (M.Elements != M.Columns)
    return false;
  for (size_t I = 0; I < M.Elements; ++I)
    for (size_t K = 0; K < M.Elements; ++K)
      if (M[I][K] != From[K][I])
        return false;
  return true;
}
} // namespace

std::vector<DerivedVector> findDerived(const Variant &V, bool Ranked) {
  struct ArraySlot {
    size_t Slot;
    Matrix Values;
  };
  std::vector<DerivedVector> Found;
  std::vector<ArraySlot> Arrays;
  SlotWalker Walk(V.Tokens);
  size_t Slot = 0;
  for (SlotView S; Walk.next(S); ++Slot) {
    if (S.T != Tag::Array || S.Length < LeastLength)
      continue;
    auto Values = valuesOf(V, S.FirstWord, S.Length, Ranked);
    if (!Values)
      continue;
    for (const ArraySlot &A : Arrays) {
      DerivedVector D;
      D.Slot = Slot;
      D.From = A.Slot;
      if (A.Values.Elements == Values->Elements &&
          (isSums(A.Values, *Values, D) || isTransposed(A.Values, *Values, D))) {
        Found.push_back(D);
        break;
      }
    }
    Arrays.push_back({Slot, std::move(*Values)});
  }
  return Found;
}

bool deriveVector(const DerivedVector &D, const Variant &V, size_t FromWord, size_t Length,
                  const std::function<void(const RankFn &)> &Add) {
  bool Ranked = !V.Ranks.empty();
  auto From = valuesOf(V, FromWord, Length, Ranked);
  if (!From || Length == 0)
    return false;
  size_t Columns = From->Columns;
  if (D.Code == TransposedCode && (!Ranked || Columns != Length))
    return false;
  std::vector<int64_t> Values(Columns, D.Base);
  for (size_t I = 0; I < Length; ++I) {
    for (size_t C = 0; C < Columns; ++C) {
      if (D.Code == TransposedCode)
        Values[C] = (*From)[C][I];
      else if (I > 0)
        Values[C] = static_cast<int64_t>(bits(Values[C]) + bits((*From)[I - 1][C]) * bits(D.Scale));
    }
    Add(RankFn::ofValues(Values, V.Ranks));
  }
  return true;
}

} // namespace pilgrim
