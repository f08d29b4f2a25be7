//===- Reader.cpp - reading a trace call by call --------------------------===//
#include "trace/Reader.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace pilgrim {

// What one call may take in memory, however long its streams say it is: words
// of its slots, and calls inside it.
static constexpr uint64_t MaxWords = uint64_t(1) << 25;
static constexpr size_t MaxPending = size_t(1) << 22;

const char *handleNames(Kind K) {
  switch (K) {
  case Kind::Comm:
    return "comm";
  case Kind::Datatype:
    return "datatype";
  case Kind::Op:
    return "op";
  case Kind::Group:
    return "group";
  case Kind::Win:
    return "win";
  case Kind::File:
    return "file";
  case Kind::Request:
    return "request";
  case Kind::Message:
    return "message";
  case Kind::Info:
    return "info";
  case Kind::Errhandler:
    return "errhandler";
  case Kind::Session:
    return "session";
  default:
    return "";
  }
}

std::expected<Trace, TraceError> Trace::open(const std::string &Path) {
  FILE *F = std::fopen(Path.c_str(), "rb");
  if (!F)
    return std::unexpected(TraceError{std::string("cannot open: ") + std::strerror(errno)});
  std::vector<uint8_t> Bytes;
  uint8_t Buffer[1 << 16];
  while (size_t N = std::fread(Buffer, 1, sizeof Buffer, F))
    Bytes.insert(Bytes.end(), Buffer, Buffer + N);
  bool Failed = std::ferror(F);
  int Why = errno;
  std::fclose(F);
  if (Failed)
    return std::unexpected(TraceError{std::string("cannot read: ") + std::strerror(Why)});
  return fromBytes(Bytes);
}

std::expected<Trace, TraceError> Trace::fromBytes(std::span<const uint8_t> File) {
  Trace T;
  auto D = readTrace(File, &T.Sections);
  if (!D)
    return std::unexpected(D.error());
  T.Data = std::make_shared<const TraceData>(std::move(*D));
  T.FileBytes = File.size();
  return T;
}

std::vector<uint32_t> Trace::threads(uint32_t Rank) const {
  std::vector<uint32_t> T;
  for (const Group &G : Data->Groups)
    if (G.Ranks.contains(Rank))
      T.push_back(G.Thread);
  std::sort(T.begin(), T.end());
  return T;
}

const std::string *Trace::constantName(const std::string &Names, int64_t V) const {
  auto It = Data->Names.find({Names, V});
  return It == Data->Names.end() ? nullptr : &It->second;
}

/// The objects of one rank: names and words evaluated.
static std::vector<ObjectInfo> resolveObjects(const Group &G, uint32_t Rank, uint32_t World) {
  std::vector<ObjectInfo> Out;
  for (uint32_t I = 0; I < G.table(TableId::Objects).size(); ++I) {
    const Variant &V = G.variant(TableId::Objects, I, Rank);
    ObjectInfo O;
    O.K = static_cast<Kind>(V.Tokens[0]);
    if (V.Tokens[1])
      O.Name = G.string(V.Tokens[1] - 1, Rank);
    auto Word = [&](unsigned W) { return V.Words[W].eval(Rank, {Rank, World}); };
    O.Id = Word(0);
    if (O.K == Kind::Datatype) {
      O.Size = Word(1);
    } else {
      O.Rank = Word(1);
      O.Size = Word(2);
    }
    if (O.K == Kind::Comm) {
      O.Leader = Word(3);
      O.RemoteSize = Word(4);
    }
    Out.push_back(std::move(O));
  }
  return Out;
}

std::shared_ptr<const RankView> Trace::view(uint32_t Rank, uint32_t Thread) const {
  auto It = std::find_if(Data->Groups.begin(), Data->Groups.end(),
                         [&](const Group &G) { return G.Thread == Thread && G.Ranks.contains(Rank); });
  if (It == Data->Groups.end())
    return nullptr;
  const Group &G = *It;
  auto View = std::make_shared<RankView>();
  View->Rank = Rank;
  View->G = &G;
  for (uint32_t I = 0; I < G.table(TableId::Strings).size(); ++I)
    View->Strings.push_back(G.string(I, Rank));
  for (uint32_t I = 0; I < G.table(TableId::Sites).size(); ++I) {
    const Variant &V = G.variant(TableId::Sites, I, Rank);
    View->Sites.push_back({View->Strings[V.Tokens[0]], V.Words[0].eval(Rank, {Rank, Data->World})});
  }
  View->Objects = resolveObjects(G, Rank, Data->World);
  std::map<SlotStreamKey, uint32_t> StreamIndex;
  for (const auto &[Key, Variants] : G.Streams)
    for (const SlotStreamVariant &V : Variants)
      if (V.Ranks.contains(Rank)) {
        StreamIndex[Key] = static_cast<uint32_t>(View->Streams.size());
        View->Streams.push_back(&V.Values);
        break;
      }
  auto Counts = G.Calls.terminalCounts();
  size_t N = G.table(TableId::Signatures).size();
  View->Signatures.resize(N);
  for (uint32_t I = 0; I < N; ++I) {
    const Variant &V = G.variant(TableId::Signatures, I, Rank);
    ResolvedSignature &S = View->Signatures[I];
    // The sums are over all ranks that have the variant. A terminal that does
    // not occur has no mean.
    double Calls = static_cast<double>(std::max<uint64_t>(Counts[I], 1)) * static_cast<double>(G.ranks(V).size()) * 1e9;
    S.MeanDuration = static_cast<double>(V.Time.Duration) / Calls;
    S.MeanGap = static_cast<double>(V.Time.Gap) / Calls;
    S.Function = &Data->Functions.find(V.Tokens[0])->second;
    S.Site = V.Tokens[1];
    S.Depth = V.Tokens[2];
    RankContext Ctx = G.context(V.Tokens, Rank, Data->World);
    for (const RankFn &W : V.Words)
      S.Words.push_back(W.eval(Rank, Ctx));
    SlotWalker Walk(V.Tokens);
    for (SlotView Slot; Walk.next(Slot);) {
      Value X;
      X.T = Slot.T == Tag::Stream ? Slot.Inner : Slot.T;
      X.Ref = Slot.Ref;
      if (X.T == Tag::Objects)
        X.Refs = {V.Tokens.data() + Slot.RefToken, Slot.Length};
      if (Slot.T == Tag::Stream) {
        SlotStreamKey Key{V.Tokens[0], V.Tokens[1], static_cast<uint32_t>(S.Slots.size()), 0};
        uint32_t Columns = streamColumns(Slot.Inner), First = UINT32_MAX;
        // Columns of a slot stand side by side; a missing one makes the slot
        // unreadable, which read() reports.
        for (Key.Column = 0; Key.Column < Columns; ++Key.Column) {
          auto Found = StreamIndex.find(Key);
          if (Found == StreamIndex.end() || (Key.Column && Found->second != First + Key.Column)) {
            First = UINT32_MAX;
            break;
          }
          if (Key.Column == 0)
            First = Found->second;
        }
        S.Streams.push_back({Key.Slot, Slot.Inner, First, Columns});
      } else {
        X.Words = std::span<const int64_t>(S.Words).subspan(Slot.FirstWord, Slot.Words);
      }
      S.Slots.push_back(X);
    }
  }
  return View;
}

CallCursor::CallCursor(std::shared_ptr<const RankView> V) : View(std::move(V)), Terminals(View->G->Calls) {
  for (const IntStreamData *S : View->Streams)
    Streams.emplace_back(*S);
}

/// Reads the next call in the order of completion, with what its streams hold
/// for it.
bool CallCursor::read(Record &R) {
  if (!Terminals.next(R.Terminal))
    return false;
  R.Streamed.clear();
  R.Lengths.clear();
  const ResolvedSignature &S = View->Signatures[R.Terminal];
  for (const auto &Slot : S.Streams) {
    auto Take = [&](uint32_t Column, int64_t &V) {
      return Slot.FirstStream != UINT32_MAX && Streams[Slot.FirstStream + Column].next(V);
    };
    int64_t V = 0;
    bool Good = true;
    uint64_t Items = 1, FirstColumn = 0;
    if (Slot.T == Tag::Array || Slot.T == Tag::Statuses) {
      Good = Take(0, V) && V >= 0 && static_cast<uint64_t>(V) <= (MaxWords - R.Streamed.size()) / 4;
      Items = static_cast<uint64_t>(V);
      FirstColumn = 1;
    }
    uint32_t Words = 0;
    for (uint64_t I = 0; Good && I < Items; ++I)
      for (uint64_t C = FirstColumn; Good && C < Slot.Columns; ++C, ++Words) {
        Good = Take(static_cast<uint32_t>(C), V);
        R.Streamed.push_back(V);
      }
    if (!Good) {
      Error = "damaged: the stream of " + S.Function->Name + "'s slot " + std::to_string(Slot.Slot) +
              " has no value for call " + std::to_string(Seq) + " of rank " + std::to_string(View->Rank);
      return false;
    }
    R.Lengths.push_back(Words);
  }
  return true;
}

void CallCursor::present(const Record &R, Call &C) {
  const ResolvedSignature &S = View->Signatures[R.Terminal];
  C.Function = S.Function;
  C.View = View.get();
  C.Terminal = R.Terminal;
  C.Seq = Seq++;
  C.Depth = S.Depth;
  C.Site = S.Site;
  C.Slots = S.Slots;
  if (!S.Streams.empty()) {
    Slots = S.Slots;
    size_t At = 0;
    for (size_t I = 0; I < S.Streams.size(); ++I) {
      Slots[S.Streams[I].Slot].Words = std::span<const int64_t>(R.Streamed).subspan(At, R.Lengths[I]);
      At += R.Lengths[I];
    }
    C.Slots = Slots;
  }
  C.Timed = View->G->Timed;
  if (C.Timed) {
    C.Start = Clock + S.MeanGap;
    C.Duration = S.MeanDuration;
    Clock = C.Start + C.Duration;
  }
}

bool CallCursor::next(Call &C) {
  if (NextReady < Ready.size()) {
    present(Pending[Ready[NextReady++]], C);
    return true;
  }
  if (!Error.empty())
    return false;
  Pending.clear();
  PendingWords = 0;
  Ready.clear();
  NextReady = 0;
  for (;;) {
    if (!read(Current)) {
      if (Pending.empty() || !Error.empty())
        return false;
      break; // the call around them never returned
    }
    if (Pending.empty() && View->Signatures[Current.Terminal].Depth == 0) {
      present(Current, C);
      return true;
    }
    PendingWords += Current.Streamed.size();
    if (Pending.size() >= MaxPending || PendingWords > MaxWords) {
      Error = "damaged: too many calls inside call " + std::to_string(Seq) + " of rank " + std::to_string(View->Rank);
      return false;
    }
    Pending.push_back(Current);
    if (View->Signatures[Current.Terminal].Depth == 0)
      break;
  }
  orderPending();
  return next(C);
}

/// Calls stand in order of completion, inner ones first; a call is entered
/// before those inside it. A call's family, itself last, starts behind the last
/// call before it that is not deeper; it is entered after what stands before
/// its family and the calls around it.
void CallCursor::orderPending() {
  auto Depth = [&](size_t I) { return View->Signatures[Pending[I].Terminal].Depth; };
  std::vector<size_t> Start(Pending.size()), Open;
  for (size_t I = 0; I < Pending.size(); ++I) {
    while (!Open.empty() && Depth(Open.back()) > Depth(I))
      Open.pop_back();
    Start[I] = Open.empty() ? 0 : Open.back() + 1;
    Open.push_back(I);
  }
  Ready.resize(Pending.size());
  Open.clear();
  for (size_t I = Pending.size(); I-- > 0;) {
    while (!Open.empty() && Start[Open.back()] > I)
      Open.pop_back();
    Ready[Start[I] + Open.size()] = I;
    Open.push_back(I);
  }
}

} // namespace pilgrim
