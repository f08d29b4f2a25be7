// The statuses that the MPI library returned, seen from beneath the tracer.
//
// Where a program ignores a status, the recorder, which stands above the
// tracer, cannot know what a wildcard receive matched, and must not pass a
// status of its own: the tracer is to see the call as the program made it. This
// second library is preloaded behind the tracer and stands in for the PMPI_
// functions that complete receives. It keeps the statuses of the thread's last
// such call for the recorder, whether or not the tracer asked for them.

#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static __thread MPI_Status *Kept;
static __thread int KeptCount, KeptRoom;

// For the recorder: the statuses and their number; forgets them if Count says
// -1.
EXPORT const MPI_Status *pilgrimTestSeen(int *Count) {
  if (*Count == -1)
    KeptCount = 0;
  *Count = KeptCount;
  return Kept;
}

static MPI_Status *room(int Count) {
  if (Count > KeptRoom) {
    KeptRoom = 2 * Count;
    Kept = realloc(Kept, KeptRoom * sizeof(MPI_Status));
    if (!Kept)
      abort();
  }
  return Kept;
}

// Where the call is to write: the caller's statuses, or ours.
static MPI_Status *target(MPI_Status *S, int Count) {
  MPI_Status *Ours = room(Count > 0 ? Count : 1);
  KeptCount = 0;
  return S == MPI_STATUS_IGNORE || S == MPI_STATUSES_IGNORE ? Ours : S;
}

static void keep(const MPI_Status *S, int Count) {
  if (Count > 0 && S != Kept)
    memcpy(Kept, S, Count * sizeof(MPI_Status));
  KeptCount = Count > 0 ? Count : 0;
}

#define NEXT(Function)                                                         \
  static __typeof__(&Function) Next;                                           \
  if (!Next && !(Next = (__typeof__(&Function))dlsym(RTLD_NEXT, #Function)))   \
    abort();

#define ONE(Function, Parameters, Arguments, Known)                            \
  EXPORT int Function Parameters {                                             \
    NEXT(Function)                                                             \
    MPI_Status *S = target(status, 1);                                         \
    int Code = Next Arguments;                                                 \
    keep(S, (Known) ? 1 : 0);                                                  \
    return Code;                                                               \
  }

ONE(PMPI_Recv,
    (void *buf, int count, MPI_Datatype datatype, int source, int tag,
     MPI_Comm comm, MPI_Status *status),
    (buf, count, datatype, source, tag, comm, S), 1)
ONE(PMPI_Sendrecv,
    (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
     int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype,
     int source, int recvtag, MPI_Comm comm, MPI_Status *status),
    (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
     source, recvtag, comm, S),
    1)
ONE(PMPI_Sendrecv_replace,
    (void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
     int source, int recvtag, MPI_Comm comm, MPI_Status *status),
    (buf, count, datatype, dest, sendtag, source, recvtag, comm, S), 1)
ONE(PMPI_Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status),
    (source, tag, comm, S), 1)
ONE(PMPI_Iprobe,
    (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
    (source, tag, comm, flag, S), *flag)
ONE(PMPI_Mprobe,
    (int source, int tag, MPI_Comm comm, MPI_Message *message,
     MPI_Status *status),
    (source, tag, comm, message, S), 1)
ONE(PMPI_Wait, (MPI_Request * request, MPI_Status *status), (request, S), 1)
ONE(PMPI_Test, (MPI_Request * request, int *flag, MPI_Status *status),
    (request, flag, S), *flag)
ONE(PMPI_Waitany,
    (int count, MPI_Request array_of_requests[], int *index,
     MPI_Status *status),
    (count, array_of_requests, index, S), *index != MPI_UNDEFINED)
ONE(PMPI_Testany,
    (int count, MPI_Request array_of_requests[], int *index, int *flag,
     MPI_Status *status),
    (count, array_of_requests, index, flag, S), *flag &&*index != MPI_UNDEFINED)

#define MANY(Function, Parameters, Arguments, Most, Known)                     \
  EXPORT int Function Parameters {                                             \
    NEXT(Function)                                                             \
    MPI_Status *S = target(array_of_statuses, Most);                           \
    int Code = Next Arguments;                                                 \
    keep(S, Known);                                                            \
    return Code;                                                               \
  }

MANY(PMPI_Waitall,
     (int count, MPI_Request array_of_requests[],
      MPI_Status array_of_statuses[]),
     (count, array_of_requests, S), count, count)
MANY(PMPI_Testall,
     (int count, MPI_Request array_of_requests[], int *flag,
      MPI_Status array_of_statuses[]),
     (count, array_of_requests, flag, S), count, *flag ? count : 0)
MANY(PMPI_Waitsome,
     (int incount, MPI_Request array_of_requests[], int *outcount,
      int array_of_indices[], MPI_Status array_of_statuses[]),
     (incount, array_of_requests, outcount, array_of_indices, S), incount,
     *outcount)
MANY(PMPI_Testsome,
     (int incount, MPI_Request array_of_requests[], int *outcount,
      int array_of_indices[], MPI_Status array_of_statuses[]),
     (incount, array_of_requests, outcount, array_of_indices, S), incount,
     *outcount)
