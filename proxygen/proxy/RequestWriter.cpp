//===- RequestWriter.cpp - requests of calls in a proxy -------------------===//
//
// Which requests a call completes differs from run to run. Calls that complete any or some of several are given what
// was not completed before, and the others change places (RequestPrelude.cpp).
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/CallWriter.h"
#include "trace/read/RequestSlots.h"

#include <algorithm>

namespace pilgrim {

/// Where a request lies in req.
std::string CallWriter::placeText(const RankFn &F) {
  if (Layouts.isByNumber()) {
    S.object(Kind::Request, F.range(Here, W.world()).second);
    return Ranks.expression(F, Here, Own, Size);
  }
  return chosen(Layouts.places(F, Here), [&](int64_t V) {
    S.object(Kind::Request, V);
    return numberText(V);
  });
}

/// Where the first one of an array lies, if they lie in a row in req; else empty.
std::string CallWriter::rowText(const SlotShape &V) {
  if (V.Words.empty() || (Layouts.isByNumber() && !V.Words[0].isConst()))
    return "";
  const auto PlacesOf = [&](const RankFn &F) {
    return !Layouts.isByNumber() ? Layouts.places(F, Here) : std::vector<RankFn::Level>{{F.single().C, Here}};
  };
  const std::vector<RankFn::Level> First = PlacesOf(V.Words[0]);
  const auto Last = static_cast<int64_t>(V.Words.size()) - 1;
  for (int64_t I = 0; I <= Last; ++I) {
    const RankFn &F = V.Words[static_cast<size_t>(I)];
    if (Layouts.isByNumber() && !F.isConst())
      return "";
    const auto Places = PlacesOf(F);
    for (size_t L = 0; L < First.size(); ++L)
      if (Places.size() != First.size() || First[L].Value < 0 || Places[L].Value != First[L].Value + I ||
          Places[L].Value > INT32_MAX || !(Places[L].Ranks == First[L].Ranks)) // another thread's
        return "";
  }
  return chosen(First, [&](int64_t Place) {
    S.object(Kind::Request, Place + Last);
    return std::to_string(Place);
  });
}

/// An array of requests that the call completes or starts.
std::string CallWriter::requests(const Slot &X) {
  const bool HasHistory = RequestSlots::of(*C->Function).has_value();
  if (!X.V.IsStreamed && X.V.T == Tag::Array && !HasHistory) {
    if (const std::string First = rowText(X.V); !First.empty()) {
      RequestRow = First + ", " + std::to_string(X.V.Words.size());
      return "&req[" + First + "]";
    }
    if (X.V.Words.empty()) {
      S.object(Kind::Request, 0); // the program may have no other request
      return "req";
    }
  }
  S.use("requests");
  S.object(Kind::Request, 0);
  std::string Count, Names = X.V.IsStreamed || HasHistory ? "words" : "names";
  if (X.V.IsStreamed) {
    S.use("numbers");
    Before.push_back("int length;");
    Before.push_back("const long *words = numbers(14, " + next(X, 0) + ", " + next(X, 1) + ", &length);");
    Count = "length";
    S.object(X.P.K, INT32_MAX);
  } else {
    std::string Content;
    for (unsigned I = 0; I < X.V.Words.size(); ++I) {
      Content += (I ? ", " : "") + placeText(X.V.Words[I]);
    }
    Count = std::to_string(X.V.Words.size());
    Before.push_back("const long " + Names + "[] = {" + (Content.empty() ? "0" : Content) + "};");
  }
  if (HasHistory) {
    S.use("array");
    Before.push_back("const struct array *names = resolve(" + Count + ", " + Names + ");");
    Count = "names->n";
    Names = "names->names";
  }
  RequestArray = Count + ", " + Names;
  Before.push_back("MPI_Request *now = take(" + RequestArray + ");");
  return "now";
}

/// What the call gave in the recorded run, as arguments: how many, and their places.
std::string CallWriter::wantedRequests() {
  if (Info->Which == Completes::Any) {
    const std::string Index = recorded("index");
    Before.push_back("const int which[] = {" + (Index.empty() ? "-1" : Index) + "};");
    return "1, which";
  }
  const SlotShape *Indices = named("array_of_indices");
  for (unsigned I = 0; I < Info->Params.size() && Indices && Indices->T == Tag::Array; ++I) {
    if (std::string_view(Info->Params[I].Name) != "array_of_indices")
      continue;
    const Slot X{C->Function->Slots[I + 1], Info->Params[I], *Indices, I + 1};
    if (Indices->IsStreamed) {
      S.use("numbers");
      S.use("as_int");
      Before.push_back("int wanted;");
      Before.push_back("long *wanted_places = numbers(15, " + next(X, 0) + ", " + next(X, 1) + ", &wanted);");
      Before.push_back("const int *which = as_int(wanted_places, wanted);");
      return "wanted, which";
    }
    std::string Content;
    for (unsigned N = 0; N < Indices->Words.size(); ++N)
      Content += (N ? ", " : "") + word(X, N, numberText);
    Before.push_back("const int which[] = {" + (Content.empty() ? "-1" : Content) + "};");
    return std::to_string(Indices->Words.size()) + ", which";
  }
  Before.push_back("const int which[] = {-1};");
  return "0, which";
}

/// What a call needs around it that completes any or some of several requests.
void CallWriter::settleRequests(std::string &Call) {
  S.use("settle");
  Before.push_back("const MPI_Request *was = copy_of(" + RequestArray.substr(0, RequestArray.find(',')) + ", now);");
  const std::string Wanted = wantedRequests(), Number = Wanted.substr(0, Wanted.find(','));
  std::string Given;
  if (hasPersistent()) {
    S.use("persistent");
    Given = "note_places(" + RequestArray + ", now, " +
            (Info->Which == Completes::Any ? "1, " + output("index").substr(1)
                                           : output("outcount") + ", " + output("array_of_indices").substr(1)) +
            ");";
  }
  if (Number != "0")
    Before.push_back("now = given_to_call(" + RequestArray + ", now, " + Wanted + ");");
  if (Info->Which == Completes::Some && Number != "0") {
    // MPI may complete fewer at a time.
    Before.push_back("const int still = still_wanted(" + RequestArray + ", now, " + Wanted + ");");
    Call = "int so_far = 0;\ndo {\n  " + Call + "\n" + (Given.empty() ? "" : "  " + Given + "\n") +
           "  so_far = " + output("outcount") + " == MPI_UNDEFINED ? still : so_far + " + output("outcount") +
           ";\n} while (so_far < still);";
  } else if (!Given.empty()) {
    After.push_back(Given);
  }
  After.push_back("settle(" + RequestArray + ", was, now, " + Wanted + ");");
  if (RequestSlots::of(*C->Function)) {
    After.push_back("for (int i = 0; i < " + Number + "; ++i)");
    After.push_back("  completed(which[i]);");
  }
}

/// Whether calls that give one of several requests may be given persistent ones.
static bool hasCall(const Trace &T, bool (*Is)(const CallInfo &)) {
  return std::ranges::any_of(T.functions(), [&](const auto &F) {
    const CallInfo *I = findCall(F.first);
    return I && Is(*I);
  });
}

static bool makesPersistent(const Trace &T) {
  return hasCall(T, [](const CallInfo &I) { return I.IsPersistent; });
}

bool CallWriter::testsPersistent() const {
  return makesPersistent(W.trace()) &&
         hasCall(W.trace(), [](const CallInfo &I) { return I.MayCompleteNone && I.Which == Completes::One; });
}

bool CallWriter::hasPersistent() const {
  return makesPersistent(W.trace()) &&
         hasCall(W.trace(), [](const CallInfo &I) { return I.Which == Completes::Any || I.Which == Completes::Some; });
}

/// Whether persistent requests are given from now on, or can be given again.
bool CallWriter::notesGiven() const {
  const std::string &Name = C->Function->Name;
  const bool Ends = Name == "MPI_Start" || Name == "MPI_Startall" || Name == "MPI_Request_free";
  const bool Tests = Info->MayCompleteNone && (Info->Which == Completes::One || Info->Which == Completes::All);
  return (Ends || Tests) && hasPersistent();
}

/// A test that found nothing in the recorded run may give persistent requests, until they are started or freed.
void CallWriter::noteGiven() {
  const bool Tests = Info->MayCompleteNone;
  if (!notesGiven() || (RequestArray.empty() && RequestRow.empty()) || (Tests && output("flag").empty()))
    return;
  S.use("persistent");
  if (Tests)
    After.push_back("if (" + output("flag") + (Tested.empty() ? "" : " && tested == " + Tested) + ")");
  After.push_back((Tests ? "  " : "") + (RequestArray.empty() ? "note_row(" + RequestRow : "note_all(" + RequestArray) +
                  (Tests ? ", 1);" : ", 0);"));
}

} // namespace pilgrim
