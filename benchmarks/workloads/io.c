// MPI-IO on one shared temporary file: collective writes at offsets and through
// a view, independent, shared-pointer and nonblocking reads, seeks. A
// checkpoint of the kind that Recorder 2.0 (IPDPSW 2020) and ScalaIOTrace look
// at in FLASH and POP. The file is removed at the end.
#include "Workload.h"

#include <unistd.h>

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 4, 64);
  char Path[256] = "";
  if (W.Rank == 0) {
    const char *Folder = getenv("TMPDIR");
    snprintf(Path, sizeof(Path), "%s/pilgrim-io-%d", Folder ? Folder : "/tmp",
             (int)getpid());
  }
  MPI_Bcast(Path, sizeof(Path), MPI_CHAR, 0, MPI_COMM_WORLD);
  size_t Block = (size_t)W.Size * sizeof(double), Row = Block * (size_t)W.Ranks;
  double *Buffer = newBuffer(W.Size);
  MPI_File File;
  MPI_Status Status;
  MPI_Request Request;
  MPI_Datatype Strided, Shifted;
  int Count;

  // Row after row: every rank its block, at an explicit offset.
  MPI_File_open(MPI_COMM_WORLD, Path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                MPI_INFO_NULL, &File);
  for (int Step = 0; Step < W.Iterations; ++Step) {
    stamp(Buffer, W.Size, W.Rank, 0, Step);
    MPI_File_write_at_all(
        File, (MPI_Offset)((size_t)Step * Row + (size_t)W.Rank * Block), Buffer,
        W.Size, MPI_DOUBLE, &Status);
    MPI_Get_count(&Status, MPI_DOUBLE, &Count);
    require(&W, Count == W.Size);
  }
  MPI_File_sync(File);
  MPI_Barrier(MPI_COMM_WORLD);

  // The neighbour's blocks, through a view that shows nothing else.
  int Next = (W.Rank + 1) % W.Ranks;
  MPI_Type_contiguous(W.Size, MPI_DOUBLE, &Strided);
  MPI_Type_create_resized(Strided, 0, (MPI_Aint)Row, &Shifted);
  MPI_Type_commit(&Shifted);
  MPI_File_set_view(File, (MPI_Offset)((size_t)Next * Block), MPI_DOUBLE,
                    Shifted, "native", MPI_INFO_NULL);
  for (int Step = 0; Step < W.Iterations; ++Step) {
    MPI_File_read_all(File, Buffer, W.Size, MPI_DOUBLE, MPI_STATUS_IGNORE);
    expect(&W, Buffer, W.Size, Next, 0, Step);
  }
  MPI_Offset Place = 0;
  MPI_File_seek(File, (MPI_Offset)W.Size * (W.Iterations - 1), MPI_SEEK_SET);
  MPI_File_get_position(File, &Place);
  MPI_File_iread(File, Buffer, W.Size, MPI_DOUBLE, &Request);
  MPI_Wait(&Request, &Status);
  expect(&W, Buffer, W.Size, Next, 0, W.Iterations - 1);
  require(&W, Place == (MPI_Offset)W.Size * (W.Iterations - 1));

  // Own blocks again, without a view, by independent reads.
  MPI_File_set_view(File, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  for (int Step = 0; Step < W.Iterations; ++Step) {
    MPI_File_read_at(File,
                     (MPI_Offset)((size_t)Step * Row + (size_t)W.Rank * Block),
                     Buffer, W.Size, MPI_DOUBLE, MPI_STATUS_IGNORE);
    expect(&W, Buffer, W.Size, W.Rank, 0, Step);
  }
  MPI_Offset Size = 0;
  MPI_File_get_size(File, &Size);
  require(&W, Size == (MPI_Offset)((size_t)W.Iterations * Row));
  MPI_File_close(&File);

  MPI_Type_free(&Shifted);
  MPI_Type_free(&Strided);
  MPI_Barrier(MPI_COMM_WORLD);
  if (W.Rank == 0)
    MPI_File_delete(Path, MPI_INFO_NULL);
  free(Buffer);
  return endWorkload(&W, "io");
}
