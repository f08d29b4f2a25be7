//===- SequencePrelude.cpp - what proxies take from tables: sets of ranks, sequences of numbers ---===//
//
// What a proxy takes from tables: whether its rank is in a set, and sequences of numbers, arrays and texts, which are
// rules (next) or runs of integers (next_int).
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/Prelude.h"

namespace pilgrim {

std::span<const PreludeHelper> sequencePrelude() {
  static const std::vector<PreludeHelper> All = {
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
/* A sequence of numbers, as rules: numbers from 0 on. TIMES or RULE, how often, and a number or another rule. */
enum { END = -1, TIMES = -2, RULE = -3 };
struct cursor {
  long *const *rules;
  int depth;
  struct {
    const long *at;
    long done;
  } level[DEPTH];
};

static inline void start(struct cursor *c, long *const *rules) {
  c->rules = rules;
  c->depth = 0;
  c->level[0].at = rules[0];
  c->level[0].done = 0;
}

/* The next number; -1 at the end. */
static inline long next(struct cursor *c) {
  while (c->rules) {
    const long *at = c->level[c->depth].at, count = *at >= 0 ? 1 : *at == END ? 0 : at[1];
    if (!count && !c->depth)
      break;
    if (!count) {
      ++c->level[--c->depth].done;
    } else if (c->level[c->depth].done >= count) {
      c->level[c->depth].at += *at >= 0 ? 1 : 3;
      c->level[c->depth].done = 0;
    } else if (*at == RULE) {
      ++c->depth;
      c->level[c->depth].at = c->rules[at[2]];
      c->level[c->depth].done = 0;
    } else {
      ++c->level[c->depth].done;
      return *at == TIMES ? at[2] : *at;
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

static inline void start_ints(struct ints *s, long *const *rules, struct run *runs, int are_steps) {
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
      {"nth_int", {"next_int"}, R"(
/* The integer behind so many others. */
static inline long nth_int(struct ints *s, long place) {
  long value = 0;
  for (long i = 0; i <= place; ++i)
    value = next_int(s);
  return value;
}
)"},
      {"next_place", {"next_int"}, R"(
/* How many ranks of these intervals are below this one; -1: it is in none of them. */
static inline long next_place(struct ints *ends, long intervals) {
  for (long place = 0; intervals > 0; --intervals) {
    const long first = next_int(ends), last = next_int(ends);
    if (rank < first)
      break;
    if (rank <= last)
      return place + rank - first;
    place += last - first + 1;
  }
  return -1;
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
/* A text whose length and bytes are in sequences. Each text of a call has a place. */
static inline char *text_of(int place, struct ints *lengths, struct ints *bytes) {
  @static char *at[4];
  long n = next_int(lengths);
  char *text = at[place] = realloc(at[place], (size_t)n + 1);
  for (long i = 0; i < n; ++i)
    text[i] = (char)next_int(bytes);
  text[n] = 0;
  return text;
}
)"},
  };
  return All;
}

} // namespace pilgrim
