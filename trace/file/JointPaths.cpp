//===- JointPaths.cpp - paths of all ranks together -----------------------===//
#include "trace/file/JointPaths.h"

#include <map>

namespace pilgrim {

/// Paths that are looked at side by side: more ranks that do different things have nothing in common.
static constexpr size_t MaxPaths = size_t(1) << 16;

std::optional<JointPaths> joinPaths(const Group &G, const NodeData &N, uint32_t World, uint64_t &Work) {
  std::vector<RankedItems> Parts;
  JointPaths Out;
  forEachPart(N.Paths, World, [&](const RankedItems &X) {
    Parts.push_back(X);
    Out.Sequence.Ranks.unite(X.Ranks);
  });
  const uint64_t Length = Parts.empty() ? 0 : Parts[0].Order.length();
  for (const RankedItems &X : Parts)
    if (X.Order.length() != Length)
      return std::nullopt;
  if (Parts.size() < 2 || !(Out.Sequence.Ranks == N.Ranks) || Length > Work / Parts.size())
    return std::nullopt;
  Work -= Length * Parts.size();

  std::vector<GrammarData::Cursor> Next;
  for (const RankedItems &X : Parts)
    Next.emplace_back(X.Order);
  std::map<std::vector<uint32_t>, uint32_t> Known;
  Grammar Order;
  std::vector<uint32_t> Place(Parts.size()); // terminals that stand side by side
  for (uint64_t I = 0; I < Length; ++I) {
    for (size_t P = 0; P < Parts.size(); ++P)
      Next[P].next(Place[P]);
    auto [It, New] = Known.try_emplace(Place, static_cast<uint32_t>(Out.Paths.size()));
    Order.append(It->second);
    if (!New)
      continue;
    if ((Out.Paths.size() + 1) * Parts.size() > MaxPaths)
      return std::nullopt;
    Entry &All = Out.Paths.emplace_back();
    for (size_t P = 0; P < Parts.size(); ++P)
      for (const Variant &V : G.table(TableId::Paths)[Parts[P].Items[Place[P]].Index])
        All.push_back({V.Ranks.common(Parts[P].Ranks), V.Tokens, {}});
    Out.Sequence.Items.push_back({false, It->second});
  }
  Out.Sequence.Order = Order.data();
  return Out;
}

} // namespace pilgrim
