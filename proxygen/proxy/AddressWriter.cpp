//===- AddressWriter.cpp - addresses in the calls of a proxy ----------------===//
//
// Buffers, and addresses in datatypes: those that are always the same place as that, and those that change from call to
// call by what MPI_Get_address gave (RecordedAddresses, proxygen/Footprint.h, followed as the proxy runs).
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/CallWriter.h"

#include <algorithm>

namespace pilgrim {

/// Whether an address is not always that of one place: memory was freed and allocated again, or some array of
/// displacements changes from call to call and the program asks for addresses.
bool CallWriter::findMovingAddresses(const Walk &W, const ProxyMemory &M) {
  if (std::ranges::any_of(M.Addresses, [](const auto &A) { return A.second.areReused(); }))
    return true;
  const auto &Functions = W.trace().data().Functions;
  if (std::ranges::none_of(Functions, [](const auto &F) { return RecordedAddresses::areGivenBy(F.second.Name); }))
    return false;
  auto Moves = [&](const SlotStreamKey &Key) {
    const auto F = Functions.find(Key.Function);
    return Key.Column == 1 && F != Functions.end() && Key.Slot < F->second.Slots.size() &&
           F->second.Slots[Key.Slot].K == Kind::Displacement;
  };
  for (const Group &G : W.trace().data().Groups)
    for (const NodeData &N : G.Nodes)
      for (const auto &[Number, E] : N.Events)
        for (const auto &[Key, Streams] : E.Streams)
          if (Moves(Key))
            return true;
  return false;
}

/// Whether an array may have addresses among its numbers, on some rank.
bool CallWriter::hasAddresses(const Slot &X) {
  return isPlace(X) &&
         std::ranges::any_of(X.V.Words, [](const RankFn &F) { return !F.isConst() || isAddress(F.single().C); });
}

/// Makes addresses of the recorded run, in an array, to those of here.
void CallWriter::moveAddresses(const std::string &Array, const std::string &Length) {
  S.use("addresses");
  // Calls with large counts have them as MPI_Count.
  Before.push_back("addresses((MPI_Aint *)(void *)" + Array + ", " + Length + ");");
}

/// Where a region of other memory begins, or what offsets count from. Number: an expression.
std::string CallWriter::region(const std::string &Number) {
  const bool MayBeStack = M.Pieces.contains(MemoryPiece::mainStack());
  if (Number == numberText(MainStackRegion) || (MayBeStack && !M.numberOf(Tag::Map)))
    return "main_stack";
  const bool IsNumber = Number.find_first_not_of("0123456789") == Number.npos;
  const char *Helper = MayBeStack && !IsNumber ? "stack_or_map" : "map";
  S.use(Helper);
  return std::string(Helper) + "(" + Number + ")";
}

/// An address in a call is another number on each rank, and the same place; empty: it is no address.
std::string CallWriter::addressText(const Slot &X, unsigned Word) {
  for (const auto &[Rank, Addresses] : M.Addresses) {
    if (!Here.contains(Rank))
      continue;
    const int64_t V = W.word(*C, X.Number, Word, Rank);
    auto At = isAddress(V) ? Addresses.find(V) : std::nullopt;
    if (!At)
      return "";
    std::string Base = "stack";
    if (At->In.T == Tag::Stack && At->In.Number != W.threads()[C->Thread].Number)
      bad("the address of another thread's variable is not written");
    if (At->In.T == Tag::Heap || At->In.T == Tag::Map) {
      const std::string Number = std::to_string(At->In.Number);
      if (At->In.T == Tag::Heap)
        S.use("seg");
      Base = At->In.T == Tag::Heap ? "seg(" + Number + ")" : region(Number);
    } else if (At->In.T == Tag::Data) {
      Base = dataName(At->In.Module);
    }
    return "(MPI_Aint)(" + Base + " + " + numberText(At->Offset) + ")";
  }
  return "";
}

std::string CallWriter::dataName(const std::string &Module) { return "data_" + identifier(Module); }

/// The place that the program asks the address of, and a note of what it is given, for displacements that change.
std::string CallWriter::askedPlace(const Slot &X) {
  const bool HasBlock = X.V.T == Tag::Heap || X.V.T == Tag::Map || X.V.T == Tag::Raw;
  auto Word = [&](unsigned I, const char *Name) {
    const std::string Text = X.V.IsStreamed ? "next_int(" + next(X, I) + ")" : word(X, I, numberText);
    if (Text.find_first_not_of("-0123456789") == Text.npos)
      return Text;
    Before.push_back(std::string("const long ") + Name + " = " + Text + ";");
    return std::string(Name);
  };
  const std::string Block = HasBlock ? Word(0, "asked_block") : "0";
  const std::string Offset = X.V.T == Tag::Raw ? "0" : Word(HasBlock, "asked_offset");
  std::string Base = "stack", Number = Block;
  if (X.V.T == Tag::Heap) {
    S.use("seg");
    Base = block(Block);
  } else if (X.V.T == Tag::Map) {
    Base = region(Block);
  } else if (X.V.T == Tag::Data) {
    const std::string Module = W.string(C->Thread, X.V.Ref);
    Base = dataName(Module);
    Number = std::to_string(std::ranges::count_if(
        M.Pieces, [&](const auto &P) { return P.first.T == Tag::Data && P.first.Module < Module; }));
  } else if (X.V.T == Tag::Raw) {
    Base = "(char *)" + Block;
  }
  AskedPlace = std::to_string(static_cast<int>(X.V.T)) + ", " + Number + ", " + Offset;
  return Base + " + " + Offset;
}

std::string CallWriter::address(const Slot &X) {
  if (MovesAddresses && RecordedAddresses::areGivenBy(C->Function->Name) && X.V.T != Tag::Name && X.V.T != Tag::Null)
    return askedPlace(X);
  auto Offset = [&](unsigned Column) -> std::string {
    if (X.V.IsStreamed)
      return " + next_int(" + next(X, Column) + ")";
    const RankFn &F = X.V.Words[Column];
    if (!F.isConst())
      return " + " + Ranks.expression(F, Here, Own, Size);
    const int64_t V = F.single().C;
    return V == 0 ? "" : V > 0 ? " + " + numberText(V) : " - " + numberText(-V);
  };
  switch (X.V.T) {
  case Tag::Absent:
  case Tag::Null:
    return "NULL";
  case Tag::Name:
    return W.string(C->Thread, X.V.Ref);
  case Tag::Heap:
    S.use("seg");
    if (X.V.IsStreamed && X.I.Flags & ParamInfo::Freed) {
      Before.push_back("const long freed_block = next_int(" + next(X, 0) + ");");
      return "seg(freed_block)" + Offset(1);
    }
    return block(X.V.IsStreamed ? "next_int(" + next(X, 0) + ")" : word(X, 0, numberText)) + Offset(1);
  case Tag::Map:
    return region(X.V.IsStreamed ? "next_int(" + next(X, 0) + ")" : word(X, 0, numberText)) + Offset(1);
  case Tag::Stack:
    return "stack" + Offset(0);
  case Tag::Data:
    return dataName(W.string(C->Thread, X.V.Ref)) + Offset(0);
  case Tag::Raw:
    return X.V.IsStreamed ? "(void *)next_int(" + next(X, 0) + ")" : "(void *)(intptr_t)" + word(X, 0, numberText);
  default:
    bad("a buffer of a form that is not known");
    return "NULL";
  }
}

} // namespace pilgrim
