//===- Objects.h - names of communicators, datatypes and the like -*- C++ -*-===//
//
// What a handle stands for: a predefined object by its constant, any other by the lowest number that was free in its
// kind when it was made. Communicators, windows and files also have the own rank and the size in them, datatypes their
// size in bytes: whatever a signature needs to be understood by itself.
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

/// One that a call frees, from before the call until it is recorded. With threads (else there is no Index), its handle
/// may be another object's by then.
struct LeavingObject {
  Kind K = {};
  uint64_t Raw = 0;
  uint32_t Index = HandleMap::None;
};

class Objects {
public:
  Objects();

  /// An object came to be (or, with Ref, was handed out again).
  void made(Kind K, uint64_t Raw, bool Ref);
  /// A communicator that will be a copy of Parent, once a request has completed.
  void duplicated(uint64_t Parent, uint64_t Raw);
  /// Index of an object that a call may free.
  uint32_t leaving(Kind K, uint64_t Raw);
  /// What has become of it. Returns the memory of a window that is freed, or null.
  const void *left(const LeavingObject &L, bool IsFreed);
  void encode(Kind K, uint64_t Raw, SlotSink &Sink, const LeavingObject &Leaving);
  /// Memory that belongs to a window.
  void setWindowMemory(uint64_t Raw, const void *Base);
  /// MPI is up: ranks and sizes can be asked for, and the world's.
  void initialized() { HasWorld = true; }
  bool hasWorld() const { return HasWorld; }
#if MPI_VERSION >= 4
  /// So they can while there is a session.
  void sessionBegun(MPI_Session S) { Sessions.push_back(S); }
  void sessionEnded(MPI_Session S) { std::erase(Sessions, S); }
#endif
  /// The group of all processes that were started together.
  bool worldGroup(MPI_Group &G) const;

private:
  struct Object {
    const char *Name = nullptr; // of a predefined one
    int64_t Words[5] = {};      // as trace/model/TraceData.h says for objects; Words[0] is the id
    unsigned NumWords = 1;
    unsigned References = 1;
    bool Measured = false; // the words behind the id are filled
    bool IsLeaving = false;
    const void *Memory = nullptr;
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
  std::vector<MPI_Session> Sessions; ///< open ones
#endif
};

} // namespace pilgrim

#endif
