// Tail recursion, direct and mutual, a million calls deep, does not use up a stack of 1 MB.
// REQUIRES: clang, cxx, pass
// RUN: %clang --driver-mode=g++ -std=c++20 -shared -fPIC -I%source %source/test/pass/CheckRuntime.cpp -o %t.so
// RUN: %clang -O2 -fpass-plugin=%pass -I%S/Inputs %s %t.so -o %t
// RUN: ulimit -s 1024; %t 2>&1 | FileCheck %s
// RUN: %clang -O2 -g -flto -fuse-ld=lld -fpass-plugin=%pass -I%S/Inputs %s %t.so -o %t
// RUN: ulimit -s 1024; %t 2>&1 | FileCheck %s
// CHECK: done 3000000
// CHECK: check: 1 modules
#include "mpi.h"
#include <stdio.h>

static int direct(int N, int Sum) {
  if (N == 0)
    return Sum;
  if (N % 100000 == 0)
    MPI_Recv(0);
  return direct(N - 1, Sum + 1);
}

__attribute__((noinline)) int odd(int N, int Sum);
__attribute__((noinline)) int even(int N, int Sum) {
  if (N == 0)
    return Sum;
  MPI_Recv(0);
  for (int I = 0; I < 2; I++)
    if (N % 300000 == 0)
      MPI_Recv(0);
  return odd(N - 1, Sum + 1);
}
int odd(int N, int Sum) {
  if (N == 0)
    return Sum;
  int Copy = N;
  return even(Copy - 1, Sum + 1);
}

// No call of MPI of its own: what may reach it is elsewhere, for all that is known here.
void finish(void);
void unknown(int) __attribute__((weak));
__attribute__((noinline)) int quiet(int N, int Sum) {
  if (N == 0)
    return Sum;
  if (unknown)
    unknown(N);
  return quiet(N - 1, Sum + 1);
}

int main(void) {
  int Sum = direct(1000000, 0) + even(1000000, 0) + quiet(1000000, 0);
  printf("done %d\n", Sum);
  fflush(stdout);
  check_report();
  return 0;
}
