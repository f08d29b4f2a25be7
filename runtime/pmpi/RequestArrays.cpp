//===- RequestArrays.cpp - arrays of requests, call after call ------------===//
#include "pmpi/RequestArrays.h"
#include "pmpi/Constants.h"

#include <algorithm>
#include <cstring>

namespace pilgrim {

/// Looks up what is in some places, ascending. No other place of the array may have one of their handles.
void FoundArrays::look(Requests &Books, uint32_t Thread, FoundArray &A, std::span<const uint32_t> Places) {
  for (uint32_t I : Places) {
    A.Handles[I] = A.Base[I];
    A.Found[I] = HandleMap::None;
    A.Names[I] = NullRequest;
    if (A.Base[I] == MPI_REQUEST_NULL)
      continue;
    const uint32_t F = Books.find(Thread, rawHandle(A.Base[I]), &A.Base[I]);
    A.Found[I] = F == HandleMap::None ? UnknownRequest : F;
    A.Names[I] = F == HandleMap::None ? NullRequest - 1 : Books.nameIn(Thread, F);
    if (F == HandleMap::None)
      continue;
    A.Serials[I] = Books[F].Serial;
    A.HasWildcard |= (Books[F].Traits & RequestWildcard) != 0;
    Books[F].Taken = true; // the next one with this handle is another request
  }
  for (uint32_t I : Places)
    if (A.Found[I] < UnknownRequest)
      Books.putBack(A.Found[I]);
}

/// Looks up what may be another request than before, and whatever has the same handle as one of these.
void FoundArrays::lookAgain(Requests &Books, uint32_t Thread, FoundArray &A) {
  constexpr size_t Step = 64, Few = 8;
  const size_t N = A.Handles.size();
  std::vector<MPI_Request> Other;
  size_t NumOther = 0;
  auto Add = [&](MPI_Request R) {
    ++NumOther;
    if (R != MPI_REQUEST_NULL && Other.size() <= Few && std::ranges::find(Other, R) == Other.end())
      Other.push_back(R);
  };
  const bool AreSame = Books.changes() == A.Changes;
  for (size_t At = 0; At < N; At += Step) {
    const size_t Most = std::min(Step, N - At);
    if (AreSame && std::memcmp(&A.Handles[At], &A.Base[At], Most * sizeof(MPI_Request)) == 0)
      continue;
    for (size_t I = At; I < At + Most; ++I)
      if (A.Handles[I] != A.Base[I] || (A.Found[I] < UnknownRequest && Books[A.Found[I]].Serial != A.Serials[I]) ||
          (!AreSame && A.Found[I] == UnknownRequest))
        Add(A.Base[I]);
  }
  if (!NumOther)
    return;
  std::vector<uint32_t> Places;
  for (size_t I = 0; I < N; ++I)
    if (Other.size() > Few || A.Handles[I] != A.Base[I] || std::ranges::find(Other, A.Base[I]) != Other.end())
      Places.push_back(static_cast<uint32_t>(I));
  look(Books, Thread, A, Places);
}

FoundArray &FoundArrays::find(Requests &Books, uint32_t Thread, const MPI_Request *Base, size_t N) {
  FoundArray *A = nullptr;
  for (FoundArray &X : Arrays)
    if (X.Base == Base && X.Handles.size() == N)
      A = &X;
  if (A) {
    lookAgain(Books, Thread, *A);
  } else {
    A = &*std::ranges::min_element(Arrays, {}, &FoundArray::LastUse);
    A->Base = Base;
    A->HasWildcard = false;
    A->Handles.resize(N);
    A->Found.resize(N);
    A->Serials.resize(N);
    A->Names.resize(N);
    std::vector<uint32_t> All(N);
    for (size_t I = 0; I < N; ++I)
      All[I] = static_cast<uint32_t>(I);
    look(Books, Thread, *A, All);
  }
  A->LastUse = ++Uses;
  A->Changes = Books.changes();
  return *A;
}

void FoundArrays::leave(Requests &Books, FoundArray &A) {
  constexpr size_t Step = 64;
  const size_t N = A.Handles.size();
  const bool WereOthers = Books.changes() != A.Changes; // calls in callbacks
  for (size_t At = 0; At < N; At += Step) {
    const size_t Most = std::min(Step, N - At);
    if (std::memcmp(&A.Handles[At], &A.Base[At], Most * sizeof(MPI_Request)) == 0)
      continue;
    for (size_t I = At; I < At + Most; ++I) {
      if (A.Handles[I] == A.Base[I] || A.Base[I] != MPI_REQUEST_NULL)
        continue;
      if (A.Found[I] < UnknownRequest && Books[A.Found[I]].Serial == A.Serials[I])
        Books.retire(A.Found[I]);
      A.Handles[I] = MPI_REQUEST_NULL;
      A.Found[I] = HandleMap::None;
      A.Names[I] = NullRequest;
    }
  }
  if (!WereOthers)
    A.Changes = Books.changes();
}

} // namespace pilgrim
