//===- Mutant.cpp - libpilgrim with a wrong copy of one call --------------===//
//
// A libpilgrim for tests in which --verify finds something else than what happened. The linker puts mutated() in the
// place of compareCalls() (--wrap); all else is the objects of the library as it is shipped. PILGRIM_TEST_MUTATE says
// what is changed, in the last call that has such a thing.
//
//===----------------------------------------------------------------------===//
#include "trace/model/Signature.h"
#include "verify/Books.h"
#include "verify/CallLog.h"
#include "verify/Compare.h"

#include <cstdlib>
#include <functional>
#include <string>

namespace pilgrim {

// PILGRIM_MANGLED: compareCalls() as the linker knows it.
Comparison real(const Trace &T, std::shared_ptr<const RankView> View, const CallLog &Log, const MpiValues &Mpi,
                Names &Named, TrueTotals *Totals) asm("__real_" PILGRIM_MANGLED);
[[gnu::visibility("default")]] Comparison mutated(const Trace &T, std::shared_ptr<const RankView> View,
                                                  const CallLog &Log, const MpiValues &Mpi, Names &Named,
                                                  TrueTotals *Totals) asm("__wrap_" PILGRIM_MANGLED);

namespace {
/// A change of the items of one type. F gets the item's words, and returns whether it has changed them.
struct Mutation {
  const char *Name;
  RawType T;
  std::function<bool(int64_t *Words, size_t N)> F;
};

bool addToWord(int64_t *Words, size_t N, size_t At) {
  if (N <= At)
    return false;
  ++Words[At];
  return true;
}

bool changeStatus(int64_t *Words, size_t N, size_t At) {
  for (size_t I = 0; I + StatusWords <= N; I += StatusWords)
    if (Words[I] != NoStatus)
      return addToWord(Words, N, I + At);
  return false;
}

/// A handle of an object that nobody has made.
bool changeObject(int64_t *Words, size_t N) {
  for (size_t I = 1; I + HandleWords <= N; I += HandleWords)
    if (Words[I + HandleSerial] != UnknownObject) {
      Words[I + HandleSerial] = UnknownObject;
      return true;
    }
  return false;
}

bool changeRequest(int64_t *Words, size_t) { return Words[0] > UnknownObject && (Words[0] = UnknownObject, true); }

const Mutation Mutations[] = {
    {"number", RawType::Number, [](int64_t *W, size_t N) { return addToWord(W, N, 0); }},
    {"numbers", RawType::Numbers, [](int64_t *W, size_t N) { return addToWord(W, N, 1); }},
    {"handle", RawType::Handle, changeObject},
    {"handles", RawType::Handles, changeObject},
    {"size", RawType::Handle,
     [](int64_t *W, size_t N) { return W[1 + HandleSize] > 0 && addToWord(W, N, 1 + HandleSize); }},
    {"rank", RawType::Handle,
     [](int64_t *W, size_t N) { return W[1 + HandleRank] >= 0 && addToWord(W, N, 1 + HandleRank); }},
    {"request", RawType::Request, changeRequest},
    {"requests", RawType::Requests, changeRequest},
    {"address", RawType::Address, [](int64_t *W, size_t N) { return addToWord(W, N, 0); }},
    {"string", RawType::String, [](int64_t *W, size_t N) { return addToWord(W, N, 0); }},
    {"sentinel", RawType::Sentinel, [](int64_t *W, size_t N) { return addToWord(W, N, 0); }},
    {"source", RawType::Status, [](int64_t *W, size_t N) { return changeStatus(W, N, 0); }},
    {"tag", RawType::Status, [](int64_t *W, size_t N) { return changeStatus(W, N, 1); }},
    {"bytes", RawType::Status, [](int64_t *W, size_t N) { return changeStatus(W, N, 2); }},
    {"error", RawType::Status, [](int64_t *W, size_t N) { return changeStatus(W, N, 3); }},
    {"statuses-source", RawType::Statuses, [](int64_t *W, size_t N) { return changeStatus(W, N, 0); }},
    {"statuses-bytes", RawType::Statuses, [](int64_t *W, size_t N) { return changeStatus(W, N, 2); }},
    {"statuses-error", RawType::Statuses, [](int64_t *W, size_t N) { return changeStatus(W, N, 3); }},
};

bool changeItem(CallCopy &C, const Mutation &M) {
  for (size_t I = 0; I < C.Items.size(); I += 1 + static_cast<size_t>(C.Items[I] >> 16))
    if (static_cast<RawType>(C.Items[I] >> 8 & 0xff) == M.T &&
        M.F(&C.Items[I] + 1, static_cast<size_t>(C.Items[I] >> 16)))
      return true;
  return false;
}

/// Turns an item without words into another one.
bool changeType(CallCopy &C, RawType From, RawType To) {
  for (size_t I = 0; I < C.Items.size(); I += 1 + static_cast<size_t>(C.Items[I] >> 16))
    if (static_cast<RawType>(C.Items[I] >> 8 & 0xff) == From) {
      C.Items[I] ^= static_cast<int64_t>((static_cast<unsigned>(From) ^ static_cast<unsigned>(To)) << 8);
      return true;
    }
  return false;
}

/// The handle in C's first item of this kind becomes that of another object.
bool changeToOther(CallCopy &C, const std::vector<std::unique_ptr<CallCopy>> &Calls) {
  for (const auto &Other : Calls) {
    if (Other->Items.size() <= 1 + HandleWords || C.Items.size() <= 1 + HandleWords)
      continue;
    auto Is = [](const CallCopy &Copy, size_t I) { return static_cast<RawType>(Copy.Items[I] >> 8 & 0xff); };
    for (size_t I = 0; I < Other->Items.size(); I += 1 + static_cast<size_t>(Other->Items[I] >> 16)) {
      if (Is(*Other, I) != RawType::Handle || Is(C, 0) != RawType::Handle || Other->Items[I + 1] != C.Items[1])
        continue;
      const int64_t Serial = Other->Items[I + 2 + HandleSerial];
      int64_t &Own = C.Items[2 + HandleSerial];
      if (Serial > UnknownObject && Own > UnknownObject && Serial != Own) {
        Own = Serial;
        return true;
      }
    }
  }
  return false;
}

bool mutate(CallCopy &C, const std::string &What, const std::vector<std::unique_ptr<CallCopy>> &Calls) {
  if (What == "object")
    return changeToOther(C, Calls);
  for (const Mutation &M : Mutations)
    if (What == M.Name)
      return changeItem(C, M);
  if (What == "absent")
    return changeType(C, RawType::Absent, RawType::Null);
  if (What == "null")
    return changeType(C, RawType::Null, RawType::Absent);
  if (What == "result")
    return ++C.Ret != 0;
  if (What == "duration")
    return C.EndTicks && (C.EndTicks += uint64_t(1) << 26);
  if (What == "site")
    return ++C.SiteOffset != 0;
  if (What == "depth")
    return ++C.Depth != 0;
  if (What == "function")
    return ++C.Function != 0;
  if (What == "untraced")
    return C.IsTraced = false, true;
  if (What == "uncopied" && !C.Items.empty()) {
    C.Items.clear();
    return true;
  }
  return false;
}
} // namespace

Comparison mutated(const Trace &T, std::shared_ptr<const RankView> View, const CallLog &Log, const MpiValues &Mpi,
                   Names &Named, TrueTotals *Totals) {
  const char *What = std::getenv("PILGRIM_TEST_MUTATE");
  auto &Calls = const_cast<CallLog &>(Log).Calls;
  if (What && std::string(What) == "lost")
    Calls.erase(Calls.begin() + static_cast<std::ptrdiff_t>(Calls.size() / 2));
  else if (What)
    for (size_t I = Calls.size(); I-- > 0 && !(Calls[I]->Returned && mutate(*Calls[I], What, Calls));)
      ;
  return real(T, std::move(View), Log, Mpi, Named, Totals);
}

} // namespace pilgrim
