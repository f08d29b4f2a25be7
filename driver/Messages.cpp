//===- Messages.cpp - what a call sends, and to whom ----------------------===//
#include "driver/Messages.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace pilgrim {

namespace {
struct Collective {
  std::string_view Name;
  MessageRule::Way How;
};
/// By the name without MPI_, I, _c, _init.
constexpr Collective Collectives[] = {
    {"Bcast", MessageRule::FromRoot},       {"Scatter", MessageRule::FromRoot},
    {"Scatterv", MessageRule::FromRoot},    {"Reduce", MessageRule::ToRoot},
    {"Gather", MessageRule::ToRoot},        {"Gatherv", MessageRule::ToRoot},
    {"Allreduce", MessageRule::ToAll},      {"Allgather", MessageRule::ToAll},
    {"Allgatherv", MessageRule::ToAll},     {"Alltoall", MessageRule::ToAll},
    {"Alltoallv", MessageRule::ToAll},      {"Alltoallw", MessageRule::ToAll},
    {"Reduce_scatter", MessageRule::ToAll}, {"Reduce_scatter_block", MessageRule::ToAll},
    {"Scan", MessageRule::ToHigher},        {"Exscan", MessageRule::ToHigher},
};

std::string stem(std::string Name) {
  if (Name.starts_with("MPI_"))
    Name.erase(0, 4);
  if (Name.ends_with("_c"))
    Name.resize(Name.size() - 2);
  if (Name.ends_with("_init"))
    Name.resize(Name.size() - 5);
  if (Name.size() > 1 && Name[0] == 'I' && std::islower(static_cast<unsigned char>(Name[1]))) {
    Name.erase(0, 1);
    Name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(Name[0])));
  }
  return Name;
}
} // namespace

MessageRule MessageRule::of(const FunctionSchema &F) {
  MessageRule R;
  int Buffer = None;
  for (size_t I = 1; I < F.Slots.size(); ++I) {
    const ParamSchema &P = F.Slots[I];
    auto First = [&](int &Slot) {
      if (Slot == None)
        Slot = static_cast<int>(I);
    };
    if (P.IsHidden)
      continue;
    if (P.K == Kind::Comm && !P.IsOutput)
      First(R.Comm);
    else if (P.K == Kind::Rank && !P.IsOutput && !P.IsArray && P.Name == "dest")
      First(R.Dest);
    else if (P.K == Kind::Rank && !P.IsOutput && !P.IsArray && P.Name == "root")
      First(R.Root);
    else if (P.K == Kind::Request)
      First(R.Request);
    else if (P.K == Kind::Buffer)
      First(Buffer);
    else if (P.K == Kind::Count)
      First(R.Count == None ? R.Count : R.InPlaceCount);
    else if (P.K == Kind::Datatype && !P.IsOutput)
      First(R.Type == None ? R.Type : R.InPlaceType);
    else if (P.K == Kind::Int && P.Name == "partitions")
      First(R.Factor);
  }
  R.IsPersistent = R.Request != None && (F.Name.ends_with("_init") || F.Name.ends_with("_init_c"));
  if (F.Name == "MPI_Start" || F.Name == "MPI_Startall") {
    R.How = Start;
    return R;
  }
  if (Buffer == None || R.Comm == None || R.Count == None || R.Type == None)
    return R;
  if (R.Dest != None) {
    R.How = Send;
    return R;
  }
  const std::string Stem = stem(F.Name);
  for (const Collective &C : Collectives)
    if (C.Name == Stem)
      R.How = C.How;
  R.IsByReceiver = Stem.starts_with("Reduce_scatter");
  if ((R.How == FromRoot || R.How == ToRoot) && R.Root == None)
    R.How = Nothing;
  return R;
}

} // namespace pilgrim
