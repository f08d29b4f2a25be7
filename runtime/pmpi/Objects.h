//===- Objects.h - names of communicators, datatypes and the like -*- C++ -*-===//
//
// Gives objects their names. The name of a predefined object is its constant. Any other object gets the lowest number
// that is free in its kind when it is made. Communicators, windows and files also have the own rank and the size in
// their name, datatypes their size in bytes: so a signature can be understood without the calls before it.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_OBJECTS_H
#define PILGRIM_PMPI_OBJECTS_H

#include "core/Encoder.h"
#include "core/IdPool.h"
#include "pmpi/Constants.h"
#include "pmpi/HandleMap.h"
#include "pmpi/Mpi.h"
#include "trace/model/TraceData.h"

#include <atomic>
#include <vector>

namespace pilgrim {

/// An object that a call frees, from before the call until the call is recorded. With threads, another object may have
/// got its handle by then, so its Index is kept. Without threads there is no Index.
struct LeavingObject {
  Kind K = {};
  uint64_t Raw = 0;
  uint32_t Index = HandleMap::None;
};

class Objects {
public:
  Objects();

  /// A call returned an object. Ref: it may be an existing object, which then has one more reference.
  void made(Kind K, uint64_t Raw, bool Ref);
  /// A call returned a communicator that will be a copy of Parent once a request has completed.
  void duplicated(uint64_t Parent, uint64_t Raw);
  /// The index of an object that a call may free.
  uint32_t leaving(Kind K, uint64_t Raw);
  /// The call has freed the object, or has not. Returns the memory of a window that was freed, or null.
  const void *left(const LeavingObject &L, bool IsFreed);
  /// Whether MPI can be asked about an object: it is there and no null handle. Of other values MPI would tell the
  /// program's error handler.
  bool canBeAsked(Kind K, uint64_t Raw);
  void encode(Kind K, uint64_t Raw, SlotSink &Sink, const LeavingObject &Leaving);
  /// Notes the memory that MPI allocated for a window.
  void setWindowMemory(uint64_t Raw, const void *Base);
  /// MPI is initialized: it can be asked for ranks and sizes, and MPI_COMM_WORLD exists.
  void initialized();
  bool hasWorld() const { return HasWorld; }
#if MPI_VERSION >= 4
  /// MPI can also be asked while there is a session.
  void sessionBegun(MPI_Session S) { Sessions.push_back(S); }
  void sessionEnded(MPI_Session S) { std::erase(Sessions, S); }
#endif
  /// The group of all processes that were started together.
  bool worldGroup(MPI_Group &G) const;

private:
  struct Object {
    const char *Name = nullptr; ///< of a predefined object
    int64_t Words[5] = {};      ///< as trace/model/TraceData.h says for objects; Words[0] is the number
    unsigned NumWords = 1;
    unsigned References = 1;
    bool Measured = false; ///< the words behind the number are filled
    bool IsLeaving = false;
    const void *Memory = nullptr;
    uint64_t Memo = 0; ///< what a recorder has noted of these words
  };
  Object *find(Kind K, uint64_t Raw);
  Object &enter(Kind K, uint64_t Raw);
  Object *begin(Kind K, uint64_t Raw, bool Ref);
  void freed(Kind K, uint64_t Raw);
  void release(Kind K, uint32_t Index);
  bool isUp() const;
  void measureGroup(MPI_Group G, int64_t *Words, bool WithLeader) const;
  void measure(Kind K, uint64_t Raw, Object &O);

  HandleMap Maps[NumKinds];
  IdPool Ids[NumKinds];
  std::vector<Object> Store;
  std::vector<uint32_t> Free;
  bool HasWorld = false; ///< MPI_COMM_WORLD is there
#if MPI_VERSION >= 4
  std::vector<MPI_Session> Sessions; ///< that are open
#endif
};

} // namespace pilgrim

#endif
