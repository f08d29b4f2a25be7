#include <mpi.h>

void exchange(int Rounds, void (*Each)(int, void *), void *Data);
