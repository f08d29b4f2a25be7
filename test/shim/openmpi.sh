#!/bin/sh
# Runs the program of its own name (mpicc, mpifort, mpiexec...) of an Open MPI
# that is unpacked in this script's prefix and not installed, as `bootstrap test`
# does it. For tests: ranks yield while they wait, and transports are those that
# work everywhere.
Prefix=$(cd "$(dirname "$0")/.." && pwd)
Name=$(basename "$0")
for Libraries in "$Prefix"/usr/lib/*/libmpi.so.40; do
  Libraries=${Libraries%/*}
done
export OPAL_PREFIX="$Prefix/usr" PMIX_INSTALL_PREFIX="$Libraries/pmix2"
export LD_LIBRARY_PATH="$Libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export OMPI_LDFLAGS="-L$Libraries/openmpi/lib"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_osc=^rdma,ucx
export OMPI_MCA_btl_vader_single_copy_mechanism=none
# Nothing is started on other hosts: no ssh is needed.
export OMPI_MCA_plm_rsh_agent=sh
# Plugins whose libraries are not here are no news.
export OMPI_MCA_mca_base_component_show_load_errors=0
export PMIX_MCA_pcompress_base_silence_warning=1
exec "$Prefix/usr/bin/$Name.openmpi" "$@"
