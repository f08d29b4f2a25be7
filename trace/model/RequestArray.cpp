//===- RequestArray.cpp - arrays of requests, call after call -------------===//
#include "trace/model/RequestArray.h"

#include <algorithm>
#include <cstring>

namespace pilgrim {

static constexpr int64_t Marker = -3, Number = -16;

ArrayHistory::Array *ArrayHistory::find(size_t N) {
  for (Array &A : Arrays)
    if (A.LastUse && A.Names.size() == N)
      return &A;
  return nullptr;
}

/// The array of that many, or else the one that was not used for the longest time.
ArrayHistory::Array &ArrayHistory::use(size_t N) {
  Array *A = find(N);
  if (!A)
    A = &*std::ranges::min_element(Arrays, {}, &Array::LastUse);
  A->LastUse = ++Uses;
  return *(Current = A);
}

ArrayHistory::Array &ArrayHistory::writeOut(std::span<const int64_t> Names) {
  Array &A = use(Names.size());
  A.Names.assign(Names.begin(), Names.end());
  A.Completed.clear();
  return A;
}

static bool areEqual(std::span<const int64_t> A, std::span<const int64_t> B) {
  return A.size() == B.size() && std::memcmp(A.data(), B.data(), A.size_bytes()) == 0;
}

/// Adds the places that are others to Words; false if they are too many.
bool ArrayHistory::findChanges(const Array &A, std::span<const int64_t> Names, size_t Most) {
  constexpr size_t Step = 32;
  for (size_t At = 0; At < Names.size(); At += Step) {
    const size_t N = std::min(Step, Names.size() - At);
    if (areEqual(std::span(A.Names).subspan(At, N), Names.subspan(At, N)))
      continue;
    for (size_t I = At; I < At + N; ++I) {
      if (A.Names[I] == Names[I])
        continue;
      if (Words.size() >= Most)
        return false;
      Words.push_back(Number - static_cast<int64_t>(I));
      Words.push_back(Names[I]);
    }
  }
  return true;
}

std::span<const int64_t> ArrayHistory::shorten(std::span<const int64_t> Names, uint64_t First, uint64_t Last) {
  const size_t N = Names.size();
  Array *A = find(N);
  auto WriteOut = [&]() -> std::span<const int64_t> {
    Array &New = writeOut(Names);
    New.Whole.assign(Names.begin(), Names.end());
    New.WrittenAt = First;
    return {};
  };
  // What is always the same is best written out.
  if (!A || areEqual(A->Whole, Names) || Last - A->WrittenAt >= MaxDistance)
    return WriteOut();
  const size_t Most = N / 2;
  auto Try = [&](bool AreNull) {
    Words.assign({Marker - AreNull, Number - static_cast<int64_t>(N)});
    return findChanges(*A, Names, Most);
  };
  auto Swap = [&] {
    for (auto &[Place, Name] : A->Completed)
      std::swap(A->Names[Place], Name);
  };
  bool Pays = Try(true);
  if (!A->Completed.empty() && (!Pays || Words.size() > 2)) {
    const std::vector<int64_t> WithNulls = Words;
    Swap();
    const bool IsShorter = Try(false) && (!Pays || Words.size() < WithNulls.size());
    Swap();
    if (!IsShorter)
      Words = WithNulls;
    Pays = Pays || IsShorter;
  }
  if (!Pays)
    return WriteOut();
  use(N);
  A->Completed.clear();
  std::memcpy(A->Names.data(), Names.data(), Names.size_bytes());
  return Words;
}

std::optional<std::span<const int64_t>> ArrayHistory::resolve(std::span<const int64_t> In) {
  if (In.empty() || In[0] > Marker)
    return In.empty() ? In : std::span<const int64_t>(writeOut(In).Names);
  Current = nullptr;
  if (In.size() % 2 || In[0] < Marker - 1 || In[1] > Number)
    return std::nullopt;
  Array *A = find(static_cast<size_t>(Number - In[1]));
  if (!A)
    return std::nullopt;
  use(A->Names.size());
  if (In[0] == Marker)
    for (const auto &[Place, Name] : A->Completed)
      A->Names[Place] = Name;
  A->Completed.clear();
  for (size_t I = 2; I < In.size(); I += 2)
    if (const uint64_t Place = static_cast<uint64_t>(Number) - static_cast<uint64_t>(In[I]); Place < A->Names.size())
      A->Names[Place] = In[I + 1];
  return A->Names;
}

void ArrayHistory::complete(int64_t Place) {
  if (!Current || Place < 0 || static_cast<uint64_t>(Place) >= Current->Names.size())
    return;
  int64_t &Name = Current->Names[static_cast<size_t>(Place)];
  if (Name == -1)
    return;
  Current->Completed.emplace_back(static_cast<uint32_t>(Place), Name);
  Name = -1;
}

} // namespace pilgrim
