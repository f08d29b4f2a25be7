/* Calls that do not repeat.
 *
 *   irregular MODE CALLS
 *
 * MODE is signatures (one of 50, at random), values (tag, count and buffer change with each call), polling (MPI_Test a
 * random number of times), arrays (32 random numbers), any (MPI_Waitany over 1000 requests that complete in random
 * order), or strings (24 random letters). Prints the nanoseconds of a call, the kilobytes of memory in use behind the
 * last one, the seconds of MPI_Finalize, and the bits of what was drawn at random. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned long long state = 88172645463325252ull;
static double bits;

/* Below n, each equally probable. */
static int drawn(int n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int)(state % (unsigned long long)n);
}

static long memory(void) {
  char line[256];
  long kb = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "VmRSS: %ld", &kb) == 1)
      break;
  if (f)
    fclose(f);
  return kb;
}

static char buffer[1 << 19];

int main(int argc, char **argv) {
  enum { SIGNATURES = 50, LENGTH = 32, MANY = 1000 };
  MPI_Comm comms[SIGNATURES];
  long calls = argc == 3 ? atol(argv[2]) : 0, i;
  int rank, flag, j;
  double begin, end;
  const char *mode = argc == 3 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  if (!strcmp(mode, "signatures")) {
    for (i = 0; i < SIGNATURES; ++i)
      MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
    begin = now();
    for (i = 0; i < calls; ++i)
      MPI_Comm_rank(comms[drawn(SIGNATURES)], &rank);
    bits = log2(SIGNATURES) * (double)calls;
  } else if (!strcmp(mode, "values")) {
    begin = now();
    for (i = 0; i < calls; ++i) {
      int tag = drawn(30000), count = drawn(1000), offset = drawn(1 << 19);
      MPI_Send(buffer + offset, count, MPI_CHAR, MPI_PROC_NULL, tag, MPI_COMM_WORLD);
    }
    bits = (log2(30000) + log2(1000) + 19) * (double)calls;
  } else if (!strcmp(mode, "polling")) {
    begin = now();
    for (i = 0; i < calls;) {
      MPI_Request r;
      MPI_Irecv(buffer, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, &r);
      for (j = drawn(64), i += j + 3; j; --j)
        MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
      MPI_Send(buffer + 1, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
      bits += 6;
    }
  } else if (!strcmp(mode, "arrays")) {
    begin = now();
    for (i = 0; i < calls; i += 2) {
      int places[LENGTH];
      MPI_Datatype type;
      for (j = 0; j < LENGTH; ++j)
        places[j] = drawn(1 << 16);
      MPI_Type_create_indexed_block(LENGTH, 1, places, MPI_INT, &type);
      MPI_Type_free(&type);
      bits += 16 * LENGTH;
    }
  } else if (!strcmp(mode, "any")) {
    static MPI_Request requests[MANY];
    static int order[MANY];
    for (j = 0; j < MANY; ++j)
      order[j] = j;
    begin = now();
    for (i = 0; i < calls; i += 2 * MANY) {
      for (j = 0; j < MANY; ++j)
        MPI_Irecv(buffer + j, 1, MPI_CHAR, 0, j, MPI_COMM_SELF, &requests[j]);
      for (j = MANY; j > 0; --j) {
        int k = drawn(j), place = order[k];
        order[k] = order[j - 1];
        order[j - 1] = place;
        bits += log2(j);
        PMPI_Send(buffer + MANY, 1, MPI_CHAR, 0, place, MPI_COMM_SELF); /* which is not traced */
        MPI_Waitany(MANY, requests, &flag, MPI_STATUS_IGNORE);
      }
    }
  } else if (!strcmp(mode, "strings")) {
    char text[25] = "";
    MPI_Info info;
    MPI_Info_create(&info);
    begin = now();
    for (i = 0; i < calls; ++i) {
      for (j = 0; j < 24; ++j)
        text[j] = (char)('0' + drawn(64));
      MPI_Info_set(info, "name", text);
    }
    bits = 6 * 24 * (double)calls;
  } else {
    fprintf(stderr, "usage: irregular signatures|values|polling|arrays|any|strings CALLS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  end = now();
  printf("%.1f %ld ", (end - begin) * 1e9 / (double)calls, memory());
  begin = now();
  MPI_Finalize();
  printf("%.3f %.0f\n", now() - begin, bits);
  return 0;
}
