//===- Arguments.cpp - from a call in a trace to its arguments ------------===//
#include "proxygen/replay/Arguments.h"
#include "proxygen/PredefinedFunctions.h"
#include "proxygen/replay/Callbacks.h"
#include "proxygen/replay/Special.h"
#include "proxygen/replay/Untraced.h"
#include "trace/model/Signature.h"

#include <algorithm>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

namespace pilgrim {

bool CallArguments::bad(std::string What) {
  if (Error.empty())
    Error = C->Function->Name + ": " + std::move(What);
  return false;
}

int64_t CallArguments::numberOf(const ParamSchema &P, int64_t Word) {
  if (P.K == Kind::Keyval && !S.Constants.nameOf(P, Word)) {
    auto Key = S.Objects.find(Kind::Keyval, Word);
    return Key ? static_cast<int64_t>(Key->Raw) : Word;
  }
  if (isRemotePlace(P) && isAddress(Word)) {
    const auto Here = S.OfOthers.here(wordOf(slotNamed(*C, "target_rank")), Word);
    if (!Here)
      bad("rank " + std::to_string(wordOf(slotNamed(*C, "target_rank"))) + " has not attached in a minute what is at " +
          std::to_string(Word));
    return Here.value_or(0);
  }
  if ((P.K == Kind::Address || P.K == Kind::Displacement) && isAddress(Word)) {
    auto Place = S.placeOfAddress(Word);
    char *Here = Place ? S.Buffers.at(*Place) : nullptr;
    if (!Here)
      bad("the address " + std::to_string(Word) + " was not given by MPI_Get_address");
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(Here));
  }
  return S.Constants.number(P, Word);
}

Argument CallArguments::number(const ParamSchema &P, const Value &V) {
  return V.T == Tag::Word ? Argument(static_cast<uint64_t>(numberOf(P, V.Words[0]))) : Argument();
}

/// Room for an output; null where the program passed none.
Argument CallArguments::out(const ParamInfo &, const Value &V, size_t Bytes) {
  if (V.T == Tag::Name)
    return Names::sentinel(C->View->string(V.Ref));
  return V.T == Tag::Null ? Argument() : Argument(Room->take(Bytes));
}

Argument CallArguments::numbers(const ParamSchema &P, const ParamInfo &I, const Value &V, bool Reads) {
  const size_t Size = I.Of == Element::Wide ? 8 : sizeof(int);
  const bool IsArray = I.Flags & ParamInfo::Array;
  if (!Reads || (V.T != Tag::Word && V.T != Tag::Array))
    return V.T == Tag::Absent && Reads && IsArray ? Argument() : out(I, V, IsArray ? Elements * Size : 64);
  char *At = Room->take<char>(std::max<size_t>(V.Words.size() * Size, 64));
  for (size_t W = 0; W < V.Words.size(); ++W) {
    const int64_t N = numberOf(P, V.Words[W]);
    if (Size == 8)
      std::memcpy(At + W * Size, &N, Size);
    else
      reinterpret_cast<int *>(At)[W] = static_cast<int>(N);
  }
  return At;
}

const std::optional<MemoryPlace> &CallArguments::placeOfParam(size_t N) {
  Prepared::Param &P = Now->Params[N];
  if (P.IsStreamed || !P.IsPlaced)
    P.Place = placeOf(C->Slots[N + 1], *C->View);
  P.IsPlaced = true;
  return P.Place;
}

Argument CallArguments::address(size_t N, const ParamSchema &P, const Value &V) {
  if (V.T == Tag::Name)
    return Names::sentinel(C->View->string(V.Ref));
  const auto &Place = placeOfParam(N);
  if (!Place)
    return Argument();
  if (P.K == Kind::Pointer && Place->In.T == Tag::Raw)
    return Argument(static_cast<uint64_t>(Place->In.Number));
  char *At = S.Buffers.at(*Place);
  if (!At)
    bad("no memory for " + P.Name);
  if (!keepsTurn(*Info) && S.Buffers.acquire(Place->In))
    UsedBlocks.push_back(Place->In);
  return At;
}

void CallArguments::fill(const Names &Constants, MPI_Status &At, std::span<const int64_t> Words) {
  if (Words.size() < StatusWords || Words[0] == NoStatus)
    return;
  ParamSchema Field;
  auto Here = [&](const char *Key, int64_t Word) {
    Field.Names = Key;
    return static_cast<int>(Constants.number(Field, Word));
  };
  // Setting the size may change the other fields in some libraries, so it is first.
  if (Words[2] >= 0)
    PILGRIM_UNTRACED(PMPI_Status_set_elements_x)(&At, MPI_BYTE, Words[2]);
  PILGRIM_UNTRACED(PMPI_Status_set_cancelled)(&At, static_cast<int>(Words[3] & 1));
  if (Words[0] != SizeAlone) {
    At.MPI_SOURCE = Here("rank", Words[0]);
    At.MPI_TAG = Here("tag", Words[1]);
  }
  At.MPI_ERROR = Here("error", Words[3] >> 1);
}

Argument CallArguments::status(const ParamSchema &P, const Value &V) {
  if (FromCallback && P.IsOutput) {
    if (V.T == Tag::Status)
      fill(S.Constants, *FromCallback, V.Words);
    return FromCallback;
  }
  if (V.T == Tag::Name)
    return Names::sentinel(C->View->string(V.Ref));
  MPI_Status *At = Room->take<MPI_Status>(1);
  if (V.T == Tag::Status)
    fill(S.Constants, *At, V.Words);
  // The mark is recorded as what the call gave.
  if (C->Function->Name == "MPI_Test_cancelled")
    PILGRIM_UNTRACED(PMPI_Status_set_cancelled)(At, static_cast<int>(wordOf(slotNamed(*C, "flag"))));
  return At;
}

Argument CallArguments::text(const ParamInfo &I, const Value &V) {
  if (V.T == Tag::Name)
    return Names::sentinel(C->View->string(V.Ref));
  if (V.T != Tag::String)
    return Argument();
  std::string Text = C->View->text(V);
  if (I.How == Passing::Strings) {
    std::vector<size_t> Starts;
    for (size_t At = 0; At < Text.size(); At = std::min(Text.find('\0', At), Text.size()) + 1)
      Starts.push_back(At);
    char **List = Room->take<char *>(Starts.size() + 1);
    char *Copy = Room->take<char>(Text.size() + 1);
    std::memcpy(Copy, Text.data(), Text.size());
    for (size_t N = 0; N < Starts.size(); ++N)
      List[N] = Copy + Starts[N];
    return List;
  }
  if (std::string_view(I.Name) == "filename")
    Text = fileName(Text);
  char *Copy = Room->take<char>(Text.size() + 1);
  std::memcpy(Copy, Text.data(), Text.size());
  return Copy;
}

Argument CallArguments::userFunction(const ParamInfo &I, const Value &V) {
  std::string Key;
  if (V.T == Tag::String) {
    Key = C->View->text(V);
    if (const auto Own = predefinedFunction(Key)) {
      const std::string OpenMpis = "OMPI_C_" + *Own;
      for (const char *Name : {OpenMpis.c_str(), "MPII_Dup_fn", "MPIR_Dup_fn"})
        if (void *Here = ::dlsym(RTLD_DEFAULT, Name); Here && (*Name == 'O' || Own->ends_with("DUP_FN")))
          return Here;
      if (!Own->ends_with("DUP_FN"))
        return Argument(); // MPICH's are null pointers
    }
    // Others are functions of the library, too.
    for (const char *Prefix : {"MPI", "PMPI", "MPIR", "OMPI", "ompi"})
      if (Key.starts_with(Prefix))
        if (void *Here = ::dlsym(RTLD_DEFAULT, Key.c_str()))
          return Here;
  } else if (auto Place = placeOf(V, *C->View)) {
    Key = Place->In.Module + "+" + std::to_string(Place->In.Number + Place->Offset);
  } else {
    return Argument();
  }
  const void *Function = S.function(I.Calls, Key);
  if (!Function)
    bad(std::string("functions of type ") + I.Type + " are not made again");
  return Function;
}

/// Room for a text is recorded as it is after the call: the length of the text. A call that gave none asked for the
/// length.
static int64_t roomForText(const Call &C, int64_t After) {
  for (const char *Name : {"value", "pset_name"})
    if (const Value *V = slotNamed(C, Name); V && V->T == Tag::String)
      return C.View->text(*V).empty() ? 0 : static_cast<int64_t>(C.View->text(*V).size()) + 1;
  return After; // there is no such text
}

/// Makes argument N.
bool CallArguments::add(size_t N) {
  const ParamSchema &P = C->Function->Slots[N + 1];
  const ParamInfo &I = Info->Params[N];
  const Value &V = C->Slots[N + 1];
  auto Set = [&](Argument A) {
    Args[N] = A;
    return Error.empty();
  };
  switch (I.How) {
  case Passing::Number:
    return Set(number(P, V));
  case Passing::Numbers:
  case Passing::InOutNumbers:
    return Set(numbers(P, I, V, true));
  case Passing::InOutNumber:
    if (std::string_view(I.Name) == "argc")
      return Set(V.T == Tag::Null ? Argument() : Argument(&S.Argc));
    if (std::string_view(I.Name) == "buflen" || std::string_view(I.Name) == "pset_len") {
      int *Length = Room->take<int>(16);
      *Length = static_cast<int>(roomForText(*C, wordOf(&V)));
      return Set(Length);
    }
    if (P.K == Kind::Keyval && V.T == Tag::Word)
      Outputs.push_back(
          {Gives::Freed, P.K, V.Words[0], nullptr, std::nullopt, static_cast<uint64_t>(numberOf(P, V.Words[0]))});
    return Set(numbers(P, I, V, true));
  case Passing::OutNumber:
  case Passing::OutNumbers:
    Set(V.T == Tag::Null && isGivenAddress(P) ? Argument(Room->take(64)) : numbers(P, I, V, false));
    if (P.K == Kind::Keyval && V.T == Tag::Word)
      Outputs.push_back({Gives::Keyval, P.K, V.Words[0], Args[N], std::nullopt});
    return true;
  case Passing::Handle: {
    auto H = handle(P, V, 0);
    if (H && objectNumber(P, V, 0) >= 0) {
      S.Objects.acquire(*H);
      Used.push_back(*H);
    }
    return Set(H ? Argument(*H) : Argument());
  }
  case Passing::Handles:
  case Passing::OutHandle:
  case Passing::OutHandles:
  case Passing::InOutHandle:
  case Passing::InOutHandles:
    return Set(handles(P, I, V));
  case Passing::Address:
    if (const auto &Place = placeOfParam(N); Place && I.Flags & ParamInfo::Freed)
      Outputs.push_back({Gives::FreedMemory, P.K, 0, nullptr, Place});
    [[fallthrough]];
  case Passing::Pointer:
    return Set(address(N, P, V));
  case Passing::OutAddress:
  case Passing::OutPointer:
    Set(Room->take(64)); // a null pointer in a trace is what the call gave
    if (const auto &Place = placeOfParam(N); Place && I.How == Passing::OutAddress)
      Outputs.push_back({Gives::Memory, P.K, 0, Args[N], Place});
    return true;
  case Passing::GivenStatus:
    return Set(status(P, V));
  case Passing::Status:
    return Set(V.T == Tag::Null ? Argument(MPI_STATUS_IGNORE) : out(I, V, sizeof(MPI_Status)));
  case Passing::Statuses:
    return Set(V.T == Tag::Null ? Argument(MPI_STATUSES_IGNORE) : out(I, V, Elements * sizeof(MPI_Status)));
  case Passing::OutString:
    return Set(out(I, V, Elements + (size_t(1) << 16)));
  case Passing::String:
  case Passing::Strings:
    return Set(text(I, V));
  case Passing::OtherStrings:
    return Set(std::string_view(I.Name) == "argv" && V.T != Tag::Null ? Argument(&S.Argv) : Argument());
  case Passing::Function:
    return Set(userFunction(I, V));
  }
  return bad("a parameter of a kind that is not known");
}

/// MPI_Pack and its kin are recorded with the position after the call. The one before is less by what is packed.
void CallArguments::positionBefore(const Call &Of) {
  const Special Is = specialOf(*Info);
  const bool Packs = Is == Special::Pack;
  if (!Packs && Is != Special::Unpack)
    return;
  size_t Position = 0, Count = 0, Type = 0, Comm = 0;
  for (size_t I = 0; I < Info->Params.size(); ++I) {
    const std::string_view Name = Info->Params[I].Name;
    (Name == "position"                         ? Position
     : Name == (Packs ? "incount" : "outcount") ? Count
     : Name == "datatype"                       ? Type
                                                : Comm) = I;
  }
  if (!Position)
    return;
  MPI_Aint Size = 0;
  if (Of.Function->Name.find("external") != std::string::npos) {
    PILGRIM_UNTRACED(PMPI_Pack_external_size)("external32", Args[Count], Args[Type], &Size);
  } else {
    int Bytes = 0;
    PILGRIM_UNTRACED(PMPI_Pack_size)(Args[Count], Args[Type], Args[Comm], &Bytes);
    Size = Bytes;
  }
  if (Info->Params[Position].Of == Element::Wide) {
    MPI_Aint &At = *static_cast<MPI_Aint *>(Args[Position]);
    At = std::max<MPI_Aint>(At - Size, 0);
  } else {
    int &At = *static_cast<int *>(Args[Position]);
    At = static_cast<int>(std::max<MPI_Aint>(At - Size, 0));
  }
}

bool CallArguments::make(const Call &Of, const CallInfo &I, MPI_Status *Callbacks) {
  C = &Of;
  Info = &I;
  FromCallback = Callbacks;
  Outputs.clear();
  Used.clear();
  UsedBlocks.clear();
  Taken.clear();
  Requests.clear();
  Raw = nullptr;
  Error.clear();
  if (Room.use_count() > 1)
    Room = std::make_shared<Arena>(); // a request needs the last one
  Room->reset();
  if (Of.Slots.size() <= I.Params.size())
    return bad("the trace has fewer parameters than MPI");
  if (Signatures.empty())
    Signatures.resize(Of.View->signatures().size());
  Prepared &P = Signatures[Of.Terminal];
  Now = &P;
  if (!P.IsKnown) {
    if (!prepare(P))
      return false;
  } else {
    if (P.MayBeFollowed)
      S.follow(Of);
    Elements = P.IsConstant ? P.Elements : elements();
    Args = P.Args;
    for (size_t N : P.Others)
      if (!add(N))
        return false;
  }
  positionBefore(Of);
  Probed.before(Of, I, Args, *Room);
  return true;
}

/// Makes all arguments of the first call of a signature.
bool CallArguments::prepare(Prepared &P) {
  const ResolvedSignature &Signature = C->View->signatures()[C->Terminal];
  P.IsConstant = Signature.isConstant();
  P.Params.assign(Info->Params.size(), {});
  for (const auto &Stream : Signature.Streams)
    if (Stream.Slot && Stream.Slot <= P.Params.size())
      P.Params[Stream.Slot - 1].IsStreamed = true;
  P.MayBeFollowed = RecordedAddresses::mayFollow(*C);
  if (P.MayBeFollowed)
    S.follow(*C);
  P.Elements = Elements = elements();
  Args.assign(Info->Params.size(), {});
  for (size_t N = 0; N < Args.size(); ++N)
    if (!add(N))
      return false;
  P.Args = Args;
  for (size_t N = 0; N < Args.size(); ++N)
    if (!isSame(N))
      P.Others.push_back(N);
  P.IsKnown = true;
  return true;
}

/// Whether argument N is the same in each call of the signature, whatever is called in between.
bool CallArguments::isSame(size_t N) const {
  if (Now->Params[N].IsStreamed)
    return false;
  const ParamSchema &P = C->Function->Slots[N + 1];
  const Value &V = C->Slots[N + 1];
  switch (Info->Params[N].How) {
  case Passing::Number:
    return P.K != Kind::Keyval && P.K != Kind::Address && P.K != Kind::Displacement;
  case Passing::Handle:
    return (V.T == Tag::Object || V.T == Tag::Word) && objectNumber(P, V, 0) < 0;
  case Passing::Address:
  case Passing::Pointer:
  case Passing::Status:
  case Passing::Statuses:
    return V.T == Tag::Null || V.T == Tag::Name;
  default:
    return false;
  }
}

/// Lengths of output arrays are a number that the call is given, a property of a communicator or a constant of MPI, or
/// a small multiple of these (api/README.md).
size_t CallArguments::elements() const {
  int64_t Largest = S.T.world();
  for (size_t N = 0; N < Info->Params.size(); ++N)
    if (Info->Params[N].How == Passing::Number || Info->Params[N].How == Passing::InOutNumber)
      Largest = std::max(Largest, wordOf(&C->Slots[N + 1]));
  return 3 * static_cast<size_t>(std::clamp<int64_t>(Largest, 0, int64_t(1) << 26)) + 1024;
}

std::optional<int64_t> CallArguments::output(std::string_view Name, size_t Index) const {
  for (size_t I = 0; I < Info->Params.size(); ++I)
    if (Info->Params[I].Name == Name && Args[I].bits())
      return static_cast<const int *>(Args[I])[Index];
  return std::nullopt;
}

} // namespace pilgrim
