// What OpenMP runs on other threads is no event of the function that starts it, but a function of its own.
// REQUIRES: clang, pass
// RUN: %clang -O1 -g -fopenmp -fpass-plugin=%pass -I%S/Inputs -c %s -o %t.o
// RUN: %list-tables %t.o | FileCheck %s
#include "mpi.h"

// CHECK:      function parallel openmp.c
// CHECK-NEXT: region 0
// CHECK-NEXT: #1 site MPI_Recv
// CHECK-NEXT: node 0 #1: *+0
// CHECK:      function parallel.omp_outlined
// CHECK:      loop 1
// CHECK:      region 1
// CHECK:      site MPI_Send line [[@LINE+5]]
void parallel(int N) {
  MPI_Recv(0);
#pragma omp parallel for
  for (int I = 0; I < N; I++)
    MPI_Send(I);
}
