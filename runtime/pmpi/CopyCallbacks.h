//===- CopyCallbacks.h - copy callbacks of attributes -------------*- C++ -*-===//
//
// At MPI_Finalize the tracer duplicates MPI_COMM_WORLD, and MPI calls the copy callbacks of the attributes that the
// program has set there. The program must not see such calls. So MPI gets a callback of the tracer's instead of each of
// the program's. That one passes calls on, except those of the tracer's own duplication: to these it answers that the
// attribute is not copied. MPI does not call a delete callback then, either.
//
// Only the tracer's duplication needs this. A nonblocking function that makes a communicator without attributes would
// spare it, but MPI has none, and a blocking one waits for ever for a rank that is not traced.
//
// There is room for 64 different callbacks. Those of further ones are called.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_COPYCALLBACKS_H
#define PILGRIM_PMPI_COPYCALLBACKS_H

namespace pilgrim {

/// From now on callbacks are replaced where keyvals of communicators are made. To be called after
/// resolveRealFunctions().
void replaceCopyCallbacks();

/// As long as it lives, no copy callback of the program is called on this thread.
class WithoutCopyCallbacks {
public:
  WithoutCopyCallbacks();
  ~WithoutCopyCallbacks();
  WithoutCopyCallbacks(const WithoutCopyCallbacks &) = delete;
};

} // namespace pilgrim

#endif
