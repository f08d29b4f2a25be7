//===- Special.cpp - functions that are not simply called again -----------===//
#include "proxygen/replay/Special.h"

#include <vector>

namespace pilgrim {

static Special find(std::string_view Name) {
  constexpr std::pair<std::string_view, Special> Known[] = {
      {"MPI_Init", Special::Init},
      {"MPI_Init_thread", Special::Init},
      {"MPI_Finalize", Special::Finalize},
      {"MPI_Iprobe", Special::Iprobe},
      {"MPI_Improbe", Special::Improbe},
      {"MPI_Mprobe", Special::Mprobe},
      {"MPI_Mrecv", Special::Mrecv},
      {"MPI_Imrecv", Special::Mrecv},
      {"MPI_Mrecv_c", Special::Mrecv},
      {"MPI_Imrecv_c", Special::Mrecv},
      {"MPI_Request_get_status", Special::RequestGetStatus},
      {"MPI_Start", Special::Start},
      {"MPI_Startall", Special::Start},
      {"MPI_Win_test", Special::WinTest},
      {"MPI_Parrived", Special::Parrived},
      {"MPI_Win_attach", Special::WinAttach},
  };
  for (const auto &[Of, Is] : Known)
    if (Name == Of)
      return Is;
  if (Name.starts_with("MPI_Pack"))
    return Special::Pack;
  return Name.starts_with("MPI_Unpack") ? Special::Unpack : Special::None;
}

/// As CallTable.
static const std::vector<Special> All = [] {
  std::vector<Special> Out;
  for (unsigned N = 0; N < NumCalls; ++N)
    Out.push_back(find(CallTable[N].Name));
  return Out;
}();

Special specialOf(const CallInfo &I) { return All[static_cast<size_t>(&I - CallTable)]; }

} // namespace pilgrim
