// A small function that reaches only what other objects define is emitted twice behind one test: plain, and with
// markers. A larger one has its markers in place.
// REQUIRES: clang, pass
// RUN: %clang -O1 -emit-llvm -Xclang -disable-llvm-passes -S %s -o %t.ll
// RUN: %opt -load-pass-plugin=%pass -passes=pilgrim,verify -S %t.ll -o - | FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%pass -S %s -o - | FileCheck --check-prefix=ASM %s
int outside(int);
struct Big { long A[5]; };
int printf(const char *, ...);

// CHECK: @plain.pilgrim.flag = private global i8 0
// CHECK: @plain.pilgrim.record = private constant {{.*}} @plain.pilgrim.flag {{.*}} section "pilgrim_functions", align 8
// CHECK: @__pilgrim.{{.*}}.record = private constant {{.*}}, i32 0 }, section "pilgrim_functions", align 8

// CHECK-LABEL: define {{.*}}i32 @plain(i32 noundef %0)
// CHECK:         load i8, ptr @plain.pilgrim.flag
// CHECK-NEXT:    icmp ne
// CHECK-NEXT:    br i1 {{.*}}, label %marked, label %plain, !prof
// CHECK:       plain:
// CHECK-NOT:     @__pilgrim_enter
// CHECK:         call i32 @outside
// CHECK:       marked:
// CHECK-NEXT:    [[R:%.*]] = tail call i32 @plain.pilgrim(i32 noundef %0)
// CHECK-NEXT:    ret i32 [[R]]
// ASM-LABEL: plain:
// ASM:         cmpb $0, {{.*}}plain.pilgrim.flag(%rip)
// ASM-NEXT:    jne plain.pilgrim
int plain(int N) { return outside(N) + outside(N + 1); }

// What has arguments after the named ones cannot hand them on.
// CHECK-LABEL: define {{.*}}@variadic
// CHECK-NOT:     pilgrim
// CHECK:       {{^}}}
int variadic(int N, ...) { return outside(N) + 1; }

// It has its markers in place if it is larger.
// CHECK-LABEL: define {{.*}}@largerVariadic
// CHECK-NOT:     .flag
// CHECK:         call preserve_mostcc void @__pilgrim_enter(ptr
int largerVariadic(int N, ...) {
  N = N * 5 + N % 7 + (N & 3) * (N ^ 5) + N / 11 + (N << 2) * (N | 8) - (N >> 3);
  return outside(N) * 5 + N % 9 + (N & 3) * (N ^ 7) + N / 13;
}

// Nothing to be seen here.
// CHECK-LABEL: define {{.*}}@harmless
// CHECK-NOT:     pilgrim
// CHECK:       {{^}}}
int harmless(int N) { return printf("%d", N); }

// A structure on the stack is handed on.
// CHECK-LABEL: define {{.*}}@byValue
// CHECK:         call i64 @byValue.pilgrim(ptr noundef byval(
long byValue(struct Big B) { return outside(1) + B.A[3]; }

// One that surely makes an MPI call has its markers in place.
int MPI_Send(int);
// CHECK-LABEL: define {{.*}}@certain
// CHECK-NOT:     .flag
// CHECK:         call preserve_mostcc void @__pilgrim_enter(ptr %pilgrim.frame
// CHECK:         call i32 @outside
void certain(int N) {
  outside(N);
  MPI_Send(N);
}

// A loop of little more than calls is worth a copy,
// CHECK-LABEL: define {{.*}}@dense
// CHECK:         load i8, ptr @dense.pilgrim.flag
int dense(int N) {
  for (int I = 0; I < 3; I++)
    N = outside(N) * 5 + N % 7 + (N & 3) * (N ^ I) + N / 11 + (N << 2) * (N | 8) - (N >> 3);
  return N;
}

// but not a large function's.
// CHECK-LABEL: define {{.*}}@large
// CHECK-NOT:     .flag
// CHECK:         call preserve_mostcc void @__pilgrim_enter(ptr
// CHECK:         call preserve_mostcc void @__pilgrim_enter_loop(ptr %pilgrim.frame, i32 65537)
// CHECK:         call i32 @outside
int large(int N) {
  for (int I = 0; I < 3; I++) {
    N = outside(N) * 5 + N % 7 + (N & 3) * (N ^ I) + N / 11 + (N << 2) * (N | 8) - (N >> 3);
    N = N * 5 + N % 9 + (N & 3) * (N ^ I) + N / 13 + (N << 2) * (N | 8) - (N >> 3);
    N = N * 5 + N % 5 + (N & 3) * (N ^ I) + N / 17 + (N << 2) * (N | 8) - (N >> 3);
    N = N * 5 + N % 3 + (N & 3) * (N ^ I) + N / 19 + (N << 2) * (N | 8) - (N >> 3);
  }
  return N;
}

// Where the loop does nothing else it is worth one.
// CHECK-LABEL: define {{.*}}@largeWithCalls
// CHECK:         load i8, ptr @largeWithCalls.pilgrim.flag
int largeWithCalls(int N) {
  for (int I = 0; I < 3; I++)
    outside(N);
  N = N * 5 + N % 7 + (N & 3) * (N ^ 5) + N / 11 + (N << 2) * (N | 8) - (N >> 3);
  N = N * 5 + N % 9 + (N & 3) * (N ^ 7) + N / 13 + (N << 2) * (N | 8) - (N >> 3);
  N = N * 5 + N % 5 + (N & 3) * (N ^ 9) + N / 17 + (N << 2) * (N | 8) - (N >> 3);
  N = N * 5 + N % 3 + (N & 3) * (N ^ 6) + N / 19 + (N << 2) * (N | 8) - (N >> 3);
  return N;
}

// CHECK-LABEL: define internal {{.*}}i32 @plain.pilgrim(i32 noundef %0)
// CHECK:         call preserve_mostcc void @__pilgrim_enter(ptr %pilgrim.frame
// CHECK:         call i32 @outside
// CHECK:         call preserve_mostcc void @__pilgrim_exit(ptr %pilgrim.frame
// CHECK:         ret i32
