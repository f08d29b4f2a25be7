//===- CompareCall.cpp - one call and its plain copy ----------------------===//
//
// Values are compared as they are. Each slot of a call must have been copied, so that no parameter goes unnoticed.
//
//===----------------------------------------------------------------------===//
#include "verify/CompareCall.h"
#include "trace/model/RequestName.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pilgrim {

static std::string differs(const std::string &Parameter, const Call &C, const std::string &Detail) {
  return Parameter + " (" + C.Function->Name + (Detail.empty() ? "" : ": " + Detail) + ")";
}

std::string CallComparer::compare(const CallCopy &Copy, const Call &C) {
  if (std::exchange(Owner, Copy.Owner) != Copy.Owner)
    Addresses.forgetStack();
  Now.Begin = Copy.Begin;
  Now.End = Copy.End;
  Now.Thread = View.thread();
  Now.Call = C.Seq;
  if (Copy.Abandoned || !Copy.Returned) {
    for (size_t Slot = 0; Slot < C.Slots.size(); ++Slot)
      if (C.Slots[Slot].T != Tag::Absent)
        return differs(C.Function->Slots[Slot].Name, C, "the call did not return");
    return "";
  }
  if (!isSite(Copy, C))
    return differs("(call site)", C, Copy.SiteModule + (" " + std::to_string(Copy.SiteOffset)));
  if (!isCall(*C.Function) ? C.Slots[0].T != Tag::Absent
                           : C.Slots[0].T != Tag::Word || C.Slots[0].Words[0] != errorClass(Copy.Ret))
    return differs("(return code)", C, "");
  if (std::string Why; !times(Copy, C, Why))
    return differs("(time)", C, Why);
  std::vector<bool> IsCopied(C.Slots.size());
  IsCopied[0] = true;
  for (size_t I = 0; I < Copy.Items.size();) {
    const auto Slot = static_cast<size_t>(Copy.Items[I] & 0xff);
    const auto Type = static_cast<RawType>(Copy.Items[I] >> 8 & 0xff);
    const auto N = static_cast<size_t>(Copy.Items[I] >> 16);
    if (Slot >= C.Slots.size())
      return differs("(number of parameters)", C, "");
    const ParamSchema &P = C.Function->Slots[Slot];
    std::string Why;
    if (!value(Type, {Copy.Items.data() + I + 1, N}, C.Slots[Slot], P, Why))
      return differs(P.Name, C, Why);
    IsCopied[Slot] = true;
    I += N + 1;
  }
  for (size_t Slot = 1; Slot < C.Slots.size(); ++Slot)
    if (!IsCopied[Slot])
      return differs(C.Function->Slots[Slot].Name, C, "it was not copied");
  return "";
}

bool CallComparer::times(const CallCopy &Copy, const Call &C, std::string &Why) const {
  if (C.Timed != Call::Time::Own || !Copy.EndTicks)
    return true;
  const TimeBase &Base = View.times()->Base;
  const double Nano = Base.NanoPerTick;
  const TimeErrors &Errors = *View.times()->Errors;
  const auto Own = Errors.OfFunction.find(C.Function->Id);
  const TimeBound &Bound = Own == Errors.OfFunction.end() ? Errors.Duration : Own->second;
  const double Took = static_cast<double>(Copy.EndTicks - Copy.StartTicks) * Nano,
               Began =
                   Base.Begin * 1e9 + static_cast<double>(static_cast<int64_t>(Copy.StartTicks - Base.Origin)) * Nano;
  constexpr double Rounding = 1; // of a number of seconds to nanoseconds
  auto Exceeds = [&](const char *What, double Is, double Was, double Allowed) {
    if (std::abs(Is - Was) <= Allowed + Rounding)
      return false;
    Why = std::string(What) + " " + std::to_string(Is) + " ns for " + std::to_string(Was) + ", allowed " +
          std::to_string(Allowed);
    return true;
  };
  return !Exceeds("duration", C.Duration * 1e9, Took,
                  Took * Bound.Relative / 1e6 + static_cast<double>(Bound.Absolute) * Nano) &&
         !Exceeds("start", C.Start * 1e9, Began, C.StartError * 1e9);
}

bool CallComparer::isSite(const CallCopy &Copy, const Call &C) const {
  if (!Copy.SiteModule)
    return true;
  if (!C.Site) // the structure says where the call is
    return View.nodes().size() > 1;
  const SiteInfo &Site = View.site(C.Site - 1);
  return Site.Module == Copy.SiteModule && Site.Offset == Copy.SiteOffset;
}

bool CallComparer::value(RawType Type, std::span<const int64_t> Raw, const Value &V, const ParamSchema &P,
                         std::string &Why) {
  switch (Type) {
  case RawType::Absent:
    return V.T == Tag::Absent;
  case RawType::Null:
    return V.T == Tag::Null;
  case RawType::Number:
    Why = std::to_string(P.K == Kind::Error ? errorClass(Raw[0]) : Raw[0]);
    return V.T == Tag::Word && numbers(Raw, V, P);
  case RawType::Numbers:
    return V.T == Tag::Array && numbers(Raw, V, P);
  case RawType::Handle:
  case RawType::Handles:
    return handles(static_cast<Kind>(Raw[0]), Raw.subspan(1), V, Type == RawType::Handles, Why);
  case RawType::Request:
    return V.T == Tag::Word && request(Raw[0], V.Words[0], Why);
  case RawType::Requests:
    if (V.T != Tag::Array || V.Words.size() != Raw.size())
      return false;
    for (size_t I = 0; I < Raw.size(); ++I)
      if (!request(Raw[I], V.Words[I], Why))
        return false;
    return true;
  case RawType::Address:
    return Addresses.agrees(Raw, V, P, Why);
  case RawType::String:
    return text(Tag::String, Raw, V);
  case RawType::Sentinel:
    return text(Tag::Name, Raw, V);
  case RawType::Status:
    return V.T == Tag::Status && statuses(Raw, V, Why);
  case RawType::Statuses:
    return V.T == Tag::Statuses && statuses(Raw, V, Why);
  }
  return false;
}

bool CallComparer::text(Tag Wanted, std::span<const int64_t> Raw, const Value &V) const {
  if (V.T != Wanted)
    return false;
  const std::string S = View.text(V);
  return std::equal(Raw.begin(), Raw.end(), S.begin(), S.end(),
                    [](int64_t A, char B) { return A == static_cast<unsigned char>(B); });
}

bool CallComparer::numbers(std::span<const int64_t> Raw, const Value &V, const ParamSchema &P) const {
  const bool AreErrors = P.K == Kind::Error;
  return std::equal(Raw.begin(), Raw.end(), V.Words.begin(), V.Words.end(),
                    [&](int64_t A, int64_t B) { return (AreErrors ? errorClass(A) : A) == B; });
}

bool CallComparer::handles(Kind K, std::span<const int64_t> Raw, const Value &V, bool IsArray, std::string &Why) {
  const size_t N = Raw.size() / HandleWords;
  if (isTableObject(K)) {
    if (V.T != (IsArray ? Tag::Objects : Tag::Object) || (IsArray && V.Refs.size() != N))
      return false;
    for (size_t I = 0; I < N; ++I)
      if (!tableObject(K, Raw.subspan(I * HandleWords, HandleWords), IsArray ? View.object(V, I) : View.object(V), Why))
        return false;
    return true;
  }
  // A single handle of an unknown object shows that it is one. In arrays its value stands in the place of a name.
  const bool IsUnknown = Raw.size() > HandleSerial && Raw[HandleSerial] == UnknownObject &&
                         !Mpi.Handles.contains({K, static_cast<uint64_t>(Raw[HandleRaw])});
  if (V.T != (IsArray ? Tag::Array : IsUnknown ? Tag::Raw : Tag::Word) || V.Words.size() != N)
    return false;
  for (size_t I = 0; I < N; ++I)
    if (!otherObject(K, Raw.subspan(I * HandleWords, HandleWords), V.Words[I], Why))
      return false;
  return true;
}

bool CallComparer::tableObject(Kind K, std::span<const int64_t> Raw, const ObjectInfo &O, std::string &Why) {
  if (O.K != K)
    return false;
  auto Fixed = Mpi.Handles.find({K, static_cast<uint64_t>(Raw[HandleRaw])});
  if (Fixed != Mpi.Handles.end()) {
    Why = Fixed->second.Name;
    if (O.Name != Why || O.Id != Fixed->second.Code)
      return false;
  } else if (Raw[HandleSerial] == UnknownObject) {
    if (O.Name != "invalid" || O.Id != Raw[HandleRaw])
      return false;
  } else if (!O.Name.empty() || !Named.agrees(K, Raw[HandleSerial], O.Id, Why)) {
    return false;
  }
  if (Raw[HandleSize] == NotMeasured)
    return true;
  Why = "ranks and sizes";
  if (O.Size != Raw[HandleSize])
    return false;
  if (Raw[HandleRank] != NotMeasured && O.Rank != Raw[HandleRank])
    return false;
  return K != Kind::Comm || (O.Leader == Raw[HandleLeader] && O.RemoteSize == Raw[HandleRemote]);
}

bool CallComparer::otherObject(Kind K, std::span<const int64_t> Raw, int64_t Id, std::string &Why) {
  auto Fixed = Mpi.Handles.find({K, static_cast<uint64_t>(Raw[HandleRaw])});
  if (Fixed != Mpi.Handles.end()) {
    Why = Fixed->second.Name;
    // MPI_T's null handles have one value, and a name for each kind of handle: the parameter's.
    if (K == Kind::Tool)
      return Id == Fixed->second.Code;
    const std::string *Name = Id < 0 ? T.constantName(handleNames(K), Id) : nullptr;
    return Name && *Name == Why;
  }
  if (Raw[HandleSerial] == UnknownObject)
    return Id == Raw[HandleRaw];
  return Id >= 0 && Named.agrees(K, Raw[HandleSerial], Id, Why);
}

bool CallComparer::request(int64_t Serial, int64_t Name, std::string &Why) {
  if (Serial == NoRequest)
    return Name == -1;
  if (Serial == UnknownObject)
    return Name == -2; // a request that the tracer did not see
  Now.Name = RequestName::of(Name, View.thread()).in(0);
  return Name >= 0 && Named.agrees(Serial, Now, Why);
}

bool CallComparer::statuses(std::span<const int64_t> Raw, const Value &V, std::string &Why) const {
  if (V.Words.size() != Raw.size())
    return false;
  static constexpr const char *Words[] = {"source", "tag", "bytes", "error and cancelled"};
  for (size_t I = 0; I < Raw.size(); ++I) {
    Why = "[" + std::to_string(I / StatusWords) + "]." + Words[I % StatusWords];
    if (V.Words[I] != Raw[I])
      return false;
    if (I % StatusWords == 0 && Raw[I] == NoStatus)
      I += StatusWords - 1; // the other words have no meaning
  }
  return true;
}

} // namespace pilgrim
