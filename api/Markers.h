/*===- Markers.h - what instrumented code and the runtime agree on -*- C -*-===*\
|*                                                                            *|
|* The whole contract between what pass/ inserts into a program and what      *|
|* runtime/ does with it. A change here is a new PILGRIM_MARKERS_VERSION.     *|
|*                                                                            *|
|* A region is a function body, or a loop in it that has events. A region     *|
|* that is being executed has a frame on the stack. Frames are linked from    *|
|* the innermost, __pilgrim_top, outwards. A *visit* is one pass through a    *|
|* region without its back edges: one iteration of a loop; a function body    *|
|* usually has one visit. A visit follows a *path* in an acyclic graph. The   *|
|* values on the path's edges (Ball & Larus, MICRO 1996) add up to its        *|
|* number. The first edge out of a node has the value 0, so a path that is    *|
|* cut short is named by its sum so far and its last event.                   *|
|*                                                                            *|
|* Markers only write to the frame: events and sums inline, the rest by the   *|
|* calls below. If a traced call was made since the visit or the activation   *|
|* began, the runtime has set Touched or Node, and the calls do more.         *|
|*                                                                            *|
|* In a loop, path 0 may have a last MPI site, with no branch or event after  *|
|* it. For the runtime, a call there ends the visit if the sum is 0. If no    *|
|* other path leads to the back edge, the back edge has no marker. If the     *|
|* event of that site is the loop's only one, it is stored once, before the   *|
|* loop.                                                                      *|
|*                                                                            *|
|* OpenMP starts a team of threads, each of which calls one function. Threads *|
|* that have no frames get one without a region. It says where the team was   *|
|* started: in the frames of another thread, which waits for the team.        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef PILGRIM_API_MARKERS_H
#define PILGRIM_API_MARKERS_H

#include <stdint.h>

#define PILGRIM_MARKERS_VERSION 6

#ifdef __cplusplus
extern "C" {
#endif

/** Describes an instrumented function, in section "pilgrim_functions". That of an inline function is in a COMDAT group
   of its own, because the linker may keep a copy of the function that has no markers. Offsets count from the field
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

/** An activation of a region, on the stack. The frames of one function lie side by side; the frame of a loop lies right
    below that of the region around it. Markers write all fields. The runtime also writes Node and Touched, which
   markers set to zero when an activation begins. */
typedef struct PilgrimFrame {
  struct PilgrimFrame *Parent;
  const PilgrimRegion *Region;
  void *Node;       /**< belongs to the runtime; null: no traced call inside this activation so far */
  uint64_t Sum;     /**< of the values of all edges of this visit so far, also of those behind the last event */
  uint32_t Event;   /**< the last event of this visit so far; 0: none yet */
  uint32_t Touched; /**< bit 0: a traced call was made inside this visit. The other bits: a number of this visit, if a
                         team was started in it. The runtime sets them, and clears all at the end of the visit. */
} PilgrimFrame;

/** Where a team is started, on the stack of the thread that starts it. The runtime writes all fields. */
typedef struct PilgrimFork {
  PilgrimFrame *Frame;  /**< the innermost frame of the thread; null: not to be used */
  uintptr_t Begin, End; /**< the frames of the thread lie between these addresses */
} PilgrimFork;

/** The innermost frame of the thread. */
extern __thread PilgrimFrame *__pilgrim_top __attribute__((tls_model("initial-exec")));

/* Functions that markers call. On x86-64 they keep all registers but r11 and the floating-point registers: clang's
   preserve_most. They are called without the linker's stubs, which keep fewer registers. */

/** An activation of a function body begins. */
void __pilgrim_enter(PilgrimFrame *Frame, const PilgrimRegion *Region);
/** An activation of a loop begins. Which: the loop's event in the region around it, and from bit 16 on the difference
    between the indices of the two regions. */
void __pilgrim_enter_loop(PilgrimFrame *Frame, uint32_t Which);
/** A visit ends and the activation goes on (back edge, cut). A call at a site may have ended the visit before. Sum and
    Event are 0 afterwards; the marker adds the base of the next visit. If Touched is 0, a marker may set them itself
   and leave out this call. */
void __pilgrim_next(PilgrimFrame *Frame);
/** An activation ends. Sum is that of the whole path. The frame is popped afterwards. */
void __pilgrim_exit(PilgrimFrame *Frame);

/** An exception or a longjmp may have left functions: frames below the caller's are taken off, before a call can write
    where they lie. Other registers are kept as usual. */
void __pilgrim_drop(void);

/* Around teams of threads, with the usual convention. */

/** A team is about to be started. Frame: the innermost one. */
void __pilgrim_fork(PilgrimFork *Fork, PilgrimFrame *Frame);
/** A thread of the team is about to call the team's function. Link: memory for a frame, until __pilgrim_leave_team. */
void __pilgrim_join_team(PilgrimFrame *Link, const PilgrimFork *Fork);
/** The function has returned. */
void __pilgrim_leave_team(PilgrimFrame *Link);

/* The functions above call these, which do the work of the runtime. */

/** A visit ends in which a traced call was made (Touched). Sum is that of the whole path. */
void __pilgrim_visit(PilgrimFrame *Frame);
/** An activation ends in which a traced call was made (Node). Sum is that of the whole path. */
void __pilgrim_leave(PilgrimFrame *Frame);

/** One for each executable or shared library. */
typedef struct PilgrimModule {
  uint32_t Version;                   /**< PILGRIM_MARKERS_VERSION */
  uint32_t Size;                      /**< sizeof(PilgrimModule) */
  const PilgrimFunction *Begin, *End; /**< the section */
} PilgrimModule;

/** A constructor of the module calls the first one, before the program's own constructors; a destructor calls the
   second one. Registering a module sets the flags of functions, in all modules, that may now reach MPI. */
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
         arm:  varint its name, an ArmName of pass/Arms.h; the line is that of the branch or the directive. Behind
               PilgrimCriticalArm: string name of the critical section, empty if it has none
       varint   number of nodes, in topological order; per node:
         varint   event that happens in it: a site, call or loop, or an arm that begins with the node; 0: none
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
/** Of the names of arms. */
enum { PilgrimCriticalArm = 7 };

#ifdef __cplusplus
}
#endif

#endif
