//===- TimesCursor.cpp - when the calls of a rank were, one by one ---------===//
#include "trace/read/TimesCursor.h"

namespace pilgrim {

TimesCursor::TimesCursor(std::shared_ptr<const RankView> V, uint64_t First)
    : View(std::move(V)), Times(*View->times()), Bounds(Times.Errors->bounds()), Ahead(View), Skipped(First) {
  std::map<TimeContexts::Place, uint32_t> Number;
  const TimeErrors &Errors = *Times.Errors;
  for (const TimeContexts::Place &P : Times.Contexts->Places) {
    const auto N = static_cast<uint32_t>(Number.size());
    Number.try_emplace(P, N);
    Bounds.assign(TimeKind::Duration, N, Errors.pair(P.Call.Function));
  }
  for (const ResolvedSignature &S : View->signatures()) {
    const auto Node = static_cast<uint32_t>(View->nodes()[S.Node].Data - View->group().Nodes.data());
    const auto At = Number.find({Node, S.Event, {S.Function->Id, S.Site, S.Depth}});
    PlaceOf.push_back(At == Number.end() ? NoPlace : At->second);
  }
  for (const TimeContexts::Path &P : Times.Contexts->Paths) {
    const auto N = static_cast<uint32_t>(PathOf.size());
    PathOf.try_emplace(uint64_t(P.Before) << 32 | P.Place, N);
    Bounds.assign(TimeKind::Gap, N, Errors.pair(Times.Contexts->Places[P.Place].Call.Function));
  }
}

TimesCursor::TimesCursor(std::shared_ptr<const RankView> V, uint64_t First, size_t Block, CallCursor At)
    : TimesCursor(std::move(V), First) {
  Ahead = std::move(At);
  NextBlock = Block;
  // How the program came to this item is not known, nor asked for.
  if (uint32_t Terminal; Ahead.nextTerminal(Terminal) && PlaceOf[Terminal] != NoPlace)
    Before = PlaceOf[Terminal] + 1;
}

bool TimesCursor::bad(const std::string &What) {
  Error =
      "damaged: times of rank " + std::to_string(View->rank()) + ", block " + std::to_string(NextBlock) + ": " + What;
  return false;
}

const TimeModel *TimesCursor::model(uint32_t Number) {
  const auto [At, New] = Models.try_emplace(Number);
  if (New) {
    const std::vector<uint8_t> Bytes = Times.Models[Number].bytes();
    ByteReader R(Bytes);
    At->second = TimeModel::read(R);
    if (!R.ok() || !R.atEnd()) {
      bad(std::string("its model: ") + (R.ok() ? "bytes are left over" : R.reason()));
      return nullptr;
    }
  }
  return &At->second;
}

bool TimesCursor::load() {
  if (NextBlock == Times.Blocks.size())
    return bad("there is none");
  const TimesBlock &B = Times.Blocks[NextBlock];
  Contexts.clear();
  Block.clear();
  NextCall = 0;
  uint32_t Terminal;
  while (Contexts.size() < B.Head.Calls && Ahead.nextTerminal(Terminal)) {
    if (!isTimed(*View->signatures()[Terminal].Function))
      continue;
    const uint32_t Place = PlaceOf[Terminal];
    const auto Path = PathOf.find(uint64_t(Before) << 32 | Place);
    if (Place == NoPlace || Path == PathOf.end())
      return bad("a call that has no context");
    Contexts.push_back({Place, Path->second});
    Before = Place + 1;
  }
  if (Contexts.size() < B.Head.Calls)
    return bad("there are not so many calls");
  const TimeModel *Model = model(B.Model);
  if (!Model)
    return false;
  const std::vector<uint8_t> Bytes = B.Bytes.bytes();
  ByteReader Head(Bytes), R(Bytes);
  Drift = TimeBlockHead::read(Head).Drift;
  if (!decodeTimes(R, *Model, Bounds, Contexts, Block) || !R.atEnd())
    return bad(R.ok() ? "bytes are left over" : R.reason());
  ++NextBlock;
  return true;
}

bool TimesCursor::next(CallTime &T, uint64_t &StartError) {
  if (!Error.empty())
    return false;
  while (NextCall + Skipped >= Block.size()) {
    Skipped -= Block.size() - NextCall;
    if (!load())
      return false;
  }
  NextCall += Skipped;
  Skipped = 0;
  T = Block[NextCall++];
  StartError = Drift;
  return true;
}

} // namespace pilgrim
