// Environment, messages and collectives of the virtual MPI; communicators,
// groups and types are in VirtualMpiObjects.cpp.
#include "VirtualMpi.h"

#include "VirtualWorld.h"

#include <chrono>
#include <cstring>
#include <string_view>

namespace pilgrim::virtualranks {

static VirtualWorld *Current;

void setCurrentWorld(VirtualWorld *World) { Current = World; }

VirtualWorld &currentWorld() {
  if (!Current)
    fatal("MPI called outside of a rank");
  return *Current;
}

void *virtualMpiLookup(const char *Name) {
#define VIRTUAL_MPI(Function)                                                                                          \
  if (std::string_view(Name) == "PMPI_" #Function)                                                                     \
    return reinterpret_cast<void *>(&PMPI_##Function);
#include "VirtualMpi.def"
  return nullptr;
}

static VirtualWorld &enter(Function F) {
  VirtualWorld &World = currentWorld();
  World.count(F);
  return World;
}

static long long bytesOf(VirtualWorld &World, int Count, MPI_Datatype Type) {
  return Count * World.datatype(Type).Size;
}

// A collective gives back what the rank itself put in.
static void copyOwn(VirtualWorld &World, const void *From, void *To, int Count, MPI_Datatype Type) {
  if (From != MPI_IN_PLACE && Count > 0)
    std::memcpy(To, From, static_cast<std::size_t>(bytesOf(World, Count, Type)));
}

static const void *at(VirtualWorld &World, const void *Buffer, MPI_Aint Index, MPI_Datatype Type) {
  return static_cast<const char *>(Buffer) + Index * World.datatype(Type).Extent;
}

static void *at(VirtualWorld &World, void *Buffer, MPI_Aint Index, MPI_Datatype Type) {
  return static_cast<char *>(Buffer) + Index * World.datatype(Type).Extent;
}

static void receive(VirtualWorld &World, int Count, MPI_Datatype Type, int Source, int Tag, MPI_Status *Status) {
  if (Source == MPI_PROC_NULL)
    setStatus(Status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
  else
    setStatus(Status, Source, Tag, bytesOf(World, Count, Type));
}

extern "C" {

int PMPI_Init(int *, char ***) {
  enter(Function::Init).State = VirtualWorld::Phase::Running;
  return MPI_SUCCESS;
}

int PMPI_Finalize() {
  enter(Function::Finalize).State = VirtualWorld::Phase::Finalized;
  return MPI_SUCCESS;
}

int PMPI_Initialized(int *Flag) {
  *Flag = enter(Function::Initialized).State != VirtualWorld::Phase::Before;
  return MPI_SUCCESS;
}

int PMPI_Finalized(int *Flag) {
  *Flag = enter(Function::Finalized).State == VirtualWorld::Phase::Finalized;
  return MPI_SUCCESS;
}

int PMPI_Query_thread(int *Provided) {
  enter(Function::Query_thread);
  *Provided = MPI_THREAD_SINGLE;
  return MPI_SUCCESS;
}

int PMPI_Get_processor_name(char *Name, int *Length) {
  enter(Function::Get_processor_name);
  std::strcpy(Name, "virtual");
  *Length = static_cast<int>(std::strlen(Name));
  return MPI_SUCCESS;
}

double PMPI_Wtime() {
  enter(Function::Wtime);
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int PMPI_Get_count(const MPI_Status *Status, MPI_Datatype Type, int *Count) {
  const long long Size = enter(Function::Get_count).datatype(Type).Size;
  const long long Bytes =
      static_cast<long long>(Status->count_hi_and_cancelled >> 1) << 32 | static_cast<unsigned>(Status->count_lo);
  *Count = Size == 0 ? 0 : Bytes % Size ? MPI_UNDEFINED : static_cast<int>(Bytes / Size);
  return MPI_SUCCESS;
}

int PMPI_Send(const void *, int, MPI_Datatype, int, int, MPI_Comm) {
  enter(Function::Send);
  return MPI_SUCCESS;
}

int PMPI_Recv(void *, int Count, MPI_Datatype Type, int Source, int Tag, MPI_Comm, MPI_Status *Status) {
  receive(enter(Function::Recv), Count, Type, Source, Tag, Status);
  return MPI_SUCCESS;
}

int PMPI_Sendrecv(const void *, int, MPI_Datatype, int, int, void *, int Count, MPI_Datatype Type, int Source, int Tag,
                  MPI_Comm, MPI_Status *Status) {
  receive(enter(Function::Sendrecv), Count, Type, Source, Tag, Status);
  return MPI_SUCCESS;
}

int PMPI_Isend(const void *, int Count, MPI_Datatype Type, int Dest, int, MPI_Comm, MPI_Request *Request) {
  VirtualWorld &World = enter(Function::Isend);
  *Request = World.startSend(Dest, bytesOf(World, Count, Type));
  return MPI_SUCCESS;
}

int PMPI_Irecv(void *, int Count, MPI_Datatype Type, int Source, int Tag, MPI_Comm, MPI_Request *Request) {
  VirtualWorld &World = enter(Function::Irecv);
  *Request = World.startReceive(Source, Tag, bytesOf(World, Count, Type));
  return MPI_SUCCESS;
}

int PMPI_Wait(MPI_Request *Request, MPI_Status *Status) {
  enter(Function::Wait).complete(*Request, Status);
  return MPI_SUCCESS;
}

int PMPI_Waitall(int Count, MPI_Request Requests[], MPI_Status *Statuses) {
  VirtualWorld &World = enter(Function::Waitall);
  for (int I = 0; I < Count; ++I)
    World.complete(Requests[I], Statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &Statuses[I]);
  return MPI_SUCCESS;
}

int PMPI_Barrier(MPI_Comm) {
  enter(Function::Barrier);
  return MPI_SUCCESS;
}

int PMPI_Bcast(void *, int, MPI_Datatype, int, MPI_Comm) {
  enter(Function::Bcast);
  return MPI_SUCCESS;
}

int PMPI_Reduce(const void *Send, void *Receive, int Count, MPI_Datatype Type, MPI_Op, int Root, MPI_Comm Comm) {
  VirtualWorld &World = enter(Function::Reduce);
  if (World.communicator(Comm).Rank == Root)
    copyOwn(World, Send, Receive, Count, Type);
  return MPI_SUCCESS;
}

int PMPI_Allreduce(const void *Send, void *Receive, int Count, MPI_Datatype Type, MPI_Op, MPI_Comm) {
  copyOwn(enter(Function::Allreduce), Send, Receive, Count, Type);
  return MPI_SUCCESS;
}

int PMPI_Scan(const void *Send, void *Receive, int Count, MPI_Datatype Type, MPI_Op, MPI_Comm) {
  copyOwn(enter(Function::Scan), Send, Receive, Count, Type);
  return MPI_SUCCESS;
}

int PMPI_Alltoall(const void *Send, int SendCount, MPI_Datatype SendType, void *Receive, int RecvCount,
                  MPI_Datatype RecvType, MPI_Comm Comm) {
  VirtualWorld &World = enter(Function::Alltoall);
  const MPI_Aint Rank = World.communicator(Comm).Rank;
  if (Send != MPI_IN_PLACE)
    copyOwn(World, at(World, Send, Rank * SendCount, SendType), at(World, Receive, Rank * RecvCount, RecvType),
            SendCount, SendType);
  return MPI_SUCCESS;
}

int PMPI_Alltoallv(const void *Send, const int SendCounts[], const int SendOffsets[], MPI_Datatype SendType,
                   void *Receive, const int[], const int RecvOffsets[], MPI_Datatype RecvType, MPI_Comm Comm) {
  VirtualWorld &World = enter(Function::Alltoallv);
  const int Rank = World.communicator(Comm).Rank;
  if (Send != MPI_IN_PLACE)
    copyOwn(World, at(World, Send, SendOffsets[Rank], SendType), at(World, Receive, RecvOffsets[Rank], RecvType),
            SendCounts[Rank], SendType);
  return MPI_SUCCESS;
}

} // extern "C"

} // namespace pilgrim::virtualranks

// Constants that MPICH keeps in variables.
extern "C" {
static int Unweighted, WeightsEmpty;
int *const MPI_UNWEIGHTED = &Unweighted;
int *const MPI_WEIGHTS_EMPTY = &WeightsEmpty;
MPI_T_pvar_handle const MPI_T_PVAR_ALL_HANDLES = nullptr;
}
