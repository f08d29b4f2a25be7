//===- RankFnBytes.cpp - a slot over all ranks in a file ------------------===//
//
// One head byte or varint.
//   1..7, 16..23   a single explanation with that mask, its parameters behind it
//   8      pieces: number, then rank set and one of the others of each; the last one has no set: its ranks are the rest
//   9      a list: rank order of the enclosing set, values as an integer stream
//   10     a place in a grid of world ranks
//   11     a neighbour in a torus of the communicator's ranks
//   12     what follows from an earlier one
//   13     a place in a grid of the set's ranks
//   14     a list, each less the rank (of the world): partners in a tree are irregular, how far away they are is not
//
//===----------------------------------------------------------------------===//
#include "trace/ranks/Affine.h"

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
    R.fail("no explanation of a value");
    Mask = Const;
  }
  return readParameters(R, Mask);
}

static constexpr uint8_t PiecesHead = 8, AffineHead = 12;

void RankFn::write(ByteWriter &W) const {
  if (!More) {
    One.write(W);
    return;
  }
  if (More->size() > 1) {
    W.byte(PiecesHead);
    W.varint(More->size());
  }
  for (const Piece &P : *More) {
    if (&P != &More->back())
      P.Ranks.write(W);
    if (P.List)
      P.List->write(W, P.Ranks);
    else if (P.In)
      P.In->write(W);
    else
      P.Cand.write(W);
  }
}

/// What stands behind the head of one way to say the values of P.Ranks.
void RankFn::readPiece(ByteReader &R, uint8_t Head, Piece &P) {
  if (Candidates::isMask(Head)) {
    P.Cand = readParameters(R, Head);
  } else if (P.Ranks.empty()) {
    R.fail("a list or grid of no rank");
  } else if (ValueList::isHead(Head)) {
    P.List = std::make_shared<const ValueList>(ValueList::read(R, Head, P.Ranks.size()));
  } else if (Grid::isHead(Head)) {
    R.spend(sizeof(Grid));
    P.In = std::make_shared<const Grid>(Grid::read(R, Head));
  } else {
    R.fail("no such function of the rank");
  }
}

RankFn RankFn::read(ByteReader &R, const RankSet &Ranks, const RankScope &Scope, AffineReader *Earlier) {
  RankFn F;
  const uint8_t Head = R.byte();
  if (Candidates::isMask(Head)) {
    F.One = readParameters(R, Head);
    return F;
  }
  if (Head == AffineHead && Earlier)
    return Earlier->read(R, Ranks);
  std::vector<Piece> Pieces;
  const size_t N = Head == PiecesHead ? R.varintMax(MaxPieces) : 1;
  if (Head == PiecesHead && N < 2)
    R.fail("a function of one piece, or too many");
  RankSet Rest = Ranks;
  for (size_t I = 0; I < N && R.ok(); ++I) {
    Piece P;
    P.Ranks = I + 1 < N ? RankSet::read(R, Scope) : Rest;
    // A byte for each interval looked at bounds the time as well.
    R.spend(sizeof(Piece) + (I + 1 < N ? Rest.intervals().size() + P.Ranks.intervals().size() : 0));
    if (!R.ok())
      break;
    if (I + 1 < N)
      Rest = Scope.Sets ? Scope.Sets->intern(Rest.without(P.Ranks)) : Rest.without(P.Ranks);
    readPiece(R, Head == PiecesHead ? R.byte() : Head, P);
    Pieces.push_back(std::move(P));
  }
  if (!R.ok())
    return F;
  F.set(std::move(Pieces));
  if (Earlier)
    Earlier->add(F, Ranks);
  return F;
}

} // namespace pilgrim
