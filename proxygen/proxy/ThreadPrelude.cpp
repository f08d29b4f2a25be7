//===- ThreadPrelude.cpp - the order between threads, and what they use together ---===//
//
// Threads of a proxy begin their calls in the recorded order, and wait for each other before they free what others use.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/Prelude.h"

namespace pilgrim {

std::span<const PreludeHelper> threadPrelude() {
  static const std::vector<PreludeHelper> All = {
      {"null_requests", {}, R"(
static inline void null_requests(void) {
  for (size_t i = 0; i < sizeof req / sizeof *req; ++i)
    req[i] = MPI_REQUEST_NULL;
}
)"},
      {"threads", {"next_int", "null_requests"}, R"(
/* The calls of a process's threads begin in the recorded order. A thread has its turn from turn() to go(), or to
   done(): then its call is over. The first call of some turns begins when all calls before are over. */
#include <errno.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct ints turn_threads, turn_lengths;
static long turn_of, turn_left; /* 0 left: all threads go on by themselves */
static int waits_for_all;       /* the turn has not begun, and begins when no call is under way */
static int under_way;           /* calls */
static int has_first;           /* a thread's first call is under way */
static int calls_of[THREADS];   /* likewise, of a thread */
static _Thread_local int thread, has_turn, is_ahead, nested, has_begun, is_first;
static MPI_Request *requests_of[THREADS];

static inline void begin_thread(int number) {
  thread = number;
  pthread_mutex_lock(&lock);
  requests_of[number] = req;
  own_objects(number);
  pthread_mutex_unlock(&lock);
  null_requests();
}

static long ahead[THREADS]; /* calls that a thread has made before their turn */
static inline void next_turn(void) {
  turn_of = next_int(&turn_threads);
  turn_left = next_int(&turn_lengths);
  waits_for_all = turn_left & 1;
  turn_left >>= 1;
}

static inline void go(void) {
  if (!has_turn)
    return;
  has_turn = 0;
  pthread_mutex_lock(&lock);
  if (is_ahead)
    is_ahead = 0;
  else if (turn_left && --turn_left == 0)
    next_turn();
  while (turn_left && ahead[turn_of]) {
    --ahead[turn_of];
    waits_for_all = 0;
    if (--turn_left == 0)
      next_turn();
  }
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static inline struct timespec in_milliseconds(long some) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  at.tv_nsec += some * 1000000;
  at.tv_sec += at.tv_nsec / 1000000000;
  at.tv_nsec %= 1000000000;
  return at;
}

/* A tracer may number threads by their first calls, so these get some time to begin one after the other. */
static inline void begin_first(void) {
  const struct timespec limit = in_milliseconds(10);
  while (has_first && pthread_cond_timedwait(&changed, &lock, &limit) != ETIMEDOUT)
    ;
  has_begun = is_first = has_first = 1;
}

/* The messages that threads wait for, or have waited for last. Of two that wait for the same one either may get it,
   whoever began first. */
static struct {
  MPI_Comm comm;
  int source, tag, is_open, is_known;
  int is_in_vain; /* another thread has got such a message meanwhile, which may be this one's */
} awaits[THREADS];
static inline int awaited(int *of, int value) {
  pthread_mutex_lock(&lock);
  awaits[thread].is_open = awaits[thread].is_known = 1;
  *of = value;
  pthread_mutex_unlock(&lock);
  return value;
}
static inline MPI_Comm awaited_in(MPI_Comm comm) {
  pthread_mutex_lock(&lock);
  awaits[thread].comm = comm;
  pthread_mutex_unlock(&lock);
  return comm;
}
static inline int is_alike(int mine, int other, int any) { return mine == other || mine == any || other == any; }
/* Whether a thread waits for such a message as another one waits for, or has waited for last. */
static inline int awaits_as_well(int t, int other) {
  return t != other && awaits[t].is_open && awaits[other].is_known && awaits[t].comm == awaits[other].comm &&
         is_alike(awaits[t].source, awaits[other].source, MPI_ANY_SOURCE) &&
         is_alike(awaits[t].tag, awaits[other].tag, MPI_ANY_TAG);
}
static inline int is_awaited_elsewhere(void) {
  int is = 0;
  for (int t = 0; t < THREADS; ++t)
    is |= awaits_as_well(t, thread);
  return is;
}

/* The thread has got its message, or there is none. */
static inline void end_awaiting(void) {
  for (int t = 0; t < THREADS && awaits[thread].is_open; ++t)
    awaits[t].is_in_vain |= awaits_as_well(t, thread);
  awaits[thread].is_open = awaits[thread].is_in_vain = 0;
}

/* Whether a thread waits for a message that another one may have got, and the next one may be sent behind this turn. */
static inline int waits_in_vain(int t) {
  int is = awaits[t].is_open && awaits[t].is_in_vain;
  for (int other = 0; other < THREADS; ++other)
    is |= ahead[other] && awaits_as_well(t, other);
  return is;
}
static inline int turn_waits_in_vain(void) {
  int is = 0;
  for (int t = 0; t < THREADS; ++t)
    is |= (turn_of == t || turn_of == thread || waits_for_all) && waits_in_vain(t);
  return is;
}

/* Whether a thread need not wait for its turn any more: another thread waits for such a message as this one has got,
   which may be that one's, and may have to be answered before the next one comes; or the turn is that of a thread that
   waits in vain, and this call ends nothing that it may need; or that takes too long, which is said sooner each time. */
static inline int need_not_wait(time_t since, int ends_nothing) {
  static time_t patience = 60;
  const struct timespec limit = in_milliseconds(20);
  if (pthread_cond_timedwait(&changed, &lock, &limit) != ETIMEDOUT)
    return 0;
  if (is_awaited_elsewhere() || (ends_nothing && turn_waits_in_vain()))
    return 1;
  if ((turn_of != thread && !calls_of[turn_of]) || time(NULL) - since <= patience)
    return 0;
  patience /= 2;
  return 1;
}

static inline void take_turn(int ends_nothing) {
  go();
  pthread_mutex_lock(&lock);
  for (time_t now = time(NULL); turn_left && (turn_of != thread || (waits_for_all && under_way));)
    if (need_not_wait(now, ends_nothing) && turn_left) {
      is_ahead = turn_of != thread;
      ahead[thread] += is_ahead;
      break;
    }
  if (!is_ahead)
    waits_for_all = 0;
  if (!has_begun)
    begin_first();
  has_turn = 1;
  ++under_way;
  ++calls_of[thread];
  ++nested;
  pthread_mutex_unlock(&lock);
}
static inline void turn(void) { take_turn(1); }
static inline void own_turn(void) { take_turn(0); } /* of a call that ends MPI, or an object */

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
  void *freed[MOST_USES]; /* of one that the call frees: where it is meanwhile */
  int nested[MOST_USES], count;
} uses[THREADS];

static inline void hold(const void *object) {
  if (uses[thread].count == MOST_USES)
    return;
  uses[thread].object[uses[thread].count] = object;
  uses[thread].freed[uses[thread].count] = NULL;
  uses[thread].nested[uses[thread].count++] = nested;
}

/* Calls of several threads may overlap here that came one after the other. So each thread has a name for an object of its
   own. One that it has not made is another thread's: the oldest of this name. It waits until there is one. */
static long objects_made;
static inline void *named(void *const *of, long *const *made, long n, size_t bytes, const void *none) {
  char *found = NULL;
  long when = objects_made + 1;
  for (int t = 0; t < THREADS; ++t) {
    char *const at = of[t] ? (char *)of[t] + (size_t)n * bytes : NULL;
    if (!at || !memcmp(at, none, bytes))
      continue;
    if (t == thread)
      return at;
    if (made[t][n] < when) {
      found = at;
      when = made[t][n];
    }
  }
  return found;
}

/* What this thread is about to free: callbacks of that call use it. */
static inline void *leaving(void *const *of, long n, size_t bytes) {
  for (int i = uses[thread].count; i-- > 0;)
    for (int t = 0; uses[thread].freed[i] && t < THREADS; ++t)
      if (of[t] && uses[thread].object[i] == (char *)of[t] + (size_t)n * bytes)
        return uses[thread].freed[i];
  return NULL;
}

static inline void *held(void *const *of, long *const *made, long n, size_t bytes, const void *none) {
  pthread_mutex_lock(&lock);
  void *at = leaving(of, n, bytes);
  if (at) {
    pthread_mutex_unlock(&lock);
    return at;
  }
  for (time_t now = time(NULL); !(at = named(of, made, n, bytes, none)) && waits(now);)
    ;
  if (!at)
    at = (char *)of[thread] + (size_t)n * bytes;
  hold(at);
  pthread_mutex_unlock(&lock);
  return at;
}
#define HELD(type, array, n, none) ((type *)held(array##_of, array##_made_of, n, sizeof(type), &(type){none}))

/* Another thread may be about to make the request. */
#define HOLD(request, none)                                                                                            \
  do {                                                                                                                 \
    pthread_mutex_lock(&lock);                                                                                         \
    for (time_t now = time(NULL); (request) == (none) && waits(now);)                                                  \
      ;                                                                                                                \
    hold(&(request));                                                                                                  \
    pthread_mutex_unlock(&lock);                                                                                       \
  } while (0)

/* Some calls give what the thread has already, and each is freed. */
static struct {
  const void *name;
  int times;
} again[1024];
static inline int given_again(const void *name, int more) {
  for (size_t i = 0; i < sizeof again / sizeof *again; ++i)
    if (again[i].times ? again[i].name == name : more > 0) {
      again[i].name = name;
      again[i].times += more;
      return 1;
    }
  return 0;
}

/* The thread's object of a number may be one that another thread is about to free: that call began in the recorded run
   before the one that has made the next object was over. */
static inline void wait_until_free(const void *object, size_t bytes, const void *given, const void *none) {
  pthread_mutex_lock(&lock);
  for (time_t now = time(NULL); memcmp(object, none, bytes) && memcmp(object, given, bytes);)
    if (has_turn) {
      pthread_mutex_unlock(&lock);
      go();
      pthread_mutex_lock(&lock);
    } else if (!waits(now))
      break;
  pthread_mutex_unlock(&lock);
}

/* Other threads see an object when the call that makes it is over, and no more when the call that frees it has begun. */
#define MADE(array, n, given, none)                                                                                    \
  do {                                                                                                                 \
    if ((given) != (none))                                                                                             \
      wait_until_free(&array[n], sizeof *array, &(given), &(__typeof__(*array)){none});                                \
    pthread_mutex_lock(&lock);                                                                                         \
    if ((given) == (none) || array[n] != (given) || !given_again(&array[n], 1)) {                                      \
      array[n] = (given);                                                                                              \
      array##_made[n] = ++objects_made;                                                                                \
    }                                                                                                                  \
    pthread_cond_broadcast(&changed);                                                                                  \
    pthread_mutex_unlock(&lock);                                                                                       \
  } while (0)
#define FREED(at, copy, none)                                                                                          \
  do {                                                                                                                 \
    pthread_mutex_lock(&lock);                                                                                         \
    for (int i = 0; i < uses[thread].count; ++i)                                                                       \
      if (uses[thread].object[i] == (at))                                                                              \
        uses[thread].freed[i] = (copy);                                                                                \
    if (!given_again(at, -1))                                                                                          \
      *(at) = (none);                                                                                                  \
    pthread_cond_broadcast(&changed);                                                                                  \
    pthread_mutex_unlock(&lock);                                                                                       \
  } while (0)

static inline int is_used(const void *object) {
  for (int t = 0; t < THREADS; ++t)
    for (int i = 0; t != thread && i < uses[t].count; ++i)
      if (uses[t].object[i] == object)
        return 1;
  return 0;
}

/* A request's name is about to be given to another one. */
static inline void wait_for_users(const void *request) {
  pthread_mutex_lock(&lock);
  for (time_t now = time(NULL); is_used(request) && waits(now);)
    ;
  pthread_mutex_unlock(&lock);
}

/* An object is about to be freed. Calls that began before may use it, and may have been under way in the recorded run,
   too: they only have to have begun. */
static inline void let_users_begin(const void *object) {
  const struct timespec limit = in_milliseconds(200);
  pthread_mutex_lock(&lock);
  while (is_used(object) && pthread_cond_timedwait(&changed, &lock, &limit) != ETIMEDOUT)
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
  --calls_of[thread];
  end_awaiting();
  if (is_first)
    is_first = has_first = 0;
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
  };
  return All;
}

} // namespace pilgrim
