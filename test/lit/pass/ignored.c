// A function that the source says so of gets no markers; what calls it has the call as an event.
// REQUIRES: clang, pass
// RUN: %clang -O0 -emit-llvm -fpass-plugin=%pass -S %s -o - | FileCheck %s
// RUN: %clang -O2 -c -fpass-plugin=%pass %s -o %t.o && %list-tables %t.o | FileCheck %s --check-prefix=TABLES
int MPI_Send(int);

// CHECK-LABEL: define {{.*}} @silent(
// CHECK-NOT:   __pilgrim
// CHECK:       call i32 @MPI_Send
// CHECK-NOT:   __pilgrim
// CHECK:       ret i32
__attribute__((noinline, annotate("pilgrim_ignore"))) int silent(int N) {
  for (int I = 0; I < N; ++I)
    MPI_Send(I);
  return 0;
}

// CHECK-LABEL: define {{.*}} @loud(
// CHECK:       @__pilgrim_enter
// CHECK:       call i32 @silent
// CHECK:       @__pilgrim_exit
__attribute__((annotate("something else"))) int loud(int N) { return silent(N) + MPI_Send(N); }
// TABLES-NOT: silent
// TABLES: loud
