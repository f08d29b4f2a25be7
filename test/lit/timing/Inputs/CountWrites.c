// Says at the end how many bytes a process has written at places of files.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static long Bytes;

ssize_t pwrite(int File, const void *From, size_t Count, off_t Place) {
  const ssize_t Done = syscall(SYS_pwrite64, File, From, Count, Place);
  if (Done > 0)
    Bytes += Done;
  return Done;
}
ssize_t pwrite64(int, const void *, size_t, off_t) __attribute__((alias("pwrite")));

__attribute__((destructor)) static void say(void) { fprintf(stderr, "wrote %ld\n", Bytes); }
