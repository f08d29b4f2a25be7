// Copies of one inline function, its markers and its tables are one in the program, whichever objects were built with
// the plugin, and however they are linked. Exceptions go through frames, and a catch in an object that has no markers
// leaves the frames below it out.
// REQUIRES: clang, cxx, pass
// RUN: rm -rf %t && split-file %s %t && cp %S/Inputs/mpi.h %t
// RUN: %clang --driver-mode=g++ -std=c++20 -shared -fPIC -I%source %source/test/pass/CheckRuntime.cpp -o %t/libcheck.so
// RUN: %clang --driver-mode=g++ -O1 -fpass-plugin=%pass -c %t/a.cpp -o %t/a.o
// RUN: %clang --driver-mode=g++ -O1 -fpass-plugin=%pass -fPIC -ffunction-sections -c %t/b.cpp -o %t/b.o
// RUN: %clang --driver-mode=g++ -O2 -c %t/b.cpp -o %t/unmarked.o

// In an object, each inline function has a table of its own, in its group.
// RUN: %list-tables %t/a.o | grep '^function' | LC_ALL=C sort | FileCheck --check-prefix=TABLES %s
// TABLES:      function _Z6sharedi :0 site
// TABLES-NEXT: function _Z7reachesIiET_S0_ :0
// TABLES-NEXT: function _ZN5GuardD
// TABLES:      function main

// RUN: %clang --driver-mode=g++ %t/a.o %t/b.o -L%t -lcheck -Wl,-rpath,%t -o %t/bfd && %t/bfd > %t/out 2> %t/err
// RUN: FileCheck --check-prefix=ONE %s < %t/err && cp %t/out %t/expected
// ONE: check: 1 modules, 6 functions
// RUN: %clang --driver-mode=g++ %t/b.o %t/a.o -fuse-ld=lld -Wl,--gc-sections -L%t -lcheck -Wl,-rpath,%t -o %t/lld
// RUN: %t/lld > %t/out 2> %t/err && diff %t/out %t/expected && FileCheck --check-prefix=ONE %s < %t/err
// RUN: %clang --driver-mode=g++ %t/a.o %t/b.o -no-pie -Wl,--gc-sections -L%t -lcheck -Wl,-rpath,%t -o %t/gc
// RUN: %t/gc > %t/out 2> %t/err && diff %t/out %t/expected && FileCheck --check-prefix=ONE %s < %t/err

// The unmarked copy is kept, or the marked one.
// RUN: %clang --driver-mode=g++ %t/unmarked.o %t/a.o -L%t -lcheck -Wl,-rpath,%t -o %t/first
// RUN: %t/first > %t/out && diff %t/out %t/expected
// RUN: %clang --driver-mode=g++ %t/a.o %t/unmarked.o -fuse-ld=lld -L%t -lcheck -Wl,-rpath,%t -o %t/last
// RUN: %t/last > %t/out && diff %t/out %t/expected

// In one object, in an archive, in a shared library.
// RUN: ld -r %t/a.o %t/b.o -o %t/both.o
// RUN: %clang --driver-mode=g++ %t/both.o -L%t -lcheck -Wl,-rpath,%t -o %t/relocatable
// RUN: %t/relocatable > %t/out 2> %t/err && diff %t/out %t/expected && FileCheck --check-prefix=ONE %s < %t/err
// RUN: ar rcs %t/libb.a %t/b.o
// RUN: %clang --driver-mode=g++ %t/a.o -L%t -lb -lcheck -Wl,-rpath,%t -o %t/archive
// RUN: %t/archive > %t/out 2> %t/err && diff %t/out %t/expected && FileCheck --check-prefix=ONE %s < %t/err
// RUN: rm %t/libb.a && %clang --driver-mode=g++ -shared %t/b.o -o %t/libb.so
// RUN: %clang --driver-mode=g++ %t/a.o -L%t -lb -lcheck -Wl,-rpath,%t -o %t/shared
// RUN: %t/shared > %t/out 2> %t/err && diff %t/out %t/expected && FileCheck --check-prefix=TWO %s < %t/err
// TWO: check: 2 modules

// With optimisation at link time the pass does not run again.
// RUN: %clang --driver-mode=g++ -O2 -flto -fpass-plugin=%pass %t/a.cpp %t/b.cpp -fuse-ld=lld -L%t -lcheck \
// RUN:   -Wl,-rpath,%t -o %t/lto
// RUN: %t/lto > %t/out 2> %t/err && diff %t/out %t/expected && FileCheck --check-prefix=ONE %s < %t/err
// RUN: %clang --driver-mode=g++ -O2 -flto=thin -fpass-plugin=%pass %t/a.cpp %t/b.cpp -fuse-ld=lld -L%t -lcheck \
// RUN:   -Wl,-rpath,%t -o %t/thin
// RUN: %t/thin > %t/out 2> %t/err && diff %t/out %t/expected && FileCheck --check-prefix=ONE %s < %t/err

//--- a.h
#include "mpi.h"
struct Guard {
  ~Guard() { MPI_Recv(0); }
};
int outside(int N);
inline int shared(int N) {
  for (int I = 0; I < N; I++)
    if (I % 2)
      MPI_Send(100);
  return N;
}
template <class T> T reaches(T N) { return outside(N) + 1; }

//--- a.cpp
#include "a.h"
#include <cstdio>
int main() {
  MPI_Init(nullptr, nullptr);
  for (int I = 0; I < 10; I++) {
    try {
      Guard G;
      shared(I);
      for (int J = 0; J < 3; J++)
        reaches(I + J);
    } catch (int E) {
      MPI_Send(E);
    }
  }
  MPI_Finalize();
  std::fflush(stdout);
  check_report();
}

//--- b.cpp
#include "a.h"
static int inner(int N) {
  if (N > 9)
    throw 200;
  shared(3);
  return N;
}
int outside(int N) {
  try {
    return inner(N) + (N > 7 ? inner(N + 2) : 0);
  } catch (int E) {
    if (N > 10)
      throw;
    shared(2);
    return 0;
  }
}
