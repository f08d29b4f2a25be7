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

// What stands between two calls of the library is an arm, from the first of them on: within arms of branches and around
// them. Nothing tells of a section that has no event.
// CHECK:      function sections openmp.c
// CHECK-NEXT: region 0
// CHECK-NEXT: #1 arm 0 line [[@LINE+15]]
// CHECK-NEXT: #2 arm 7 update line [[@LINE+15]] in #1
// CHECK-NEXT: #3 site MPI_Send line [[@LINE+16]] in #2
// CHECK-NEXT: #4 arm 0 line [[@LINE+16]] in #2
// CHECK-NEXT: #5 site MPI_Recv line [[@LINE+16]] in #4
// CHECK-NEXT: #6 site MPI_Send line [[@LINE+17]] in #1
// CHECK-NEXT: #7 arm 7 line [[@LINE+20]]
// CHECK-NEXT: #8 site MPI_Send line [[@LINE+20]] in #7
// CHECK-NEXT: node 0: 1+0@1 5+2
// CHECK-NEXT: node 1 #2: 2+0
// CHECK-NEXT: node 2 #3: 3+0@4 4+1
// CHECK-NEXT: node 3 #5: 4+0
// CHECK-NEXT: node 4 #6: 5+0
// CHECK-NEXT: node 5 #7: 6+0
void sections(int N) {
  if (N > 3) {
#pragma omp critical(update)
    {
      MPI_Send(1);
      if (N)
        MPI_Recv(2);
    }
    MPI_Send(3);
  }
#pragma omp critical
  N++;
#pragma omp critical
  MPI_Send(N);
}

// Regions without MPI are none, and nothing that may run tasks is reason enough for markers.
// CHECK-NOT:  function
void other(int *A, int N) {
#pragma omp parallel for
  for (int I = 0; I < N; I++)
    A[I] = I;
#pragma omp barrier
}
