// A program without MPI, which would use it if it were there.
#include <stdio.h>

extern int MPI_Initialized(int *) __attribute__((weak));

int main(void) {
  int flag = 7;
  if (MPI_Initialized)
    MPI_Initialized(&flag);
  printf("flag %d\n", flag);
  return 3;
}
