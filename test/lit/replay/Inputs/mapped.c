/* Memory of unknown origin: mapped by system calls that nobody sees. Ranges of no ranks, and the address of
   nothing. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { Page = 4096 };

/* A region of its own. */
static char *region(void) {
  char *At = (char *)syscall(SYS_mmap, 0, 6 * Page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(At + Page, 4 * Page, PROT_READ | PROT_WRITE);
  return At + Page;
}

int main(void) {
  int Rank, None[1][3] = {{0, 0, 0}};
  MPI_Group World, Same;
  MPI_Aint Bottom;
  MPI_Init(0, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  char *First = region(), *Second = region();
  for (int I = 0; I < 40; ++I) {
    MPI_Bcast(First + 16 * I, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(Second + 2 * Page + Rank * 64, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  MPI_Get_address(MPI_BOTTOM, &Bottom);
  MPI_Comm_group(MPI_COMM_WORLD, &World);
  MPI_Group_range_excl(World, Rank > 4, None, &Same);
  MPI_Group_free(&Same);
  MPI_Group_free(&World);
  MPI_Finalize();
  return 0;
}
