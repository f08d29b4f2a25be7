// An exception is a way like others, but no arm: a handler begins with the frame that is then the innermost.
// REQUIRES: clang, cxx, pass
// RUN: %clang -O1 -g -fpass-plugin=%pass -I%S/Inputs -c %s -o %t.o
// RUN: %list-tables %t.o | FileCheck %s
// RUN: %clang -O1 -emit-llvm -Xclang -disable-llvm-passes -I%S/Inputs -S %s -o %t.ll
// RUN: %opt -load-pass-plugin=%pass -passes=pilgrim,verify -S %t.ll -o - | FileCheck --check-prefix=IR %s
#include "mpi.h"
void outside(int N);

// CHECK:      function _Z7handlesi
// CHECK-NEXT: region 0
// CHECK-NEXT: #1 call _Z7outsidei line [[@LINE+14]]
// CHECK-NEXT: #2 site MPI_Recv line [[@LINE+15]]
// CHECK-NEXT: #3 site MPI_Send line [[@LINE+16]]
// CHECK-NEXT: node 0 #1: 2+0 1+1 *+3
// CHECK-NEXT: node 1 #2: *+0 2+1
// CHECK-NEXT: node 2 #3: *+0
// IR-LABEL: define {{.*}}@_Z7handlesi
// IR:         store i8 1, ptr
// IR-NEXT:    invoke void @_Z7outsidei
// IR:         landingpad
// IR-NEXT:    catch
// IR-NEXT:    store ptr %pilgrim.frame, ptr @__pilgrim_top
void handles(int N) {
  try {
    outside(N);
  } catch (int) {
    MPI_Recv(N);
  }
  MPI_Send(N);
}

// The handler is outside of the loop: the loop's frame is gone, and the path of the body is cut.
// CHECK:      function _Z6leavesi
// CHECK:      start
// CHECK:      region 1
void leaves(int N) {
  try {
    for (int I = 0; I < N; I++)
      outside(I);
  } catch (int) {
    MPI_Recv(N);
  }
  MPI_Send(N);
}

// Without markers: what is skipped is taken off.
// IR-LABEL: define {{.*}}@_Z5plaini
// IR:         landingpad
// IR-NEXT:    catch
// IR-NEXT:    call void @__pilgrim_drop()
int plain(int N) {
  try {
    outside(N);
  } catch (int) {
    return 1;
  }
  return 0;
}
