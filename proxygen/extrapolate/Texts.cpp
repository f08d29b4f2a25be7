//===- Texts.cpp - texts that traces to be extrapolated have --------------===//
#include "proxygen/extrapolate/Texts.h"
#include "trace/model/Signature.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace pilgrim {

namespace {
/// Where a view of a signature stands: in a group, as part of an entry.
struct Place {
  size_t Group, Entry, View;
};
} // namespace

/// Nothing: another function's signature stands there, or one of another form.
static std::optional<std::string> textAt(const TraceData &T, const Place &P, uint32_t Function, uint32_t Wanted) {
  const Group &Of = T.Groups[P.Group];
  const Table &Calls = Of.table(TableId::Signatures);
  if (P.Entry >= Calls.size() || P.View >= Calls[P.Entry].size())
    return std::nullopt;
  const std::span<const uint32_t> Tokens = Calls[P.Entry][P.View].Tokens;
  if (Tokens[0] != Function)
    return std::nullopt;
  SlotWalker Walk(Tokens);
  SlotView At;
  for (uint32_t Slot = 0; Walk.next(At); ++Slot)
    if (Slot == Wanted)
      return At.T == Tag::String ? std::optional(Of.string(Tokens[At.RefToken])) : std::nullopt;
  return std::nullopt;
}

static void compare(std::span<const TraceData> Traces, const Place &P, std::span<const uint32_t> Tokens,
                    std::vector<DifferentTexts> &Found) {
  const auto F = Traces[0].Functions.find(Tokens[0]);
  if (F == Traces[0].Functions.end() || F->second.Name.starts_with("MPI_Init"))
    return;
  SlotWalker Walk(Tokens);
  SlotView At;
  for (uint32_t Slot = 0; Walk.next(At); ++Slot) {
    if (At.T != Tag::String || Slot >= F->second.Slots.size() || F->second.Slots[Slot].IsMachine)
      continue;
    std::vector<std::string> Texts;
    for (const TraceData &T : Traces)
      if (std::optional<std::string> Text = textAt(T, P, Tokens[0], Slot))
        Texts.push_back(std::move(*Text));
    if (Texts.size() == Traces.size() && std::ranges::adjacent_find(Texts, std::not_equal_to<>()) != Texts.end())
      Found.push_back({F->second.Name, std::move(Texts)});
  }
}

std::vector<DifferentTexts> differentTexts(std::span<const TraceData> Traces) {
  std::vector<DifferentTexts> Found;
  for (size_t G = 0; G < Traces[0].Groups.size(); ++G) {
    const Table &First = Traces[0].Groups[G].table(TableId::Signatures);
    for (size_t E = 0; E < First.size(); ++E)
      for (size_t V = 0; V < First[E].size(); ++V)
        compare(Traces, {G, E, V}, First[E][V].Tokens, Found);
  }
  return Found;
}

} // namespace pilgrim
