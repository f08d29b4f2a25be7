//===- Books.cpp - which object a handle means, for --verify --------------===//
#include "verify/Books.h"

#include <atomic>

namespace pilgrim {

VerifyBooks &verifyBooks() {
  static auto &Books = *new VerifyBooks;
  return Books;
}

int64_t ObjectBook::begin(Kind K, uint64_t Now) {
  Lives.push_back({K, Now});
  return static_cast<int64_t>(Lives.size() - 1);
}

int64_t ObjectBook::made(Kind K, uint64_t Raw, bool IsKnown, uint64_t Now) {
  VerifyLock L;
  auto It = ByHandle.find({K, Raw});
  if (It != ByHandle.end()) {
    if (IsKnown) {
      ++It->second.References;
      return It->second.Serial;
    }
    // It was freed where nobody saw it.
    Lives[static_cast<size_t>(It->second.Serial)].To = Lives[static_cast<size_t>(It->second.Serial)].From;
    ByHandle.erase(It);
  }
  const int64_t Serial = begin(K, Now);
  ByHandle[{K, Raw}] = {Serial};
  return Serial;
}

int64_t ObjectBook::find(Kind K, uint64_t Raw) const {
  VerifyLock L;
  if (auto It = ByHandle.find({K, Raw}); It != ByHandle.end())
    return It->second.Serial;
  auto It = Leaving.find({K, Raw});
  return It == Leaving.end() ? UnknownObject : It->second;
}

int64_t ObjectBook::leaving(Kind K, uint64_t Raw) {
  VerifyLock L;
  auto It = ByHandle.find({K, Raw});
  if (It == ByHandle.end()) {
    auto Was = Leaving.find({K, Raw});
    return Was == Leaving.end() ? UnknownObject : Was->second;
  }
  if (It->second.References > 1)
    return UnknownObject;
  const int64_t Serial = It->second.Serial;
  Leaving[{K, Raw}] = Serial;
  ByHandle.erase(It);
  return Serial;
}

void ObjectBook::left(Kind K, uint64_t Raw, int64_t Serial, bool IsFreed, uint64_t Since) {
  VerifyLock L;
  if (Serial == UnknownObject) {
    auto It = ByHandle.find({K, Raw});
    if (IsFreed && It != ByHandle.end() && It->second.References > 1)
      --It->second.References;
    return;
  }
  if (auto It = Leaving.find({K, Raw}); It != Leaving.end() && It->second == Serial)
    Leaving.erase(It);
  if (IsFreed)
    Lives[static_cast<size_t>(Serial)].To = Since;
  else
    ByHandle.try_emplace({K, Raw}, Live{Serial});
}

/// Of the calling thread; no other thread ever has it.
static uint64_t threadNumber() {
  static std::atomic<uint64_t> Threads = 0;
  static thread_local const uint64_t Own = ++Threads;
  return Own;
}

void RequestBook::enter(const Request &R) {
  Open[{R.Raw, R.Serial}] = R;
  if (R.Variable)
    ByVariable[{R.Raw, R.Variable}] = R.Serial;
}

void RequestBook::leave(const Request &R) {
  Open.erase({R.Raw, R.Serial});
  if (auto Same = ByVariable.find({R.Raw, R.Variable}); Same != ByVariable.end() && Same->second == R.Serial)
    ByVariable.erase(Same);
}

int64_t RequestBook::made(uint64_t Raw, const void *Variable, unsigned Traits, uint64_t Since, uint64_t Now) {
  VerifyLock L;
  const int64_t Serial = begin(Kind::Request, Now);
  Lives.back().Raw = Raw;
  Lives.back().Made = Since;
  // What the variable held is no longer in it.
  auto Leave = [&](Request &Old) {
    if (Old.Raw == Raw && Old.Variable == Variable)
      Old.Variable = nullptr;
  };
  if (auto Same = ByVariable.find({Raw, Variable}); Same != ByVariable.end()) {
    Leave(Open.at({Raw, Same->second}));
    ByVariable.erase(Same);
  }
  for (auto It = Taken.lower_bound({Raw, 0}); It != Taken.end() && It->first.first == Raw; ++It)
    Leave(It->second);
  enter({Serial, Raw, Variable, Traits, threadNumber()});
  return Serial;
}

const RequestBook::Request *RequestBook::look(uint64_t Raw, const void *Variable) const {
  if (auto Same = ByVariable.find({Raw, Variable}); Same != ByVariable.end())
    return &Open.at({Raw, Same->second});
  const Request *Oldest = nullptr;
  for (auto It = Open.lower_bound({Raw, 0}); It != Open.end() && It->first.first == Raw; ++It) {
    if (It->second.Thread == threadNumber())
      return &It->second;
    if (!Oldest)
      Oldest = &It->second;
  }
  return Oldest;
}

RequestBook::Request RequestBook::take(uint64_t Raw, const void *Variable) {
  VerifyLock L;
  const Request *Found = look(Raw, Variable);
  if (!Found)
    return {};
  const Request R = *Found;
  leave(R);
  Taken[{R.Raw, R.Serial}] = R;
  return R;
}

RequestBook::Request RequestBook::find(uint64_t Raw, const void *Variable) const {
  VerifyLock L;
  if (const Request *Found = look(Raw, Variable))
    return *Found;
  auto Other = Taken.lower_bound({Raw, 0}); // another thread waits for it
  return Other != Taken.end() && Other->first.first == Raw ? Other->second : Request();
}

void RequestBook::complete(const Request &R, uint64_t Since) {
  VerifyLock L;
  Taken.erase({R.Raw, R.Serial});
  leave(R);
  Lives[static_cast<size_t>(R.Serial)].To = Since;
}

void RequestBook::putBack(const Request &R) {
  VerifyLock L;
  auto It = Taken.find({R.Raw, R.Serial});
  if (It == Taken.end())
    return enter(R);
  const Request Now = It->second; // its variable may have been given to another one
  Taken.erase(It);
  enter(Now);
}

} // namespace pilgrim
