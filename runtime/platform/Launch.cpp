//===- Launch.cpp - what a launcher says of a process ---------------------===//
#include "platform/Launch.h"
#include "platform/ProcFile.h"

#include <cstdlib>
#include <initializer_list>

namespace pilgrim {

long rankOfLaunch() {
  for (const char *V : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"})
    if (const char *R = std::getenv(V))
      return std::atol(R);
  return 0;
}

pid_t parentOf(pid_t Process) {
  char Text[32];
  return ProcFile(ProcessName(Process).Digits, "status").contains("\nPPid:\t", Text, sizeof Text) ? std::atoi(Text)
                                                                                                  : -1;
}

Launcher launcher() {
  constexpr struct {
    const char *Name;
    bool EndsOthers;
  } Known[] = {{"hydra_pmi_proxy\n", true}, {"mpirun\n", true},     {"mpiexec\n", true}, {"mpirun.openmpi\n", true},
               {"mpiexec.openmpi\n", true}, {"orterun\n", true},    {"orted\n", true},   {"prterun\n", true},
               {"prted\n", true},           {"slurmstepd\n", false}};
  Launcher Out{getppid(), false, false};
  forEachAbove(getpid(), [&](pid_t P) {
    for (const auto &[Name, EndsOthers] : Known)
      if (ProcFile(ProcessName(P).Digits, "comm").contains(Name)) {
        Out = {P, true, EndsOthers};
        return true;
      }
    return false;
  });
  return Out;
}

/// Behind an argument of the launcher's own command line; empty: it has none.
static std::string argumentOf(pid_t Launcher, std::string_view Name) {
  char Text[256];
  return ProcFile(ProcessName(Launcher).Digits, "cmdline").contains(Name, Text, sizeof Text) ? Text : "";
}

std::string nameOfRun() {
  using namespace std::string_view_literals;
  // MPICH's launcher starts one on each machine, and says where that is to report. Worlds that are spawned have others.
  const pid_t Above = launcher().Number;
  if (const std::string Port = argumentOf(Above, "--control-port\0"sv); !Port.empty())
    return Port + "." + argumentOf(Above, "--pgid\0"sv);
  for (const char *V : {"PMIX_NAMESPACE", "PALS_APID", "FLUX_JOB_ID"})
    if (const char *Name = std::getenv(V))
      return Name;
  const char *Job = std::getenv("SLURM_JOB_ID"), *Step = std::getenv("SLURM_STEP_ID");
  return Job && Step ? std::string(Job) + "." + Step : "";
}

} // namespace pilgrim
