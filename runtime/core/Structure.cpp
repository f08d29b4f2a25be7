//===- Structure.cpp - reading the tables of instrumented code ------------===//
#include "core/Structure.h"

#include <algorithm>

namespace pilgrim {

/// Walks the path with this number. Calls At(node) in each node and On(edge) on each edge. The walk ends early if At
/// returns false. Returns what is left of the number at the end, or nothing if there is no such path.
template <typename AtNode, typename OnEdge>
std::optional<uint64_t> RegionInfo::walk(uint64_t Number, AtNode At, OnEdge On) const {
  auto Start = std::partition_point(Starts.begin(), Starts.end(), [&](auto &S) { return S.first <= Number; });
  if (Start == Starts.begin())
    return std::nullopt;
  --Start;
  Number -= Start->first;
  for (uint32_t I = Start->second; I < Nodes.size();) {
    const GraphNode &N = Nodes[I];
    if (!At(N))
      return Number;
    auto E = std::partition_point(N.Edges.begin(), N.Edges.end(), [&](const Edge &X) { return X.Value <= Number; });
    if (E == N.Edges.begin())
      return std::nullopt;
    --E;
    Number -= E->Value;
    On(*E);
    I = E->Target;
  }
  return Number;
}

bool RegionInfo::decode(uint64_t Number, uint32_t Cut, std::vector<uint32_t> &Events) const {
  Events.clear();
  bool IsCut = false;
  auto Left = walk(
      Number,
      [&](const GraphNode &N) {
        if (N.Event)
          Events.push_back(N.Event);
        IsCut = Cut && N.Event == Cut;
        return !IsCut;
      },
      [&](const Edge &E) {
        if (E.Arm)
          Events.push_back(E.Arm);
      });
  // Behind a cut, what is left belongs to edges that come then.
  return IsCut || (Left == 0u && !Cut);
}

uint32_t RegionInfo::lastEvent(uint64_t Number) const {
  uint32_t Last = 0;
  walk(
      Number,
      [&](const GraphNode &N) {
        if (N.Event)
          Last = Described.Events[N.Event - 1].K == Region::Site ? N.Event : 0;
        if (N.Edges.size() > 1)
          Last = 0;
        return true;
      },
      [](const Edge &) {});
  return Last;
}

void RegionInfo::findClosing() {
  if (Described.Index == 0 || !(Closing = lastEvent(0)))
    return;
  std::vector<uint32_t> Before(Nodes.size());
  for (const auto &[Base, Node] : Starts)
    ++Before[Node];
  for (const GraphNode &N : Nodes)
    for (const Edge &E : N.Edges)
      if (E.Target < Nodes.size())
        ++Before[E.Target];
  IsClosingCertain = true;
  for (uint32_t I = 0; I < Nodes.size() && IsClosingCertain; I = Nodes[I].Edges.front().Target) {
    IsClosingCertain = Before[I] == 1;
    if (Nodes[I].Event == Closing)
      return;
  }
}

/// The table is part of the program. So its length is not known, and its content may be relied on. Limits guard against
/// memory that is no table at all.
class StructureReader {
public:
  StructureReader(uint64_t Id, const uint8_t *At) : Id(Id), At(At) {}

  std::optional<std::vector<RegionInfo>> run() {
    std::string Name = string(), File = string();
    uint32_t Line = number();
    ++At; // whether there is a site
    for (uint32_t N = number(); N-- && Good;)
      At += sizeof(uint64_t);
    std::vector<RegionInfo> All(limited(number()));
    for (uint32_t I = 0; I < All.size() && Good; ++I) {
      Region &R = All[I].Described;
      R.Function = Id;
      R.Index = I;
      R.Name = Name;
      R.File = File;
      R.Line = number();
      if (I == 0 && !R.Line)
        R.Line = Line;
      readRegion(All[I], All.size());
    }
    if (!Good || All.empty())
      return std::nullopt;
    return All;
  }

private:
  void readRegion(RegionInfo &R, size_t Regions) {
    auto &Events = R.Described.Events;
    Events.resize(limited(number()));
    for (uint32_t I = 0; I < Events.size() && Good; ++I) {
      Region::Event &E = Events[I];
      uint8_t K = *At++;
      E.K = static_cast<Region::Kind>(K);
      E.Line = number();
      E.Arm = number();
      Good &= K <= Region::Arm && E.Arm <= I && (!E.Arm || Events[E.Arm - 1].K == Region::Arm);
      if (K == Region::Loop || K == Region::Arm)
        E.Number = number();
      if (K == Region::Site || K == Region::Call || (K == Region::Arm && E.Number == Region::CriticalArm))
        E.Name = string();
      Good &= K != Region::Loop || E.Number < Regions;
    }
    R.Nodes.resize(limited(number()));
    for (uint32_t I = 0; I < R.Nodes.size() && Good; ++I) {
      RegionInfo::GraphNode &N = R.Nodes[I];
      N.Event = number();
      Good &= N.Event <= Events.size();
      N.Edges.resize(limited(number()));
      for (RegionInfo::Edge &E : N.Edges) {
        E.Target = number();
        E.Value = varint();
        E.Arm = number();
        Good &= E.Target > I && E.Target <= R.Nodes.size() && E.Arm <= Events.size();
      }
    }
    for (uint32_t N = limited(number()); N-- && Good;) {
      uint64_t Base = varint();
      uint32_t Node = number();
      Good &= Node < R.Nodes.size();
      R.Starts.push_back({Base, Node});
    }
    if (Good)
      R.findClosing();
  }

  uint64_t varint() {
    uint64_t V = 0;
    for (unsigned Shift = 0; Shift < 64; Shift += 7) {
      uint8_t B = *At++;
      V |= static_cast<uint64_t>(B & 0x7f) << Shift;
      if (!(B & 0x80))
        return V;
    }
    Good = false;
    return 0;
  }
  uint32_t number() {
    uint64_t V = varint();
    Good &= V <= UINT32_MAX;
    return Good ? static_cast<uint32_t>(V) : 0;
  }
  uint32_t limited(uint32_t N) {
    Good &= N <= 1u << 22;
    return Good ? N : 0;
  }
  std::string string() {
    uint32_t N = limited(number());
    std::string S(reinterpret_cast<const char *>(At), N);
    At += N;
    return S;
  }

  uint64_t Id;
  const uint8_t *At;
  bool Good = true;
};

std::optional<std::vector<RegionInfo>> readStructure(uint64_t Id, const uint8_t *Table) {
  return StructureReader(Id, Table).run();
}

RegionInfo *Structure::find(const PilgrimRegion *R) {
  const PilgrimFunction *F = functionOf(R);
  std::vector<RegionInfo> *&Of = At[F];
  if (!Of) {
    auto [It, New] = Functions.try_emplace(F->Id);
    if (New)
      if (auto All = readStructure(F->Id, tableOf(F)))
        It->second = std::move(*All);
    Of = &It->second;
  }
  return R->Index < Of->size() ? &(*Of)[R->Index] : nullptr;
}

} // namespace pilgrim
