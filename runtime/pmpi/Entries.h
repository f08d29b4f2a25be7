//===- Entries.h - the exported MPI symbols ----------------------*- C++ -*-===//
//
// Every exported MPI_X and PMPI_X is one jump through a table. While tracing it leads to the wrapper, otherwise to the
// next library's function of that name.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_ENTRIES_H
#define PILGRIM_PMPI_ENTRIES_H

namespace pilgrim {

using EntryTarget = void (*)();
struct EntryPoint {
  EntryTarget Mpi;      // where MPI_X jumps to
  EntryTarget Pmpi;     // where PMPI_X jumps to; offset 8
  EntryTarget Traced;   // the wrapper
  EntryTarget Untimed;  // the wrapper for runs without timing
  EntryTarget NextMpi;  // what MPI_X would be without us
  EntryTarget NextPmpi; // what PMPI_X would be without us
};
static_assert(sizeof(EntryPoint) == 48);
#define EntryPoints __pilgrim_entries
extern "C" __attribute__((visibility("hidden"))) EntryPoint __pilgrim_entries[]; // one for each of FunctionRows
extern const unsigned NumEntries;

} // namespace pilgrim

// The assembly leaves the current section as it was, since the compiler does not look into it.
#if defined(__x86_64__)
#define PILGRIM_ENTRY(Symbol, Index, Offset)                                                                           \
  asm(".pushsection .text\n.globl " Symbol "\n.type " Symbol ",@function\n.p2align 4\n" Symbol                         \
      ":\n\tjmp *(__pilgrim_entries+48*" Index "+" Offset ")(%rip)\n.size " Symbol ",.-" Symbol "\n.popsection\n");
#elif defined(__aarch64__)
#define PILGRIM_ENTRY(Symbol, Index, Offset)                                                                           \
  asm(".pushsection .text\n.globl " Symbol "\n.type " Symbol ",%function\n.p2align 4\n" Symbol                         \
      ":\n\tadrp x16, __pilgrim_entries+48*" Index "+" Offset "\n\tldr x16, [x16, :lo12:__pilgrim_entries+48*" Index   \
      "+" Offset "]\n\tbr x16\n.size " Symbol ",.-" Symbol "\n.popsection\n");
#else
#error "the exported entry points are written for x86-64 and AArch64"
#endif

#endif
