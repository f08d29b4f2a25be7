// The independent recorder: what its files share.
//
// A profiling library written by hand, from the MPI standard alone: it uses no
// table, header or code of the tracer, so that a mistake there cannot hide
// here. It defines MPI_X for about a hundred functions, calls PMPI_X (which is
// the tracer's, where that is preloaded behind it), and writes a JSON object a
// call into the file "$PILGRIM_RECORD.<world rank>". compare.py compares these
// with what `pilgrim print --json` says of the same run.
//
// A wrapper opens a record, adds the parameters that count before the call,
// makes the call, adds what it returned, and closes the record:
//
//   int MPI_Comm_rank(MPI_Comm comm, int *rank) {
//     OPEN(MPI_Comm_rank);
//     addComm(&R, "comm", comm);
//     R.Code = PMPI_Comm_rank(comm, rank);
//     addOutInt(&R, "rank", rank);
//     return closeRecord(&R);
//   }

#ifndef PILGRIM_TEST_RECORDER_H
#define PILGRIM_TEST_RECORDER_H

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

// Text ------------------------------------------------------------------------

typedef struct {
  char *Bytes;
  size_t Size, Room;
} Text;

void append(Text *T, const char *Format, ...) __attribute__((format(printf, 2, 3)));
void appendQuoted(Text *T, const char *String);

// Records (Record.c) ----------------------------------------------------------

typedef struct {
  const char *Function;
  Text Arguments;
  Text Matched;
  int Code;  // what the call returned
  int Depth; // wrappers of this thread that this one was called within
  long Sequence;
  bool Off; // the MPI library's own call, or nothing to write to
} Record;

// Frame and Caller are those of the wrapper.
void openRecord(Record *R, const char *Function, void *Frame, void *Caller);
int closeRecord(Record *R);
// Opens the file and writes what had to wait for it.
void knowWorldRank(void);

#define OPEN(Function)                                                                                                 \
  Record R;                                                                                                            \
  openRecord(&R, #Function, __builtin_frame_address(0), __builtin_return_address(0))

// Parameters. The addOut ones are null unless the call succeeded.
void addName(Record *R, const char *Name); // the value follows in R->Arguments
void addNull(Record *R, const char *Name);
void addInt(Record *R, const char *Name, long long Value);
void addOutInt(Record *R, const char *Name, const int *Value);
void addInts(Record *R, const char *Name, const int *Values, int Count);
void addAints(Record *R, const char *Name, const MPI_Aint *Values, int Count);
void addFlag(Record *R, const char *Name, int Value);
void addFlags(Record *R, const char *Name, const int *Values, int Count);
void addString(Record *R, const char *Name, const char *Value);
void addBuffer(Record *R, const char *Name, const void *Address);
void addRank(Record *R, const char *Name, int Rank);
void addTag(Record *R, const char *Name, int Tag);
// A number of which some values have names.
typedef struct {
  int Value;
  const char *Name;
} NamedInt;
void addNamed(Record *R, const char *Name, int Value, const NamedInt *Names, int Count);
void addBits(Record *R, const char *Name, int Value, const NamedInt *Names, int Count);
#define NAMED(Constant) {Constant, #Constant}
#define COUNT(Array) ((int)(sizeof(Array) / sizeof((Array)[0])))
// MPI_UNDEFINED by name.
void addIndex(Record *R, const char *Name, int Value);
void appendRank(Text *T, int Rank);
void appendTag(Text *T, int Tag);

// Objects (Objects.c) ---------------------------------------------------------

typedef enum { Comm, Datatype, Group, Op, Win, File, Message, Info } Kind;
#define HANDLE(H) ((uint64_t)(uintptr_t)(H))

void addObject(Record *R, const char *Name, Kind K, uint64_t Handle);
// A parameter that the call created; null unless it succeeded.
void addCreated(Record *R, const char *Name, Kind K, uint64_t Handle);
void forget(Record *R, Kind K, uint64_t Handle);

#define addComm(R, Name, H) addObject(R, Name, Comm, HANDLE(H))
#define addType(R, Name, H) addObject(R, Name, Datatype, HANDLE(H))
#define addGroup(R, Name, H) addObject(R, Name, Group, HANDLE(H))
#define addOp(R, Name, H) addObject(R, Name, Op, HANDLE(H))
#define addWin(R, Name, H) addObject(R, Name, Win, HANDLE(H))
#define addFile(R, Name, H) addObject(R, Name, File, HANDLE(H))
#define addInfo(R, Name, H) addObject(R, Name, Info, HANDLE(H))
void addTypes(Record *R, const char *Name, const MPI_Datatype *Types, int Count);
const char *errorName(int Code);

// What the standard's lengths of arrays need, asked behind the tracer's back
// (Real.c).
bool isRoot(MPI_Comm C, int Root);
int peers(MPI_Comm C); // of an intercommunicator: the remote ones
int localSize(MPI_Comm C);
void degrees(MPI_Comm C, int *In, int *Out);
int dimensions(MPI_Comm C);
int worldRank(void);
int errorClass(int Code);
long long bytesOf(const MPI_Status *S);
bool wasCancelled(const MPI_Status *S);
bool isLibrary(void *Caller); // an address in the MPI library's code

// Requests and statuses (Requests.c) ------------------------------------------

typedef enum { Sends, Receives, Collects, Unknown } Purpose;
typedef struct Request Request;

// The request that a call made. Wild: a receive with a wildcard.
void addMade(Record *R, MPI_Request *Variable, Purpose P, bool Wild, bool Persistent);
// Entry of a call on an array of requests, or on one: their names as they are
// now. The result goes to one of the next two, and to endRequests.
Request **addRequests(Record *R, const char *Name, MPI_Request *Variables, int Count, bool Array);
// Starts; completes (what a status says, if any, has been added); frees.
void startRequests(Request **Requests, int Count);
void completeRequest(Request *Which);
void freeRequest(Request *Which);
void endRequests(Request **Requests);

// The status of a receive or probe. Wild: adds "matched" too.
void addStatus(Record *R, const char *Name, const MPI_Status *S, bool Valid, bool Wild);
// The status of a completed request; Null where nothing completed.
void addCompletion(Record *R, const char *Name, const MPI_Status *S, Request *Which, bool Valid);
// Statuses of Requests[Indices[I]] (Indices may be null: of Requests[I]).
void addCompletions(Record *R, const char *Name, const MPI_Status *S, Request **Requests, const int *Indices, int Count,
                    bool Valid);
// A status that the program passes to have its size read.
void addInStatus(Record *R, const char *Name, const MPI_Status *S);

// What the call really returned where the program ignored it (Beneath.c, if it
// is loaded): forgotten by the first, null where nothing is known.
void forgetSeen(void);
const MPI_Status *seenStatuses(int Count);

#endif
