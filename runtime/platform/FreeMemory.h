//===- FreeMemory.h - what the system can still give --------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_FREEMEMORY_H
#define PILGRIM_PLATFORM_FREEMEMORY_H

#include <cstdint>

namespace pilgrim {

/// Bytes that this process can use before the system, or a control group that it is in, ends processes for lack of
/// memory: a job's limit is often that of a control group (version 1 or 2). What files have in memory counts as free.
/// UINT64_MAX if nothing is known. Root: where proc/ and sys/ are looked for. Allocates nothing, and leaves errno.
uint64_t freeMemory(const char *Root = "");

} // namespace pilgrim

#endif
