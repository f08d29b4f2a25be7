//===- RequestPrelude.cpp - statuses, and arrays of requests ---------------===//
//
// Statuses that calls gave, and arrays of requests. Where a call completes others than in the recorded run, handles
// change places.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/Prelude.h"

namespace pilgrim {

std::span<const PreludeHelper> requestPrelude() {
  static const std::vector<PreludeHelper> All = {
      {"status", {}, R"(
/* Statuses that calls gave, the last ones. */
enum { STATUSES = 4096 };
@static MPI_Status statuses[STATUSES];
@static int last_status;

static inline MPI_Status *new_status(int count) {
  if (count < 1 || count > STATUSES)
    return count < 1 ? statuses : calloc((size_t)count, sizeof(MPI_Status));
  if (last_status + count > STATUSES)
    last_status = 0;
  last_status += count;
  return &statuses[last_status - count];
}
)"},
      {"given_status", {"library"}, R"(
/* A status that the program passes to MPI: as it was in the recorded run, while the last message here may be another
   one. state: twice the error class, and 1 if the call was cancelled. */
static inline MPI_Status *given_status(int source, int tag, long bytes, long state) {
  @static MPI_Status status;
  static __typeof__(&PMPI_Status_set_elements_x) set_elements;
  static __typeof__(&PMPI_Status_set_cancelled) set_cancelled;
  if (!set_cancelled) {
    set_elements = LIBRARY(PMPI_Status_set_elements_x);
    set_cancelled = LIBRARY(PMPI_Status_set_cancelled);
  }
  memset(&status, 0, sizeof status);
  if (bytes >= 0)
    set_elements(&status, MPI_BYTE, bytes);
  set_cancelled(&status, state & 1);
  status.MPI_SOURCE = source;
  status.MPI_TAG = tag;
  status.MPI_ERROR = (int)(state / 2);
  return &status;
}
)"},
      {"probed", {"status", "library"}, R"(
/* What MPI_Mprobe found: how many bytes, and how many in the recorded run, where another message may have come first.
   The program receives as much as it has found. */
@static struct {
  MPI_Message message;
  long long now, recorded;
} found_messages[64];
@static unsigned last_found;

static inline void probed(MPI_Message *message, long long recorded) {
  MPI_Count now = 0;
  LIBRARY(PMPI_Get_elements_x)(&statuses[last_status - 1], MPI_BYTE, &now);
  last_found = (last_found + 1) % 64;
  found_messages[last_found].message = *message;
  found_messages[last_found].now = now;
  found_messages[last_found].recorded = recorded;
}

/* Memory that is larger than the program's, if that is needed. */
static inline void *take_probed(MPI_Message *message, void **room, int *count, MPI_Datatype type) {
  for (unsigned i = 0; i < 64; ++i) {
    long long now = found_messages[i].now, recorded = found_messages[i].recorded;
    MPI_Count size = 0, lower = 0, extent = 0;
    if (now == recorded || found_messages[i].message != *message)
      continue;
    found_messages[i].now = recorded;
    LIBRARY(PMPI_Type_size_x)(type, &size);
    LIBRARY(PMPI_Type_get_extent_x)(type, &lower, &extent);
    if (size < 1 || *count * size != recorded || now % size || lower < 0 || extent < 0)
      return NULL;
    *count = (int)(now / size);
    return now < recorded ? NULL : (*room = calloc(1, (size_t)(lower + *count * extent + size)));
  }
  return NULL;
}
)"},
      {"request_at", {}, R"(
/* A request variable by its number; that of a null request is negative. */
static inline MPI_Request *request_at(long number) {
  @static MPI_Request none;
  none = MPI_REQUEST_NULL;
  return number < 0 ? &none : &req[number];
}
)"},
      {"requests", {"null_requests"}, R"(
/* Arrays of requests that are no stretch of req. */
static inline MPI_Request *request_room(int which, int n) {
  @static MPI_Request *at[3];
  @static int size[3];
  if (!at[which] || size[which] < n) {
    free(at[which]);
    at[which] = malloc((size_t)(n + 1) * sizeof(MPI_Request));
    size[which] = n;
  }
  return at[which];
}

|/* Bits 32 and up: the thread that made it, plus 1; 0: this one. */
|static inline MPI_Request *of_other_thread(long number) {
|  return number >> 32 ? &requests_of[(number >> 32) - 1][(int)number] : NULL;
|}
|
/* The requests in req itself, where they lie in a row; a completed one is null there. MPI gives requests that are
   complete at once one handle: a tracer tells them apart by their places. */
static inline MPI_Request *in_place(int n, const long *numbers) {
  long first = -1;
  for (int i = 0; i < n && first < 0; ++i)
    first = numbers[i] < 0 ? -1 : numbers[i] - i;
  if (first < 0 || first + n > (long)(sizeof req / sizeof *req))
    return NULL;
  const int begin = (int)first; /* numbers of other threads' requests are larger: gcc -O1 would make their address */
  for (int i = 0; i < n; ++i)
    if (numbers[i] < 0 ? req[begin + i] != MPI_REQUEST_NULL : numbers[i] != first + i)
      return NULL;
  return &req[begin];
}

static inline MPI_Request *take(int n, const long *numbers) {
  MPI_Request *at = in_place(n, numbers);
  if (at)
    return at;
  at = request_room(0, n);
  for (int i = 0; i < n; ++i)
!    at[i] = numbers[i] < 0 ? MPI_REQUEST_NULL : req[numbers[i]];
|    at[i] = numbers[i] < 0 ? MPI_REQUEST_NULL : numbers[i] >> 32 ? taken(of_other_thread(numbers[i])) : req[numbers[i]];
  return at;
}

static inline void give(int n, const long *numbers, const MPI_Request *now) {
  for (int i = 0; i < n; ++i)
|    if (numbers[i] >> 32 > 0 && now[i] != MPI_REQUEST_NULL)
|      *of_other_thread(numbers[i]) = now[i];
|    else if (numbers[i] >= 0 && !(numbers[i] >> 32))
!    if (numbers[i] >= 0)
      req[numbers[i]] = now[i];
}
)"},
      {"request_named", {"requests"}, R"(
/* A request by a number that may be of another thread. */
static inline MPI_Request *request_named(long number) {
  @static MPI_Request none;
  none = MPI_REQUEST_NULL;
  return number < 0 ? &none : number >> 32 ? of_other_thread(number) : &req[number];
}
)"},
      {"asking", {}, R"(
@static int is_asking; /* whether a request is complete, on behalf of the proxy alone */
)"},
      {"early", {"asking", "library"}, R"(
/* Persistent requests that a test gave here, but not in the recorded run. The call that gave one there gets a null
   request, unless it is for several; and a request that is started again is no longer early. */
static MPI_Request early[1024];
static int early_requests;

static inline int is_early(MPI_Request request, int is_over) {
  int is = 0;
|  pthread_mutex_lock(&lock);
  for (int i = 0; i < early_requests && !is; ++i)
    if (early[i] == request) {
      is = 1;
      if (is_over)
        early[i] = early[--early_requests];
    }
|  pthread_mutex_unlock(&lock);
  return is;
}

static inline void is_given_early(MPI_Request request) {
|  pthread_mutex_lock(&lock);
  if (request != MPI_REQUEST_NULL && early_requests < (int)(sizeof early / sizeof *early))
    early[early_requests++] = request;
|  pthread_mutex_unlock(&lock);
}

static inline MPI_Request *no_request(void) {
  @static MPI_Request none;
  none = MPI_REQUEST_NULL;
  return &none;
}

/* For a call that gave the request. */
static inline MPI_Request *unless_early(MPI_Request *request) {
  return is_early(*request, 1) ? no_request() : request;
}

/* For a test that found nothing. */
static inline MPI_Request *unless_complete(MPI_Request *request) {
  static __typeof__(&PMPI_Request_get_status) is_done;
  int is_complete = is_early(*request, 0);
  if (!is_done)
    is_done = LIBRARY(PMPI_Request_get_status);
  is_asking = 1;
  if (!is_complete)
    is_done(*request, &is_complete, MPI_STATUS_IGNORE);
  is_asking = 0;
  return is_complete ? no_request() : request;
}
)"},
      {"persistent", {}, R"(
/* By number: persistent requests that a call gave, and that were not started again. No other call will give them. */
@static char was_given[sizeof req / sizeof *req];

static inline void note(long number, int is_given) {
  if (number >= 0 && number < (long)sizeof was_given)
    was_given[number] = is_given && req[number] != MPI_REQUEST_NULL;
}

static inline void note_row(long first, int n, int is_given) {
  for (int i = 0; i < n; ++i)
    note(first + i, is_given);
}

static inline void note_all(int n, const long *numbers, int is_given) {
  for (int i = 0; i < n; ++i)
    note(numbers[i], is_given);
}

/* The call gave the requests in these places. */
static inline void note_places(int n, const long *numbers, const MPI_Request *now, int count, const int *places) {
  for (int i = 0; i < count; ++i)
    if (places[i] >= 0 && places[i] < n && now[places[i]] != MPI_REQUEST_NULL)
      note(numbers[places[i]], 1);
}
)"},
      {"settle", {"requests", "asking", "library"}, R"(
static inline MPI_Request *copy_of(int n, const MPI_Request *now) {
  return n ? memcpy(request_room(1, n), now, (size_t)n * sizeof *now) : NULL;
}

/* Whether an earlier call gave it, so that no other one will. */
static inline int is_gone(int n, const long *numbers, const MPI_Request *now, int place) {
  if (place < 0 || place >= n)
    return 0;
^  if (numbers[place] >= 0 && numbers[place] < (long)sizeof was_given && was_given[numbers[place]])
^    return 1;
~  (void)numbers;
  return now[place] == MPI_REQUEST_NULL;
}

/* How many of the wanted ones the call will still give. */
static inline int still_wanted(int n, const long *numbers, const MPI_Request *now, int wanted, const int *which) {
  int still = 0;
  for (int w = 0; w < wanted; ++w)
    still += !is_gone(n, numbers, now, which[w]);
  return still;
}

/* What the call is given: nothing but null requests where all wanted ones were given by an earlier call. The others may
   never be complete before this call returns. */
static inline MPI_Request *given_to_call(int n, const long *numbers, MPI_Request *now, int wanted, const int *which) {
  if (!wanted || still_wanted(n, numbers, now, wanted, which))
    return now;
  MPI_Request *nothing = request_room(2, n);
  for (int i = 0; i < n; ++i)
    nothing[i] = MPI_REQUEST_NULL;
  return nothing;
}

static inline void wait_until_complete(MPI_Request request) {
  static __typeof__(&PMPI_Request_get_status) is_done;
  if (!is_done)
    is_done = LIBRARY(PMPI_Request_get_status);
  is_asking = 1;
  for (int is_complete = 0; !is_complete;)
    is_done(request, &is_complete, MPI_STATUS_IGNORE);
  is_asking = 0;
}

/* In the recorded run the call completed the wanted ones of its requests. Where it has completed others here, the
   handles change places: later calls complete the rest. The wanted ones are waited for all the same, as the program may
   free their buffers now. */
static inline void settle(int n, const long *numbers, const MPI_Request *was, MPI_Request *now, int wanted, const int *which) {
  if (now == request_room(2, 0))
    return;
  static __typeof__(&PMPI_Wait) end;
  if (!end)
    end = LIBRARY(PMPI_Wait);
  for (int w = 0; w < wanted; ++w) {
    int i = which[w], other = -1;
    if (i < 0 || i >= n || is_gone(n, numbers, now, i) || now[i] != was[i])
      continue;
    wait_until_complete(now[i]);
    for (int j = 0; j < n && other < 0; ++j) {
      int is_wanted = 0;
      for (int x = 0; x < wanted; ++x)
        is_wanted |= which[x] == j;
      if (!is_wanted && was[j] != MPI_REQUEST_NULL && now[j] == MPI_REQUEST_NULL)
        other = j;
    }
    if (other >= 0) {
      now[other] = now[i];
      now[i] = MPI_REQUEST_NULL;
    } else {
      is_asking = 1;
      end(&now[i], MPI_STATUS_IGNORE); /* a persistent one: it is complete */
      is_asking = 0;
^      note_places(n, numbers, now, 1, &i);
    }
  }
  give(n, numbers, now);
}
)"},
      {"array", {}, R"(
/* Arrays of requests that are said by what has changed since the last call with as many requests. */
@static struct array {
  int n, completed, *places;
  long used, *names, *had;
} arrays[8], *array;

static inline struct array *array_of(int n) {
  @static long uses;
  struct array *oldest = &arrays[0], *found = NULL;
  for (int i = 0; i < 8; ++i) {
    if (arrays[i].used && arrays[i].n == n)
      found = &arrays[i];
    if (arrays[i].used < oldest->used)
      oldest = &arrays[i];
  }
  array = found ? found : oldest;
  if (!found) {
    array->n = n;
    array->names = realloc(array->names, (size_t)(n + 1) * sizeof(long));
    array->places = realloc(array->places, (size_t)(n + 1) * sizeof(int));
    array->had = realloc(array->had, (size_t)(n + 1) * sizeof(long));
    array->completed = 0;
  }
  array->used = ++uses;
  return array;
}

static inline const struct array *resolve(int n, const long *words) {
  if (!n)
    return array_of(0);
  if (words[0] > -3) {
    struct array *a = array_of(n);
    for (int i = 0; i < n; ++i)
      a->names[i] = words[i];
    a->completed = 0;
    return a;
  }
  struct array *a = array_of((int)(-16 - words[1]));
  for (int i = 0; words[0] == -3 && i < a->completed; ++i)
    a->names[a->places[i]] = a->had[i];
  a->completed = 0;
  for (int i = 2; i + 1 < n; i += 2)
    a->names[-16 - words[i]] = words[i + 1];
  return a;
}

/* The call completed what is in this place. */
static inline void completed(int place) {
  if (place < 0 || place >= array->n || array->names[place] == -1)
    return;
  array->places[array->completed] = place;
  array->had[array->completed++] = array->names[place];
  array->names[place] = -1;
}
)"},
  };
  return All;
}

} // namespace pilgrim
