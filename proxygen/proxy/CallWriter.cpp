//===- CallWriter.cpp - calls of a trace as C -------------------------------===//
#include "proxygen/proxy/CallWriter.h"
#include "trace/model/SegmentName.h"
#include "trace/read/RequestSlots.h"

#include <algorithm>
#include <utility>

namespace pilgrim {

void CallWriter::bad(const std::string &What) {
  if (Error.empty())
    Error = C->Function->Name + ": " + What;
}

const SlotShape *CallWriter::named(std::string_view Name) const {
  for (size_t I = 1; I < C->Slots.size(); ++I)
    if (C->Function->Slots[I].Name == Name)
      return &C->Slots[I];
  return nullptr;
}

/// "int" of "const int*" and "int(*)[3]".
std::string CallWriter::elementType(const ParamInfo &I) const {
  std::string Type = I.Type;
  if (Type.starts_with("const "))
    Type = Type.substr(6);
  return Type.substr(0, Type.find_first_of("*("));
}

/// The streams of a slot that changes from call to call; null: there are none.
const RankedStreams *CallWriter::stream(const Slot &X, unsigned Column) const {
  const auto &All = W.group(C->Thread).Nodes[C->Node].Events.at(C->Event).Streams;
  auto It = All.find({C->Content->Tokens[0], C->Content->Tokens[1], X.Number, Column});
  return It == All.end() ? nullptr : &It->second;
}

std::string CallWriter::streamKey(const Slot &X) const {
  std::string Out;
  for (const uint64_t Part : {uint64_t(C->Thread), uint64_t(C->Node), uint64_t(C->Event),
                              uint64_t(C->Content->Tokens[0]), uint64_t(C->Content->Tokens[1]), uint64_t(X.Number)})
    Out += std::to_string(Part) + ",";
  return Out;
}

/// The next value of a slot's stream.
std::string CallWriter::next(const Slot &X, unsigned Column) {
  const RankedStreams *All = stream(X, Column);
  if (!All) {
    bad("a stream is missing");
    return "0";
  }
  if (isPlace(X) && !(isRemotePlace(X.P) && reachesAttached()) && !(X.V.T == Tag::Array && MovesAddresses))
    for (const RankedStream &L : *All)
      for (const LinearRun &R : L.Values.Runs)
        if (isAddress(R.First)) {
          bad("addresses that change from call to call are not written");
          return "0";
        }
  return "&" + Streams.ints(*All, W.threads()[C->Thread].Ranks, streamKey(X) + std::to_string(Column));
}

/// The next text of a slot's streams.
std::string CallWriter::nextText(const Slot &X) {
  const RankedStreams *Lengths = stream(X, 0), *Bytes = stream(X, 1);
  if (Lengths && Bytes)
    if (std::string Text = Streams.text(*Lengths, *Bytes, W.threads()[C->Thread].Ranks, streamKey(X)); !Text.empty())
      return Text;
  S.use("text_of");
  return "text_of(" + std::to_string(Texts++ % 4) + ", " + next(X, 0) + ", " + next(X, 1) + ")";
}

std::string CallWriter::wordText(const ParamSchema &P, int64_t V) {
  if (P.K == Kind::Keyval && !(P.Names.size() && W.trace().constantName(P.Names, V))) {
    auto [It, New] = Keyvals.try_emplace(V, static_cast<unsigned>(Keyvals.size()));
    if (New)
      S.declare("static int keyval_" + std::to_string(It->second) + " = MPI_KEYVAL_INVALID;\n");
    return "keyval_" + std::to_string(It->second);
  }
  if (!P.Names.empty() && P.IsFlags) {
    std::string Out;
    int64_t Rest = V;
    for (const auto &[Key, Name] : W.trace().names())
      if (Key.first == P.Names && Key.second && (Rest & Key.second) == Key.second) {
        Out += (Out.empty() ? "" : " | ") + Name;
        Rest &= ~Key.second;
      }
    if (!Rest && !Out.empty())
      return Out;
  } else if (!P.Names.empty()) {
    if (const std::string *Name = W.trace().constantName(P.Names, V))
      return *Name;
  }
  return numberText(V);
}

std::string CallWriter::word(const Slot &X, unsigned Word, const RankText::ValueFn &Value) {
  if (isRemotePlace(X.P) && countAddresses(X, Word))
    return remoteText(X);
  if (isPlace(X)) {
    if (std::string Address = addressText(X, Word); !Address.empty())
      return Address;
    if (isAddress(W.word(*C, X.Number, Word, Here.first())))
      bad("addresses of rank " + std::to_string(Here.first()) + " are not written: those of the first ranks are");
  }
  return Ranks.expression(X.V.Words[Word], Here, Own, Size, Value);
}

std::string CallWriter::number(const Slot &X) {
  if (X.V.T == Tag::Absent || X.V.T == Tag::Null)
    return "0";
  if (KeyvalsVary && X.P.K == Kind::Keyval && !isPredefined(X))
    return "*" + keyvalPlace(X);
  return plainNumber(X, [&](int64_t V) { return wordText(X.P, V); });
}

std::string CallWriter::plainNumber(const Slot &X, const RankText::ValueFn &Value) {
  if (X.V.IsStreamed && isRemotePlace(X.P) && reachesAttached())
    return remoteText(X);
  if (X.V.IsStreamed) {
    const std::string Type = elementType(X.I), Next = "(" + Type + ")next_int(" + next(X, 0) + ")";
    auto [Once, IsFirst] = Taken.try_emplace(X.Number);
    if (isNeededTwice(X)) {
      if (IsFirst) {
        Once->second = std::string("given_") + X.I.Name;
        Before.push_back("const " + Type + " " + Once->second + " = " + Next + ";");
      }
      return Once->second;
    }
    if (!IsFirst)
      bad("a number that keeps changing is not written twice");
    return Next;
  }
  return word(X, 0, Value);
}

std::string CallWriter::outScalar(const std::string &Type) {
  S.use("out");
  return "OUT(" + Type + ", " + std::to_string(Outs++ % 16) + ")";
}

/// The address of a number that has its value before the call.
std::string CallWriter::inOutNumber(const Slot &X) {
  std::string &Out = OutAt[X.I.Name];
  if (Out.empty()) {
    Out = outScalar(elementType(X.I));
    Before.push_back("*" + Out + " = " + valueBefore(X) + ";");
  }
  return Out;
}

/// Room for an array that the call writes.
std::string CallWriter::room(const Slot &X, const std::string &Type) {
  S.use("room");
  const std::string Room = "room(" + std::to_string(Rooms++ % 8) + ", ";
  if (X.I.Most)
    return Room + X.I.Most + ")";
  int64_t Count = X.V.T == Tag::Array || X.V.T == Tag::Objects ? X.V.Length : 0;
  for (size_t I = 1; I < C->Slots.size(); ++I)
    if (C->Slots[I].T == Tag::Word && !C->Slots[I].IsStreamed && C->Slots[I].Words[0].isConst() &&
        !C->Function->Slots[I].IsOutput)
      Count = std::max(Count, C->Slots[I].Words[0].single().C);
  Count = 3 * std::clamp<int64_t>(Count, W.world(), 1 << 24) + 1024;
  // Some texts have their room in a number that becomes their length.
  std::string More;
  for (unsigned I = 0; I < Info->Params.size() && X.I.How == Passing::OutString; ++I)
    if (const ParamInfo &Length = Info->Params[I]; Length.How == Passing::InOutNumber)
      if (const Slot Of{C->Function->Slots[I + 1], Length, C->Slots[I + 1], I + 1}; Of.V.T == Tag::Word)
        More += " + (size_t)*" + inOutNumber(Of);
  return Room + std::to_string(Count) + " * sizeof(" + Type + ")" + More + ")";
}

std::string CallWriter::numbers(const Slot &X) {
  const std::string Type = elementType(X.I);
  const bool InRows = std::string_view(X.I.Type).find("(*)") != std::string_view::npos;
  std::string Name;
  if (X.V.IsStreamed) {
    S.use("numbers");
    const std::string At = std::to_string(Arrays++);
    if (Arrays > MostArrays)
      bad("too many arrays that change");
    // A nonblocking call may need its arrays until it completes.
    const bool GoesOn = named("request") && Info->Which == Completes::None;
    if (GoesOn && !std::exchange(HasPlaces, true))
      Before.push_back("const int places = turn_of_places();");
    Before.push_back("int n" + At + ";");
    Before.push_back("long *v" + At + " = numbers(" + (GoesOn ? "places + " : "") + At + ", " + next(X, 0) + ", " +
                     next(X, 1) + ", &n" + At + ");");
    Name = "v" + At;
    if (isPlace(X) && MovesAddresses)
      moveAddresses(Name, "n" + At);
    if (Type == "int") {
      S.use("as_int");
      Name = "as_int(v" + At + ", n" + At + ")";
    }
    return InRows ? "(int (*)[3])" + Name : Type == "int" ? Name : "(" + Type + " *)" + Name;
  }
  const bool IsWritten = X.I.How == Passing::InOutNumbers;
  if (!IsWritten && !InRows && isIrregular(X)) {
    std::string Short = sumsBefore(X);
    if (Short.empty())
      Short = rowOfRank(X);
    return NumbersAt[X.Number] = Short;
  }
  const bool Moves = MovesAddresses && hasAddresses(X);
  std::vector<std::string> Words;
  bool IsConst = !Moves;
  for (unsigned I = 0; I < X.V.Words.size(); ++I) {
    const RankText::ValueFn Text = [&](int64_t V) { return wordText(X.P, V); };
    Words.push_back(Moves ? Ranks.expression(X.V.Words[I], Here, Own, Size, Text) : word(X, I, Text));
    IsConst &= Words.back().find_first_not_of("0123456789-L") == std::string::npos || Words.back().starts_with("MPI_");
  }
  std::string Content;
  for (const std::string &V : Words)
    Content += (Content.empty() ? "" : ", ") + V;
  if (Words.empty())
    Content = InRows ? "0, 0, 0" : "0"; // compilers look at the first row
  if (IsConst && !IsWritten) {
    // One array for both counts, and no buffers: MPICH takes that for one buffer that is sent from and received in.
    if (const SlotShape *From = named("sendbuf"), *To = named("recvbuf");
        From && To && From->T == Tag::Name && To->T == Tag::Name && std::string_view(X.I.Name) == "recvcounts")
      Content += ", 0";
    Name = S.table(Type, "numbers_", Content); // not const: some headers lack it
  } else {
    Name = S.name("numbers_own");
    S.declare("static " + Type + " " + Name + "[" + std::to_string(std::max<size_t>(Words.size(), InRows ? 3 : 1)) +
              "];\n");
    for (size_t I = 0; I < Words.size(); ++I)
      Before.push_back(Name + "[" + std::to_string(I) + "] = (" + Type + ")" + Words[I] + ";");
  }
  if (Moves)
    moveAddresses(Name, std::to_string(Words.size()));
  NumbersAt[X.Number] = Name;
  return InRows ? std::string(IsConst && !IsWritten ? "(int (*)[3])(void *)" : "(int (*)[3])") + Name : Name;
}

std::string CallWriter::text(const Slot &X) {
  if (X.V.T == Tag::Name)
    return W.string(C->Thread, X.V.Ref);
  if (X.I.How == Passing::OtherStrings)
    return std::string_view(X.I.Name) == "argv" && X.V.T != Tag::Null ? "&arguments" : "NULL";
  if (X.V.T != Tag::String)
    return "NULL";
  std::string Text;
  if (X.V.IsStreamed) {
    Text = nextText(X);
  } else {
    Text = stringText(W.string(C->Thread, X.V.Ref));
  }
  if (X.I.How == Passing::Strings) {
    // Texts one after the other, each with a 0 behind it.
    const std::string All = W.string(C->Thread, X.V.Ref);
    std::string List;
    for (size_t At = 0; At < All.size(); At = std::min(All.find('\0', At), All.size()) + 1)
      List += stringText(All.substr(At, std::min(All.find('\0', At), All.size()) - At)) + ", ";
    return "(char *[]){" + List + "NULL}";
  }
  if (std::string_view(X.I.Name) == "filename") {
    S.use("files");
    return "in_files(" + Text + ", " + (fails() ? "0)" : "1)");
  }
  return Text;
}

std::string CallWriter::argument(const Slot &X) {
  const bool IsNamed = X.V.T == Tag::Name;
  switch (X.I.How) {
  case Passing::Number:
    return number(X);
  case Passing::Numbers:
  case Passing::InOutNumbers:
    return IsNamed ? W.string(C->Thread, X.V.Ref) : X.V.T == Tag::Absent || X.V.T == Tag::Null ? "NULL" : numbers(X);
  case Passing::InOutNumber:
    if (std::string_view(X.I.Name) == "argc")
      return X.V.T == Tag::Null ? "NULL" : "&argument_count";
    // Programs may use a copy of what they free.
    if (X.P.K == Kind::Keyval && X.V.T == Tag::Word)
      return "&(int){" + number(X) + "}";
    if (X.V.T == Tag::Null)
      return "NULL";
    return inOutNumber(X);
  case Passing::OutNumber:
    if (X.P.K == Kind::Keyval && X.V.T == Tag::Word)
      return keyvalPlace(X);
    if (IsNamed)
      return W.string(C->Thread, X.V.Ref);
    if (X.V.T == Tag::Null && !isGivenAddress(X.P))
      return "NULL";
    return OutAt[X.I.Name] = outScalar(elementType(X.I));
  case Passing::OutNumbers:
    if (IsNamed)
      return W.string(C->Thread, X.V.Ref);
    return X.V.T == Tag::Null ? "NULL" : OutAt[X.I.Name] = room(X, elementType(X.I));
  case Passing::Handle: {
    return used(X.P.K, handle(X, 0));
  }
  case Passing::Handles:
  case Passing::OutHandles:
  case Passing::InOutHandles:
    return handles(X);
  case Passing::OutHandle: {
    if (X.V.T == Tag::Null)
      return "NULL";
    const std::string H = X.V.T == Tag::Absent ? "MPI_" : handle(X, 0);
    if (S.HasThreads && X.P.K == Kind::Request && H.starts_with("req["))
      Before.push_back("wait_for_users(&" + H + ");");
    if (isShared(X.P.K, H) && !named("request")) {
      const std::string Made = "made_" + std::string(X.I.Name);
      Before.push_back(elementType(X.I) + " " + Made + " = " + objectNull(X.P.K) + ";");
      made(X.P.K, H, Made);
      return "&" + Made;
    }
    return H.starts_with("(") ? chosenPlace(X, 0) : H.starts_with("MPI_") ? outScalar(elementType(X.I)) : "&" + H;
  }
  case Passing::InOutHandle: {
    std::string H = handle(X, 0);
    if (isShared(X.P.K, H)) {
      const auto [Array, Number] = nameOf(H);
      H = Array + "[" + Number + "]";
    }
    if (X.I.Flags & ParamInfo::Freed && X.P.K == Kind::Win && S.HasWindowMemory && H.starts_with("win[")) {
      S.use("gone");
      After.push_back("gone(&" + H + ");");
    }
    if (std::string Other = ofOtherThread(X, H); !Other.empty())
      return Other;
    if (X.P.K == Kind::Request && (H.starts_with("req[") || H.starts_with("*request_at(")))
      RequestRow = H.substr(H.find_first_of("[(") + 1, H.size() - H.find_first_of("[(") - 2) + ", 1";
    // The same group, datatype or error handler may have been given several times, and is freed as often.
    if (X.I.Flags & ParamInfo::Freed && (X.P.K == Kind::Group || X.P.K == Kind::Datatype || X.P.K == Kind::Errhandler))
      return "&(" + elementType(X.I) + "){" + H + "}";
    if (H.starts_with("*"))
      return H.substr(1);
    if (!H.starts_with("MPI_") && !H.starts_with("("))
      return "&" + H;
    const std::string Out = outScalar(elementType(X.I));
    Before.push_back("*" + Out + " = " + H + ";");
    return Out;
  }
  case Passing::Address:
    if (X.I.Flags & ParamInfo::Freed && X.V.T == Tag::Heap) {
      S.use("drop");
      After.push_back("drop(" + (X.V.IsStreamed ? "freed_block" : word(X, 0, numberText)) + ");");
    }
    return address(X);
  case Passing::Pointer:
    return address(X);
  case Passing::OutAddress: {
    const std::string Out = outScalar("void *");
    if (X.V.T != Tag::Heap)
      return Out;
    S.use("given");
    std::string Number = "given_block";
    if (X.V.IsStreamed) {
      After.push_back("const long given_block = next_int(" + next(X, 0) + ");");
      After.push_back("given(given_block, *(char **)" + Out + " - next_int(" + next(X, 1) + "));");
    } else {
      Number = word(X, 0, numberText);
      After.push_back("given(" + Number + ", *(char **)" + Out + " - " + word(X, 1, numberText) + ");");
    }
    ParamSchema WindowSchema;
    WindowSchema.K = Kind::Win;
    if (const SlotShape *Window = named("win"); Window && Window->T == Tag::Object) {
      S.use("gone");
      After.push_back("came_with(&" + objectText(WindowSchema, Window->Ref) + ", " + Number + ");");
    }
    return Out;
  }
  case Passing::OutPointer:
    return outScalar("void *");
  case Passing::GivenStatus:
  case Passing::Status:
  case Passing::Statuses:
    return status(X);
  case Passing::OutString:
    return X.V.T == Tag::Null ? "NULL" : room(X, "char");
  case Passing::String:
  case Passing::Strings:
  case Passing::OtherStrings:
    return text(X);
  case Passing::Function:
    return userFunction(X);
  }
  return "0";
}

} // namespace pilgrim
