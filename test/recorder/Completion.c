// Completion of requests: the Wait and Test families.

#include "Recorder.h"

EXPORT int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  OPEN(MPI_Wait);
  Request **Known = addRequests(&R, "request", request, 1, false);
  R.Code = PMPI_Wait(request, status);
  addCompletion(&R, "status", status, Known[0], true);
  completeRequest(Known[0]);
  endRequests(Known);
  return closeRecord(&R);
}

static bool addOutFlag(Record *R, const int *Flag) {
  if (R->Code != MPI_SUCCESS) {
    addNull(R, "flag");
    return false;
  }
  addFlag(R, "flag", *Flag);
  return *Flag;
}

EXPORT int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  OPEN(MPI_Test);
  Request **Known = addRequests(&R, "request", request, 1, false);
  R.Code = PMPI_Test(request, flag, status);
  bool Done = addOutFlag(&R, flag);
  addCompletion(&R, "status", status, Known[0], Done);
  if (Done)
    completeRequest(Known[0]);
  endRequests(Known);
  return closeRecord(&R);
}

// One of many is complete, or none was active.
static void endAny(Record *R, Request **Known, int *Index, bool Done,
                   MPI_Status *Status) {
  if (R->Code == MPI_SUCCESS)
    addIndex(R, "index", *Index);
  else
    addNull(R, "index");
  Request *Which = NULL;
  if (Done && R->Code == MPI_SUCCESS && *Index != MPI_UNDEFINED)
    Which = Known[*Index];
  addCompletion(R, "status", Status, Which, Done);
  if (Which)
    completeRequest(Which);
  endRequests(Known);
}

EXPORT int MPI_Waitany(int count, MPI_Request array_of_requests[], int *index,
                       MPI_Status *status) {
  OPEN(MPI_Waitany);
  addInt(&R, "count", count);
  Request **Known =
      addRequests(&R, "array_of_requests", array_of_requests, count, true);
  R.Code = PMPI_Waitany(count, array_of_requests, index, status);
  endAny(&R, Known, index, true, status);
  return closeRecord(&R);
}

EXPORT int MPI_Testany(int count, MPI_Request array_of_requests[], int *index,
                       int *flag, MPI_Status *status) {
  OPEN(MPI_Testany);
  addInt(&R, "count", count);
  Request **Known =
      addRequests(&R, "array_of_requests", array_of_requests, count, true);
  R.Code = PMPI_Testany(count, array_of_requests, index, flag, status);
  bool Done = addOutFlag(&R, flag);
  endAny(&R, Known, index, Done, status);
  return closeRecord(&R);
}

static void endAll(Record *R, Request **Known, int Count, bool Done,
                   MPI_Status *Statuses) {
  addCompletions(R, "array_of_statuses", Statuses, Known, NULL, Count, Done);
  bool InStatus = R->Code != MPI_SUCCESS;
  for (int I = 0; Done && I < Count; ++I)
    if (!InStatus || Statuses == MPI_STATUSES_IGNORE ||
        errorClass(Statuses[I].MPI_ERROR) != MPI_ERR_PENDING)
      completeRequest(Known[I]);
  endRequests(Known);
}

EXPORT int MPI_Waitall(int count, MPI_Request array_of_requests[],
                       MPI_Status array_of_statuses[]) {
  OPEN(MPI_Waitall);
  addInt(&R, "count", count);
  Request **Known =
      addRequests(&R, "array_of_requests", array_of_requests, count, true);
  R.Code = PMPI_Waitall(count, array_of_requests, array_of_statuses);
  endAll(&R, Known, count, true, array_of_statuses);
  return closeRecord(&R);
}

EXPORT int MPI_Testall(int count, MPI_Request array_of_requests[], int *flag,
                       MPI_Status array_of_statuses[]) {
  OPEN(MPI_Testall);
  addInt(&R, "count", count);
  Request **Known =
      addRequests(&R, "array_of_requests", array_of_requests, count, true);
  R.Code = PMPI_Testall(count, array_of_requests, flag, array_of_statuses);
  bool Done = addOutFlag(&R, flag);
  endAll(&R, Known, count, Done, array_of_statuses);
  return closeRecord(&R);
}

static void endSome(Record *R, Request **Known, const int *OutCount,
                    const int *Indices, MPI_Status *Statuses) {
  bool Valid =
      R->Code == MPI_SUCCESS || errorClass(R->Code) == MPI_ERR_IN_STATUS;
  if (!Valid) {
    addNull(R, "outcount");
    addNull(R, "array_of_indices");
    addNull(R, "array_of_statuses");
    endRequests(Known);
    return;
  }
  int Count = *OutCount == MPI_UNDEFINED ? 0 : *OutCount;
  addIndex(R, "outcount", *OutCount);
  addInts(R, "array_of_indices", Indices, Count);
  addCompletions(R, "array_of_statuses", Statuses, Known, Indices, Count, true);
  for (int I = 0; I < Count; ++I)
    completeRequest(Known[Indices[I]]);
  endRequests(Known);
}

EXPORT int MPI_Waitsome(int incount, MPI_Request array_of_requests[],
                        int *outcount, int array_of_indices[],
                        MPI_Status array_of_statuses[]) {
  OPEN(MPI_Waitsome);
  addInt(&R, "incount", incount);
  Request **Known =
      addRequests(&R, "array_of_requests", array_of_requests, incount, true);
  R.Code = PMPI_Waitsome(incount, array_of_requests, outcount, array_of_indices,
                         array_of_statuses);
  endSome(&R, Known, outcount, array_of_indices, array_of_statuses);
  return closeRecord(&R);
}

EXPORT int MPI_Testsome(int incount, MPI_Request array_of_requests[],
                        int *outcount, int array_of_indices[],
                        MPI_Status array_of_statuses[]) {
  OPEN(MPI_Testsome);
  addInt(&R, "incount", incount);
  Request **Known =
      addRequests(&R, "array_of_requests", array_of_requests, incount, true);
  R.Code = PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices,
                         array_of_statuses);
  endSome(&R, Known, outcount, array_of_indices, array_of_statuses);
  return closeRecord(&R);
}
