//===- OwnFrames.cpp - times that stay with their rank --------------------===//
#include "finish/OwnFrames.h"
#include "finish/Output.h"
#include "memory/Reserve.h"
#include "trace/file/ChunkPlaces.h"

#include <algorithm>
#include <cerrno>
#include <map>

namespace pilgrim {

using memory::tryInMemory;

void OwnFrames::take(TraceData &T) {
  constexpr uint64_t Many = uint64_t(1) << 12; // bytes
  uint64_t Bytes = 0;
  for (const Group &G : T.Groups)
    for (const CallTimes &X : G.Times)
      for (const TimesFrame &F : X.Frames)
        Bytes += F.Bytes.size();
  if (Bytes < Many)
    return;
  for (Group &G : T.Groups) {
    OfThread &To = Taken.emplace_back(OfThread{G.Thread, {}});
    for (CallTimes &X : G.Times)
      for (TimesFrame &F : X.Frames) {
        To.Frames.push_back(F.Bytes);
        F.Bytes = F.Bytes.elsewhere();
      }
  }
}

// The message: what it is, and the path; then for each thread that has frames the rank, the thread, and where in the
// file they begin.

static constexpr uint8_t ArePlaces = 'F';

std::vector<uint8_t> OwnFrames::places(const TraceData &T, const TraceParts &Parts, const std::string &Temporary) {
  ByteWriter W;
  W.byte(ArePlaces);
  W.string(Temporary);
  for (const Group &G : T.Groups)
    for (const CallTimes &X : G.Times) {
      const auto First = std::ranges::find_if(X.Frames, [](const TimesFrame &F) { return F.Bytes.isElsewhere(); });
      if (First == X.Frames.end())
        continue;
      W.varint(X.Rank);
      W.varint(G.Thread);
      W.varint(Parts.Head.size() + First->Bytes.placed());
    }
  return std::move(W.Data);
}

bool OwnFrames::arePlaces(std::span<const uint8_t> Message) { return !Message.empty() && Message[0] == ArePlaces; }

namespace {
struct Place {
  uint64_t Begin, Size;
};
/// Bytes of frames, and where they belong.
struct Pieces {
  std::string Temporary;
  std::shared_ptr<ChunkSection> Bytes = std::make_shared<ChunkSection>();
  std::vector<Place> Places;
};
} // namespace

/// Returns 0 or an errno.
static int writeTo(const std::string &Temporary, const std::shared_ptr<const ChunkBytes> &Bytes,
                   const std::vector<Place> &Places) {
  uint64_t Done = 0;
  for (const Place &P : Places) {
    if (const int Why = OutputFile::add(Temporary, P.Begin, ChunkPart(Bytes, Done, P.Size)))
      return Why;
    Done += P.Size;
  }
  return 0;
}

bool OwnFrames::write(Party &All, std::vector<uint8_t> Message, int &Why) const {
  Pieces &Own = *new Pieces; // not destroyed: see tryInMemory()
  Why = ENOMEM;
  const bool IsOwnWhole = tryInMemory([&] {
    ByteReader R(Message);
    R.byte();
    Own.Temporary = R.string();
    std::map<uint32_t, uint64_t> Begins;
    while (R.ok() && !R.atEnd()) {
      const uint64_t Rank = R.varint(), Thread = R.varint(), Begin = R.varint();
      if (Rank == static_cast<uint64_t>(All.Rank))
        Begins[static_cast<uint32_t>(Thread)] = Begin;
    }
    for (const OfThread &T : Taken) {
      if (T.Frames.empty())
        continue;
      const auto At = Begins.find(T.Thread);
      if (At == Begins.end()) {
        Why = EPROTO;
        return;
      }
      const uint64_t Before = Own.Bytes->size();
      for (const Chunk &C : T.Frames)
        Own.Bytes->add(C);
      Own.Places.push_back({At->second, Own.Bytes->size() - Before});
    }
    Why = Own.Places.empty() ? 0 : writeTo(Own.Temporary, Own.Bytes, Own.Places);
  });
  // Who could not, one after the other. If the first cannot either, nobody can.
  for (;;) {
    Party::Agreement Agreed{Why ? All.Rank : All.NumRanks}; // of the ranks whose frames they are
    if (!All.agree(Agreed))
      return false;
    const int Next = Agreed.WithoutTrace;
    if (Next == All.first() || Next == All.NumRanks)
      return true;
    if (All.Rank == Next) {
      const bool Good = IsOwnWhole && tryInMemory([&] {
                          ByteWriter W;
                          for (const Place &P : Own.Places) {
                            W.varint(P.Begin);
                            W.varint(P.Size);
                          }
                          All.Data = std::move(W.Data);
                          All.Chunks = Own.Bytes;
                        });
      if (!Good)
        All.giveNothing();
      if (!All.send(All.first()))
        return false;
      Why = 0;
    } else if (All.Rank == All.first()) {
      if (!All.receive(Next))
        return false;
      Why = ENOMEM;
      tryInMemory([&] {
        std::vector<Place> Theirs;
        for (ByteReader R(All.Data); R.ok() && !R.atEnd();) {
          const uint64_t Begin = R.varint();
          Theirs.push_back({Begin, R.varint()});
        }
        if (All.Chunks)
          Why = writeTo(Own.Temporary, All.Chunks, Theirs);
      });
    }
    All.Chunks = nullptr;
  }
}

} // namespace pilgrim
