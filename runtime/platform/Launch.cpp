//===- Launch.cpp - what a launcher says of a process ---------------------===//
#include "platform/Launch.h"

#include <cstdlib>
#include <initializer_list>

namespace pilgrim {

long rankOfLaunch() {
  for (const char *V : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"})
    if (const char *R = std::getenv(V))
      return std::atol(R);
  return 0;
}

} // namespace pilgrim
