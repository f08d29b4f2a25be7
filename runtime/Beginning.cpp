//===- Beginning.cpp - MPI_Init and MPI_Session_init have returned --------===//
#include "finish/EndSignals.h"
#include "finish/Finish.h"
#include "finish/Output.h"
#include "memory/Segments.h"
#include "platform/Tell.h"
#include "pmpi/FinalizeCallback.h"
#include "pmpi/Markers.h"
#include "pmpi/Wrap.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace pilgrim {

/// Marks the processes that a rank starts with fork and exec: they are other programs and must not be traced.
static void markChildren() { setenv("PILGRIM_INSIDE", std::to_string(getpid()).c_str(), 1); }

/// The first line of what the MPI library says of itself.
static std::string libraryText() {
  char Text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int Length = 0;
  if (Real.MPI_Get_library_version)
    Real.MPI_Get_library_version(Text, &Length);
  std::string First(Text, static_cast<size_t>(std::max(Length, 0)));
  First.resize(std::min(First.size(), First.find('\n')));
  std::replace(First.begin(), First.end(), '\t', ' ');
  return First;
}

/// Finds out now what would make the program's first calls slow: where its stack and its modules lie, and the tables of
/// names.
static void prepare(const Process &P, SymbolEncoder &Names) {
  if (P.Opts.Buffers != BuffersOption::Off)
    memory::locate(&CurrentProcess);
  Names.constantName("", 0);
  if (P.Structured && hasRegions())
    Names.functionNamed("");
}

void initializing() {
  if (!CurrentProcess->IsVirtual)
    expectPeers();
}

void initialized() {
  Process &P = *CurrentProcess;
  int Level = MPI_THREAD_SINGLE;
  Real.MPI_Comm_rank(MPI_COMM_WORLD, &P.Rank);
  Real.MPI_Comm_size(MPI_COMM_WORLD, &P.Size);
  Real.MPI_Query_thread(&Level);
  P.Books.Needed = Level == MPI_THREAD_MULTIPLE;
  P.Handles.initialized();
  P.Library = libraryText();
  if (P.IsVirtual)
    return;
  watchEndSignals(P);
  placeSpools(P);
  worldBegun();
  beginRun(P);
  prepare(P, CurrentThread->Encoder);
  if (P.Rank == 0) {
    const std::string Path = OutputFile(P).Path;
    // Which one that is, is found out at the end.
    const bool IsTaken = P.Opts.Output.empty() && access(Path.c_str(), F_OK) == 0;
    tell(TellLevel::Info, "tracing %d ranks, %s, for %s%s", P.Size,
         hasRegions() && P.Structured ? "with structure" : "without structure",
         IsTaken ? "the next free name after " : "", Path.c_str());
  }
  MPI_Comm Parent = MPI_COMM_NULL;
  P.IsSpawned = Real.MPI_Comm_get_parent(&Parent) == MPI_SUCCESS && Parent != MPI_COMM_NULL;
  markChildren();
}

#if MPI_VERSION >= 4
void sessionBegun(MPI_Session S) {
  Process &P = *CurrentProcess;
  std::lock_guard<BookLock> L(P.Books);
  P.Handles.sessionBegun(S);
  MPI_Group World;
  if (P.Rank >= 0 || !P.Handles.worldGroup(World))
    return;
  Real.MPI_Group_rank(World, &P.Rank);
  Real.MPI_Group_size(World, &P.Size);
  Real.MPI_Group_free(&World);
  P.Library = libraryText();
  markChildren();
  if (P.IsVirtual)
    return;
  watchEndSignals(P);
  placeSpools(P);
}

void sessionEnded(MPI_Session S) {
  std::lock_guard<BookLock> L(CurrentProcess->Books);
  CurrentProcess->Handles.sessionEnded(S);
}
#endif

} // namespace pilgrim
