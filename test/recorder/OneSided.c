// One-sided communication.

#include "Recorder.h"

EXPORT int MPI_Win_create(void *base, MPI_Aint size, int disp_unit,
                          MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  OPEN(MPI_Win_create);
  addBuffer(&R, "base", base);
  addInt(&R, "size", size);
  addInt(&R, "disp_unit", disp_unit);
  addInfo(&R, "info", info);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Win_create(base, size, disp_unit, info, comm, win);
  addCreated(&R, "win", Win, HANDLE(*win));
  return closeRecord(&R);
}

EXPORT int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info,
                            MPI_Comm comm, void *baseptr, MPI_Win *win) {
  OPEN(MPI_Win_allocate);
  addInt(&R, "size", size);
  addInt(&R, "disp_unit", disp_unit);
  addInfo(&R, "info", info);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Win_allocate(size, disp_unit, info, comm, baseptr, win);
  if (R.Code == MPI_SUCCESS)
    addBuffer(&R, "baseptr", *(void **)baseptr);
  else
    addNull(&R, "baseptr");
  addCreated(&R, "win", Win, HANDLE(*win));
  return closeRecord(&R);
}

EXPORT int MPI_Win_fence(int assert, MPI_Win win) {
  static const NamedInt Asserts[] = {
      NAMED(MPI_MODE_NOCHECK), NAMED(MPI_MODE_NOSTORE), NAMED(MPI_MODE_NOPUT),
      NAMED(MPI_MODE_NOPRECEDE), NAMED(MPI_MODE_NOSUCCEED)};
  OPEN(MPI_Win_fence);
  addBits(&R, "assert", assert, Asserts, COUNT(Asserts));
  addWin(&R, "win", win);
  R.Code = PMPI_Win_fence(assert, win);
  return closeRecord(&R);
}

EXPORT int MPI_Win_free(MPI_Win *win) {
  OPEN(MPI_Win_free);
  uint64_t Handle = HANDLE(*win);
  addWin(&R, "win", *win);
  R.Code = PMPI_Win_free(win);
  forget(&R, Win, Handle);
  return closeRecord(&R);
}

static void addTransfer(Record *R, const void *Origin, int OriginCount,
                        MPI_Datatype OriginType, int Target, MPI_Aint Disp,
                        int TargetCount, MPI_Datatype TargetType) {
  addBuffer(R, "origin_addr", Origin);
  addInt(R, "origin_count", OriginCount);
  addType(R, "origin_datatype", OriginType);
  addRank(R, "target_rank", Target);
  addInt(R, "target_disp", Disp);
  addInt(R, "target_count", TargetCount);
  addType(R, "target_datatype", TargetType);
}

#define TRANSFER(Name, Const)                                                  \
  EXPORT int MPI_##Name(Const void *origin_addr, int origin_count,             \
                        MPI_Datatype origin_datatype, int target_rank,         \
                        MPI_Aint target_disp, int target_count,                \
                        MPI_Datatype target_datatype, MPI_Win win) {           \
    OPEN(MPI_##Name);                                                          \
    addTransfer(&R, origin_addr, origin_count, origin_datatype, target_rank,   \
                target_disp, target_count, target_datatype);                   \
    addWin(&R, "win", win);                                                    \
    R.Code =                                                                   \
        PMPI_##Name(origin_addr, origin_count, origin_datatype, target_rank,   \
                    target_disp, target_count, target_datatype, win);          \
    return closeRecord(&R);                                                    \
  }

TRANSFER(Put, const)
TRANSFER(Get, )

EXPORT int MPI_Accumulate(const void *origin_addr, int origin_count,
                          MPI_Datatype origin_datatype, int target_rank,
                          MPI_Aint target_disp, int target_count,
                          MPI_Datatype target_datatype, MPI_Op op,
                          MPI_Win win) {
  OPEN(MPI_Accumulate);
  addTransfer(&R, origin_addr, origin_count, origin_datatype, target_rank,
              target_disp, target_count, target_datatype);
  addOp(&R, "op", op);
  addWin(&R, "win", win);
  R.Code =
      PMPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank,
                      target_disp, target_count, target_datatype, op, win);
  return closeRecord(&R);
}
