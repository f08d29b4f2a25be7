// Opens files that it has not made by MPI, that are not there, and that must be new, time after time.
#include <mpi.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int opened(MPI_Comm Comm, const char *Name, int Mode, MPI_File *File) {
  return MPI_File_open(Comm, Name, Mode, MPI_INFO_NULL, File) == MPI_SUCCESS;
}

int main(int argc, char **argv) {
  int Rank, Color;
  char Line[16] = "fifteen letters";
  MPI_File File;
  MPI_Comm Half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  Color = Rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, Color, 0, &Half);
  if (Rank == 0) {
    FILE *Out = fopen("points", "w");
    for (int I = 0; I < 1000; ++I)
      fputs(Line, Out);
    fclose(Out);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (opened(MPI_COMM_WORLD, "points", MPI_MODE_RDONLY, &File)) {
    for (int I = 0; I < 3; ++I)
      MPI_File_read_at_all(File, 1000 * Rank + I, Line, 15, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&File);
  }
  if (opened(MPI_COMM_WORLD, argv[0], MPI_MODE_RDONLY, &File)) {
    MPI_File_read_all(File, Line, 4, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&File);
  }
  if (opened(Half, "absent", MPI_MODE_RDONLY, &File))
    MPI_File_close(&File);
  if (opened(Half, "no/folder", MPI_MODE_CREATE | MPI_MODE_WRONLY, &File))
    MPI_File_close(&File);
  if (Rank == 0) {
    mkdir("a", 0777);
    mkdir("a/folder", 0777);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (opened(MPI_COMM_WORLD, "ufs:a/folder/of", MPI_MODE_CREATE | MPI_MODE_WRONLY, &File)) {
    MPI_File_write_at(File, 15 * Rank, Line, 15, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&File);
  }
  for (int I = 0; I < 4; ++I) {
    if (opened(Half, Color ? "odd" : "even", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, &File)) {
      MPI_File_write_at(File, 15 * Rank, Line, 15, MPI_CHAR, MPI_STATUS_IGNORE);
      MPI_File_close(&File);
    }
    MPI_Barrier(Half);
    if (Rank < 2 && I != 1) // once it is still there
      unlink(Color ? "odd" : "even");
    MPI_Barrier(Half);
  }
  if (Rank < 2)
    unlink(Color ? "odd" : "even");
  MPI_Comm_free(&Half);
  MPI_Finalize();
  return 0;
}
