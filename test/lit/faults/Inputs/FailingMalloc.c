// malloc that fails for libpilgrim's own use from the FAIL_FROM'th call on.
// What the program allocates comes through libpilgrim's wrappers of the same
// names, and succeeds.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t);

void *malloc(size_t Size) {
  static atomic_long Left = -1;
  static _Thread_local int Inside __attribute__((tls_model("initial-exec")));
  static atomic_int Known;
  if (Inside)
    return __libc_malloc(Size);
  Inside = 1;
  if (!atomic_exchange(&Known, 1)) {
    const char *From = getenv("FAIL_FROM");
    atomic_store(&Left, From ? atol(From) : -1);
  }
  Dl_info I;
  int Fails = 0;
  if (atomic_load(&Left) >= 0 && dladdr(__builtin_return_address(0), &I) && I.dli_fname &&
      strstr(I.dli_fname, "libpilgrim.so") && (!I.dli_sname || strcmp(I.dli_sname, "malloc") != 0)) {
    Fails = atomic_load(&Left) == 0;
    if (!Fails)
      atomic_fetch_sub(&Left, 1);
  }
  Inside = 0;
  if (Fails) {
    errno = ENOMEM;
    return 0;
  }
  return __libc_malloc(Size);
}
