// Loops with events are regions; what leaves them in several ways is a choice of the region around them.
// REQUIRES: clang, pass
// RUN: %clang -O1 -g -Werror -Wno-implicit-fallthrough -fpass-plugin=%pass -I%S/Inputs -c %s -o %t.o
// RUN: %list-tables %t.o | FileCheck %s
// RUN: %clang -O0 -g -Werror -Wno-implicit-fallthrough -fpass-plugin=%pass -I%S/Inputs -c %s -o %t.o
// RUN: %list-tables %t.o | FileCheck %s
#include "mpi.h"
int puts(const char *);

// CHECK: function triangular loops.c:[[@LINE+12]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+11]]
// CHECK-NEXT:  #1 loop 1 line [[@LINE+11]]
// CHECK-NEXT:  node 0 #1: *+0
// CHECK-NEXT:  region 1 line [[@LINE+9]]
// CHECK-NEXT:  #1 loop 2 line [[@LINE+9]]
// CHECK-NEXT:  node 0: 1+0 *+1
// CHECK-NEXT:  node 1 #1: *+0
// CHECK-NEXT:  region 2 line [[@LINE+6]]
// CHECK-NEXT:  #1 site MPI_Send line [[@LINE+6]]
// CHECK-NEXT:  node 0: 1+0 *+1
// CHECK-NEXT:  node 1 #1: *+0
void triangular(int N) {
  for (int I = 0; I < N; I++)
    for (int J = 0; J < I; J++)
      MPI_Send(J);
}

// CHECK: function breakAndReturn loops.c:[[@LINE+16]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+15]]
// CHECK-NEXT:  #1 loop 1 line [[@LINE+15]]
// CHECK-NEXT:  #2 arm 0 line [[@LINE+18]]
// CHECK-NEXT:  #3 site MPI_Send line [[@LINE+23]]
// CHECK-NEXT:  #4 site MPI_Send line [[@LINE+17]] in #2
// CHECK-NEXT:  node 0 #1: 1+0 2+1@2
// CHECK-NEXT:  node 1 #3: *+0
// CHECK-NEXT:  node 2 #4: *+0
// The two ways out of the loop that lead to the first call are no branch.
// CHECK-NEXT:  region 1 line [[@LINE+7]]
// CHECK-NEXT:  #1 site MPI_Send line [[@LINE+7]]
// CHECK-NEXT:  #2 site MPI_Send line [[@LINE+13]]
// CHECK-NEXT:  node 0: 1+0 *+2
// CHECK-NEXT:  node 1 #1: 2+0 *+1
// CHECK-NEXT:  node 2 #2: *+0
int breakAndReturn(int N) {
  for (int I = 0; I < N; I++) {
    MPI_Send(I);
    if (I == 7)
      break;
    if (I == 9) {
      MPI_Send(9);
      return 2;
    }
    MPI_Send(2);
  }
  MPI_Send(3);
  return 0;
}

// CHECK: function continues loops.c:[[@LINE+12]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+11]]
// CHECK-NEXT:  #1 loop 1 line [[@LINE+11]]
// CHECK-NEXT:  node 0 #1: *+0
// CHECK-NEXT:  region 1 line [[@LINE+9]]
// CHECK-NEXT:  #1 arm 1 line [[@LINE+9]]
// CHECK-NEXT:  #2 site MPI_Send line [[@LINE+10]] in #1
// CHECK-NEXT:  #3 arm 1 line [[@LINE+10]] in #1
// CHECK-NEXT:  #4 site MPI_Recv line [[@LINE+11]] in #3
// CHECK-NEXT:  node 0: 1+0@1 *+2
// CHECK-NEXT:  node 1 #2: 2+0@3 *+1
// CHECK-NEXT:  node 2 #4: *+0
void continues(int N) {
  while (N--) {
    if (N % 2)
      continue;
    MPI_Send(N);
    if (N % 3)
      continue;
    MPI_Recv(N);
  }
}

// CHECK: function doWhile loops.c:[[@LINE+7]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+6]]
// CHECK-NEXT:  #1 loop 1 line [[@LINE+6]]
// CHECK-NEXT:  node 0 #1: *+0
// CHECK-NEXT:  region 1 line [[@LINE+4]]
// CHECK-NEXT:  #1 site MPI_Send line [[@LINE+4]]
// CHECK-NEXT:  node 0 #1: *+0
void doWhile(int N) {
  do
    MPI_Send(N);
  while (--N);
}

// CHECK: function infinite loops.c:[[@LINE+9]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+8]]
// CHECK-NEXT:  #1 loop 1 line [[@LINE+8]]
// CHECK-NEXT:  node 0 #1: *+0
// CHECK-NEXT:  region 1 line [[@LINE+6]]
// CHECK-NEXT:  #1 site MPI_Send line [[@LINE+6]]
// CHECK-NEXT:  #2 site MPI_Recv line [[@LINE+8]]
// CHECK-NEXT:  node 0 #1: 1+0 *+1
// CHECK-NEXT:  node 1 #2: *+0
void infinite(int N) {
  for (;;) {
    MPI_Send(N);
    if (N++ > 9)
      break;
    MPI_Recv(N);
  }
}

// CHECK: function neverEnds loops.c:[[@LINE+7]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+6]]
// CHECK-NEXT:  #1 loop 1 line [[@LINE+6]]
// CHECK-NEXT:  node 0 #1: *+0
// CHECK-NEXT:  region 1 line [[@LINE+4]]
// CHECK-NEXT:  #1 site MPI_Send line [[@LINE+4]]
// CHECK-NEXT:  node 0 #1: *+0
void neverEnds(void) {
  for (;;)
    MPI_Send(1);
}

// CHECK: function leavesTwoLoops loops.c:[[@LINE+13]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+12]]
// CHECK-NEXT:  #1 loop 1 line [[@LINE+12]]
// CHECK-NEXT:  #2 site MPI_Recv line [[@LINE+18]]
// CHECK-NEXT:  node 0 #1: 1+0
// CHECK-NEXT:  node 1 #2: *+0
// CHECK-NEXT:  region 1 line [[@LINE+8]]
// CHECK-NEXT:  #1 loop 2 line [[@LINE+8]]
// CHECK-NEXT:  node 0 #1: *+0
// CHECK-NEXT:  region 2 line [[@LINE+6]]
// CHECK-NEXT:  #1 site MPI_Send line [[@LINE+6]]
// CHECK-NEXT:  node 0: 1+0 *+1
// CHECK-NEXT:  node 1 #1: *+0
void leavesTwoLoops(int N) {
  for (;;)
    for (int I = 0; I < N; I++) {
      MPI_Send(I);
      if (I == 3)
        goto Out;
    }
Out:
  MPI_Recv(0);
}

// CHECK: function withoutEvents loops.c:[[@LINE+4]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+3]]
// CHECK-NEXT:  #1 site MPI_Send line [[@LINE+10]]
// CHECK-NEXT:  node 0 #1: *+0
int withoutEvents(int N) {
  int Sum = 0;
  for (int I = 0; I < N; I++) {
    if (I % 3)
      Sum += I;
    if (Sum > 100)
      break;
  }
  MPI_Send(Sum);
  return Sum;
}
