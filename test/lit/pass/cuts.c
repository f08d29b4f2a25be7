// Where paths cannot be numbered as they are, they are cut: irreducible cycles, setjmp, computed goto.
// REQUIRES: clang, pass
// RUN: %clang -O1 -g -Werror -Wno-implicit-fallthrough -fpass-plugin=%pass -I%S/Inputs -c %s -o %t.o
// RUN: %list-tables %t.o | FileCheck %s
// RUN: %clang -O0 -g -Werror -Wno-implicit-fallthrough -fpass-plugin=%pass -I%S/Inputs -c %s -o %t.o
// RUN: %list-tables %t.o | FileCheck %s
#include "mpi.h"
int puts(const char *);
int _setjmp(void *) __attribute__((returns_twice));

// CHECK: function irreducible cuts.c:[[@LINE+8]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+7]]
// CHECK-NEXT:  #1 site MPI_Send line [[@LINE+10]]
// CHECK-NEXT:  #2 site MPI_Recv line [[@LINE+13]]
// CHECK-NEXT:  node 0: 2+0 *+1
// CHECK-NEXT:  node 1 #1: 2+0 *+1
// CHECK-NEXT:  node 2 #2: *+0
// CHECK-NEXT:  start 1 at 2
void irreducible(int N) {
  if (N & 1)
    goto B;
A:
  MPI_Send(1);
  if (N-- < 0)
    return;
B:
  MPI_Recv(2);
  if (N-- > 0)
    goto A;
}

// CHECK: function jumped cuts.c:[[@LINE+12]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+11]]
// CHECK-NEXT:  #1 site MPI_Send line [[@LINE+11]]
// CHECK-NEXT:  #2 arm 0 line [[@LINE+11]]
// CHECK-NEXT:  #3 site MPI_Recv line [[@LINE+11]] in #2
// CHECK-NEXT:  #4 site MPI_Send line [[@LINE+11]]
// CHECK-NEXT:  node 0: *+0 1+1
// CHECK-NEXT:  node 1 #1: *+0
// CHECK-NEXT:  node 2: *+0 3+1@2 4+3
// CHECK-NEXT:  node 3 #3: *+0 4+1
// CHECK-NEXT:  node 4 #4: *+0
// CHECK-NEXT:  start 2 at 2
int jumped(void *Buffer) {
  MPI_Send(1);
  if (_setjmp(Buffer))
    MPI_Recv(1);
  MPI_Send(2);
  return 0;
}

// CHECK: function computed cuts.c:[[@LINE+14]] site, 0 callees
// CHECK-NEXT:  region 0 line [[@LINE+13]]
// CHECK-NEXT:  #1 site MPI_Send line [[@LINE+16]]
// CHECK-NEXT:  #2 site MPI_Send line [[@LINE+17]]
// CHECK-NEXT:  #3 site MPI_Recv line [[@LINE+19]]
// CHECK-NEXT:  node 0: *+0
// CHECK-NEXT:  node 1: *+0
// CHECK-NEXT:  node 2 #1: *+0
// CHECK-NEXT:  node 3 #2: *+0
// CHECK-NEXT:  node 4 #3: *+0
// CHECK-NEXT:  start 1 at 1
// CHECK-NEXT:  start 2 at 2
// CHECK-NEXT:  start 3 at 3
// CHECK-NEXT:  start 4 at 4
void computed(int N) {
  static void *const Table[] = {&&A, &&B, &&C};
  goto *Table[N];
A:
  MPI_Send(1);
B:
  MPI_Send(2);
  goto *Table[N - 1];
C:
  MPI_Recv(3);
}
