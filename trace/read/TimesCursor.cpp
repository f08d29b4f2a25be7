//===- TimesCursor.cpp - when the calls of a rank were, one by one ---------===//
#include "trace/read/TimesCursor.h"

namespace pilgrim {

TimesCursor::TimesCursor(std::shared_ptr<const RankView> V, uint64_t First)
    : View(std::move(V)), Times(*View->times()), Bounds(Times.Errors->bounds()), Clusters(Times.Errors->Coding.Cluster),
      Ahead(View), Skipped(First) {
  if (const TimeCodec Codec = Times.Errors->Coding.Codec; Codec != TimeCodec::Bins) {
    Series = std::make_unique<SeriesDecoder>(Codec, Bounds, Clusters);
    if (!Series->isThere())
      Error = std::string("times are coded by ") + (Codec == TimeCodec::Zfp ? "libzfp" : "SZ3") + ", which is not here";
  }
  SignatureNumbers Signatures;
  std::map<TimeContexts::Place, uint32_t> Number;
  const TimeErrors &Errors = *Times.Errors;
  for (const TimeContexts::Place &P : Times.Contexts->Places) {
    const auto N = static_cast<uint32_t>(Number.size());
    Number.try_emplace(P, N);
    Bounds.assign(TimeKind::Duration, N, Errors.pair(P.Call.Function));
    if (Series)
      Clusters.assign(N, Signatures.of(P.Call));
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

TimesCursor::TimesCursor(std::shared_ptr<const RankView> V, uint64_t First, size_t From, CallCursor At)
    : TimesCursor(std::move(V), First) {
  Ahead = std::move(At);
  NextFrame = From;
  // How the program came to this item is not known, nor asked for.
  if (uint32_t Terminal; Ahead.nextTerminal(Terminal) && PlaceOf[Terminal] != NoPlace)
    Before = PlaceOf[Terminal] + 1;
}

bool TimesCursor::bad(const std::string &What) {
  // The frame at hand, from 0.
  Error = "damaged: times of rank " + std::to_string(View->rank()) + ", frame " +
          std::to_string(NextFrame ? NextFrame - 1 : 0) + ": " + What;
  return false;
}

template <typename Fn> bool TimesCursor::readModel(uint64_t Number, Fn Read) {
  if (Number >= Times.Models.size())
    return bad("a model that is not there");
  const auto Bytes = withoutChecksum(Times.Models[Number]);
  if (!Bytes)
    return bad("the checksum of its model does not match");
  ByteReader R(*Bytes);
  Read(R);
  if (!R.ok() || !R.atEnd())
    return bad(std::string("its model: ") + (R.ok() ? "bytes are left over" : R.reason()));
  return true;
}

const TimeModel *TimesCursor::model(uint64_t Number) {
  const auto [At, New] = Models.try_emplace(Number);
  if (New && !readModel(Number, [&](ByteReader &R) { At->second = TimeModel::read(R); }))
    return nullptr;
  return &At->second;
}

bool TimesCursor::decodeBlock(uint64_t Number) {
  if (Series) {
    if (Series->hasModels() && !Series->knows(Number) &&
        !readModel(Number, [&](ByteReader &R) { Series->readModel(Number, R); }))
      return false;
    return Series->decode(Frame, Number, Contexts, Block) || bad(Frame.reason());
  }
  const TimeModel *Model = model(Number);
  return Model && (decodeTimes(Frame, *Model, Bounds, Contexts, Block) || bad(Frame.reason()));
}

bool TimesCursor::loadFrame() {
  if (CallsLeft)
    return bad("there are not so many calls");
  if (NextFrame == Times.Frames.size())
    return bad("there is no further one");
  const TimesFrame &F = Times.Frames[NextFrame++];
  auto Bytes = withoutChecksum(F.Bytes);
  if (!Bytes)
    return bad("the checksum does not match");
  FrameBytes = std::move(*Bytes);
  Frame = ByteReader(FrameBytes);
  CallsLeft = F.Bytes.length();
  return true;
}

bool TimesCursor::loadBlock() {
  Contexts.clear();
  Block.clear();
  NextCall = 0;
  if (Frame.atEnd() && !loadFrame())
    return false;
  const uint64_t Number = Frame.varint();
  ByteReader AtHead = Frame;
  const TimeBlockHead Head = TimeBlockHead::read(AtHead);
  if (!AtHead.ok() || Head.Calls > CallsLeft)
    return bad(AtHead.ok() ? "more calls than there are" : AtHead.reason());
  CallsLeft -= Head.Calls;
  uint32_t Terminal;
  while (Contexts.size() < Head.Calls && Ahead.nextTerminal(Terminal)) {
    if (!isTimed(*View->signatures()[Terminal].Function))
      continue;
    const uint32_t Place = PlaceOf[Terminal];
    const auto Path = PathOf.find(uint64_t(Before) << 32 | Place);
    if (Place == NoPlace || Path == PathOf.end())
      return bad("a call that has no context");
    Contexts.push_back({Place, Path->second});
    Before = Place + 1;
  }
  if (Contexts.size() < Head.Calls)
    return bad("there are not so many calls");
  Drift = Head.Drift;
  return decodeBlock(Number);
}

bool TimesCursor::next(CallTime &T, uint64_t &StartError) {
  if (!Error.empty())
    return false;
  while (NextCall + Skipped >= Block.size()) {
    Skipped -= Block.size() - NextCall;
    if (!loadBlock())
      return false;
  }
  NextCall += Skipped;
  Skipped = 0;
  T = Block[NextCall++];
  StartError = Drift;
  return true;
}

} // namespace pilgrim
