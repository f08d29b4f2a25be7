// Branches that decide on events are choices; others are none.
// REQUIRES: clang, pass
// RUN: %clang -O1 -g -Werror -Wno-implicit-fallthrough -fpass-plugin=%pass -I%S/Inputs -c %s -o %t.o
// RUN: %list-tables %t.o | FileCheck %s
// RUN: %clang -O0 -g -Werror -Wno-implicit-fallthrough -fpass-plugin=%pass -I%S/Inputs -c %s -o %t.o
// RUN: %list-tables %t.o | FileCheck %s
#include "mpi.h"
int puts(const char *);

// CHECK: function either branches.c:[[@LINE+11]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+10]]
// CHECK-NEXT:  #1 arm 0 line [[@LINE+10]]
// CHECK-NEXT:  #2 arm 1 line [[@LINE+9]]
// CHECK-NEXT:  #3 site MPI_Send line [[@LINE+9]] in #1
// CHECK-NEXT:  #4 site MPI_Send line [[@LINE+10]] in #2
// CHECK-NEXT:  #5 site MPI_Recv line [[@LINE+10]] in #2
// CHECK-NEXT:  node 0: 1+0@1 2+1@2
// CHECK-NEXT:  node 1 #3: *+0
// CHECK-NEXT:  node 2 #4: 3+0
// CHECK-NEXT:  node 3 #5: *+0
void either(int C) {
  if (C) {
    MPI_Send(1);
  } else {
    MPI_Send(2);
    MPI_Recv(3);
  }
}

// CHECK: function collapsed branches.c:[[@LINE+8]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+7]]
// CHECK-NEXT:  #1 arm 0 line [[@LINE+7]]
// CHECK-NEXT:  #2 site MPI_Send line [[@LINE+7]] in #1
// CHECK-NEXT:  #3 site MPI_Send line [[@LINE+10]]
// CHECK-NEXT:  node 0: 1+0@1 2+1
// CHECK-NEXT:  node 1 #2: 2+0
// CHECK-NEXT:  node 2 #3: *+0
void collapsed(int C) {
  if (C)
    MPI_Send(1);
  puts("x");
  if (C & 2)
    puts("y");
  MPI_Send(2);
}

// CHECK: function shortCircuit branches.c:[[@LINE+9]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+8]]
// CHECK-NEXT:  #1 arm 0 line [[@LINE+8]]
// CHECK-NEXT:  #2 arm 1 line [[@LINE+7]]
// CHECK-NEXT:  #3 site MPI_Send line [[@LINE+7]] in #1
// CHECK-NEXT:  #4 site MPI_Send line [[@LINE+8]] in #2
// CHECK-NEXT:  node 0: 1+0@1 2+1@2
// CHECK-NEXT:  node 1 #3: *+0
// CHECK-NEXT:  node 2 #4: *+0
void shortCircuit(int A, int B) {
  if (A && B)
    MPI_Send(1);
  else
    MPI_Send(2);
}

// CHECK: function earlyReturn branches.c:[[@LINE+6]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+5]]
// CHECK-NEXT:  #1 arm 1 line [[@LINE+5]]
// CHECK-NEXT:  #2 site MPI_Send line [[@LINE+6]] in #1
// CHECK-NEXT:  node 0: 1+0@1 *+1
// CHECK-NEXT:  node 1 #2: *+0
int earlyReturn(int A) {
  if (A < 0)
    return 1;
  MPI_Send(1);
  return 0;
}

// CHECK: function sequence branches.c:[[@LINE+14]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+13]]
// CHECK-NEXT:  #1 arm 0 line [[@LINE+13]]
// CHECK-NEXT:  #2 site MPI_Send line [[@LINE+13]] in #1
// CHECK-NEXT:  #3 arm 0 line [[@LINE+13]]
// CHECK-NEXT:  #4 site MPI_Send line [[@LINE+13]] in #3
// CHECK-NEXT:  #5 arm 0 line [[@LINE+13]]
// CHECK-NEXT:  #6 site MPI_Send line [[@LINE+13]] in #5
// CHECK-NEXT:  node 0: 1+0@1 2+4
// CHECK-NEXT:  node 1 #2: 2+0
// CHECK-NEXT:  node 2: 3+0@3 4+2
// CHECK-NEXT:  node 3 #4: 4+0
// CHECK-NEXT:  node 4: 5+0@5 *+1
// CHECK-NEXT:  node 5 #6: *+0
void sequence(int A) {
  if (A & 1)
    MPI_Send(1);
  if (A & 2)
    MPI_Send(2);
  if (A & 4)
    MPI_Send(4);
}

// CHECK: function elseIf branches.c:[[@LINE+12]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+11]]
// CHECK-NEXT:  #1 arm 0 line [[@LINE+11]]
// CHECK-NEXT:  #2 arm 0 line [[@LINE+12]]
// CHECK-NEXT:  #3 arm 0 line [[@LINE+13]]
// CHECK-NEXT:  #4 site MPI_Send line [[@LINE+9]] in #1
// CHECK-NEXT:  #5 site MPI_Send line [[@LINE+10]] in #2
// CHECK-NEXT:  #6 site MPI_Send line [[@LINE+11]] in #3
// CHECK-NEXT:  node 0: 1+0@1 2+1@2 3+2@3 *+3
// CHECK-NEXT:  node 1 #4: *+0
// CHECK-NEXT:  node 2 #5: *+0
// CHECK-NEXT:  node 3 #6: *+0
void elseIf(int A) {
  if (A == 1)
    MPI_Send(1);
  else if (A == 2)
    MPI_Send(2);
  else if (A == 3)
    MPI_Send(3);
}

// CHECK: function switches branches.c:[[@LINE+13]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+12]]
// CHECK-NEXT:  #1 arm 18 line [[@LINE+12]]
// CHECK-NEXT:  #2 arm 30 line [[@LINE+11]]
// CHECK-NEXT:  #3 site MPI_Send line [[@LINE+12]] in #1
// CHECK-NEXT:  #4 site MPI_Send line [[@LINE+13]]
// CHECK-NEXT:  #5 site MPI_Send line [[@LINE+15]] in #2
// CHECK-NEXT:  #6 site MPI_Recv line [[@LINE+21]]
// CHECK-NEXT:  node 0: 4+0 1+1@1 2+2 3+3@2 *+4
// CHECK-NEXT:  node 1 #3: 2+0
// CHECK-NEXT:  node 2 #4: 4+0
// CHECK-NEXT:  node 3 #5: 4+0
// CHECK-NEXT:  node 4 #6: *+0
void switches(int A) {
  switch (A) {
  case 1:
    MPI_Send(1);
  case 2:
    MPI_Send(2);
    break;
  case 7:
    MPI_Send(7);
    break;
  case 9:
    return;
  default:
    puts("none");
  }
  MPI_Recv(3);
}

// CHECK: function gotos branches.c:[[@LINE+12]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+11]]
// CHECK-NEXT:  #1 loop 1 line [[@LINE+10]]
// CHECK-NEXT:  #2 arm 1 line [[@LINE+14]]
// CHECK-NEXT:  #3 site MPI_Send line [[@LINE+15]] in #2
// CHECK-NEXT:  #4 site MPI_Recv line [[@LINE+16]]
// CHECK-NEXT:  node 0 #1: 2+0 1+1@2
// CHECK-NEXT:  node 1 #3: 2+0
// CHECK-NEXT:  node 2 #4: *+0
// CHECK-NEXT:  region 1 line [[@LINE+3]]
// CHECK-NEXT:  #1 site MPI_Send line [[@LINE+4]]
// CHECK-NEXT:  node 0 #1: *+0
void gotos(int N) {
Again:
  MPI_Send(N);
  if (N-- > 3)
    goto Again;
  if (N == 2)
    goto Out;
  MPI_Send(2);
Out:
  MPI_Recv(3);
}
