//===- TurnPrelude.cpp - the order between threads ------------------------===//
//
// Threads of a proxy begin their calls in the recorded order.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/Prelude.h"

namespace pilgrim {

std::span<const PreludeHelper> turnPrelude() {
  static const std::vector<PreludeHelper> All = {
      {"null_requests", {}, R"(
static inline void null_requests(void) {
  for (size_t i = 0; i < sizeof req / sizeof *req; ++i)
    req[i] = MPI_REQUEST_NULL;
}
)"},
      {"turns", {"next_int", "null_requests"}, R"(
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
static unsigned long calls_over;
static int between_looks = 20; /* milliseconds: how often a thread looks whether it need not wait */
static unsigned number_ahead;  /* calls that were made before their turn */
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
  int source, tag;
  long long count; /* of elements that there is room for; -1: any */
  int is_open, is_known;
  int is_in_vain; /* another thread has got such a message meanwhile, which may be this one's */
} awaits[THREADS];
static _Thread_local struct {
  int is, source, tag;
  long long count;
} gets; /* what the thread's next call waits for */
static inline MPI_Comm awaited_in(MPI_Comm comm) {
  pthread_mutex_lock(&lock);
  awaits[thread].comm = comm;
  awaits[thread].source = gets.source;
  awaits[thread].tag = gets.tag;
  awaits[thread].count = gets.count;
  awaits[thread].is_open = awaits[thread].is_known = 1;
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

/* Whether the next call of this thread may get the message that another one waits for with a buffer of another size. The
   program kept such receives apart. */
static inline int may_take_from_another(void) {
  int may = 0;
  for (int t = 0; t < THREADS && gets.is; ++t)
    may |= t != thread && awaits[t].is_open && awaits[t].count != gets.count &&
           is_alike(awaits[t].source, gets.source, MPI_ANY_SOURCE) && is_alike(awaits[t].tag, gets.tag, MPI_ANY_TAG);
  return may;
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
   waits in vain; or that takes too long, which is said sooner each time. What ends MPI, or an object that others may
   need, waits as long as others go on. */
static inline int need_not_wait(time_t *since, int ends_nothing) {
  static time_t patience = 60;
  static _Thread_local unsigned long known; /* of calls_over */
  const struct timespec limit = in_milliseconds(ends_nothing ? between_looks : 20);
  if (pthread_cond_timedwait(&changed, &lock, &limit) != ETIMEDOUT)
    return 0;
  if (ends_nothing && !may_take_from_another() && (is_awaited_elsewhere() || turn_waits_in_vain()))
    return 1;
  if (!ends_nothing && known != calls_over) {
    known = calls_over;
    *since = time(NULL);
  }
  if ((turn_of != thread && !calls_of[turn_of]) || time(NULL) - *since <= (ends_nothing ? patience : 60))
    return 0;
  if (ends_nothing)
    patience /= 2;
  return 1;
}

static inline void take_turn(int ends_nothing) {
  go();
  pthread_mutex_lock(&lock);
  for (time_t now = time(NULL); turn_left && (turn_of != thread || (waits_for_all && under_way));)
    if (need_not_wait(&now, ends_nothing) && turn_left) {
      is_ahead = turn_of != thread;
      ahead[thread] += is_ahead;
      /* The order is another one: what follows need not wait as long for it. */
      number_ahead += is_ahead;
      if (is_ahead && number_ahead % 32 == 0 && between_looks > 1)
        between_looks /= 2;
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
static inline void turn(void) {
  gets.is = 0;
  take_turn(1);
}
static inline void turn_to_get(int source, int tag, long long count) {
  gets.is = 1;
  gets.source = source;
  gets.tag = tag;
  gets.count = count;
  take_turn(1);
}
static inline void own_turn(void) { /* of a call that ends MPI, or an object */
  gets.is = 0;
  take_turn(0);
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
)"},
  };
  return All;
}

} // namespace pilgrim
