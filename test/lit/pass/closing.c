// A loop whose only way back comes by a site has no marker on its back edge: the site's call is the end of the visit.
// An event that is the only one is stored before the loop.
// REQUIRES: clang, pass
// RUN: %clang -O1 -fpass-plugin=%pass -I%S/Inputs -emit-llvm -S %s -o - | FileCheck %s
#include "mpi.h"
int outside(int), other(void);

// CHECK-LABEL: define {{.*}}@single(
// CHECK:         call {{.*}}@__pilgrim_enter_loop
// CHECK:         store i8 1
// CHECK-NOT:     @__pilgrim_next
// CHECK-NOT:     store i8
// CHECK:         call {{.*}}@MPI_Send
// CHECK-NOT:     @__pilgrim_next
void single(int N) {
  for (int I = 0; I < N; I++)
    MPI_Send(I);
}

// CHECK-LABEL: define {{.*}}@leaves(
// CHECK:         call {{.*}}@__pilgrim_enter_loop
// CHECK-NOT:     @__pilgrim_next
// CHECK:         store i8 1
// CHECK-NEXT:    call {{.*}}@MPI_Send
// CHECK-NOT:     @__pilgrim_next
// CHECK:         store i8 2
// CHECK-NEXT:    call {{.*}}@MPI_Recv
// CHECK-NOT:     @__pilgrim_next
void leaves(int N) {
  for (int I = 0; I < N; I++) {
    MPI_Send(I);
    if (I * I == N)
      return;
    MPI_Recv(I);
  }
}

// Two ways back.
// CHECK-LABEL: define {{.*}}@continues(
// CHECK:         call {{.*}}@__pilgrim_next
void continues(int N) {
  for (int I = 0; I < N; I++) {
    if (I & 1)
      continue;
    MPI_Send(I);
  }
}

// What comes last may make calls, or none.
// CHECK-LABEL: define {{.*}}@endsInCall(
// CHECK:         call {{.*}}@__pilgrim_next
void endsInCall(int N) {
  for (int I = 0; I < N; I++) {
    MPI_Send(I);
    outside(I);
  }
}

// A computed call is an event: what it leads to does not stand at the last one of the visit before.
// CHECK-LABEL: define {{.*}}@computed(
// CHECK-NOT:     call {{.*}}@__pilgrim_next
void computed(int N, void (*F)(void)) {
  for (int I = 0; I < N; I++) {
    F();
    MPI_Send(I);
  }
}
