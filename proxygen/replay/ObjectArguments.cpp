//===- ObjectArguments.cpp - objects of a call, before and after it -------===//
//
// Handles and requests as arguments, and what a call gives: later calls find it by its name in the trace.
//
//===----------------------------------------------------------------------===//
#include "proxygen/replay/Arguments.h"

#include <algorithm>

namespace pilgrim {

static size_t handleSize(Kind K) {
  switch (K) {
  case Kind::Comm:
    return sizeof(MPI_Comm);
  case Kind::Datatype:
    return sizeof(MPI_Datatype);
  case Kind::Op:
    return sizeof(MPI_Op);
  case Kind::Group:
    return sizeof(MPI_Group);
  case Kind::Win:
    return sizeof(MPI_Win);
  case Kind::File:
    return sizeof(MPI_File);
  case Kind::Request:
    return sizeof(MPI_Request);
  case Kind::Message:
    return sizeof(MPI_Message);
  case Kind::Info:
    return sizeof(MPI_Info);
  case Kind::Errhandler:
    return sizeof(MPI_Errhandler);
  default:
    return K == Kind::Session ? sizeof(MPI_Info) : sizeof(void *);
  }
}

static void store(Kind K, void *At, uint64_t Raw) { std::memcpy(At, &Raw, handleSize(K)); }
static uint64_t load(Kind K, const void *At) {
  uint64_t Raw = 0;
  std::memcpy(&Raw, At, handleSize(K));
  return Raw;
}

/// The null handle of a kind; 0 where this MPI has none.
static uint64_t nullHandle(Kind K) {
  static const std::map<Kind, const char *> Nulls = {
      {Kind::Comm, "MPI_COMM_NULL"},
      {Kind::Datatype, "MPI_DATATYPE_NULL"},
      {Kind::Op, "MPI_OP_NULL"},
      {Kind::Group, "MPI_GROUP_NULL"},
      {Kind::Win, "MPI_WIN_NULL"},
      {Kind::File, "MPI_FILE_NULL"},
      {Kind::Request, "MPI_REQUEST_NULL"},
      {Kind::Message, "MPI_MESSAGE_NULL"},
      {Kind::Info, "MPI_INFO_NULL"},
      {Kind::Session, "MPI_SESSION_NULL"},
      {Kind::Errhandler, "MPI_ERRHANDLER_NULL"},
  };
  static const std::vector<uint64_t> Here = [] {
    std::vector<uint64_t> Out(size_t(UINT8_MAX) + 1);
    for (const auto &[Of, Name] : Nulls)
      Out[static_cast<uint8_t>(Of)] = Names::handle(Of, Name).value_or(0);
    return Out;
  }();
  return Here[static_cast<uint8_t>(K)];
}

/// The number of an object with a symbolic name; -1: it is predefined, or none.
int64_t CallArguments::objectNumber(const ParamSchema &P, const Value &V, size_t Index) const {
  if (V.T == Tag::Object || (V.T == Tag::Objects && Index < V.Refs.size())) {
    const ObjectInfo &O = C->View->object(V.T == Tag::Object ? V.Ref : V.Refs[Index]);
    return O.Name.empty() ? O.Id : -1;
  }
  const int64_t Word = wordOf(&V, Index, -1);
  return Word < 0 ? -1 : P.K == Kind::Request ? Handles::request(Word, Thread) : Word;
}

std::optional<uint64_t> CallArguments::handle(const ParamSchema &P, const Value &V, size_t Index, LiveHandle *Live) {
  if (const int64_t Number = objectNumber(P, V, Index); Number >= 0) {
    auto H = S.Objects.get(P.K, Number);
    if (!H) {
      bad(std::string(symbolPrefix(P.K) ? symbolPrefix(P.K) : "object ") + std::to_string(Number) + " does not exist");
      return std::nullopt;
    }
    if (Live)
      *Live = *H;
    return H->Raw;
  }
  std::optional<uint64_t> Raw;
  std::string Name;
  if (V.T == Tag::Object || V.T == Tag::Objects) {
    Name = C->View->object(V.T == Tag::Object ? V.Ref : V.Refs[Index]).Name;
    Raw = Names::handle(P.K, Name);
  } else if (V.T == Tag::Word || V.T == Tag::Array) {
    Raw = S.Constants.handle(P, wordOf(&V, Index));
    if (const std::string *Known = S.Constants.nameOf(P, wordOf(&V, Index)))
      Name = *Known;
    if (!Raw && P.K == Kind::Tool)
      Raw = 0;
  } else {
    // Not significant here. Some libraries look at groups all the same: another one of the call.
    for (size_t I = 1; I < C->Slots.size() && P.K == Kind::Group && V.T == Tag::Absent; ++I)
      if (C->Function->Slots[I].K == Kind::Group && C->Slots[I].T != Tag::Absent)
        return handle(P, C->Slots[I], 0);
    return nullHandle(P.K);
  }
  if (!Raw)
    bad("this MPI has no " + (Name.empty() ? "such handle" : Name));
  return Raw;
}

/// The place of requests that lie one after the other, so that each is always in the same place (RequestLayout.h). Some
/// may be null. Null: they do not, or there are none.
MPI_Request *CallArguments::requestsAt(const ParamSchema &P, const Value &V, size_t Count) {
  std::optional<size_t> First;
  for (size_t N = 0; N < Count; ++N) {
    const int64_t Number = objectNumber(P, V, N);
    if (Number < 0)
      continue;
    const size_t Place = S.Layout.place(static_cast<uint32_t>(Number));
    if (!First && Place >= N)
      First = Place - N;
    // While a request of another thread is waited for, that thread may make the next one in the place.
    if (!First || Place != *First + N || Number >> 32 != Thread)
      return nullptr;
  }
  if (!First || *First + Count > RequestPlaces::Most)
    return nullptr;
  if (!OwnRequests)
    OwnRequests = S.Requests.of(Thread);
  return OwnRequests ? OwnRequests + *First : nullptr;
}

Argument CallArguments::handles(const ParamSchema &P, const ParamInfo &I, const Value &V) {
  const size_t Size = handleSize(P.K);
  const bool Writes = I.How == Passing::OutHandle || I.How == Passing::OutHandles;
  const bool IsArray = I.Flags & ParamInfo::Array;
  if (V.T == Tag::Null || V.T == Tag::Name)
    return out(I, V, Size);
  if (V.T == Tag::Absent && IsArray && !Writes)
    return Argument();
  const size_t Count = V.T == Tag::Array ? V.Words.size() : V.T == Tag::Objects ? V.Refs.size() : 1;
  char *At = P.K == Kind::Request ? reinterpret_cast<char *>(requestsAt(P, V, Count)) : nullptr;
  if (!At)
    At = Room->take<char>(std::max<size_t>((Writes && IsArray ? std::max(Elements, Count) : Count) * Size, 16));
  const bool Completes = P.K == Kind::Request && !Writes && I.How != Passing::Handles;
  if (Completes)
    Raw = reinterpret_cast<MPI_Request *>(At);
  for (size_t N = 0; N < Count; ++N) {
    char *Place = At + N * Size;
    const int64_t Number = objectNumber(P, V, N);
    if (Writes) {
      store(P.K, Place, nullHandle(P.K));
      if (Number >= 0 && P.K == Kind::Request)
        S.Objects.waitUntilNotTaken(Number);
      if (Number >= 0)
        Outputs.push_back({Gives::Object, P.K, Number, Place, std::nullopt});
      continue;
    }
    LiveHandle Live;
    auto H = handle(P, V, N, &Live);
    if (!H)
      return Argument();
    store(P.K, Place, *H);
    if (Completes && Number >= 0 && Number >> 32 != Thread) {
      S.Objects.takeRequest(Number);
      Taken.push_back(Number);
    }
    if (Completes)
      Requests.push_back({Number, Live.IsPersistent, Live.IsGiven, Live.IsEarly});
    if (Number >= 0 && I.How != Passing::Handles) {
      if (I.Flags & ParamInfo::Freed)
        Outputs.push_back({Gives::Freed, P.K, Number, Place, std::nullopt, *H});
      else if (P.K == Kind::Request)
        Outputs.push_back({Gives::Request, P.K, Number, Place, std::nullopt, Live.Serial});
    }
  }
  return At;
}

void CallArguments::leave() {
  for (const Gives &O : Outputs)
    if (O.What == Gives::Freed && O.K != Kind::Keyval)
      S.Objects.leave(O.K, O.Number, O.Before);
}

void CallArguments::waitForUsers() {
  for (const Gives &O : Outputs)
    if (O.What == Gives::Freed && O.K != Kind::Keyval)
      S.Objects.letUsersBegin(O.K, O.Number, O.Before);
}

void CallArguments::finish(bool Succeeded) {
  if (Succeeded)
    Probed.after(*Info, Args);
  for (uint64_t Handle : Used)
    S.Objects.release(Handle);
  for (const MemoryPiece &P : UsedBlocks)
    S.Buffers.release(P);
  for (const Gives &O : Outputs)
    switch (O.What) {
    case Gives::Object: {
      const uint64_t Handle = load(O.K, O.At);
      const bool IsRequest = O.K == Kind::Request;
      if (Succeeded && IsRequest)
        S.Objects.set(O.K, O.Number, {Handle, Room, Info->IsPersistent});
      else if (Succeeded)
        S.Objects.give(O.K, O.Number, {.Raw = Handle});
      break;
    }
    case Gives::Freed:
      if (Succeeded && O.K == Kind::Win)
        S.windowFreed(O.Number);
      if (Succeeded)
        S.Objects.erase(O.K, O.Number, O.Before);
      break;
    case Gives::Request: {
      const uint64_t Now = load(O.K, O.At);
      S.Objects.change(O.K, O.Number, O.Before, Now, Now == nullHandle(O.K));
      break;
    }
    case Gives::Keyval:
      if (Succeeded)
        S.Objects.set(O.K, O.Number,
                      {static_cast<uint64_t>(static_cast<int64_t>(*static_cast<int *>(O.At))), nullptr, false});
      break;
    case Gives::Memory:
      if (!Succeeded || !*static_cast<char **>(O.At))
        break;
      S.Buffers.given(*O.Place, *static_cast<char **>(O.At));
      for (const Gives &Other : Outputs)
        if (Other.What == Gives::Object && Other.K == Kind::Win)
          S.keepWithWindow(Other.Number, O.Place->In);
      break;
    case Gives::FreedMemory:
      if (Succeeded)
        S.Buffers.freed(O.Place->In);
      break;
    }
  for (int64_t Number : Taken)
    S.Objects.giveRequestBack(Number);
}

} // namespace pilgrim
