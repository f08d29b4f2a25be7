//===- CallbackPrelude.cpp - calls that a program makes in functions that MPI calls ---===//
//
// A call that the program made in a function of its own waits until MPI calls that function in the proxy.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/Prelude.h"

namespace pilgrim {

std::span<const PreludeHelper> callbackPrelude() {
  static const std::vector<PreludeHelper> All = {
      {"inside", {}, R"(
/* Calls that the program made in functions of its own that MPI called. They wait for MPI to call these. Memory may be
   freed there, or by MPI itself. */
@static struct waiting {
  void (*call)(void);
  int depth, is_call;
} *waiting;
@static int waiting_room, waiting_from, waiting_to, depth, result;
static long left_out; /* calls of functions that MPI did not call here */

static inline void inside(int at, void (*call)(void), int is_call) {
  if (waiting_to == waiting_room) {
    waiting_room = waiting_room ? 2 * waiting_room : 64;
    waiting = realloc(waiting, (size_t)waiting_room * sizeof *waiting);
  }
  waiting[waiting_to++] = (struct waiting){call, at, is_call};
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
  for (; waiting_from < waiting_to; ++waiting_from) {
    if (!waiting[waiting_from].is_call) {
      waiting[waiting_from].call();
      continue;
    }
|    turn();
|    pthread_mutex_lock(&lock);
    ++left_out;
|    pthread_mutex_unlock(&lock);
|    done();
  }
  waiting_from = waiting_to = 0;
}
)"},
      {"query", {"inside", "asking"}, R"(
/* MPI asks for the status of a generalized request. */
@static MPI_Status *asked;
@static int asked_source, asked_tag;
static inline int query(MPI_Status *status) {
  memset(status, 0, sizeof *status);
  if (is_asking)
    return MPI_SUCCESS;
  asked = status;
  called_back();
  status->MPI_SOURCE = asked_source;
  status->MPI_TAG = asked_tag;
  return MPI_SUCCESS;
}
)"},
  };
  return All;
}

} // namespace pilgrim
