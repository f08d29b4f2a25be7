// Names of objects: the standard's for predefined ones, else one of our own
// that no other object of the run has.
//
// A handle that a covered function did not make is named when it is first
// passed, "other-comm7"; all other names come from the call that created the
// object. MPI may return a handle that the program already holds (groups): then
// it is one object until it was freed as often.

#include "Recorder.h"

#include <pthread.h>
#include <stdlib.h>

static const char *const KindNames[] = {"comm", "type", "group",   "op",
                                        "win",  "file", "message", "info"};

typedef struct {
  Kind K;
  uint64_t Handle;
  const char *Name;
} Predefined;

// Handles are no constants everywhere, so the table is made at run time.
#define P(K, Constant)                                                         \
  { K, HANDLE(Constant), #Constant }
static const char *predefinedName(Kind K, uint64_t Handle) {
  const Predefined Table[] = {
      P(Comm, MPI_COMM_NULL),
      P(Comm, MPI_COMM_WORLD),
      P(Comm, MPI_COMM_SELF),
      P(Group, MPI_GROUP_NULL),
      P(Group, MPI_GROUP_EMPTY),
      P(Win, MPI_WIN_NULL),
      P(File, MPI_FILE_NULL),
      P(Message, MPI_MESSAGE_NULL),
      P(Message, MPI_MESSAGE_NO_PROC),
      P(Info, MPI_INFO_NULL),
      P(Info, MPI_INFO_ENV),
      P(Op, MPI_OP_NULL),
      P(Op, MPI_MAX),
      P(Op, MPI_MIN),
      P(Op, MPI_SUM),
      P(Op, MPI_PROD),
      P(Op, MPI_LAND),
      P(Op, MPI_BAND),
      P(Op, MPI_LOR),
      P(Op, MPI_BOR),
      P(Op, MPI_LXOR),
      P(Op, MPI_BXOR),
      P(Op, MPI_MINLOC),
      P(Op, MPI_MAXLOC),
      P(Op, MPI_REPLACE),
      P(Op, MPI_NO_OP),
      P(Datatype, MPI_DATATYPE_NULL),
      P(Datatype, MPI_CHAR),
      P(Datatype, MPI_SIGNED_CHAR),
      P(Datatype, MPI_UNSIGNED_CHAR),
      P(Datatype, MPI_BYTE),
      P(Datatype, MPI_WCHAR),
      P(Datatype, MPI_SHORT),
      P(Datatype, MPI_UNSIGNED_SHORT),
      P(Datatype, MPI_INT),
      P(Datatype, MPI_UNSIGNED),
      P(Datatype, MPI_LONG),
      P(Datatype, MPI_UNSIGNED_LONG),
      P(Datatype, MPI_LONG_LONG_INT),
      P(Datatype, MPI_UNSIGNED_LONG_LONG),
      P(Datatype, MPI_FLOAT),
      P(Datatype, MPI_DOUBLE),
      P(Datatype, MPI_LONG_DOUBLE),
      P(Datatype, MPI_PACKED),
      P(Datatype, MPI_INT8_T),
      P(Datatype, MPI_INT16_T),
      P(Datatype, MPI_INT32_T),
      P(Datatype, MPI_INT64_T),
      P(Datatype, MPI_UINT8_T),
      P(Datatype, MPI_UINT16_T),
      P(Datatype, MPI_UINT32_T),
      P(Datatype, MPI_UINT64_T),
      P(Datatype, MPI_C_BOOL),
      P(Datatype, MPI_C_FLOAT_COMPLEX),
      P(Datatype, MPI_C_DOUBLE_COMPLEX),
      P(Datatype, MPI_C_LONG_DOUBLE_COMPLEX),
      P(Datatype, MPI_AINT),
      P(Datatype, MPI_OFFSET),
      P(Datatype, MPI_COUNT),
      P(Datatype, MPI_FLOAT_INT),
      P(Datatype, MPI_DOUBLE_INT),
      P(Datatype, MPI_LONG_INT),
      P(Datatype, MPI_SHORT_INT),
      P(Datatype, MPI_2INT),
      P(Datatype, MPI_LONG_DOUBLE_INT),
  };
  for (int I = 0; I < COUNT(Table); ++I)
    if (Table[I].K == K && Table[I].Handle == Handle)
      return Table[I].Name;
  return NULL;
}

typedef struct Object {
  struct Object *Next;
  Kind K;
  uint64_t Handle;
  unsigned Number;
  unsigned References;
  bool Other; // made by a function that is not covered
} Object;

static pthread_mutex_t Lock = PTHREAD_MUTEX_INITIALIZER;
static Object *Objects;
static unsigned Created;

static Object *find(Kind K, uint64_t Handle, bool Other) {
  for (Object *O = Objects; O; O = O->Next)
    if (O->K == K && O->Handle == Handle)
      return O;
  Object *O = calloc(1, sizeof(Object));
  if (!O)
    abort();
  *O = (Object){Objects, K, Handle, Created++, 0, Other};
  return Objects = O;
}

static void appendObject(Record *R, const Object *O) {
  append(&R->Arguments, "\"%s%s%u\"", O->Other ? "other-" : "", KindNames[O->K],
         O->Number);
}

void addObject(Record *R, const char *Name, Kind K, uint64_t Handle) {
  addName(R, Name);
  const char *Known = predefinedName(K, Handle);
  if (Known) {
    append(&R->Arguments, "\"%s\"", Known);
    return;
  }
  pthread_mutex_lock(&Lock);
  appendObject(R, find(K, Handle, true));
  pthread_mutex_unlock(&Lock);
}

void addCreated(Record *R, const char *Name, Kind K, uint64_t Handle) {
  if (R->Code != MPI_SUCCESS) {
    addNull(R, Name);
    return;
  }
  if (predefinedName(K, Handle)) {
    addObject(R, Name, K, Handle);
    return;
  }
  addName(R, Name);
  pthread_mutex_lock(&Lock);
  Object *O = find(K, Handle, false);
  ++O->References;
  appendObject(R, O);
  pthread_mutex_unlock(&Lock);
}

void forget(Record *R, Kind K, uint64_t Handle) {
  if (R->Code != MPI_SUCCESS)
    return;
  pthread_mutex_lock(&Lock);
  for (Object **Link = &Objects; *Link; Link = &(*Link)->Next) {
    Object *O = *Link;
    if (O->K != K || O->Handle != Handle)
      continue;
    if (O->References > 1) {
      --O->References;
    } else {
      *Link = O->Next;
      free(O);
    }
    break;
  }
  pthread_mutex_unlock(&Lock);
}

const char *errorName(int Code) {
  static const NamedInt Names[] = {
      NAMED(MPI_SUCCESS),       NAMED(MPI_ERR_BUFFER),
      NAMED(MPI_ERR_COUNT),     NAMED(MPI_ERR_TYPE),
      NAMED(MPI_ERR_TAG),       NAMED(MPI_ERR_COMM),
      NAMED(MPI_ERR_RANK),      NAMED(MPI_ERR_REQUEST),
      NAMED(MPI_ERR_ROOT),      NAMED(MPI_ERR_GROUP),
      NAMED(MPI_ERR_OP),        NAMED(MPI_ERR_TOPOLOGY),
      NAMED(MPI_ERR_DIMS),      NAMED(MPI_ERR_ARG),
      NAMED(MPI_ERR_UNKNOWN),   NAMED(MPI_ERR_TRUNCATE),
      NAMED(MPI_ERR_OTHER),     NAMED(MPI_ERR_INTERN),
      NAMED(MPI_ERR_PENDING),   NAMED(MPI_ERR_IN_STATUS),
      NAMED(MPI_ERR_AMODE),     NAMED(MPI_ERR_NO_SUCH_FILE),
      NAMED(MPI_ERR_ACCESS),    NAMED(MPI_ERR_FILE_EXISTS),
      NAMED(MPI_ERR_FILE),      NAMED(MPI_ERR_IO),
      NAMED(MPI_ERR_INFO),      NAMED(MPI_ERR_WIN),
      NAMED(MPI_ERR_READ_ONLY), NAMED(MPI_ERR_RMA_SYNC),
  };
  int Class = errorClass(Code);
  for (int I = 0; I < COUNT(Names); ++I)
    if (Names[I].Value == Class)
      return Names[I].Name;
  return "an error that the recorder has no name for";
}
