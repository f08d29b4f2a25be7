//===- RankFnBytes.cpp - a slot over all ranks in a file ------------------===//
//
// One head byte or varint.
//   1..7, 16..23   a single explanation with that mask, its parameters behind it
//   8      pieces: number, then rank set and explanation of each; the last one has no set: its ranks are the rest
//   9      a list: rank order of the enclosing set, values as an integer stream
//   10     a list of partners in a grid whose rows and columns change places
//   11     a neighbour in a grid
//   12     what follows from an earlier one
//   13     a list of values that grow by steps
//   14     a list, each less the rank (of the world): partners in a tree are irregular, how far away they are is not
//
//===----------------------------------------------------------------------===//
#include "trace/ranks/Affine.h"
#include "trace/ranks/Steps.h"
#include "trace/ranks/Transposition.h"

namespace pilgrim {

void Candidates::write(ByteWriter &W) const {
  W.byte(Mask);
  if (Mask & Const)
    W.svarint(C);
  if (Mask & Offset)
    W.svarint(Off);
  if (Mask & Modulo)
    W.svarint(Mod);
  if (Mask & Xor)
    W.svarint(Flip);
}

static Candidates readParameters(ByteReader &R, uint8_t Mask) {
  Candidates C;
  C.Mask = Mask;
  if (Mask & Candidates::Const)
    C.C = R.svarint();
  if (Mask & Candidates::Offset)
    C.Off = R.svarint();
  if (Mask & Candidates::Modulo)
    C.Mod = R.svarint();
  if (Mask & Candidates::Xor)
    C.Flip = R.svarint();
  return C;
}

Candidates Candidates::read(ByteReader &R) {
  uint8_t Mask = R.byte();
  if (!isMask(Mask)) {
    R.fail();
    Mask = Const;
  }
  return readParameters(R, Mask);
}

static int64_t relative(int64_t V, uint32_t Rank) { return static_cast<int64_t>(static_cast<uint64_t>(V) - Rank); }

void RankFn::writeList(ByteWriter &W, bool IsRelative) const {
  IntStream S;
  auto V = More->Values.begin();
  More->Listed.forEach([&](uint32_t Rank) { S.append(relative(*V++, IsRelative ? Rank : 0)); });
  S.data().write(W);
}

void RankFn::write(ByteWriter &W) const {
  if (!More) {
    One.write(W);
    return;
  }
  if (!More->Pieces.empty()) {
    W.byte(8);
    W.varint(More->Pieces.size());
    for (const Piece &P : More->Pieces) {
      if (&P != &More->Pieces.back())
        P.Ranks.write(W);
      P.Cand.write(W);
    }
    return;
  }
  if (More->Beside.Dimensions) {
    W.byte(11);
    More->Beside.write(W);
    return;
  }
  if (Transposition X; findTransposition(More->Listed, More->Values, X)) {
    W.byte(10);
    W.varint(X.Block);
    W.varint(X.Columns);
    W.varint(X.Rows);
    return;
  }
  if (Steps S; findSteps(More->Values, S)) {
    W.byte(13);
    S.write(W);
    return;
  }
  ByteWriter Plain, Relative;
  writeList(Plain, false);
  writeList(Relative, true);
  bool IsRelative = Relative.Data.size() < Plain.Data.size();
  W.byte(IsRelative ? 14 : 9);
  W.bytes(IsRelative ? Relative.Data : Plain.Data);
}

RankFn RankFn::read(ByteReader &R, const RankSet &Ranks, uint32_t World, AffineReader *Earlier) {
  RankFn F;
  uint8_t Head = R.byte();
  if (Candidates::isMask(Head)) {
    F.One = readParameters(R, Head);
    return F;
  }
  auto M = std::make_shared<Many>();
  if (Head == 8) {
    size_t N = R.varintMax(MaxPieces);
    if (N < 2)
      R.fail();
    // A byte for each interval looked at bounds the time as well.
    R.spend(Ranks.intervals().size());
    if (!R.ok())
      return F;
    RankSet Rest = Ranks;
    for (size_t I = 0; I < N && R.ok(); ++I) {
      RankSet S = I + 1 < N ? RankSet::read(R, World) : Rest;
      Rest = Rest.without(S);
      M->Pieces.push_back({std::move(S), Candidates::read(R)});
    }
    if (!R.ok())
      return F;
    R.spend(sizeof(Many) + N * sizeof(Piece) + M->Pieces.back().Ranks.intervals().size() * sizeof(RankSet::Interval));
  } else if (Head == 9 || Head == 14) {
    IntStreamData D = IntStreamData::read(R);
    R.spend(sizeof(Many) + Ranks.size() * sizeof(int64_t) + Ranks.intervals().size() * sizeof(RankSet::Interval));
    if (!R.ok() || D.length() != Ranks.size()) {
      R.fail();
      return F;
    }
    M->Listed = Ranks;
    IntStreamData::Cursor C(D);
    Ranks.forEach([&](uint32_t Rank) {
      int64_t V = 0;
      C.next(V);
      M->Values.push_back(Head == 9 ? V : static_cast<int64_t>(static_cast<uint64_t>(V) + Rank));
    });
  } else if (Head == 10) {
    auto Extent = [&] { return static_cast<uint32_t>(R.varintMax(Transposition::Limit)); };
    Transposition X{Extent(), Extent(), Extent()};
    R.spend(sizeof(Many) + Ranks.size() * sizeof(int64_t) + Ranks.intervals().size() * sizeof(RankSet::Interval));
    if (!R.ok() || !X.Block || !X.Columns || Ranks.empty()) {
      R.fail();
      return F;
    }
    M->Listed = Ranks;
    Ranks.forEach([&](uint32_t Rank) { M->Values.push_back(X.partner(Rank)); });
  } else if (Head == 11) {
    R.spend(sizeof(Many) + Ranks.intervals().size() * sizeof(RankSet::Interval));
    if (!M->Beside.read(R) || Ranks.empty())
      R.fail();
    M->Listed = Ranks;
  } else if (Head == 13) {
    Steps S;
    R.spend(sizeof(Many) + Ranks.size() * sizeof(int64_t) + Ranks.intervals().size() * sizeof(RankSet::Interval));
    if (!S.read(R) || Ranks.empty()) {
      R.fail();
      return F;
    }
    M->Listed = Ranks;
    for (uint64_t I = 0; I < Ranks.size(); ++I)
      M->Values.push_back(S.at(I));
  } else if (Head == 12 && Earlier) {
    return Earlier->read(R, Ranks);
  } else {
    R.fail();
  }
  if (!R.ok())
    return F;
  F.More = std::move(M);
  if (Earlier)
    Earlier->add(F, Ranks);
  return F;
}

} // namespace pilgrim
