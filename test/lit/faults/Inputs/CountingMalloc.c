// A tool that counts allocations, as many do: wrappers that look the next ones
// up when they are first called, and a line at the end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long Made, Freed;
static char Early[65536];
static size_t EarlyUsed;

void *malloc(size_t Size) {
  static void *(*Next)(size_t);
  if (!Next)
    *(void **)&Next = dlsym(RTLD_NEXT, "malloc");
  ++Made;
  return Next(Size);
}

void *calloc(size_t Count, size_t Size) {
  static void *(*Next)(size_t, size_t);
  static int Looking;
  if (!Next && Looking) { // dlsym may call it
    void *P = Early + EarlyUsed;
    EarlyUsed += (Count * Size + 15) / 16 * 16;
    return P;
  }
  if (!Next) {
    Looking = 1;
    *(void **)&Next = dlsym(RTLD_NEXT, "calloc");
  }
  ++Made;
  return Next(Count, Size);
}

void free(void *P) {
  static void (*Next)(void *);
  if ((char *)P >= Early && (char *)P < Early + sizeof Early)
    return;
  if (!Next)
    *(void **)&Next = dlsym(RTLD_NEXT, "free");
  ++Freed;
  Next(P);
}

__attribute__((destructor)) static void report(void) {
  const char *Rank = getenv("PMI_RANK");
  char Line[100];
  int N = snprintf(Line, sizeof Line, "counted on rank %s: %s\n", Rank ? Rank : "?",
                   Made > 100 && Freed > 10 ? "yes" : "no");
  if (Rank && write(2, Line, N) < 0)
    return;
}
