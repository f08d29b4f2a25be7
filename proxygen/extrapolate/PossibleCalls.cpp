//===- PossibleCalls.cpp - calls that cannot be as they are ---------------===//
#include "proxygen/extrapolate/PossibleCalls.h"
#include "proxygen/extrapolate/NumberFit.h"
#include "trace/model/Signature.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

namespace pilgrim {

std::string findBadRank(const TraceData &T) {
  for (const Group &G : T.Groups)
    for (const Entry &E : G.table(TableId::Signatures))
      for (const Variant &V : E) {
        const auto F = T.Functions.find(V.Tokens[0]);
        SlotWalker Walk(V.Tokens);
        SlotView At;
        for (uint32_t Slot = 0; F != T.Functions.end() && isCall(F->second) && Walk.next(At); ++Slot)
          if (Slot < F->second.Slots.size() && F->second.Slots[Slot].Names == "rank" &&
              (At.T == Tag::Word || At.T == Tag::Array))
            for (size_t I = 0; I < At.Words; ++I)
              if (const auto [Least, Most] =
                      V.Words[At.FirstWord + I].range(V.Ranks.empty() ? G.ranks() : V.Ranks, T.World);
                  Most >= int64_t(T.World))
                return F->second.Name + " is given rank " + std::to_string(Most) + " of " + std::to_string(T.World);
      }
  return "";
}

std::string findBadDims(const TraceData &T) {
  for (const Group &G : T.Groups)
    for (const Entry &E : G.table(TableId::Signatures))
      for (const Variant &V : E) {
        const auto F = T.Functions.find(V.Tokens[0]);
        if (F == T.Functions.end() || F->second.Name != "MPI_Dims_create" || V.Words.size() < 4 ||
            !std::ranges::all_of(V.Words, &RankFn::isConst))
          continue;
        // What it returned, the number of ranks and of dimensions, and these.
        std::vector<int64_t> Words;
        for (const RankFn &W : V.Words)
          Words.push_back(W.single().C);
        std::vector<int64_t> Dims(Words.begin() + 3, Words.end());
        if (Words[1] < 1 || Words[2] != std::ssize(Dims))
          continue;
        std::vector<int64_t> Sides = gridSides(Words[1], static_cast<unsigned>(Words[2]));
        std::ranges::sort(Sides, std::greater<>());
        if (Dims != Sides)
          return fmt::format("MPI_Dims_create does not give {} for {}", fmt::join(Dims, " x "), Words[1]);
      }
  return "";
}

} // namespace pilgrim
