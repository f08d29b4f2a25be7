// Sections of OpenMP's in functions with setjmp, where paths have values between two events of one block: what is told
// agrees with the calls that are made. The library is none: one thread runs this.
// REQUIRES: clang, cxx, pass
// RUN: %clang --driver-mode=g++ -std=c++20 -shared -fPIC -I%source %source/test/pass/CheckRuntime.cpp -o %t.so
// RUN: echo 'int __kmpc_global_thread_num(void *A) { return 0; } void __kmpc_critical(void *A, int B, void *C) {}' > %t.library.c
// RUN: echo 'void __kmpc_end_critical(void *A, int B, void *C) {}' >> %t.library.c && %clang -w -c %t.library.c -o %t.library.o
// RUN: for O in -O0 -O1 -O3; do %clang $O -g -fopenmp -fpass-plugin=%pass -I%S/Inputs -c %s -o %t.o && \
// RUN:   %clang %t.o %t.library.o %t.so -o %t && %t > %t.out 2>&1 && FileCheck %s < %t.out || exit 1; done
// CHECK: check: 1 modules, 3 functions, 47 calls
#include "mpi.h"
#include <setjmp.h>
#include <stdio.h>

static jmp_buf Place;

__attribute__((noinline)) static void mayJump(int Jumps) {
  MPI_Send(0);
  if (Jumps)
    longjmp(Place, 1);
}

__attribute__((noinline)) static void jumps(volatile int N) {
  MPI_Send(0);
  if (setjmp(Place))
    N = 0;
  MPI_Recv(0);
#pragma omp critical(outer)
  {
    MPI_Send(0);
    MPI_Recv(0);
#pragma omp critical(inner)
    MPI_Send(0);
    for (int I = 0; I < 2; I++) {
#pragma omp critical
      MPI_Recv(0);
      if (I == N)
        MPI_Send(0);
    }
  }
  mayJump(N);
  MPI_Recv(0);
}

int main(void) {
  MPI_Init(0, 0);
  for (int N = 0; N < 3; N++)
    jumps(N);
  MPI_Finalize();
  fflush(stdout);
  check_report();
  return 0;
}
