//===- LibraryPrelude.cpp - calls of a proxy that are not the program's ----===//
//
// A proxy may be traced itself. What it does besides the calls of its trace must not be seen then.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/Prelude.h"

namespace pilgrim {

std::span<const PreludeHelper> libraryPrelude() {
  static const std::vector<PreludeHelper> All = {
      {"library", {}, R"(
/* The MPI library's own function: a tracer that is loaded before it does not see these calls. */
#include <dlfcn.h>
#include <link.h>
#ifndef __USE_GNU
#define LIBRARY(function) (&function)
#else
struct sought {
  const char *name;
  void *found;
};

static int look_for(struct dl_phdr_info *module, size_t size, void *context) {
  struct sought *it = context;
  Dl_info info;
  void *library = size && *module->dlpi_name ? dlopen(module->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!library)
    return 0;
  void *at = dlsym(library, it->name);
  if (at && dladdr(at, &info) && strcmp(info.dli_fname, module->dlpi_name) == 0)
    it->found = at;
  dlclose(library);
  return 0;
}

static void *in_library(const char *name, void *linked) {
  struct sought it = {name, linked};
  dl_iterate_phdr(look_for, &it);
  return it.found;
}
#define LIBRARY(function) ((__typeof__(&function))in_library(#function, (void *)&function))
#endif
)"},
      {"attached", {"library"}, R"(
/* The program told other ranks in messages where it has what it attached to windows. A proxy's messages have other
   contents: each rank writes these addresses here, in the order in which it attaches places. */
#include <time.h>
static MPI_Aint *attached;
static MPI_Win attached_window;

static void share_attached(int places) {
  attached = calloc((size_t)places, sizeof *attached);
  LIBRARY(PMPI_Win_create)(attached, places * (MPI_Aint)sizeof *attached, sizeof *attached, MPI_INFO_NULL, MPI_COMM_WORLD,
                           &attached_window);
  LIBRARY(PMPI_Win_lock_all)(MPI_MODE_NOCHECK, attached_window);
}

static void unshare_attached(void) {
  LIBRARY(PMPI_Win_unlock_all)(attached_window);
  LIBRARY(PMPI_Win_free)(&attached_window);
}

static void is_attached(int which, const void *address) {
  LIBRARY(PMPI_Get_address)(address, &attached[which]);
  LIBRARY(PMPI_Win_sync)(attached_window);
}

static MPI_Aint attached_by(int target, int which) {
  MPI_Aint address = 0;
  __typeof__(&PMPI_Get) get = LIBRARY(PMPI_Get);
  __typeof__(&PMPI_Win_flush) flush = LIBRARY(PMPI_Win_flush);
  const time_t begin = time(NULL);
  while (!address) {
    if (time(NULL) - begin > 60) {
      fprintf(stderr, "rank %d: rank %d has not attached in a minute what is needed of it\n", rank, target);
      LIBRARY(PMPI_Abort)(MPI_COMM_WORLD, 2);
    }
    get(&address, 1, MPI_AINT, target, which, 1, MPI_AINT, attached_window);
    flush(target, attached_window);
  }
  return address;
}
)"},
      {"keyval_at", {}, R"(
/* The keyval that stands for one of the recorded run. One that no call has made is MPI's own. */
struct keyval {
  int recorded, here;
  struct keyval *next;
};

static int *keyval_at(int recorded) {
  static struct keyval *newest;
  struct keyval *begin = __atomic_load_n(&newest, __ATOMIC_ACQUIRE), *made = NULL;
  for (;;) {
    struct keyval *it = begin;
    while (it && it->recorded != recorded)
      it = it->next;
    if (it) {
      free(made);
      return &it->here;
    }
    if (!made)
      made = malloc(sizeof *made);
    *made = (struct keyval){recorded, recorded, begin};
    if (__atomic_compare_exchange_n(&newest, &begin, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return &made->here;
  }
}
)"},
      {"attached_at", {"attached"}, R"(
/* By the address that the program used; on one rank, or on all (-1). What is no address of attached memory stays. */
struct remote {
  long address;
  int target, by, which;
  long offset;
};

static MPI_Aint attached_at(const struct remote *all, int number, int target, long address) {
  int first = 0, end = number;
  while (first < end) {
    const int middle = first + (end - first) / 2;
    const struct remote *it = &all[middle];
    if (it->target < target || (it->target == target && it->address < address))
      first = middle + 1;
    else
      end = middle;
  }
  for (; first < number && all[first].target == target && all[first].address == address; ++first)
    if (all[first].by < 0 || all[first].by == rank)
      return attached_by(target, all[first].which) + all[first].offset;
  return address;
}
)"},
  };
  return All;
}

} // namespace pilgrim
