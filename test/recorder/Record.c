// Records: from an opened one to a line in the rank's file.
//
// A line is written when its call returns; "seq" counts entries, so a reader
// gets program order by sorting a thread's lines. A rank's lines in the order
// of the file are its calls in the order of their returns, over all threads.

#define _GNU_SOURCE
#include "Recorder.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One lock for the file and what waits for it.
static pthread_mutex_t Lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *Out;
static Text Waiting;
static int Rank = -1;
static atomic_int Threads;

// A thread's open wrappers, by their frames: one whose frame lies below the
// wrapper that is entered was left by longjmp.
enum { MaxDepth = 64 };
static __thread void *Open[MaxDepth];
static __thread int Depth;
static __thread long Sequence;
static __thread int Thread = -1;

static void grow(Text *T, size_t More) {
  if (T->Size + More <= T->Room)
    return;
  T->Room = 2 * (T->Size + More);
  T->Bytes = realloc(T->Bytes, T->Room);
  if (!T->Bytes)
    abort();
}

void append(Text *T, const char *Format, ...) {
  va_list List;
  va_start(List, Format);
  int Size = vsnprintf(NULL, 0, Format, List);
  va_end(List);
  grow(T, Size + 1);
  va_start(List, Format);
  vsnprintf(T->Bytes + T->Size, Size + 1, Format, List);
  va_end(List);
  T->Size += Size;
}

void appendQuoted(Text *T, const char *String) {
  append(T, "\"");
  for (; *String; ++String) {
    unsigned char C = *String;
    if (C == '"' || C == '\\')
      append(T, "\\%c", C);
    else if (C < ' ')
      append(T, "\\u%04x", C);
    else
      append(T, "%c", C);
  }
  append(T, "\"");
}

void openRecord(Record *R, const char *Function, void *Frame, void *Caller) {
  memset(R, 0, sizeof(*R));
  R->Function = Function;
  while (Depth > 0 && Open[Depth - 1] <= Frame)
    --Depth;
  forgetSeen();
  R->Off = !getenv("PILGRIM_RECORD") || Depth == MaxDepth ||
           (Depth > 0 && isLibrary(Caller));
  if (R->Off)
    return;
  if (Thread < 0)
    Thread = atomic_fetch_add(&Threads, 1);
  R->Depth = Depth;
  R->Sequence = Sequence++;
  Open[Depth++] = Frame;
}

int closeRecord(Record *R) {
  if (!R->Off) {
    Depth = R->Depth;
    Text Line = {0};
    append(&Line,
           "\"thread\":%d,\"seq\":%ld,\"depth\":%d,\"func\":\"%s\",\"args\":{",
           Thread, R->Sequence, R->Depth, R->Function);
    append(&Line, "%s},\"ret\":\"%s\"",
           R->Arguments.Bytes ? R->Arguments.Bytes : "", errorName(R->Code));
    if (R->Matched.Size)
      append(&Line, ",\"matched\":%s", R->Matched.Bytes);
    append(&Line, "}\n");
    pthread_mutex_lock(&Lock);
    if (Out)
      fprintf(Out, "{\"rank\":%d,%s", Rank, Line.Bytes);
    else
      append(&Waiting, "%s", Line.Bytes);
    pthread_mutex_unlock(&Lock);
    free(Line.Bytes);
  }
  free(R->Arguments.Bytes);
  free(R->Matched.Bytes);
  return R->Code;
}

void knowWorldRank(void) {
  const char *Prefix = getenv("PILGRIM_RECORD");
  if (!Prefix)
    return;
  pthread_mutex_lock(&Lock);
  if (!Out) {
    Rank = worldRank();
    char Path[4096];
    snprintf(Path, sizeof(Path), "%s.%d", Prefix, Rank);
    Out = fopen(Path, "w");
    if (!Out) {
      perror(Path);
      abort(); // A test that recorded nothing must not pass.
    }
    char *Line = Waiting.Bytes, *End = Line + Waiting.Size;
    while (Line < End) {
      char *Next = strchr(Line, '\n') + 1;
      fprintf(Out, "{\"rank\":%d,%.*s", Rank, (int)(Next - Line), Line);
      Line = Next;
    }
    free(Waiting.Bytes);
    Waiting = (Text){0};
  }
  pthread_mutex_unlock(&Lock);
}

void addName(Record *R, const char *Name) {
  if (!Name)
    return; // an element of an array
  append(&R->Arguments, "%s\"%s\":", R->Arguments.Size ? "," : "", Name);
}

void addNull(Record *R, const char *Name) {
  addName(R, Name);
  append(&R->Arguments, "null");
}

void addInt(Record *R, const char *Name, long long Value) {
  addName(R, Name);
  append(&R->Arguments, "%lld", Value);
}

void addOutInt(Record *R, const char *Name, const int *Value) {
  if (R->Code == MPI_SUCCESS)
    addInt(R, Name, *Value);
  else
    addNull(R, Name);
}

#define ADD_ARRAY(...)                                                         \
  addName(R, Name);                                                            \
  if (!Values && Count > 0) {                                                  \
    append(&R->Arguments, "null");                                             \
    return;                                                                    \
  }                                                                            \
  append(&R->Arguments, "[");                                                  \
  for (int I = 0; I < Count; ++I) {                                            \
    append(&R->Arguments, "%s", I ? "," : "");                                 \
    append(&R->Arguments, __VA_ARGS__);                                        \
  }                                                                            \
  append(&R->Arguments, "]")

void addInts(Record *R, const char *Name, const int *Values, int Count) {
  ADD_ARRAY("%d", Values[I]);
}

void addAints(Record *R, const char *Name, const MPI_Aint *Values, int Count) {
  ADD_ARRAY("%lld", (long long)Values[I]);
}

void addFlags(Record *R, const char *Name, const int *Values, int Count) {
  ADD_ARRAY("%s", Values[I] ? "true" : "false");
}

void addTypes(Record *R, const char *Name, const MPI_Datatype *Types,
              int Count) {
  addName(R, Name);
  append(&R->Arguments, "[");
  for (int I = 0; I < Count; ++I) {
    append(&R->Arguments, "%s", I ? "," : "");
    addType(R, NULL, Types[I]);
  }
  append(&R->Arguments, "]");
}

void addFlag(Record *R, const char *Name, int Value) {
  addName(R, Name);
  append(&R->Arguments, "%s", Value ? "true" : "false");
}

void addString(Record *R, const char *Name, const char *Value) {
  addName(R, Name);
  if (Value)
    appendQuoted(&R->Arguments, Value);
  else
    append(&R->Arguments, "null");
}

void addBuffer(Record *R, const char *Name, const void *Address) {
  addName(R, Name);
  if (Address == MPI_IN_PLACE)
    append(&R->Arguments, "\"MPI_IN_PLACE\"");
  else if (Address == MPI_BOTTOM)
    append(&R->Arguments, "\"MPI_BOTTOM\"");
  else
    append(&R->Arguments, "\"buf:%llx\"",
           (unsigned long long)(uintptr_t)Address);
}

void addNamed(Record *R, const char *Name, int Value, const NamedInt *Names,
              int Count) {
  addName(R, Name);
  for (int I = 0; I < Count; ++I)
    if (Names[I].Value == Value) {
      append(&R->Arguments, "\"%s\"", Names[I].Name);
      return;
    }
  append(&R->Arguments, "%d", Value);
}

void addBits(Record *R, const char *Name, int Value, const NamedInt *Names,
             int Count) {
  addName(R, Name);
  if (Value == 0) {
    append(&R->Arguments, "0");
    return;
  }
  const char *Between = "\"";
  for (int I = 0; I < Count; ++I)
    if (Names[I].Value && (Value & Names[I].Value) == Names[I].Value) {
      append(&R->Arguments, "%s%s", Between, Names[I].Name);
      Value &= ~Names[I].Value;
      Between = "|";
    }
  if (Value)
    append(&R->Arguments, "%s0x%x", Between, (unsigned)Value);
  append(&R->Arguments, "\"");
}

void addIndex(Record *R, const char *Name, int Value) {
  static const NamedInt Names[] = {NAMED(MPI_UNDEFINED)};
  addNamed(R, Name, Value, Names, 1);
}

void appendRank(Text *T, int Rank) {
  if (Rank == MPI_ANY_SOURCE)
    append(T, "\"MPI_ANY_SOURCE\"");
  else if (Rank == MPI_PROC_NULL)
    append(T, "\"MPI_PROC_NULL\"");
  else if (Rank == MPI_ROOT)
    append(T, "\"MPI_ROOT\"");
  else if (Rank == MPI_UNDEFINED)
    append(T, "\"MPI_UNDEFINED\"");
  else
    append(T, "%d", Rank);
}

void appendTag(Text *T, int Tag) {
  if (Tag == MPI_ANY_TAG)
    append(T, "\"MPI_ANY_TAG\"");
  else
    append(T, "%d", Tag);
}

void addRank(Record *R, const char *Name, int Rank) {
  addName(R, Name);
  appendRank(&R->Arguments, Rank);
}

void addTag(Record *R, const char *Name, int Tag) {
  addName(R, Name);
  appendTag(&R->Arguments, Tag);
}
