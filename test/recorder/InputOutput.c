// Files. The status of a read or write tells only how many bytes: source and
// tag have no meaning there.

#include "Recorder.h"

EXPORT int MPI_File_open(MPI_Comm comm, const char *filename, int amode,
                         MPI_Info info, MPI_File *fh) {
  static const NamedInt Modes[] = {
      NAMED(MPI_MODE_RDONLY),      NAMED(MPI_MODE_RDWR),
      NAMED(MPI_MODE_WRONLY),      NAMED(MPI_MODE_CREATE),
      NAMED(MPI_MODE_EXCL),        NAMED(MPI_MODE_DELETE_ON_CLOSE),
      NAMED(MPI_MODE_UNIQUE_OPEN), NAMED(MPI_MODE_SEQUENTIAL),
      NAMED(MPI_MODE_APPEND)};
  OPEN(MPI_File_open);
  addComm(&R, "comm", comm);
  addString(&R, "filename", filename);
  addBits(&R, "amode", amode, Modes, COUNT(Modes));
  addInfo(&R, "info", info);
  R.Code = PMPI_File_open(comm, filename, amode, info, fh);
  addCreated(&R, "fh", File, HANDLE(*fh));
  return closeRecord(&R);
}

EXPORT int MPI_File_close(MPI_File *fh) {
  OPEN(MPI_File_close);
  uint64_t Handle = HANDLE(*fh);
  addFile(&R, "fh", *fh);
  R.Code = PMPI_File_close(fh);
  forget(&R, File, Handle);
  return closeRecord(&R);
}

EXPORT int MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype,
                             MPI_Datatype filetype, const char *datarep,
                             MPI_Info info) {
  static const NamedInt Current[] = {NAMED(MPI_DISPLACEMENT_CURRENT)};
  OPEN(MPI_File_set_view);
  addFile(&R, "fh", fh);
  if (disp == MPI_DISPLACEMENT_CURRENT)
    addNamed(&R, "disp", (int)disp, Current, 1);
  else
    addInt(&R, "disp", disp);
  addType(&R, "etype", etype);
  addType(&R, "filetype", filetype);
  addString(&R, "datarep", datarep);
  addInfo(&R, "info", info);
  R.Code = PMPI_File_set_view(fh, disp, etype, filetype, datarep, info);
  return closeRecord(&R);
}

static void addFileStatus(Record *R, const MPI_Status *S) {
  addName(R, "status");
  if (S == MPI_STATUS_IGNORE)
    append(&R->Arguments, "\"MPI_STATUS_IGNORE\"");
  else if (R->Code == MPI_SUCCESS)
    append(&R->Arguments, "{\"bytes\":%lld}",
           bytesOf(S));
  else
    append(&R->Arguments, "null");
}

#define TRANSFER(Name, Const)                                                  \
  EXPORT int MPI_File_##Name(MPI_File fh, MPI_Offset offset, Const void *buf,  \
                             int count, MPI_Datatype datatype,                 \
                             MPI_Status *status) {                             \
    OPEN(MPI_File_##Name);                                                     \
    addFile(&R, "fh", fh);                                                     \
    addInt(&R, "offset", offset);                                              \
    addBuffer(&R, "buf", buf);                                                 \
    addInt(&R, "count", count);                                                \
    addType(&R, "datatype", datatype);                                         \
    R.Code = PMPI_File_##Name(fh, offset, buf, count, datatype, status);       \
    addFileStatus(&R, status);                                                 \
    return closeRecord(&R);                                                    \
  }

TRANSFER(write_at, const)
TRANSFER(write_at_all, const)
TRANSFER(read_at, )
