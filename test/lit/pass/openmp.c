// What OpenMP's library is given to call, it calls: regions and tasks are events, and so is what may run tasks. The
// functions that a compiler makes have the names of their directives.
// REQUIRES: clang, pass
// RUN: %clang -O1 -g -fopenmp -fpass-plugin=%pass -I%S/Inputs -c %s -o %t.o
// RUN: %list-tables %t.o | FileCheck %s
#include "mpi.h"

// CHECK:      function parallel openmp.c
// CHECK-NEXT: region 0
// CHECK-NEXT: #1 site MPI_Recv
// CHECK-NEXT: #2 call parallel region line [[@LINE+9]]
// CHECK-NEXT: node 0 #1: 1+0
// CHECK-NOT:  function parallel.omp_outlined
// CHECK:      function parallel region openmp.c:[[@LINE+6]]
// CHECK:      loop 1
// CHECK:      region 1
// CHECK:      site MPI_Send line [[@LINE+5]]
void parallel(int N) {
  MPI_Recv(0);
#pragma omp parallel for
  for (int I = 0; I < N; I++)
    MPI_Send(I);
}

// CHECK:      function tasks openmp.c
// CHECK:      #1 call task region line [[@LINE+5]]
// CHECK:      #2 call OpenMP taskwait line [[@LINE+6]]
// CHECK:      function task region openmp.c:[[@LINE+3]]
// CHECK:      site MPI_Send line [[@LINE+3]]
void tasks(int N) {
#pragma omp task
  MPI_Send(N);
#pragma omp taskwait
}

// Regions without MPI are none, and nothing that may run tasks is reason enough for markers.
// CHECK-NOT:  function
void other(int *A, int N) {
#pragma omp parallel for
  for (int I = 0; I < N; I++)
    A[I] = I;
#pragma omp barrier
}
