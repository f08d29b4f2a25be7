// Requests and statuses.
//
// MPI may give one handle to several requests that are already complete. A call
// on such a handle means the request that was made into the same variable, else
// the oldest. Statuses of sends and of collectives say nothing; those of
// requests that covered functions did not make are not judged: "?".

#include "Recorder.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

struct Request {
  Request *Next;
  uint64_t Handle;
  const MPI_Request *Variable;
  unsigned Number;
  Purpose P;
  bool Wild, Persistent, Active;
  bool Taken; // by an element of the array that is being looked up
};

static pthread_mutex_t Lock = PTHREAD_MUTEX_INITIALIZER;
enum { Buckets = 4096 };
static Request *Table[Buckets]; // newest first
static unsigned Made;

static Request **bucket(uint64_t Handle) {
  return &Table[(Handle * 0x9e3779b97f4a7c15u) >> 52];
}

static Request *insert(uint64_t Handle, const MPI_Request *Variable) {
  Request *New = calloc(1, sizeof(Request));
  if (!New)
    abort();
  Request **Head = bucket(Handle);
  New->Next = *Head;
  New->Handle = Handle;
  New->Variable = Variable;
  New->Number = Made++;
  return *Head = New;
}

void addMade(Record *R, MPI_Request *Variable, Purpose P, bool Wild,
             bool Persistent) {
  if (R->Code != MPI_SUCCESS) {
    addNull(R, "request");
    return;
  }
  addName(R, "request");
  pthread_mutex_lock(&Lock);
  Request *New = insert(HANDLE(*Variable), Variable);
  New->P = P;
  New->Wild = Wild;
  New->Persistent = Persistent;
  New->Active = !Persistent;
  append(&R->Arguments, "\"req%u\"", New->Number);
  pthread_mutex_unlock(&Lock);
}

static Request *lookUp(const MPI_Request *Variable, bool Same) {
  Request *Found = NULL;
  for (Request *At = *bucket(HANDLE(*Variable)); At; At = At->Next)
    if (At->Handle == HANDLE(*Variable) && !At->Taken) {
      if (Same && At->Variable == Variable)
        return At;
      if (!Same)
        Found = At; // The last one is the oldest.
    }
  return Found;
}

Request **addRequests(Record *R, const char *Name, MPI_Request *Variables,
                      int Count, bool Array) {
  Request **Found = calloc(Count > 0 ? Count : 1, sizeof(Request *));
  if (!Found)
    abort();
  pthread_mutex_lock(&Lock);
  for (int Same = 1; Same >= 0; --Same)
    for (int I = 0; I < Count; ++I) {
      if (Found[I] || Variables[I] == MPI_REQUEST_NULL)
        continue;
      Found[I] = lookUp(&Variables[I], Same);
      if (!Found[I] && !Same) {
        Found[I] = insert(HANDLE(Variables[I]), &Variables[I]);
        Found[I]->P = Unknown;
        Found[I]->Active = true;
      }
      if (Found[I])
        Found[I]->Taken = true;
    }
  addName(R, Name);
  append(&R->Arguments, "%s", Array ? "[" : "");
  for (int I = 0; I < Count; ++I) {
    append(&R->Arguments, "%s", I ? "," : "");
    if (!Found[I]) {
      append(&R->Arguments, "\"MPI_REQUEST_NULL\"");
      continue;
    }
    Found[I]->Taken = false;
    append(&R->Arguments, "\"%sreq%u\"", Found[I]->P == Unknown ? "other-" : "",
           Found[I]->Number);
  }
  append(&R->Arguments, "%s", Array ? "]" : "");
  pthread_mutex_unlock(&Lock);
  return Found;
}

void endRequests(Request **Requests) { free(Requests); }

void startRequests(Request **Requests, int Count) {
  for (int I = 0; I < Count; ++I)
    if (Requests[I])
      Requests[I]->Active = true;
}

void freeRequest(Request *Which) {
  if (!Which)
    return;
  pthread_mutex_lock(&Lock);
  for (Request **Link = bucket(Which->Handle); *Link; Link = &(*Link)->Next)
    if (*Link == Which) {
      *Link = Which->Next;
      free(Which);
      break;
    }
  pthread_mutex_unlock(&Lock);
}

void completeRequest(Request *Which) {
  if (Which && Which->Persistent)
    Which->Active = false;
  else
    freeRequest(Which);
}

// Statuses --------------------------------------------------------------------

static bool appendCancelled(Text *T, const MPI_Status *S) {
  bool Cancelled = wasCancelled(S);
  if (Cancelled) // Nothing else in it means anything.
    append(T, "{\"cancelled\":true}");
  return Cancelled;
}

// Error: the call returned MPI_ERR_IN_STATUS, so the field counts.
static void appendStatus(Text *T, const MPI_Status *S, bool Error) {
  append(T, "{\"source\":");
  appendRank(T, S->MPI_SOURCE);
  append(T, ",\"tag\":");
  appendTag(T, S->MPI_TAG);
  append(T, ",\"bytes\":%lld", bytesOf(S));
  if (Error && S->MPI_ERROR != MPI_SUCCESS)
    append(T, ",\"error\":\"%s\"", errorName(S->MPI_ERROR));
  append(T, "}");
}

static void appendMatched(Text *T, const MPI_Status *S) {
  append(T, "{\"source\":");
  appendRank(T, S->MPI_SOURCE);
  append(T, ",\"tag\":");
  appendTag(T, S->MPI_TAG);
  append(T, ",\"bytes\":%lld}", bytesOf(S));
}

// In C, both sentinels are addresses; Open MPI gives them one value.
static bool isIgnored(const MPI_Status *S) {
  return S == MPI_STATUS_IGNORE || S == MPI_STATUSES_IGNORE;
}

void addStatus(Record *R, const char *Name, const MPI_Status *S, bool Valid,
               bool Wild) {
  addName(R, Name);
  Valid = Valid && R->Code == MPI_SUCCESS;
  if (isIgnored(S))
    append(&R->Arguments, "\"MPI_STATUS_IGNORE\"");
  else if (Valid)
    appendStatus(&R->Arguments, S, false);
  else
    append(&R->Arguments, "null");
  if (Wild && Valid) {
    if (isIgnored(S))
      S = seenStatuses(1);
    if (S)
      appendMatched(&R->Matched, S);
    else
      append(&R->Matched, "\"?\"");
  }
}

void addInStatus(Record *R, const char *Name, const MPI_Status *S) {
  addName(R, Name);
  if (S == MPI_STATUS_IGNORE)
    append(&R->Arguments, "\"MPI_STATUS_IGNORE\"");
  else
    append(&R->Arguments, "{\"bytes\":%lld}", bytesOf(S));
}

static void appendCompletion(Record *R, const MPI_Status *S,
                             const Request *Which) {
  if (!Which || !Which->Active)
    append(&R->Arguments, "null");
  else if (Which->P == Unknown)
    append(&R->Arguments, "\"?\"");
  else if (Which->P != Collects && appendCancelled(&R->Arguments, S))
    return;
  else if (Which->P == Receives)
    appendStatus(&R->Arguments, S, R->Code != MPI_SUCCESS);
  else
    append(&R->Arguments, "null");
}

static bool appendMatch(Record *R, const MPI_Status *S, const Request *Which) {
  bool Wild = Which && Which->Active && Which->Wild;
  if (!Wild)
    append(&R->Matched, "null");
  else if (S)
    appendMatched(&R->Matched, S);
  else
    append(&R->Matched, "\"?\"");
  return Wild;
}

void addCompletion(Record *R, const char *Name, const MPI_Status *S,
                   Request *Which, bool Valid) {
  addName(R, Name);
  Valid = Valid && R->Code == MPI_SUCCESS;
  if (isIgnored(S))
    append(&R->Arguments, "\"MPI_STATUS_IGNORE\"");
  else if (Valid)
    appendCompletion(R, S, Which);
  else
    append(&R->Arguments, "null");
  if (Valid && !appendMatch(R, isIgnored(S) ? seenStatuses(1) : S, Which))
    R->Matched.Size = 0;
}

void addCompletions(Record *R, const char *Name, const MPI_Status *S,
                    Request **Requests, const int *Indices, int Count,
                    bool Valid) {
  addName(R, Name);
  Valid = Valid &&
          (R->Code == MPI_SUCCESS || errorClass(R->Code) == MPI_ERR_IN_STATUS);
  if (isIgnored(S))
    append(&R->Arguments, "\"MPI_STATUSES_IGNORE\"");
  else if (!Valid)
    append(&R->Arguments, "null");
  else {
    append(&R->Arguments, "[");
    for (int I = 0; I < Count; ++I) {
      append(&R->Arguments, "%s", I ? "," : "");
      appendCompletion(R, &S[I], Requests[Indices ? Indices[I] : I]);
    }
    append(&R->Arguments, "]");
  }
  if (!Valid)
    return;
  if (isIgnored(S))
    S = seenStatuses(Count);
  bool Wild = false;
  append(&R->Matched, "[");
  for (int I = 0; I < Count; ++I) {
    append(&R->Matched, "%s", I ? "," : "");
    Wild |=
        appendMatch(R, S ? &S[I] : NULL, Requests[Indices ? Indices[I] : I]);
  }
  append(&R->Matched, "]");
  if (!Wild)
    R->Matched.Size = 0;
}

// From beneath ----------------------------------------------------------------

typedef const MPI_Status *Seen(int *Count);

static Seen *seen(void) {
  static Seen *Found;
  static bool Asked;
  if (!Asked) {
    Found = (Seen *)dlsym(RTLD_DEFAULT, "pilgrimTestSeen");
    Asked = true;
  }
  return Found;
}

void forgetSeen(void) {
  int Count = -1;
  if (seen())
    seen()(&Count);
}

const MPI_Status *seenStatuses(int Count) {
  int Known = 0;
  const MPI_Status *S = seen() ? seen()(&Known) : NULL;
  return Known == Count ? S : NULL;
}
