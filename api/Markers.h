/*===- Markers.h - what instrumented code and the runtime agree on -*- C -*-===*\
|*                                                                            *|
|* The whole contract between what pass/ inserts into a program and what      *|
|* runtime/ does with it. A change here is a new PILGRIM_MARKERS_VERSION.     *|
|*                                                                            *|
|* A function body is a region, and so is each of its loops that has events.  *|
|* While it is executed it has a frame on the stack. Frames are linked from   *|
|* the innermost, __pilgrim_top, outwards. A *visit* is one way through a     *|
|* region without its back edges: one iteration of a loop, mostly the only    *|
|* visit of a function body. A visit follows a *path* in an acyclic graph;    *|
|* values on its edges (Ball & Larus, MICRO 1996) add up to a number that     *|
|* names the path. The first edge out of a node has the value 0, so that a    *|
|* path cut short is named by its sum so far and its last event.              *|
|*                                                                            *|
|* Markers only write to the frame: events and sums inline, the rest by the   *|
|* calls below. These do more where a traced call was made since the visit or *|
|* the activation began: the runtime sets Touched and Node then.              *|
|*                                                                            *|
|* A loop whose path 0 comes to a site behind which neither the way nor what  *|
|* happens depends on anything: that call ends a visit whose sum is 0, for    *|
|* the runtime. Where no other path leads to a back edge there is no marker   *|
|* on it, and an event that is the only one is stored once, before the loop.  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef PILGRIM_API_MARKERS_H
#define PILGRIM_API_MARKERS_H

#include <stdint.h>

#define PILGRIM_MARKERS_VERSION 3

#ifdef __cplusplus
extern "C" {
#endif

/** One for each instrumented function, in section "pilgrim_functions". An inline function's is in a COMDAT group of its
    own: the copy of the function that the linker keeps may be one without markers. All offsets are from the field
    itself. */
typedef struct PilgrimFunction {
  uint64_t Id;   /**< XXH3 of linkage name, file name for local functions, and the table's bytes */
  uint64_t Name; /**< XXH3 of the linkage name; 0 for local functions */
  int32_t Table; /**< offset of the table, see below */
  int32_t Flag;  /**< offset of the byte that switches the markers of this function on; 0: they are always on */
} PilgrimFunction;

/** A function body (Index 0) or one of its loops. */
typedef struct PilgrimRegion {
  int32_t Function; /**< offset of its PilgrimFunction */
  uint32_t Index;
} PilgrimRegion;

/** On the stack, those of a function side by side, that of a loop right below that of the region around it. Written by
    markers, but for Node and Touched, which they set to zero when an activation begins. */
typedef struct PilgrimFrame {
  struct PilgrimFrame *Parent;
  const PilgrimRegion *Region;
  void *Node;       /**< the runtime's; null: no traced call inside this activation so far */
  uint64_t Sum;     /**< of the values of the edges of this visit so far, those behind the last event among them */
  uint32_t Event;   /**< the event that was entered last in this visit; 0: none yet */
  uint32_t Touched; /**< not 0: a traced call was made inside this visit. The runtime sets and clears it. */
} PilgrimFrame;

/** The innermost frame of the thread. */
extern __thread PilgrimFrame *__pilgrim_top __attribute__((tls_model("initial-exec")));

/* Calls of markers. On x86-64 all registers are kept but r11 and those of floating-point numbers, which is clang's
   preserve_most; they are called without the linker's stubs, which keep fewer. */

/** A body's activation begins. */
void __pilgrim_enter(PilgrimFrame *Frame, const PilgrimRegion *Region);
/** A loop's: its event in the region around it, and from bit 16 the difference of their indices. */
void __pilgrim_enter_loop(PilgrimFrame *Frame, uint32_t Which);
/** End of a visit after which the activation goes on (back edge, cut), which a site's call may have ended before. Sum
   and Event are 0 afterwards; the marker adds the base of the next visit. A marker may look at Touched itself, and set
   them without a call where nothing else is to be done. */
void __pilgrim_next(PilgrimFrame *Frame);
/** End of an activation. Sum is the whole path's. The frame is popped afterwards. */
void __pilgrim_exit(PilgrimFrame *Frame);

/* What the runtime does in these. */

/** End of a visit: only if Touched. Sum is the whole path's. */
void __pilgrim_visit(PilgrimFrame *Frame);
/** End of an activation: only if Node. Sum is the whole path's. */
void __pilgrim_leave(PilgrimFrame *Frame);

/** One for each executable or shared library. */
typedef struct PilgrimModule {
  uint32_t Version;                   /**< PILGRIM_MARKERS_VERSION */
  uint32_t Size;                      /**< sizeof(PilgrimModule) */
  const PilgrimFunction *Begin, *End; /**< the section */
} PilgrimModule;

/** Called by a constructor of the module before the program's own, and by a destructor. Registering sets the flags of
    functions that may reach MPI by what is known of all modules. */
void __pilgrim_register(const PilgrimModule *Module);
void __pilgrim_unregister(const PilgrimModule *Module);

/* A function's table is a sequence of bytes. varint: unsigned LEB128. string: varint length, then the bytes.

     string   name (demangled by readers)
     string   file, as the debug info has it; empty without
     varint   line of the function; 0 without debug info
     u8       1 if the function has an MPI site, else 0
     varint   number of callees that may reach MPI if they are instrumented; per callee: u64 XXH3 of the linkage name,
              little endian
     varint   number of regions; per region, number 0 is the body:
       varint   line
       varint   number of events; per event, numbered from 1:
         u8       kind, below
         varint   line; 0: not known
         varint   arm in which it stands: an event of kind arm, smaller than its own number; 0: none
         site: string MPI function by its linkage name (MPI_Send, mpi_send_)
         call: string linkage name of the callee, empty if it is computed
         loop: varint region
         arm:  varint which successor of the branch, from 0; the line is that of the branch
       varint   number of nodes, in topological order; per node:
         varint   event that happens in it: a site, call or loop; 0: none
         varint   number of edges, 1 or more; per edge, values ascending from 0:
           varint   target node, greater than its own; the number of nodes: the end of the visit
           varint   value
           varint   arm that begins on it (an event); 0: none
       varint   number of starts, ascending; per start:
         varint   base
         varint   node. The first is base 0, node 0; others are where visits go on after cuts.

   A path's number is base + values: the start is the one with the greatest base that is not above the number, and at
   each node the edge taken is the one with the greatest value that is not above the rest. */
enum PilgrimEventKind { PilgrimSite, PilgrimCall, PilgrimLoop, PilgrimArm };

#ifdef __cplusplus
}
#endif

#endif
