//===- CommunicatorMaker.cpp - how a function makes a communicator ----------===//
#include "trace/read/CommunicatorMaker.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace pilgrim {

std::optional<CommunicatorMaker> makerOf(const FunctionSchema &F) {
  CommunicatorMaker M;
  for (size_t I = 1; I < F.Slots.size(); ++I) {
    const ParamSchema &P = F.Slots[I];
    const int Slot = static_cast<int>(I);
    if (P.IsHidden || P.IsArray)
      continue;
    if (P.K == Kind::Comm && P.IsOutput)
      M.New = Slot;
    else if (P.K == Kind::Comm)
      (M.Parent < 0 ? M.Parent : M.Peer) = Slot;
    else if (P.K == Kind::Tag)
      M.Tag = Slot;
    else if (P.K == Kind::Rank)
      (M.Leader < 0 ? M.Leader : M.RemoteLeader) = Slot;
    else if (P.K == Kind::Group)
      M.RemoteGroup = Slot; // the last one
    else if (P.Name == "stringtag")
      M.Text = Slot;
    else if (P.Name == "color")
      M.Color = Slot;
  }
  auto Is = [&](std::initializer_list<std::string_view> Names) {
    return std::find(Names.begin(), Names.end(), F.Name) != Names.end();
  };
  // A call that frees a communicator writes the handle that it reads.
  if (M.New < 0 || Is({"MPI_Comm_free", "MPI_Comm_disconnect"}))
    return std::nullopt;
  if (F.Name == "MPI_Comm_create_from_group")
    M.How = CommunicatorMaker::FromGroup;
  else if (F.Name == "MPI_Intercomm_create_from_groups")
    M.How = CommunicatorMaker::BetweenGroups;
  else if (Is({"MPI_Comm_spawn", "MPI_Comm_spawn_multiple", "MPI_Comm_accept", "MPI_Comm_connect"}) || M.Parent < 0)
    M.How = CommunicatorMaker::Foreign;
  else if (F.Name == "MPI_Intercomm_create")
    M.How = CommunicatorMaker::Between;
  else if (F.Name == "MPI_Comm_create_group")
    M.How = CommunicatorMaker::Group;
  else
    M.How = CommunicatorMaker::Over;
  return M;
}

} // namespace pilgrim
