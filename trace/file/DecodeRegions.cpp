//===- DecodeRegions.cpp - what the compiler said, from bytes -------------===//
#include "trace/base/Wrap.h"
#include "trace/file/Decoder.h"

#include <algorithm>
#include <map>
#include <set>

namespace pilgrim {

void TableDecoder::readRegions(ByteReader &R) {
  readFunctions(R);
  if (!R.ok())
    return;
  readEvents(R);
  if (!R.ok())
    return;
  readAbout(R);
  if (!R.ok())
    return;
  readPlaces(R);
  findExpected();
}

std::string TableDecoder::text(ByteReader &R, uint64_t String) {
  if (String >= size(TableId::Strings))
    R.fail("a name that is not in the table of strings");
  if (!R.ok())
    return {};
  std::string S = unpackString(table(TableId::Strings)[String][0].Tokens);
  R.spend(sizeof(Region::Event) + S.size());
  return S;
}

/// Names, and the regions of each function.
void TableDecoder::readFunctions(ByteReader &R) {
  uint64_t V = R.varint(), N = V >> 1;
  bool HasIds = V & 1;
  if (N > R.remaining() / 4)
    R.fail("more functions are counted than bytes are left");
  R.spend(N * sizeof(Region));
  if (!R.ok())
    return;
  std::vector<Region> Functions(N);
  uint64_t NextName = 0;
  for (Region &F : Functions) {
    NextName += static_cast<uint64_t>(R.svarint());
    F.Name = text(R, NextName++);
  }
  for (size_t I = 0; I < N && R.ok(); ++I) {
    uint64_t File = R.varint();
    if (File) {
      Functions[I].File = text(R, File - 1);
    } else if (I) {
      R.spend(Functions[I - 1].File.size());
      Functions[I].File = Functions[I - 1].File;
    } else {
      R.fail("the first function has no file");
    }
  }
  // The ids of a trace that has all ranks are not there: any will do.
  std::set<uint64_t> Ids;
  for (size_t I = 0; I < N && R.ok(); ++I) {
    Functions[I].Function = HasIds ? R.u64() : I;
    if (!Ids.insert(Functions[I].Function).second)
      R.fail("two functions of the program have one id");
  }
  for (size_t I = 0; I < N && R.ok(); ++I) {
    FirstRegions.push_back(static_cast<uint32_t>(Regions.size()));
    uint64_t More = R.varintMax(R.remaining(), "more regions are counted than bytes are left");
    R.spend((More + 1) * (sizeof(Region) + Functions[I].Name.size() + Functions[I].File.size()));
    if (R.ok())
      Regions.insert(Regions.end(), More + 1, Functions[I]);
  }
}

/// Numbers and kinds.
void TableDecoder::readEvents(ByteReader &R) {
  Known.resize(Regions.size());
  size_t All = 0;
  for (auto &K : Known) {
    size_t N = R.varintMax(R.remaining() / 4, "more events are counted than bytes are left");
    // Each has four numbers behind this.
    if ((All += N) > R.remaining() / 4)
      R.fail("more events are counted than bytes are left");
    R.spend(N * sizeof(KnownEvent));
    if (!R.ok())
      return;
    K.resize(N);
  }
  for (size_t I = 0; I < Regions.size(); ++I) {
    uint64_t Next = 1;
    auto &Events = Regions[I].Events;
    for (KnownEvent &K : Known[I]) {
      uint64_t Head = R.varintMax(UINT32_MAX), Id = Next + (Head >> 2);
      // What no rank came by leaves a gap.
      R.spend((Id - Events.size()) * sizeof(Region::Event));
      if (Id > UINT32_MAX)
        R.fail("the number of an event is 2^32 or more");
      if (!R.ok())
        return;
      Events.resize(Id);
      Events.back().K = static_cast<Region::Kind>(Head & 3);
      K = {static_cast<uint32_t>(Id), None};
      Next = Id + 1;
    }
  }
}

/// What events are of.
void TableDecoder::readAbout(ByteReader &R) {
  int64_t NextSite = 0, NextCall = 1, NextLoop = 1;
  for (size_t I = 0, F = 0; I < Regions.size(); ++I) {
    if (F < FirstRegions.size() && FirstRegions[F] == I) {
      NextLoop = 1;
      ++F;
    }
    for (const KnownEvent &K : Known[I]) {
      Region::Event &E = Regions[I].Events[K.Id - 1];
      auto Near = [&](int64_t Expected) {
        return static_cast<uint64_t>(Expected) + static_cast<uint64_t>(R.svarint());
      };
      if (E.K == Region::Arm || E.K == Region::Loop) {
        uint64_t V = E.K == Region::Arm ? R.varint() : Near(NextLoop);
        if (E.K == Region::Arm && V >= NamedArm) {
          E.Name = text(R, V - NamedArm);
          if (E.Name.empty())
            R.fail("a critical section with a name has none");
          R.spend(E.Name.size());
          V = Region::CriticalArm;
        }
        if (V > UINT32_MAX)
          R.fail("the number of a loop or an arm is 2^32 or more");
        E.Number = static_cast<uint32_t>(V);
        if (E.K == Region::Loop)
          NextLoop = int64_t(E.Number) + 1;
      } else if (E.K == Region::Call) {
        uint64_t V = Near(NextCall);
        E.Name = V < FirstRegions.size() ? Regions[FirstRegions[V]].Name : text(R, V - FirstRegions.size());
        R.spend(E.Name.size());
        if (V < FirstRegions.size())
          NextCall = std::max(NextCall, static_cast<int64_t>(V) + 1);
      } else if (uint64_t V = Near(NextSite); V < 2 * Functions.size()) {
        const std::string &Name = T.Functions.at(Functions[V / 2]).Name;
        E.Name = V & 1 ? fortranName(Name) : Name;
        R.spend(E.Name.size());
        NextSite = afterSite(NextSite, V);
      } else {
        E.Name = text(R, V - 2 * Functions.size());
      }
      if (!R.ok())
        return;
    }
  }
}

/// Arms, indices and lines.
void TableDecoder::readPlaces(ByteReader &R) {
  for (size_t I = 0; I < Regions.size(); ++I) {
    uint32_t Arm = 0;
    for (const KnownEvent &K : Known[I]) {
      Region::Event &E = Regions[I].Events[K.Id - 1];
      uint64_t Back = R.varint();
      if (Back > K.Id)
        R.fail("an event stands in an arm before the first event");
      if (!R.ok())
        return;
      if (Back)
        Arm = static_cast<uint32_t>(Back > 1 ? K.Id + 1 - Back : 0);
      if (Arm && Regions[I].Events[Arm - 1].K != Region::Arm)
        R.fail("an event stands in something that is no arm");
      E.Arm = Arm;
      if (E.K == Region::Arm)
        Arm = K.Id;
    }
  }
  for (size_t I = 0, F = 0; I < Regions.size() && R.ok(); ++I) {
    bool IsFirst = F < FirstRegions.size() && FirstRegions[F] == I;
    F += IsFirst;
    uint64_t Index = R.varintMax(UINT32_MAX, "the index of a region is 2^32 or more") +
                     (IsFirst ? 0 : uint64_t(Regions[I - 1].Index) + 1);
    if (Index > UINT32_MAX)
      R.fail("the index of a region is 2^32 or more");
    Regions[I].Index = static_cast<uint32_t>(Index);
  }
  int64_t Line = 0;
  auto ReadLine = [&]() {
    Line = wrappedSum(Line, R.svarint());
    if (Line < 0 || Line > UINT32_MAX)
      R.fail("the number of a line is out of range");
    return static_cast<uint32_t>(Line);
  };
  for (size_t I = 0; I < Regions.size() && R.ok(); ++I) {
    Regions[I].Line = ReadLine();
    for (const KnownEvent &K : Known[I])
      Regions[I].Events[K.Id - 1].Line = ReadLine();
  }
}

/// A loop has its region, a call the body of the first function with the name.
void TableDecoder::findExpected() {
  std::map<std::string_view, uint32_t> Bodies;
  for (uint32_t F : FirstRegions)
    Bodies.try_emplace(Regions[F].Name, Regions[F].Index == 0 ? F : None);
  for (size_t F = 0; F < FirstRegions.size(); ++F) {
    size_t First = FirstRegions[F], End = F + 1 < FirstRegions.size() ? FirstRegions[F + 1] : Regions.size();
    std::map<uint32_t, uint32_t> Loops;
    for (size_t I = First; I < End; ++I)
      Loops[Regions[I].Index] = static_cast<uint32_t>(I);
    for (size_t I = First; I < End; ++I)
      for (KnownEvent &K : Known[I]) {
        const Region::Event &E = Regions[I].Events[K.Id - 1];
        if (E.K == Region::Loop) {
          if (auto It = Loops.find(E.Number); It != Loops.end())
            K.Region = It->second;
        } else if (E.K == Region::Call) {
          if (auto It = Bodies.find(E.Name); It != Bodies.end())
            K.Region = It->second;
        }
      }
  }
}

} // namespace pilgrim
