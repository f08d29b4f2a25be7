// An allocator that raises a signal in the middle of one of its calls, whoever makes it.
#include <signal.h>
#include <stddef.h>

void *__libc_malloc(size_t);
void __libc_free(void *);

static volatile long Left;
static int Signal;
static void (*Before)(void);

static void count(void) {
  if (Left && __atomic_sub_fetch(&Left, 1, __ATOMIC_SEQ_CST) == 0) {
    Before();
    raise(Signal);
  }
}

void *malloc(size_t Size) {
  count();
  void *Block = __libc_malloc(Size);
  count();
  return Block;
}

void free(void *Block) {
  count();
  __libc_free(Block);
  count();
}

void raiseLater(long Calls, int Number, void (*First)(void)) {
  Signal = Number;
  Before = First;
  Left = Calls;
}
