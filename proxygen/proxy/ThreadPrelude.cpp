//===- ThreadPrelude.cpp - what threads use together ----------------------===//
//
// Threads of a proxy wait for each other before they free what others use.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/Prelude.h"

namespace pilgrim {

std::span<const PreludeHelper> threadPrelude() {
  static const std::vector<PreludeHelper> All = {
      {"threads", {"turns"}, R"(
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
  ++calls_over;
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
