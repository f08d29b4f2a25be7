//===- Prelude.cpp - what proxies need besides their calls ----------------===//
#include "proxygen/proxy/Prelude.h"

#include <cctype>
#include <stdexcept>

namespace pilgrim {

namespace {
struct Helper {
  std::string_view Name;
  std::vector<std::string_view> Needs;
  const char *Text;
};

/// In the order in which they stand in a proxy.
const std::vector<Helper> &helpers() {
  static const std::vector<Helper> All = {
      {"in", {}, R"(
/* Whether the rank is in one of these intervals. */
static inline int in(const int *intervals, int count) {
  for (int i = 0; i < count; ++i)
    if (rank >= intervals[2 * i] && rank <= intervals[2 * i + 1])
      return 1;
  return 0;
}
)"},
      {"place_in", {}, R"(
/* How many ranks of these intervals are below this one. */
static inline int place_in(const int *intervals, int count) {
  int place = 0;
  for (int i = 0; i < count && rank > intervals[2 * i + 1]; ++i)
    place += intervals[2 * i + 1] - intervals[2 * i] + 1;
  for (int i = 0; i < count; ++i)
    if (rank >= intervals[2 * i] && rank <= intervals[2 * i + 1])
      return place + rank - intervals[2 * i];
  return 0;
}
)"},
      {"next", {}, R"(
/* A sequence of numbers, as rules: a symbol is a number or another rule, so many times. A rule ends with a count of 0. */
struct symbol {
  int is_rule;
  long value, count;
};
struct cursor {
  struct symbol *const *rules;
  int depth;
  struct {
    struct symbol *at;
    long done;
  } level[DEPTH];
};

static inline void start(struct cursor *c, struct symbol *const *rules) {
  c->rules = rules;
  c->depth = 0;
  c->level[0].at = rules[0];
  c->level[0].done = 0;
}

/* The next number; -1 at the end. */
static inline long next(struct cursor *c) {
  while (c->rules) {
    struct symbol *at = c->level[c->depth].at;
    if (!at->count && !c->depth)
      break;
    if (!at->count) {
      ++c->level[--c->depth].done;
    } else if (c->level[c->depth].done >= at->count) {
      ++c->level[c->depth].at;
      c->level[c->depth].done = 0;
    } else if (at->is_rule) {
      ++c->depth;
      c->level[c->depth].at = c->rules[at->value];
      c->level[c->depth].done = 0;
    } else {
      ++c->level[c->depth].done;
      return at->value;
    }
  }
  return -1;
}
)"},
      {"next_int", {"next"}, R"(
/* A sequence of integers: runs of first, first + stride... in the order that a cursor gives. */
struct run {
  long first, stride, count;
};
struct ints {
  struct cursor order;
  struct run *runs;
  int are_steps; /* the values are sums */
  long value, stride, left, sum;
};

static inline void start_ints(struct ints *s, struct symbol *const *rules, struct run *runs, int are_steps) {
  start(&s->order, rules);
  s->runs = runs;
  s->are_steps = are_steps;
  s->left = s->sum = 0;
}

static inline long next_int(struct ints *s) {
  while (s->left == 0) {
    long at = next(&s->order);
    if (at < 0)
      return 0;
    s->value = s->runs[at].first;
    s->stride = s->runs[at].stride;
    s->left = s->runs[at].count;
  }
  long value = s->value;
  s->value = (long)((unsigned long)s->value + (unsigned long)s->stride);
  --s->left;
  if (s->are_steps)
    value = s->sum = (long)((unsigned long)s->sum + (unsigned long)value);
  return value;
}
)"},
      {"threads", {"next_int"}, R"(
/* The calls of a process's threads begin in the recorded order. A thread has its turn from turn() to go(), or to
   done(): then its call is over. */
#include <errno.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct ints turn_threads, turn_lengths;
static long turn_of, turn_left; /* 0 left: all threads go on by themselves */
static int under_way;           /* calls */
static _Thread_local int thread, has_turn, nested;
static MPI_Request *requests_of[THREADS];

static inline void begin_thread(int number) {
  thread = number;
  requests_of[number] = req;
  for (size_t i = 0; i < sizeof req / sizeof *req; ++i)
    req[i] = MPI_REQUEST_NULL;
}

static inline void next_turn(void) {
  turn_of = next_int(&turn_threads);
  turn_left = next_int(&turn_lengths);
}

static inline void go(void) {
  if (!has_turn)
    return;
  has_turn = 0;
  pthread_mutex_lock(&lock);
  if (turn_left && --turn_left == 0)
    next_turn();
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static inline void turn(void) {
  go();
  pthread_mutex_lock(&lock);
  while (turn_left && turn_of != thread)
    pthread_cond_wait(&changed, &lock);
  has_turn = 1;
  ++under_way;
  ++nested;
  pthread_mutex_unlock(&lock);
}

/* Waits for another thread, but not for ever. */
static inline int waits(time_t since) {
  const struct timespec limit = {since + 60, 0};
  return pthread_cond_timedwait(&changed, &lock, &limit) != ETIMEDOUT;
}

static inline void wait_for_other_calls(void) {
  pthread_mutex_lock(&lock);
  for (time_t now = time(NULL); under_way > 1 && waits(now);)
    ;
  pthread_mutex_unlock(&lock);
}

/* Objects and blocks that calls under way use. */
enum { MOST_USES = 1024 };
static struct {
  const void *object[MOST_USES];
  int nested[MOST_USES], count;
} uses[THREADS];

/* Another thread may be about to make the object. */
#define HOLD(handle, none)                                                                                             \
  do {                                                                                                                 \
    pthread_mutex_lock(&lock);                                                                                         \
    for (time_t now = time(NULL); (handle) == (none) && waits(now);)                                                   \
      ;                                                                                                                \
    hold(&(handle));                                                                                                   \
    pthread_mutex_unlock(&lock);                                                                                       \
  } while (0)

static inline void hold(const void *object) {
  if (uses[thread].count == MOST_USES)
    return;
  uses[thread].object[uses[thread].count] = object;
  uses[thread].nested[uses[thread].count++] = nested;
}

static inline int is_used(const void *object) {
  for (int t = 0; t < THREADS; ++t)
    for (int i = 0; t != thread && i < uses[t].count; ++i)
      if (uses[t].object[i] == object)
        return 1;
  return 0;
}

/* It is about to be freed, or its name given to another one. */
static inline void wait_for_users(const void *object) {
  pthread_mutex_lock(&lock);
  for (time_t now = time(NULL); is_used(object) && waits(now);)
    ;
  pthread_mutex_unlock(&lock);
}

/* A request of another thread, whose name that thread may soon give to the next one. */
static inline MPI_Request taken(MPI_Request *from) {
  pthread_mutex_lock(&lock);
  MPI_Request request = *from;
  hold(from);
  *from = MPI_REQUEST_NULL;
  pthread_mutex_unlock(&lock);
  return request;
}

static inline void done(void) {
  go();
  pthread_mutex_lock(&lock);
  while (uses[thread].count && uses[thread].nested[uses[thread].count - 1] >= nested)
    --uses[thread].count;
  --nested;
  --under_way;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

/* Threads live until all calls are made: each has its own number in a trace. */
static int are_over;
static inline void end_thread(void) {
  pthread_mutex_lock(&lock);
  while (!are_over)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

static inline void end_threads(void) {
  pthread_mutex_lock(&lock);
  are_over = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

/* Stack: bytes of its frame. */
static inline void start_thread(pthread_t *of, size_t stack, void *(*run)(void *)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, (stack + (8 << 20) + 4095) & ~(size_t)4095);
  if (pthread_create(of, &attributes, run, NULL)) {
    fprintf(stderr, "rank %d: no thread\n", rank);
    exit(1);
  }
  pthread_attr_destroy(&attributes);
}
)"},
      {"usual", {"next_int"}, R"(
/* How many things happen at a place this time: the usual number, which changes now and then. */
struct usual {
  struct ints passes, counts;
  int changes;
  long number, left;
};

static inline void start_usual(struct usual *u) {
  u->changes = 1;
  u->left = next_int(&u->passes);
}

static inline long usual(struct usual *u) {
  if (u->changes && u->left == 0) {
    u->number = next_int(&u->counts);
    u->left = next_int(&u->passes);
    if (u->left == 0)
      u->left = -1; /* for ever */
  }
  if (u->left > 0)
    --u->left;
  return u->number;
}
)"},
      {"seg", {}, R"(
/* Blocks of the heap, allocated when they are used first and freed where the program freed them. */
static inline char *seg(long n) {
|  pthread_mutex_lock(&lock);
  if (!segments[n] && !(segments[n] = calloc(1, segment_bytes[n]))) {
    fprintf(stderr, "rank %d: no memory for %zu bytes\n", rank, segment_bytes[n]);
    exit(1);
  }
|  char *at = segments[n];
|  pthread_mutex_unlock(&lock);
|  return at;
!  return segments[n];
}
|
|/* For a call that others do not wait for. */
|static inline char *used_seg(long n) {
|  pthread_mutex_lock(&lock);
|  hold(&segments[n]);
|  pthread_mutex_unlock(&lock);
|  return seg(n);
|}
)"},
      {"drop", {"seg"}, R"(
/* Memory that MPI gave out is MPI's to free. */
static char is_given[sizeof segments / sizeof *segments];

static inline void drop(long n) {
|  wait_for_users(&segments[n]);
|  pthread_mutex_lock(&lock);
  if (!is_given[n])
    free(segments[n]);
  is_given[n] = 0;
  segments[n] = NULL;
|  pthread_mutex_unlock(&lock);
}
)"},
      {"given", {"drop"}, R"(
/* MPI gave out this memory, or gave back what the program has already. */
static inline void given(long n, char *address) {
|  pthread_mutex_lock(&lock);
!  if (segments[n] == address)
!    return;
|  is_given[n] |= segments[n] != address;
  segments[n] = address;
!  is_given[n] = 1;
|  pthread_mutex_unlock(&lock);
}
)"},
      {"map", {}, R"(
/* Mapped memory. */
#include <sys/mman.h>
static inline char *map(long n) {
|  pthread_mutex_lock(&lock);
  if (!mappings[n]) {
    void *at = mmap(NULL, mapping_bytes[n], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
      perror("mmap");
      exit(1);
    }
    mappings[n] = at;
  }
|  pthread_mutex_unlock(&lock);
  return mappings[n];
}
)"},
      {"out", {}, R"(
/* Where calls write what nobody reads. */
@static _Alignas(16) char scratch[16 * 64];
#define OUT(type, n) ((type *)(void *)(scratch + 64 * (n)))
)"},
      {"room", {}, R"(
static inline void *room(int n, size_t bytes) {
  @static void *at[8];
  @static size_t size[8];
  if (size[n] < bytes) {
    free(at[n]);
    at[n] = calloc(1, bytes);
    size[n] = bytes;
  }
  return at[n];
}
)"},
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
      {"recent", {"status"}, R"(
/* The last status with this source and tag. If there is none, the last one, with these. */
static inline MPI_Status *recent(int source, int tag) {
  @static MPI_Status last;
  for (int i = 1; i <= STATUSES; ++i) {
    MPI_Status *s = &statuses[(last_status - i + STATUSES) % STATUSES];
    if (s->MPI_SOURCE == source && s->MPI_TAG == tag)
      return s;
  }
  last = statuses[(last_status - 1 + STATUSES) % STATUSES];
  last.MPI_SOURCE = source;
  last.MPI_TAG = tag;
  return &last;
}
)"},
      {"requests", {}, R"(
/* Arrays of requests that are no stretch of req. */
static inline MPI_Request *request_room(int which, int n) {
  @static MPI_Request *at[2];
  @static int size[2];
  if (size[which] < n) {
    free(at[which]);
    at[which] = malloc((size_t)n * sizeof(MPI_Request));
    size[which] = n;
  }
  return at[which];
}

|/* Bits 32 and up: the thread that made it, plus 1; 0: this one. */
|static inline MPI_Request *of_other_thread(long number) {
|  return number >> 32 ? &requests_of[(number >> 32) - 1][(int)number] : NULL;
|}
|
static inline MPI_Request *take(int n, const long *numbers) {
  MPI_Request *at = request_room(0, n);
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
      {"settle", {"requests"}, R"(
static inline MPI_Request *copy_of(int n, const MPI_Request *now) {
  return n ? memcpy(request_room(1, n), now, (size_t)n * sizeof *now) : NULL;
}

/* In the recorded run the call completed the wanted ones of its requests. Where it has completed others here, the
   handles change places: later calls complete the rest. */
static inline void settle(int n, const long *numbers, const MPI_Request *was, MPI_Request *now, int wanted, const int *which) {
  for (int w = 0; w < wanted; ++w) {
    int i = which[w];
    if (i < 0 || i >= n || now[i] == MPI_REQUEST_NULL || now[i] != was[i])
      continue;
    for (int j = 0; j < n; ++j) {
      int is_wanted = 0;
      for (int x = 0; x < wanted; ++x)
        is_wanted |= which[x] == j;
      if (!is_wanted && was[j] != MPI_REQUEST_NULL && now[j] == MPI_REQUEST_NULL) {
        now[j] = now[i];
        now[i] = MPI_REQUEST_NULL;
        break;
      }
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
      {"numbers", {"next_int"}, R"(
/* An array whose length and elements are in sequences. Each call has some places, which are used again by its next
   call; a call that goes on in the background takes turns through more. */
enum { PLACES = 16, TURNS = 64 };
static inline long *numbers(int which, struct ints *lengths, struct ints *values, int *length) {
  @static long *at[PLACES * (1 + TURNS)];
  @static long size[PLACES * (1 + TURNS)];
  long n = next_int(lengths);
  if (size[which] <= n) {
    free(at[which]);
    size[which] = n + 1;
    at[which] = malloc((size_t)size[which] * sizeof(long));
  }
  for (long i = 0; i < n; ++i)
    at[which][i] = next_int(values);
  *length = (int)n;
  return at[which];
}

static inline int turn_of_places(void) {
  @static int turn;
  turn = (turn + 1) % TURNS;
  return PLACES * (1 + turn);
}
)"},
      {"as_int", {}, R"(
static inline int *as_int(long *values, int count) {
  int *out = (int *)values;
  for (int i = 0; i < count; ++i)
    out[i] = (int)values[i];
  return out;
}
)"},
      {"text_of", {"next_int"}, R"(
/* A text whose length and bytes are in sequences. */
static inline char *text_of(struct ints *lengths, struct ints *bytes) {
  @static char *at;
  long n = next_int(lengths);
  at = realloc(at, (size_t)n + 1);
  for (long i = 0; i < n; ++i)
    at[i] = (char)next_int(bytes);
  at[n] = 0;
  return at;
}
)"},
      {"inside", {}, R"(
/* Calls that the program made in functions of its own that MPI called. They wait for MPI to call these. */
@static struct waiting {
  void (*call)(void);
  int depth;
} *waiting;
@static int waiting_room, waiting_from, waiting_to, depth, result;
static long left_out; /* calls of functions that MPI did not call here */

static inline void inside(int at, void (*call)(void)) {
  if (waiting_to == waiting_room) {
    waiting_room = waiting_room ? 2 * waiting_room : 64;
    waiting = realloc(waiting, (size_t)waiting_room * sizeof *waiting);
  }
  waiting[waiting_to++] = (struct waiting){call, at};
}

/* MPI calls such a function: makes the calls that are one deeper than the call that is under way. */
static inline int called_back(void) {
  int last = waiting_to, wanted = result;
  while (waiting_from < last) {
    int end = waiting_from;
    while (end < last && waiting[end].depth > depth + 1)
      ++end;
    if (end == last)
      break;
    void (*call)(void) = waiting[end].call;
    ++depth;
    waiting_to = end;
    call();
    --depth;
    waiting_from = end + 1;
    waiting_to = last;
  }
  result = wanted;
  return wanted;
}

/* The outermost call is over. */
static inline void over(void) {
!  left_out += waiting_to - waiting_from;
|  for (; waiting_from < waiting_to; ++waiting_from) {
|    turn();
|    pthread_mutex_lock(&lock);
|    ++left_out;
|    pthread_mutex_unlock(&lock);
|    done();
|  }
  waiting_from = waiting_to = 0;
}
)"},
      {"compute", {}, R"(
/* Busy work for so many seconds. */
#include <time.h>
static double turns_a_second;
@static volatile double sink = 1;

static inline void work(long times) {
  for (long i = 0; i < times; ++i)
    sink = sink * 0.999999 + 1e-6;
}

static inline double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The fastest of some tries: other processes may have the processor in the others. */
static inline void calibrate(void) {
  for (int i = 0; i < 8; ++i) {
    const double begin = seconds();
    work(50000);
    const double rate = 50000 / (seconds() - begin);
    turns_a_second = rate > turns_a_second ? rate : turns_a_second;
  }
}

static inline void compute(double length) { work((long)(length * turns_a_second)); }
)"},
      {"gap", {"compute"}, R"(
/* The times before the calls: of each rank and call a byte. */
static double gap_lengths[256];
@static const char *next_gap;

static inline void set_up_gaps(void) {
  gap_lengths[1] = 1e-8;
  for (int i = 2; i < 256; ++i)
    gap_lengths[i] = gap_lengths[i - 1] * 1.095;
}

static inline void gap(void) { compute(gap_lengths[(unsigned char)*next_gap++]); }
)"},
      {"query", {"inside"}, R"(
/* MPI asks for the status of a generalized request. */
@static MPI_Status *asked;
@static int asked_source, asked_tag;
static inline int query(MPI_Status *status) {
  memset(status, 0, sizeof *status);
  asked = status;
  called_back();
  status->MPI_SOURCE = asked_source;
  status->MPI_TAG = asked_tag;
  return MPI_SUCCESS;
}
)"},
      {"files", {}, R"(
/* Files lie in a folder of their own, unless the variable PROXY_FILES is "recorded". */
#include <sys/stat.h>
static inline char *in_files(const char *name) {
  @static char path[4096];
  const char *where = getenv("PROXY_FILES");
  if (where && strcmp(where, "recorded") == 0) {
    snprintf(path, sizeof path, "%s", name);
    return path;
  }
  mkdir("proxy-files", 0777);
  int n = snprintf(path, sizeof path, "proxy-files/");
  for (; *name && n < (int)sizeof path - 1; ++name)
    path[n++] = *name == '/' ? '_' : *name;
  path[n] = 0;
  return path;
}
)"},
  };
  return All;
}
} // namespace

std::vector<std::string_view> preludeNeeds(std::string_view Name) {
  for (const Helper &H : helpers())
    if (H.Name == Name)
      return H.Needs;
  throw std::logic_error("no helper " + std::string(Name));
}

std::vector<std::string> preludeNames() {
  std::vector<std::string> Out;
  for (const Helper &H : helpers()) {
    std::string Word;
    for (const char C : std::string_view(H.Text)) {
      if (std::isalnum(static_cast<unsigned char>(C)) || C == '_') {
        Word += C;
      } else if (!Word.empty()) {
        Out.push_back(std::move(Word));
        Word.clear();
      }
    }
  }
  return Out;
}

/// Lines that begin with "|" are for programs with several threads, those with "!" for others; "@" stands before what
/// each thread has for itself.
static std::string forThreads(std::string_view Text, bool Several) {
  std::string Out;
  while (!Text.empty()) {
    std::string_view Line = Text.substr(0, Text.find('\n') + 1);
    Text.remove_prefix(Line.size());
    if (Line[0] == (Several ? '!' : '|'))
      continue;
    if (Line[0] == (Several ? '|' : '!'))
      Line.remove_prefix(1);
    std::string Own(Line);
    if (const size_t At = Own.find("@static "); At != std::string::npos)
      Own.replace(At, 8, Several ? "static _Thread_local " : "static ");
    Out += Own;
  }
  return Out;
}

std::string preludeText(const std::set<std::string, std::less<>> &Used, unsigned Depth, unsigned Threads) {
  std::string Out;
  for (const Helper &H : helpers()) {
    if (!Used.contains(H.Name))
      continue;
    if (H.Name == "next")
      Out += "\nenum { DEPTH = " + std::to_string(Depth + 2) + " };";
    if (H.Name == "threads")
      Out += "\nenum { THREADS = " + std::to_string(Threads) + " };";
    Out += forThreads(H.Text, Threads > 1);
  }
  return Out;
}

} // namespace pilgrim
