//===- MergeTables.cpp - joining the tables of two groups ------------------===//
#include "trace/merge/MergeTables.h"

#include <algorithm>

namespace pilgrim {

void TableMerge::joinWords(Variant &A, const Variant &B, const RankFn::ContextFn &CtxA, const RankFn::ContextFn &CtxB) {
  pilgrim::joinWords(A.Words, {A.Words, A.Ranks, CtxA}, {B.Words, B.Ranks, CtxB}, Unions);
}

// Signatures and paths.

uint32_t TableMerge::add(TableId T, Entry E) {
  Out.table(T).push_back(std::move(E));
  return static_cast<uint32_t>(Out.table(T).size() - 1);
}

uint32_t TableMerge::copy(Side &S, TableId T, Entry E) {
  auto Rename = [&](Entry Of) {
    for (Variant &V : Of.own())
      copyReferences(S, V.Tokens);
    return Of;
  };
  if (T == TableId::Signatures && E.isShared())
    E.share(S.Copied.get(E, [&] { return Rename(E); }));
  else if (T == TableId::Signatures)
    E = Rename(std::move(E));
  return add(T, std::move(E));
}

void TableMerge::copyReferences(Side &S, std::vector<uint32_t> &Tokens) {
  if (Tokens[1])
    Tokens[1] = site(S, Tokens[1] - 1) + 1;
  SlotWalker Walk(Tokens);
  for (SlotView V; Walk.next(V);)
    for (size_t I = V.RefToken; V.RefToken && I < V.FirstToken + V.Tokens; ++I)
      Tokens[I] = V.hasObjects() ? object(S, Tokens[I]) : string(S, Tokens[I]);
}

uint32_t TableMerge::join(TableId T, Entry A, Entry B) {
  std::vector<uint32_t> Added;
  if (A.isShared() && B.isShared()) {
    // A signature and a path never share their variants, so T need not be looked at.
    const JoinedEntry &Both = Joined.get(A, B, [&] {
      JoinedEntry New{A, {}};
      New.Added = joinVariants(T, New.Variants, B);
      return New;
    });
    A.share(Both.Variants);
    Added = Both.Added;
  } else {
    Added = joinVariants(T, A, B);
  }
  for (size_t I = 0; I < Added.size(); ++I)
    A.setMeasure(A.size() - Added.size() + I, B.measure(Added[I]));
  return add(T, std::move(A));
}

/// Makes A, which has not been copied, the join of both. Returns the variants of B that were added behind A's.
std::vector<uint32_t> TableMerge::joinVariants(TableId T, Entry &A, const Entry &B) {
  std::vector<uint32_t> Added;
  std::vector<bool> IsJoined(B.size());
  for (Variant &V : A.own()) {
    size_t I = 0;
    while (I < B.size() && (IsJoined[I] || !canJoin(T, V.Tokens, B[I].Tokens)))
      ++I;
    if (I < B.size()) {
      IsJoined[I] = true;
      join(T, V, B[I]);
    } else if (T == TableId::Signatures) {
      copyReferences(Sides[0], V.Tokens);
    }
  }
  for (uint32_t I = 0; I < B.size(); ++I) {
    if (IsJoined[I])
      continue;
    Variant V = B[I];
    if (T == TableId::Signatures)
      copyReferences(Sides[1], V.Tokens);
    A.push_back(std::move(V));
    Added.push_back(I);
  }
  return Added;
}

/// Whether contents differ in nothing but integers and in how objects are numbered.
bool TableMerge::canJoin(TableId T, const std::vector<uint32_t> &A, const std::vector<uint32_t> &B) {
  if (T == TableId::Paths || A.size() != B.size())
    return A == B;
  if (A[0] != B[0] || A[2] != B[2] || (A[1] == 0) != (B[1] == 0) ||
      (A[1] && site(Sides[0], A[1] - 1) != site(Sides[1], B[1] - 1)))
    return false;
  // As long as all but references are equal, both have the same slots.
  SlotWalker Walk(A);
  for (SlotView V; Walk.next(V);) {
    const size_t End = V.FirstToken + V.Tokens, Refs = V.RefToken ? V.RefToken : End;
    if (!std::equal(&A[V.FirstToken], A.data() + Refs, &B[V.FirstToken]))
      return false;
    for (size_t I = Refs; I < End; ++I)
      if (V.hasObjects() ? !canJoinObjects(A[I], B[I]) : string(Sides[0], A[I]) != string(Sides[1], B[I]))
        return false;
  }
  return true;
}

/// Makes A, which has not been copied, the join of both.
void TableMerge::join(TableId T, Variant &A, const Variant &B) {
  if (T == TableId::Signatures) {
    joinWords(
        A, B, [&](uint32_t R) { return Sides[0].G.context(A.Tokens, R, World); },
        [&](uint32_t R) { return Sides[1].G.context(B.Tokens, R, World); });
    if (A.Tokens[1])
      A.Tokens[1] = site(Sides[0], A.Tokens[1] - 1) + 1;
    SlotWalker Walk(B.Tokens);
    for (SlotView V; Walk.next(V);)
      for (size_t I = V.RefToken; V.RefToken && I < V.FirstToken + V.Tokens; ++I)
        A.Tokens[I] = V.hasObjects() ? pair(A.Tokens[I], B.Tokens[I]) : string(Sides[0], A.Tokens[I]);
  }
  Unions.unite(A.Ranks, B.Ranks);
}

// Strings, sites and objects.

uint32_t TableMerge::string(Side &S, uint32_t Index) {
  uint32_t &Known = S.Strings[Index];
  if (Known == Unknown) {
    Entry &E = S.G.table(TableId::Strings)[Index];
    auto [Same, First] =
        StringByContent.try_emplace(E[0].Tokens, static_cast<uint32_t>(Out.table(TableId::Strings).size()));
    if (First)
      add(TableId::Strings, std::move(E));
    Known = Same->second;
  }
  return Known;
}

uint32_t TableMerge::site(Side &S, uint32_t Index) {
  uint32_t &Known = S.Sites[Index];
  if (Known == Unknown) {
    Entry &E = S.G.table(TableId::Sites)[Index];
    auto &Tokens = E.own()[0].Tokens;
    Tokens[0] = string(S, Tokens[0]);
    if (Tokens[1])
      Tokens[1] = site(S, Tokens[1] - 1) + 1;
    auto [Same, First] = SiteByContent.try_emplace({Tokens[0], Tokens[1], E[0].Words[0].single().C},
                                                   static_cast<uint32_t>(Out.table(TableId::Sites).size()));
    if (First)
      add(TableId::Sites, std::move(E));
    Known = Same->second;
  }
  return Known;
}

uint32_t TableMerge::object(Side &S, uint32_t Index) {
  uint32_t &Known = S.Objects[Index];
  if (Known == Unknown) {
    Known = static_cast<uint32_t>(Out.table(TableId::Objects).size());
    Entry E = S.G.table(TableId::Objects)[Index];
    if (uint32_t &Name = E.own()[0].Tokens[1])
      Name = string(S, Name - 1) + 1;
    add(TableId::Objects, std::move(E));
  }
  return Known;
}

bool TableMerge::canJoinObjects(uint32_t A, uint32_t B) {
  const Variant &V = Sides[0].G.table(TableId::Objects)[A][0], &W = Sides[1].G.table(TableId::Objects)[B][0];
  const auto &X = V.Tokens, &Y = W.Tokens;
  return X[0] == Y[0] && (X[1] == 0) == (Y[1] == 0) &&
         (!X[1] || string(Sides[0], X[1] - 1) == string(Sides[1], Y[1] - 1)) && agree(V, W);
}

/// Whether two objects are one for the ranks that have both: where sequences of one group are joined, ranks of either
/// may have had the other's object as well, at other calls.
bool TableMerge::agree(const Variant &A, const Variant &B) const {
  if (!commonSize(A.Ranks, B.Ranks) ||
      std::ranges::equal(A.Words, B.Words, [](const RankFn &F, const RankFn &G) { return F.isSame(G); }))
    return true;
  bool Same = true;
  A.Ranks.common(B.Ranks).forEach([&](uint32_t R) {
    for (size_t I = 0; Same && I < A.Words.size(); ++I)
      Same = A.Words[I].eval(R, {R, World}) == B.Words[I].eval(R, {R, World});
  });
  return Same;
}

uint32_t TableMerge::pair(uint32_t A, uint32_t B) {
  auto [It, New] = Pairs.try_emplace({A, B}, static_cast<uint32_t>(Out.table(TableId::Objects).size()));
  if (New) {
    Entry E = Sides[0].G.table(TableId::Objects)[A];
    const Variant &V = Sides[1].G.table(TableId::Objects)[B][0];
    auto Ctx = [this](uint32_t R) { return RankContext{R, World}; };
    Variant &Both = E.own()[0];
    joinWords(Both, V, Ctx, Ctx);
    Unions.unite(Both.Ranks, V.Ranks);
    if (Both.Tokens[1])
      Both.Tokens[1] = string(Sides[0], Both.Tokens[1] - 1) + 1;
    add(TableId::Objects, std::move(E));
  }
  return It->second;
}

} // namespace pilgrim
