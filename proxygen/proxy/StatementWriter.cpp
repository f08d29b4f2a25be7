//===- StatementWriter.cpp - a call with what stands around it ------------===//
#include "proxygen/proxy/CallWriter.h"

#include <algorithm>
#include <cctype>

namespace pilgrim {

void CallWriter::nullObjects() {
  if (S.HasThreads)
    return; // each has its own
  for (const auto &[K, Largest] : S.Objects)
    if (const char *Null = objectNull(K); Null && K != Kind::Request)
      S.setUp(std::string("for (size_t i = 0; i < sizeof ") + objectArray(K) + " / sizeof *" + objectArray(K) +
              "; ++i)\n    " + objectArray(K) + "[i] = " + Null + ";");
}

/// The start of a block of the heap, which another thread may free when the call is over.
std::string CallWriter::block(const std::string &Number) {
  if (!S.HasThreads || keepsTurn(*Info))
    return "seg(" + Number + ")";
  const std::string Name = "block" + std::to_string(Blocks++);
  Before.push_back("char *" + Name + " = used_seg(" + Number + ");");
  return Name;
}

/// A variable with the next value of a sequence.
std::string CallWriter::takenOnce(const std::string &Next) {
  const std::string Name = "handle" + std::to_string(Blocks++);
  Before.push_back("const long " + Name + " = " + Next + ";");
  return Name;
}

/// A handle that changes from call to call. Some may be predefined ones or null, which are negative.
std::string CallWriter::streamedHandle(const Slot &X) {
  S.object(X.P.K, INT32_MAX); // as many as the streams have
  constexpr size_t MostPredefined = 16;
  std::set<int64_t> Predefined;
  int64_t Largest = -1;
  if (const RankedStreams *All = stream(X, 0))
    for (const RankedStream &L : *All)
      for (const LinearRun &R : L.Values.expanded().Runs)
        for (const int64_t V : {R.First, R.First + R.Stride * static_cast<int64_t>(R.Count - 1)}) {
          Largest = std::max(Largest, V);
          if (V < 0)
            Predefined.insert(V);
        }
  const std::string Array = objectArray(X.P.K) ? objectArray(X.P.K) : "req";
  std::string Next = "next_int(" + next(X, 0) + ")";
  // The next number is taken once, also if the call is repeated or waits for the request's users.
  if (X.P.K == Kind::Request && (isTest() || notesGiven() || S.HasThreads))
    Next = takenOnce(Next);
  if (X.P.K == Kind::Request && Largest > INT32_MAX)
    return namedRequest(Next);
  if (Predefined.empty())
    return Array + "[" + Next + "]";
  if (X.P.K == Kind::Request) {
    S.use("request_at");
    return "*request_at(" + Next + ")";
  }
  if (X.I.How != Passing::Handle || Predefined.size() > MostPredefined) {
    bad("predefined and other handles that change from call to call are not written");
    return "0";
  }
  const std::string Number = takenOnce(Next);
  std::string Out;
  for (const int64_t V : Predefined)
    Out += Number + " == " + numberText(V) + " ? " + handleWord(X.P, V) + " : ";
  return "(" + Out + Array + "[" + Number + "])";
}

/// The array and the place in it of a handle. One that comes from a sequence is taken once.
CallWriter::ObjectName CallWriter::nameOf(const std::string &Handle) {
  const size_t At = Handle.find('[');
  ObjectName Out{Handle.substr(0, At), Handle.substr(At + 1, Handle.size() - At - 2)};
  if (Out.Number.find("next_int(") != Out.Number.npos)
    Out.Number = takenOnce(Out.Number);
  return Out;
}

/// Whether other threads may use, or make, an object with such a handle.
bool CallWriter::isShared(Kind K, const std::string &Handle) const {
  return S.HasThreads && K != Kind::Request && Handle.ends_with("]") && std::isalpha(Handle[0]);
}

/// In a program with several threads, the call waits until the object is there. Returns where its handle is.
std::string CallWriter::held(Kind K, const std::string &Handle) {
  const auto [Array, Number] = nameOf(Handle);
  const std::string Name = "held" + std::to_string(Blocks++);
  Before.push_back(std::string(objectType(K)) + " *const " + Name + " = HELD(" + objectType(K) + ", " + Array + ", " +
                   Number + ", " + objectNull(K) + ");");
  return Name;
}

/// An object that a call uses.
std::string CallWriter::used(Kind K, const std::string &Handle) {
  if (isShared(K, Handle))
    return "*" + held(K, Handle);
  if (S.HasThreads && K == Kind::Request && Handle.starts_with("requests_of") &&
      Handle.find("next_int") == std::string::npos)
    Before.push_back("HOLD(" + Handle + ", " + objectNull(K) + ");");
  return Handle;
}

/// The call has given an object by this handle, which is in a variable.
void CallWriter::made(Kind K, const std::string &Handle, const std::string &Variable) {
  const auto [Array, Number] = nameOf(Handle);
  After.push_back("MADE(" + Array + ", " + Number + ", " + Variable + ", " + objectNull(K) + ");");
}

/// What is passed for a handle that a call changes, if another thread may use it; empty: the handle itself.
std::string CallWriter::ofOtherThread(const Slot &X, const std::string &H) {
  const bool IsNamed = H.starts_with("*request_named(");
  if (IsNamed || (S.HasThreads && X.P.K == Kind::Request && H.starts_with("requests_of") && H.ends_with("]"))) {
    Before.push_back("MPI_Request other = taken(" + (IsNamed ? H.substr(1) : "&" + H) + ");");
    After.push_back("if (other != MPI_REQUEST_NULL)");
    After.push_back("  " + H + " = other;");
    return "&other";
  }
  if (!isShared(X.P.K, H))
    return "";
  const std::string At = held(X.P.K, H);
  if (!(X.I.Flags & ParamInfo::Freed))
    return At;
  Before.push_back("let_users_begin(" + At + ");");
  Before.push_back(elementType(X.I) + " freed = *" + At + ";");
  Before.push_back("FREED(" + At + ", &freed, " + objectNull(X.P.K) + ");");
  return "&freed";
}

/// A local call ends before another thread begins one, as most did. Others may need calls of other threads.
void CallWriter::takeTurn() {
  const std::string_view Name = C->Function->Name;
  std::string Turn = endsWhatOthersUse(*Info) ? "own_turn();" : "turn();";
  if (!Gets.empty())
    Turn = "turn_to_get(source_of_message, tag_of_message, room_of_message);";
  Before.insert(Before.begin(), std::move(Turn));
  Before.insert(Before.begin(), Gets.begin(), Gets.end());
  if (Name == "MPI_Finalize")
    Before.emplace_back("wait_for_other_calls();");
  if (!keepsTurn(*Info))
    Before.emplace_back("go();");
  After.emplace_back("done();");
}

/// Other threads are told which message the call waits for, before it begins.
void CallWriter::followReceive(std::vector<std::string> &Arguments) {
  bool HasRoom = false;
  auto Take = [&](const char *Type, const char *Name, std::string &X) {
    Gets.push_back(std::string("const ") + Type + " " + Name + " = " + std::exchange(X, Name) + ";");
  };
  for (unsigned I = 0; I < Info->Params.size(); ++I) {
    const std::string_view Name = Info->Params[I].Name;
    std::string &X = Arguments[I];
    if (Name == "comm")
      X = "awaited_in(" + X + ")";
    else if (Name == "source")
      Take("int", "source_of_message", X);
    else if (Name == "recvtag" || (Name == "tag" && !named("recvtag")))
      Take("int", "tag_of_message", X);
    else if (Name == "recvcount" || Name == "count") {
      Take(C->Function->Name.ends_with("_c") ? "MPI_Count" : "int", "room_of_message", X);
      HasRoom = true;
    }
  }
  if (!HasRoom)
    Gets.emplace_back("const int room_of_message = -1;");
}

std::string CallWriter::dropped(const SlotShape &V) {
  if (V.T != Tag::Heap)
    return "";
  S.use("drop");
  if (V.IsStreamed)
    return "drop(next_int(" + next({C->Function->Slots[FreedBlock], CallTable[0].Params[0], V, FreedBlock}, 0) + "));";
  return "drop(" + Ranks.expression(V.Words[0], Here, "rank", "size") + ");";
}

/// Whether the position before a call of MPI_Pack and its kin depends on it.
bool CallWriter::tellsPosition(const Slot &X) const {
  const bool Packs = C->Function->Name.starts_with("MPI_Pack");
  return named("position") && X.I.Name == std::string_view(Packs ? "incount" : "outcount");
}

/// Whether other arguments of the call depend on a number, too.
bool CallWriter::isNeededTwice(const Slot &X) const {
  return tellsPosition(X) || (X.I.Name == std::string_view("target_rank") && reachesAttached());
}

/// What an argument has before the call, where the trace says what it has after it.
std::string CallWriter::valueBefore(const Slot &X) {
  const std::string_view Param = X.I.Name;
  if (Param == "buflen" || Param == "pset_len") {
    // Room for a text becomes its length. A call that gave none asked for the length.
    for (const char *Name : {"value", "pset_name"})
      if (const SlotShape *V = named(Name); V && V->T == Tag::String && !V->IsStreamed) {
        const size_t Length = W.string(C->Thread, V->Ref).size();
        return std::to_string(Length ? Length + 1 : 0);
      }
    return number(X);
  }
  if (Param != "position")
    return number(X);
  // MPI_Pack and its kin have moved on by what they packed.
  const SlotShape *Type = named("datatype");
  std::string Count = "0", Bytes = "0";
  for (unsigned I = 0; I < Info->Params.size(); ++I) {
    const Slot Of{C->Function->Slots[I + 1], Info->Params[I], C->Slots[I + 1], I + 1};
    if (tellsPosition(Of))
      Count = number(Of);
    if (Type == &Of.V && Type->IsStreamed)
      Bytes = "next_int(" + next(Of, 0) + ")";
  }
  if (Type && Type->T == Tag::Object && !Type->IsStreamed)
    if (const ObjectShape &O = W.object(C->Thread, Type->Ref); O.Words.size() > 1)
      Bytes = Ranks.expression(O.Words[1], Here, "rank", "size");
  // In external32 a long has 4 bytes.
  if (Type && Type->T == Tag::Object && C->Function->Name.find("external") != std::string::npos)
    if (const std::string &Of = W.object(C->Thread, Type->Ref).Name; Of == "MPI_LONG" || Of == "MPI_UNSIGNED_LONG")
      Bytes = "4";
  return number(X) + " - " + Count + " * " + Bytes;
}

/// What a number was in the recorded run; empty: it is none.
std::string CallWriter::recorded(std::string_view Of) {
  for (unsigned I = 0; I < Info->Params.size(); ++I)
    if (std::string_view(Info->Params[I].Name) == Of) {
      const SlotShape &V = C->Slots[I + 1];
      if (V.T != Tag::Word)
        return "";
      const Slot X{C->Function->Slots[I + 1], Info->Params[I], V, I + 1};
      return V.IsStreamed ? "(int)next_int(" + next(X, 0) + ")" : word(X, 0, numberText);
    }
  return "";
}

/// What the call gives for a number; empty: nothing.
std::string CallWriter::output(std::string_view Of) const {
  auto It = OutAt.find(Of);
  return It == OutAt.end() ? "" : "*" + It->second;
}

/// Whether the call may find nothing.
bool CallWriter::isTest() const {
  const std::string &Name = C->Function->Name;
  return Info->MayCompleteNone || Name == "MPI_Iprobe" || Name == "MPI_Improbe" || Name == "MPI_Win_test" ||
         Name == "MPI_Parrived" || Name == "MPI_Request_get_status";
}

/// Whether the call is MPI_Improbe, made until it finds a message.
bool CallWriter::takesMessage() {
  const SlotShape *Flag = C->Function->Name == "MPI_Improbe" ? named("flag") : nullptr;
  return Flag && Flag->T == Tag::Word && (Flag->IsStreamed || recorded("flag") != "0");
}

/// A test that found nothing may give a persistent request here. The call that gave it then gets a null one.
void CallWriter::testOnce(std::vector<std::string> &Arguments) {
  const std::string &Name = C->Function->Name;
  if (!testsPersistent())
    return;
  if (Name == "MPI_Start" || Name == "MPI_Startall") {
    S.use("early");
    Before.push_back(Name == "MPI_Start"
                         ? "is_early(*" + Arguments[0] + ", 1);"
                         : "for (int i = 0; i < " + Arguments[0] + "; ++i)\n  is_early((" + Arguments[1] + ")[i], 1);");
    return;
  }
  const bool IsTest = Name == "MPI_Test";
  if ((!IsTest && Name != "MPI_Wait") || (IsTest && output("flag").empty()))
    return;
  S.use("early");
  Tested = std::exchange(Arguments[0], "tested");
  const std::string Flag = IsTest && named("flag")->T == Tag::Word ? recorded("flag") : "1";
  const std::string Gave = "unless_early(" + Tested + ")", Nothing = "unless_complete(" + Tested + ")";
  HasWantedFlag = Flag != "0" && Flag != "1";
  if (HasWantedFlag)
    Before.push_back("const int wanted_flag = " + Flag + ";");
  Before.push_back("MPI_Request *const tested = " +
                   (Flag == "1"   ? Gave
                    : Flag == "0" ? Nothing
                                  : "wanted_flag ? " + Gave + " : " + Nothing) +
                   ";");
  if (Flag == "1")
    return;
  After.push_back("if (" + output("flag") + (HasWantedFlag ? " && !wanted_flag" : "") + " && tested == " + Tested +
                  ")");
  After.push_back("  is_given_early(*tested);");
}

/// The call, made until it finds what it found in the recorded run.
std::string CallWriter::repeated(std::vector<std::string> Arguments) {
  const std::string &Name = C->Function->Name;
  auto Text = [&](const std::string &Function) {
    std::string Out;
    for (const std::string &A : Arguments)
      Out += (Out.empty() ? "" : ", ") + A;
    return Function + "(" + Out + ");";
  };
  testOnce(Arguments);
  const bool Waits = isTest() && named("flag") && named("flag")->T == Tag::Word && !output("flag").empty();
  const std::string Flag = !Waits ? "" : HasWantedFlag ? "wanted_flag" : recorded("flag");
  if (Flag.empty())
    return Text(Name);
  // A value of a sequence is taken once.
  for (unsigned I = 0; I < Arguments.size(); ++I)
    if (Info->Params[I].How == Passing::Number && Arguments[I].find("next_int(") != std::string::npos) {
      const std::string Once = std::string("given_") + Info->Params[I].Name;
      Before.push_back("const " + elementType(Info->Params[I]) + " " + Once + " = " + Arguments[I] + ";");
      Arguments[I] = Once;
    }
  const std::string Call = Text(Name), Found = output("flag");
  if (Flag == "1")
    return "do\n  " + Call + "\nwhile (!" + Found + ");";
  // Where it found nothing, it would take a message here that another call received.
  if (Name == "MPI_Improbe") {
    Arguments.erase(Arguments.begin() + 4);
    const std::string Asks = Text("MPI_Iprobe");
    return Flag == "0"
               ? Asks
               : "if (!(" + Flag + "))\n  " + Asks + "\nelse\n  do\n    " + Call + "\n  while (!" + Found + ");";
  }
  // Where it found nothing, it would end the epoch here, and the next one would be an error.
  if (Name == "MPI_Win_test")
    return Flag == "0" ? "" : "if (" + Flag + ")\n  do\n    " + Call + "\n  while (!" + Found + ");";
  if (Flag == "0")
    return Call;
  if (Flag != "wanted_flag")
    Before.push_back("const int wanted_flag = " + Flag + ";");
  return "do\n  " + Call + "\nwhile (wanted_flag && !" + Found + ");";
}

std::string CallWriter::statement(const CallShape &Of, const RankSet &Among) {
  C = &Of;
  Here = Of.Ranks.common(Among);
  Before.clear();
  Gets.clear();
  After.clear();
  OutAt.clear();
  NumbersAt.clear();
  Taken.clear();
  Outs = Rooms = Arrays = Blocks = Texts = 0;
  RequestArray.clear();
  RequestRow.clear();
  Tested.clear();
  HasWantedFlag = false;
  HasPlaces = false;
  AskedPlace.clear();
  if (isFreed(*Of.Function)) {
    std::string Drop = dropped(Of.Slots[FreedBlock]);
    return S.HasThreads ? "{\n  turn();\n" + (Drop.empty() ? "" : "  " + Drop + "\n") + "  done();\n}" : Drop;
  }
  Info = findCall(Of.Function->Id);
  S.CallsDeprecated |= Info && std::string_view(Info->Chapter) == "deprecated";
  if (W.isInWorld(Of)) {
    Own = "rank";
    Size = "size";
  } else {
    Own = Size = "";
    for (const SlotShape &V : Of.Slots)
      if (V.T == Tag::Object && Own.empty())
        if (const ObjectShape &O = W.object(Of.Thread, V.Ref); O.Words.size() > 2) {
          Own = "(" + Ranks.expression(O.Words[1], Here, "rank", "size") + ")";
          Size = "(" + Ranks.expression(O.Words[2], Here, "rank", "size") + ")";
        }
    if (Own.empty()) {
      Own = "rank";
      Size = "size";
    }
  }
  std::vector<std::string> Arguments;
  for (unsigned I = 0; I < Info->Params.size(); ++I)
    Arguments.push_back(argument({Of.Function->Slots[I + 1], Info->Params[I], Of.Slots[I + 1], I + 1}));
  if (!M.Attached.empty() && !M.Remote.empty())
    followAttached(Arguments);
  findFile(Arguments);
  followProbe(Arguments);
  if (S.HasThreads && (awaitsMessage(*Info) || takesMessage()))
    followReceive(Arguments);
  std::string Call = repeated(std::move(Arguments));
  finish(Call);
  if (!AskedPlace.empty()) {
    S.use("addresses");
    After.push_back("asked_address(" + AskedPlace + ", " + output("address") + ");");
  }
  if (S.HasThreads)
    takeTurn();
  if (Before.empty() && After.empty())
    return Call;
  std::string Out = "{\n";
  for (const std::string &L : Before)
    Out += "  " + L + "\n";
  for (size_t At = 0; (At = Call.find('\n', At)) != std::string::npos; At += 3)
    Call.insert(At + 1, "  ");
  Out += "  " + Call + "\n";
  for (const std::string &L : After)
    Out += "  " + L + "\n";
  return Out + "}";
}

} // namespace pilgrim
