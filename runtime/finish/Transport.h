//===- Transport.h - what MPI's transport prints -----------------*- C++ -*-===//
//
// MPICH's transport (UCX) prints its errors and warnings to the standard output, where nothing of ours belongs.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_FINISH_TRANSPORT_H
#define PILGRIM_FINISH_TRANSPORT_H

namespace pilgrim {

/// While it lives, errors are not printed. The program may have left no descriptor for what only the joining of traces
/// needs, or may have forbidden it.
class TransportErrors {
public:
  TransportErrors();
  ~TransportErrors();
  TransportErrors(const TransportErrors &) = delete;
};

/// The transport prints a line for each operation that MPI_Finalize finds under way, and for each message that nobody
/// received. From now on these are suppressed, and errors if there were some.
void hushTransport();

} // namespace pilgrim

#endif
