// MPI is called without the linker's stubs where the runtime is sure to have the function; what the runtime does not
// know is still looked up when it is first called, and may be missing.
// REQUIRES: clang, pass
// RUN: %clang -O1 -Werror -fPIC -fpass-plugin=%pass -I%S/Inputs -S -emit-llvm %s -o - | FileCheck %s
#include "mpi.h"
int MPI_Of_tomorrow(int);
int MPIX_Of_its_own(int);

void all(int N) {
  MPI_Send(N);
  MPI_Of_tomorrow(N);
  MPIX_Of_its_own(N);
}

// CHECK-DAG: declare {{.*}}@MPI_Send({{.*}} [[BOUND:#[0-9]+]]
// CHECK-DAG: declare {{.*}}@MPI_Of_tomorrow({{.*}} [[FREE:#[0-9]+]]
// CHECK-DAG: declare {{.*}}@MPIX_Of_its_own({{.*}} [[FREE]]
// CHECK: attributes [[BOUND]] = { {{.*}}nonlazybind
// CHECK-NOT: attributes [[FREE]] = { {{.*}}nonlazybind
