// Loops without events are vectorised, and run without markers, in functions with events and next to calls.
// REQUIRES: clang, pass
// RUN: %clang -O2 -S -emit-llvm -fpass-plugin=%pass -I%S/Inputs %s -o - | FileCheck %s
#include "mpi.h"

// CHECK-LABEL: define {{.*}}@compute(
// CHECK-NOT:     {{^}}}
// CHECK:         fmul <{{[0-9]+}} x float>
// CHECK:         call {{.*}}@MPI_Send
// CHECK:       {{^}}}
void compute(int N, float *restrict A, const float *restrict B) {
  for (int Step = 0; Step < 10; Step++) {
    for (int I = 0; I < N; I++)
      A[I] = A[I] * B[I];
    MPI_Send(Step);
  }
}

// Code that reaches no MPI is as it was.
// CHECK-LABEL: define {{.*}}@quiet(
// CHECK-NOT:     pilgrim
// CHECK:       {{^}}}
float quiet(int N, const float *A) {
  float Sum = 0;
  for (int I = 0; I < N; I++)
    Sum += A[I];
  return Sum;
}
