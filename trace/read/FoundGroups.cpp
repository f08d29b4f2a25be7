//===- FoundGroups.cpp - groups found member by member --------------------===//
#include "trace/read/FoundGroups.h"

#include <algorithm>

namespace pilgrim {

FoundGroups::Key FoundGroups::mix(std::initializer_list<uint64_t> Words) {
  uint64_t H = 0x9e3779b97f4a7c15u;
  for (uint64_t X : Words) {
    H = (H ^ X) * 0xbf58476d1ce4e5b9u;
    H = (H ^ (H >> 27)) * 0x94d049bb133111ebu;
    H ^= H >> 31;
  }
  return H ? H : 1;
}

bool FoundGroups::beginRound() {
  if (Groups.size() == GroupsBefore && Faces.size() == FacesBefore)
    return false;
  GroupsBefore = Groups.size();
  FacesBefore = Faces.size();
  Before = std::move(Groups);
  Groups.clear();
  Tokens.clear();
  return true;
}

void FoundGroups::add(Key K, const Member &M, Key Family) {
  auto [It, IsNew] = Groups.try_emplace(K);
  Group &G = It->second;
  if (IsNew)
    G.Size = M.Size, G.Leader = M.Leader, G.Family = Family;
  G.IsGood &= G.Size == M.Size && G.Leader == M.Leader && M.Own >= 0 && M.Own < M.Size;
  G.Found.emplace_back(M.Own, M.Rank);
}

void FoundGroups::say(Key Token, Key Group) {
  auto &L = Tokens[Token];
  if (std::find(L.begin(), L.end(), Group) == L.end())
    L.push_back(Group);
}

void FoundGroups::endRound() {
  complete();
  face();
}

/// Groups all of whose members are there, once each.
void FoundGroups::complete() {
  std::unordered_map<Key, bool> BadFamilies;
  for (auto &[K, G] : Groups) {
    std::sort(G.Found.begin(), G.Found.end());
    G.IsGood &= G.Found.size() == static_cast<uint64_t>(G.Size);
    uint32_t Least = UINT32_MAX;
    for (size_t I = 0; I < G.Found.size(); ++I) {
      G.IsGood &= G.Found[I].first == static_cast<int64_t>(I);
      Least = std::min(Least, G.Found[I].second);
    }
    G.IsGood &= Least == G.Leader;
    if (!G.IsGood && G.Family)
      BadFamilies[G.Family] = true;
  }
  for (auto &[K, G] : Groups) {
    if (!G.IsGood || (G.Family && BadFamilies.contains(G.Family)))
      continue;
    for (auto [Own, Rank] : G.Found)
      G.Members.push_back(Rank);
  }
}

void FoundGroups::face() {
  for (const auto &[Token, L] : Tokens) {
    if (L.size() != 2)
      continue;
    for (unsigned I = 0; I < 2; ++I) {
      const Key Own = L[I], Other = L[1 - I];
      auto [It, IsNew] =
          Faces.try_emplace(Own, Facing{mix({std::min(Own, Other), std::max(Own, Other)}), Other, Own > Other});
      if (!IsNew && It->second.Other != Other)
        It->second.Both = 0;
    }
  }
}

std::span<const uint32_t> FoundGroups::members(Key Group) const {
  auto It = Before.find(Group);
  return It == Before.end() ? std::span<const uint32_t>() : It->second.Members;
}

const FoundGroups::Facing *FoundGroups::facing(Key Group) const {
  auto It = Faces.find(Group);
  return It == Faces.end() || !It->second.Both ? nullptr : &It->second;
}

void FoundGroups::forEachComplete(const std::function<void(Key, const std::vector<uint32_t> &)> &F) const {
  for (const auto &[K, G] : Groups)
    if (!G.Members.empty())
      F(K, G.Members);
}

} // namespace pilgrim
