// Preloaded into ranks by run.py: at the end of the process writes the peak
// resident memory in kB (VmHWM), the seconds since its start and the program's
// name into a file named after the process in the folder PILGRIM_BENCH_MEASURE.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct timespec Start;

__attribute__((constructor)) static void begin(void) {
  clock_gettime(CLOCK_MONOTONIC, &Start);
}

static long peakMemory(void) {
  FILE *Status = fopen("/proc/self/status", "r");
  char Line[256];
  long Peak = -1;
  while (Status && Peak < 0 && fgets(Line, sizeof(Line), Status))
    sscanf(Line, "VmHWM: %ld", &Peak);
  if (Status)
    fclose(Status);
  return Peak;
}

__attribute__((destructor)) static void end(void) {
  const char *Folder = getenv("PILGRIM_BENCH_MEASURE");
  if (!Folder)
    return;
  struct timespec End;
  clock_gettime(CLOCK_MONOTONIC, &End);
  char Path[4096];
  snprintf(Path, sizeof(Path), "%s/%ld", Folder, (long)getpid());
  FILE *File = fopen(Path, "w");
  if (!File)
    return;
  fprintf(File, "%ld %.9f %s\n", peakMemory(),
          (double)(End.tv_sec - Start.tv_sec) +
              (double)(End.tv_nsec - Start.tv_nsec) * 1e-9,
          program_invocation_short_name);
  fclose(File);
}
