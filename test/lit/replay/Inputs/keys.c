// Many calls that differ in numbers and strings only: in a row, in loops, of two threads, by rank.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *makeKeys(void *Keys) {
  char Key[64], Value[64];
  const int Count = *(int *)Keys;
  int Flag, Length;
  MPI_Info Own;
  MPI_Info_create(&Own);
  MPI_Info_set(Own, "row", "k / 7");
  for (int I = 0; I < Count; ++I) {
    snprintf(Key, sizeof Key, "key {%d, \"%d\"}, \\ row", I, I * I % 97);
    snprintf(Value, sizeof Value, "what?\?!%d\n", I * I % 89);
    MPI_Info_set(Own, Key, Value);
  }
  for (int I = 0; I < Count; ++I) {
    MPI_Info_get_nthkey(Own, I, Key);
    Length = 20 + I * I % 40;
    MPI_Info_get_string(Own, Key, &Length, Value, &Flag);
  }
  for (int I = 3; I < Count; I += 7) {
    snprintf(Key, sizeof Key, "key {%d, \"%d\"}, \\ row", I, I * I % 97);
    MPI_Info_delete(Own, Key);
  }
  MPI_Info_free(&Own);
  return NULL;
}

int main(int Argc, char **Argv) {
  int Rank, Threads, Flag, Count = Argc > 1 ? atoi(Argv[1]) : 300, Few = 40;
  char Name[64], Value[64];
  MPI_Init_thread(&Argc, &Argv, MPI_THREAD_MULTIPLE, &Threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  makeKeys(&Count);
  // Ranks make different calls, and different numbers of them.
  MPI_Info Info;
  MPI_Info_create(&Info);
  for (int I = 0; I < 20 + 5 * Rank; ++I) {
    snprintf(Name, sizeof Name, "%d of rank %d", I, I % 3 ? 0 : Rank);
    MPI_Info_set(Info, Name, "");
    if (I % 4 == Rank)
      MPI_Info_get(Info, Name, 20 + I, Value, &Flag);
  }
  MPI_Info_free(&Info);
  // The same calls again and again.
  for (int Again = 0; Again < 3; ++Again)
    for (int I = 0; I < 50; ++I) {
      snprintf(Name, sizeof Name, "communicator %d", I * 7 % 50);
      MPI_Comm_set_name(MPI_COMM_WORLD, Name);
      MPI_Bcast(Name, I * I % 31, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
  if (Argc > 2) {
    pthread_t Other;
    pthread_create(&Other, NULL, makeKeys, &Few);
    pthread_join(Other, NULL);
  }
  MPI_Finalize();
  return 0;
}
