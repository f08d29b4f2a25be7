//===- ObjectWriter.cpp - objects, statuses and functions in a call -------===//
#include "proxygen/PredefinedFunctions.h"
#include "proxygen/proxy/CallWriter.h"
#include "trace/model/RequestName.h"

#include <algorithm>

namespace pilgrim {

/// A handle that has a name of its own, or one of the program's.
std::string CallWriter::handleWord(const ParamSchema &P, int64_t V) {
  if (V < 0) {
    const std::string *Name = W.trace().constantName(P.Names.empty() ? handleNames(P.K) : P.Names, V);
    if (Name)
      return *Name;
    bad("a handle without a name");
    return "0";
  }
  if (!objectArray(P.K)) {
    bad("handles of tools are not written");
    return "0";
  }
  if (P.K == Kind::Request) {
    if (const RequestName R = RequestName::of(V, threadNumber()); R.Thread != threadNumber()) {
      S.object(P.K, R.Number);
      return "requests_of[" + std::to_string(R.Thread) + "][" + std::to_string(R.Number) + "]";
    }
    return "req[" + placeText(RankFn(V)) + "]";
  }
  S.object(P.K, V);
  return std::string(objectArray(P.K)) + "[" + std::to_string(V) + "]";
}

std::string CallWriter::objectText(const ParamSchema &P, uint32_t Ref) {
  const ObjectShape &O = W.object(C->Thread, Ref);
  if (!O.Name.empty())
    return O.Name;
  const RankFn &Id = O.Words[0];
  if (Id.isConst())
    return handleWord(P, Id.single().C);
  S.object(O.K, Id.range(Here, W.world()).second);
  return std::string(objectArray(O.K)) + "[" + Ranks.expression(Id, Here, "rank", "size") + "]";
}

std::string CallWriter::handle(const Slot &X, unsigned At) {
  if (X.V.T == Tag::Object)
    return objectText(X.P, X.V.Ref);
  if (X.V.T == Tag::Objects)
    return objectText(X.P, X.V.Refs[At]);
  if (X.V.T == Tag::Absent || X.V.T == Tag::Null) {
    // Groups are looked at by some libraries where they mean nothing: another one of the call.
    if (X.V.T == Tag::Absent && X.P.K == Kind::Group)
      for (unsigned I = 0; I < Info->Params.size(); ++I)
        if (const SlotShape &V = C->Slots[I + 1]; C->Function->Slots[I + 1].K == Kind::Group && V.T != Tag::Absent)
          return handle({C->Function->Slots[I + 1], Info->Params[I], V, I + 1}, 0);
    const char *Null = objectNull(X.P.K);
    return Null ? Null : "0";
  }
  if (X.V.IsStreamed)
    return streamedHandle(X);
  const RankFn &F = X.V.Words[At];
  if (F.isConst())
    return handleWord(X.P, F.single().C);
  const auto [Least, Most] = F.range(Here, W.world());
  if (Least < 0 || !objectArray(X.P.K)) // some are predefined
    return chosenHandle(X, F);
  if (X.P.K == Kind::Request && Most > INT32_MAX)
    return namedRequest(Ranks.expression(F, Here, Own, Size));
  S.object(X.P.K, Most);
  return std::string(objectArray(X.P.K)) + "[" +
         (X.P.K == Kind::Request ? placeText(F) : Ranks.expression(F, Here, Own, Size)) + "]";
}

/// A request by a number that may be of another thread.
std::string CallWriter::namedRequest(const std::string &Number) {
  S.object(Kind::Request, INT32_MAX); // as many as all calls have
  S.use("request_named");
  return "*request_named(" + Number + ")";
}

/// The text of each value, chosen by rank.
std::string CallWriter::chosen(std::span<const RankFn::Level> Levels, const std::function<std::string(int64_t)> &Text) {
  std::string Out;
  RankSet Left = Here;
  for (const RankFn::Level &L : Levels) {
    const std::string Value = Text(L.Value), When = Ranks.condition(L.Ranks, Left);
    Left = Left.without(L.Ranks);
    Out += Left.empty() ? Value : "(" + When + ") ? " + Value + " : ";
  }
  return Levels.size() > 1 ? "(" + Out + ")" : Out;
}

/// A handle that is predefined on some ranks.
std::string CallWriter::chosenHandle(const Slot &X, const RankFn &F) {
  const auto Levels = F.levels(Here, W.contextOf(*C), MostLevels);
  if (Levels)
    return chosen(*Levels, [&](int64_t V) { return handleWord(X.P, V); });
  bad("predefined and other handles that depend on the rank are not written");
  return "0";
}

/// Where such a handle goes that the call gives.
std::string CallWriter::chosenPlace(const Slot &X, unsigned At) {
  const auto Levels = X.V.Words[At].levels(Here, W.contextOf(*C), MostLevels);
  const std::string Type = elementType(X.I);
  if (S.HasThreads && X.P.K != Kind::Request) {
    const std::string Made = "made" + std::to_string(Arrays++);
    Before.push_back(Type + " " + Made + " = " + objectNull(X.P.K) + ";");
    for (const RankFn::Level &L : *Levels)
      if (L.Value >= 0) {
        After.push_back("if (" + Ranks.condition(L.Ranks, Here) + ")");
        made(X.P.K, handleWord(X.P, L.Value), Made);
      }
    return "&" + Made;
  }
  return chosen(*Levels, [&](int64_t V) { return V < 0 ? outScalar(Type) : "&" + handleWord(X.P, V); });
}

std::string CallWriter::handles(const Slot &X) {
  const std::string Type = elementType(X.I);
  if (X.V.T == Tag::Name)
    return W.string(C->Thread, X.V.Ref);
  if (X.V.T == Tag::Null || (X.V.T == Tag::Absent && X.I.How != Passing::OutHandles))
    return "NULL";
  if (X.P.K == Kind::Request)
    return requests(X);
  if (X.I.How == Passing::OutHandles) {
    const std::string Room = room(X, Type), Name = "made" + std::to_string(Arrays++);
    Before.push_back(Type + " *" + Name + " = " + Room + ";");
    const unsigned Count = X.V.T == Tag::Objects ? static_cast<unsigned>(X.V.Refs.size())
                           : X.V.T == Tag::Array ? X.V.Length
                                                 : 0;
    for (unsigned I = 0; I < Count; ++I)
      if (const std::string H = handle(X, I); isShared(X.P.K, H))
        made(X.P.K, H, Name + "[" + std::to_string(I) + "]");
      else if (!H.starts_with("MPI_"))
        After.push_back((H.starts_with("(") ? "*" + chosenPlace(X, I) : H) + " = " + Name + "[" + std::to_string(I) +
                        "];");
    return Name;
  }
  const unsigned Count = X.V.T == Tag::Objects ? static_cast<unsigned>(X.V.Refs.size()) : X.V.Length;
  const std::string Name = S.name("handles");
  S.declare("static " + Type + " " + Name + "[" + std::to_string(std::max(Count, 1u)) + "];\n");
  std::vector<std::string> All;
  for (unsigned I = 0; I < Count; ++I)
    All.push_back(used(X.P.K, handle(X, I)));
  for (size_t I = 0, Next; I < All.size(); I = Next) {
    constexpr size_t Few = 4;
    for (Next = I + 1; Next < All.size() && All[Next] == All[I];)
      ++Next;
    if (Next - I <= Few) {
      Next = I + 1;
      Before.push_back(Name + "[" + std::to_string(I) + "] = " + All[I] + ";");
      continue;
    }
    Before.push_back("for (int i = " + std::to_string(I) + "; i < " + std::to_string(Next) + "; ++i)");
    Before.push_back("  " + Name + "[i] = " + All[I] + ";");
  }
  return Name;
}

uint32_t CallWriter::threadNumber() const { return W.threads()[C->Thread].Number; }

std::string CallWriter::status(const Slot &X) {
  if (X.V.T == Tag::Name)
    return W.string(C->Thread, X.V.Ref);
  if (X.I.How == Passing::GivenStatus && X.P.IsOutput && C->Depth) {
    S.use("query");
    if (X.V.T == Tag::Status && !X.V.IsStreamed) {
      Before.push_back("asked->MPI_SOURCE = " + word(X, 0, numberText) + ";");
      Before.push_back("asked->MPI_TAG = " + word(X, 1, numberText) + ";");
    }
    return "asked";
  }
  if (X.I.How == Passing::GivenStatus && (X.V.T == Tag::Status || X.V.IsStreamed)) {
    S.use("given_status");
    if (C->Function->Name == "MPI_Test_cancelled") // the mark is recorded as what the call gave
      return "given_status(0, 0, 0, " +
             (named("flag") && named("flag")->T == Tag::Word ? recorded("flag") : std::string("0")) + ")";
    std::string Words;
    for (unsigned I = 0; I < StatusWords; ++I) {
      if (X.V.IsStreamed)
        Words += (I < 2 ? "(int)next_int(" : "next_int(") + next(X, I) + ")";
      else
        Words += word(X, I, numberText);
      Words += I + 1 < StatusWords ? ", " : "";
    }
    return "given_status(" + Words + ")";
  }
  S.use("status");
  if (X.I.How == Passing::GivenStatus)
    return "statuses";
  if (X.I.How == Passing::Status)
    return X.V.T == Tag::Null ? "MPI_STATUS_IGNORE" : "new_status(1)";
  if (X.V.T == Tag::Null)
    return "MPI_STATUSES_IGNORE";
  std::string Count = RequestArray.substr(0, RequestArray.find(','));
  if (Count.empty())
    for (const ParamInfo &I : Info->Params)
      if (std::string_view(I.Name) == "count" || std::string_view(I.Name) == "incount")
        Count = number({C->Function->Slots[1], Info->Params[0], C->Slots[1], 1});
  return "new_status(" + (Count.empty() ? "1" : Count) + ")";
}

static constexpr const char *CopyBody =
    "(void)of, (void)key, (void)state;\n  *(void **)out = in;\n  *flag = 1;\n  return called_back();";
static constexpr const char *DeleteBody = "(void)of, (void)key, (void)value, (void)state;\n  return called_back();";

/// A function of the user with the name that it had, as far as the trace has it.
std::string CallWriter::userFunction(const Slot &X) {
  std::string Key, Name;
  if (X.V.T == Tag::String) {
    Key = Name = W.string(C->Thread, X.V.Ref);
    if (auto Own = predefinedFunction(Key))
      return *Own;
  } else if (X.V.T == Tag::Data && !X.V.IsStreamed) {
    Key = W.string(C->Thread, X.V.Ref) + "+" + word(X, 0, numberText);
    Name = std::string(X.I.Name) + "_" + identifier(word(X, 0, numberText));
  } else if (X.V.T == Tag::Null) {
    return "NULL";
  } else {
    bad("a function whose place is not known");
    return "NULL";
  }
  Key += std::string(" ") + X.I.Type;
  if (auto It = Functions.find(Key); It != Functions.end())
    return It->second;
  Name = Functions[Key] = S.name(identifier(Name));
  S.use("inside");
  struct Form {
    Callback Of;
    const char *Returns, *Parameters, *Body;
  };
  // Parameters that a function does not use are named, and marked, in a proxy that a person may want to fill in.
  static constexpr Form Forms[] = {
      {Callback::Reduction, "void", "void *in, void *inout, int *length, MPI_Datatype *datatype",
       "(void)in, (void)inout, (void)length, (void)datatype;\n  called_back();"},
      {Callback::ReductionLarge, "void", "void *in, void *inout, MPI_Count *length, MPI_Datatype *datatype",
       "(void)in, (void)inout, (void)length, (void)datatype;\n  called_back();"},
      {Callback::CopyComm, "int", "MPI_Comm of, int key, void *state, void *in, void *out, int *flag", CopyBody},
      {Callback::CopyType, "int", "MPI_Datatype of, int key, void *state, void *in, void *out, int *flag", CopyBody},
      {Callback::CopyWin, "int", "MPI_Win of, int key, void *state, void *in, void *out, int *flag", CopyBody},
      {Callback::DeleteComm, "int", "MPI_Comm of, int key, void *value, void *state", DeleteBody},
      {Callback::DeleteType, "int", "MPI_Datatype of, int key, void *value, void *state", DeleteBody},
      {Callback::DeleteWin, "int", "MPI_Win of, int key, void *value, void *state", DeleteBody},
      {Callback::CommError, "void", "MPI_Comm *of, int *code, ...", "(void)of, (void)code;\n  called_back();"},
      {Callback::WinError, "void", "MPI_Win *of, int *code, ...", "(void)of, (void)code;\n  called_back();"},
      {Callback::FileError, "void", "MPI_File *of, int *code, ...", "(void)of, (void)code;\n  called_back();"},
      {Callback::Query, "int", "void *state, MPI_Status *status", "(void)state;\n  return query(status);"},
      {Callback::Free, "int", "void *state", "(void)state;\n  return called_back();"},
      {Callback::Cancel, "int", "void *state, int complete", "(void)state, (void)complete;\n  return called_back();"},
  };
  const Form *F = std::ranges::find(Forms, X.I.Calls, &Form::Of);
  if (F == std::end(Forms)) {
    bad(std::string("functions of type ") + X.I.Type + " are not written");
    return "NULL";
  }
  if (F->Of == Callback::Query)
    S.use("query");
  S.add(std::string("\nstatic ") + F->Returns + " " + Name + "(" + F->Parameters + ") {\n  " + F->Body + "\n}\n");
  return Name;
}

bool CallWriter::hasFunction(const Walk &W, std::string_view Name) {
  return std::ranges::any_of(W.trace().functions(), [&](const auto &F) { return F.second.Name == Name; });
}

/// What a call needs around it: requests that go back to their places, the calls of callbacks.
void CallWriter::finish(std::string &Call) {
  // A call fails because of what a function of the program returns.
  if (S.Helpers.contains("inside") && C->Slots[0].T == Tag::Word && !C->Slots[0].IsStreamed &&
      C->Slots[0].Words[0].isConst() && C->Slots[0].Words[0].single().C) {
    const int64_t Code = C->Slots[0].Words[0].single().C;
    const std::string *Name = W.trace().constantName(C->Function->Slots[0].Names, Code);
    Before.push_back("result = " + (Name ? *Name : numberText(Code)) + ";");
    After.push_back("result = MPI_SUCCESS;");
  }
  // What the program's function put into the status of a generalized request is what the call gave.
  if (Info->Which == Completes::One && HasQueries)
    for (unsigned I = 0; I < Info->Params.size(); ++I)
      if (const SlotShape &V = C->Slots[I + 1];
          V.T == Tag::Status && !V.IsStreamed && Info->Params[I].How == Passing::Status) {
        const Slot X{C->Function->Slots[I + 1], Info->Params[I], V, I + 1};
        const auto [Least, Most] = V.Words[0].range(Here, W.world());
        if (Most == NoStatus) // not of such a request
          continue;
        S.use("query"); // the call that makes such a request may be written later
        Before.push_back(std::string("asked_source = ") + (Least == NoStatus ? "(int)" : "") + word(X, 0, numberText) +
                         ";");
        Before.push_back("asked_tag = " + word(X, 1, numberText) + ";");
      }
  if (!RequestArray.empty() && (Info->Which == Completes::Any || Info->Which == Completes::Some))
    settleRequests(Call);
  else if (!RequestArray.empty())
    After.push_back("give(" + RequestArray + ", now);");
  noteGiven();
}

} // namespace pilgrim
