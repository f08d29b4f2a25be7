// Uses the library: linked, or loaded twice with dlopen() if a file is given.
#include "library.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void more(int I, void *Data) {
  long *Sum = Data;
  int Rank;
  *Sum += I;
  if (I % 2)
    MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
}

static void run(int Rounds, const char *File, long *Sum) {
#ifdef LINKED
  exchange(Rounds, more, Sum);
#else
  void *Library = dlopen(File, RTLD_NOW);
  void (*Exchange)(int, void (*)(int, void *), void *);
  if (!Library)
    fprintf(stderr, "%s\n", dlerror()), exit(2);
  *(void **)&Exchange = dlsym(Library, "exchange");
  Exchange(Rounds, more, Sum);
  dlclose(Library);
#endif
}

int main(int Argc, char **Argv) {
  long Sum = 0;
  MPI_Init(&Argc, &Argv);
  int Rounds = atoi(Argv[1]);
  for (int I = 0; I < 4; ++I)
    run(Rounds, Argv[2], &Sum);
  MPI_Finalize();
  printf("sum %ld\n", Sum);
  return 0;
}
