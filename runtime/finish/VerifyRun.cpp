//===- VerifyRun.cpp - hands a run to verify/ -----------------------------===//
#include "finish/VerifyRun.h"
#include "pmpi/Constants.h"
#include "pmpi/Real.h"
#include "pmpi/State.h"

#include <algorithm>
#include <cerrno>

namespace pilgrim {

static int64_t errorClass(int64_t Code) {
  if (Code > MPI_ERR_LASTCODE) // made by the program
    return Code;
  int Class = static_cast<int>(Code);
  Real.MPI_Error_class(static_cast<int>(Code), &Class);
  return Class;
}

static MpiValues *Filling; // fillPredefined takes a plain function

static MpiValues mpiValues(bool HasBuffers) {
  MpiValues V;
  V.InPlace = reinterpret_cast<uintptr_t>(MPI_IN_PLACE);
  V.Bottom = reinterpret_cast<uintptr_t>(MPI_BOTTOM);
  V.ErrorClass = errorClass;
  V.HasBuffers = HasBuffers;
  V.Program = program_invocation_short_name;
  Filling = &V;
  fillPredefined([](Kind K, int64_t Code, const char *Name, uint64_t Raw) {
    Filling->Handles.try_emplace({K, Raw}, MpiValues::Predefined{Code, Name});
  });
  return V;
}

VerifiedRank verifiedRank(const Process &P) {
  VerifiedRank R;
  R.Rank = R.First = std::max(P.Rank, 0);
  R.IsStrict = P.Opts.Verify == VerifyOption::Strict;
  R.Threads.resize(P.Threads.size());
  for (const auto &Thread : P.Threads)
    R.Threads[Thread->Number] = Thread->Log.get();
  R.Mpi = mpiValues(P.Opts.Buffers != BuffersOption::Off);
  R.Mpi.NanoPerTick = P.Timed ? P.TotalNanoPerTick : 0;
  R.Objects = verifyBooks().Objects.lives();
  R.Requests = verifyBooks().Requests.lives();
  return R;
}

} // namespace pilgrim
