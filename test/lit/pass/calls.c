// Events are MPI calls, calls that may reach one, and computed calls; the C library is none.
// REQUIRES: clang, pass
// RUN: %clang -O1 -g -Werror -Wno-implicit-fallthrough -fpass-plugin=%pass -I%S/Inputs -c %s -o %t.o
// RUN: %list-tables %t.o | FileCheck %s
// RUN: %clang -O0 -g -Werror -Wno-implicit-fallthrough -fpass-plugin=%pass -I%S/Inputs -c %s -o %t.o
// RUN: %list-tables %t.o | FileCheck %s
#include "mpi.h"
int puts(const char *);
double MPI_Wtime(void);
int PMPI_Send(int);
int MPIX_Unheard(void);

// CHECK: function kinds calls.c:[[@LINE+18]] site, 3 callees
// CHECK-NEXT:  region 0 line [[@LINE+17]]
// CHECK-NEXT:  #1 call line [[@LINE+19]]
// CHECK-NEXT:  #2 call unknown line [[@LINE+20]]
// CHECK-NEXT:  #3 arm 0 line [[@LINE+21]]
// CHECK-NEXT:  #4 arm 1 line [[@LINE+20]]
// CHECK-NEXT:  #5 call ends line [[@LINE+20]] in #3
// CHECK-NEXT:  #6 site PMPI_Send line [[@LINE+20]] in #4
// CHECK-NEXT:  #7 call MPIX_Unheard line [[@LINE+20]] in #4
// CHECK-NEXT:  node 0 #1: 1+0
// CHECK-NEXT:  node 1 #2: 2+0@3 3+1@4
// CHECK-NEXT:  node 2 #5: *+0
// CHECK-NEXT:  node 3 #6: 4+0
// CHECK-NEXT:  node 4 #7: *+0
int unknown(int);
_Noreturn void ends(int);
extern int (*Pointer)(int);
static int quiet(int N) { return N + 1; }
void kinds(int N) {
  double Time = MPI_Wtime();
  puts("library");
  Pointer(N);
  quiet(N);
  unknown(N);
  __asm__ volatile("");
  if (N == (int)Time)
    ends(N);
  PMPI_Send(N);
  MPIX_Unheard();
}

// CHECK: function odd calls.c:[[@LINE+22]] site, 1 callees
// CHECK-NEXT:  region 0 line [[@LINE+21]]
// CHECK-NEXT:  #1 site MPI_Send line [[@LINE+21]]
// CHECK-NEXT:  #2 arm 0 line [[@LINE+21]]
// CHECK-NEXT:  #3 call even line [[@LINE+21]] in #2
// CHECK-NEXT:  #4 site MPI_Recv line [[@LINE+21]]
// CHECK-NEXT:  node 0 #1: 1+0@2 2+1
// CHECK-NEXT:  node 1 #3: 2+0
// CHECK-NEXT:  node 2 #4: *+0
// CHECK: function even calls.c:[[@LINE+19]] site, 1 callees
// CHECK-NEXT:  region 0 line [[@LINE+18]]
// CHECK-NEXT:  #1 arm 0 line [[@LINE+18]]
// CHECK-NEXT:  #2 call odd line [[@LINE+18]] in #1
// CHECK-NEXT:  #3 site MPI_Send line [[@LINE+18]]
// CHECK-NEXT:  node 0: 1+0@1 2+1
// CHECK-NEXT:  node 1 #2: 2+0
// CHECK-NEXT:  node 2 #3: *+0
// CHECK: function mutual calls.c:[[@LINE+16]], 1 callees
// CHECK-NEXT:  region 0 line [[@LINE+15]]
// CHECK-NEXT:  #1 call odd line [[@LINE+14]]
// CHECK-NEXT:  node 0 #1: *+0
void even(int N);
void odd(int N) {
  MPI_Send(N);
  if (N)
    even(N - 1);
  MPI_Recv(N);
}
void even(int N) {
  if (N)
    odd(N - 1);
  MPI_Send(N);
}
void mutual(int N) { odd(N); }

// CHECK: function twice calls.c:[[@LINE+10]] site, 1 callees
// CHECK-NEXT:  region 0 line [[@LINE+9]]
// CHECK-NEXT:  #1 arm 0 line [[@LINE+9]]
// CHECK-NEXT:  #2 call twice line [[@LINE+9]] in #1
// CHECK-NEXT:  #3 site MPI_Send line [[@LINE+9]] in #1
// CHECK-NEXT:  #4 call twice line [[@LINE+9]] in #1
// CHECK-NEXT:  node 0: 1+0@1 *+1
// CHECK-NEXT:  node 1 #2: 2+0
// CHECK-NEXT:  node 2 #3: 3+0
// CHECK-NEXT:  node 3 #4: *+0
void twice(int N) {
  if (N > 0) {
    twice(N - 1);
    MPI_Send(N);
    twice(N - 2);
    puts("then");
  }
}

// CHECK: function inLoop calls.c:[[@LINE+10]] site, 1 callees
// CHECK-NEXT:  region 0 line [[@LINE+9]]
// CHECK-NEXT:  #1 loop 1 line [[@LINE+9]]
// CHECK-NEXT:  #2 site MPI_Send line [[@LINE+10]]
// CHECK-NEXT:  node 0 #1: 1+0
// CHECK-NEXT:  node 1 #2: *+0
// CHECK-NEXT:  region 1 line [[@LINE+5]]
// CHECK-NEXT:  #1 call inLoop line [[@LINE+5]]
// CHECK-NEXT:  node 0: 1+0 *+1
// CHECK-NEXT:  node 1 #1: *+0
void inLoop(int N) {
  for (int I = 0; I < N; I++)
    inLoop(I);
  MPI_Send(N);
}
