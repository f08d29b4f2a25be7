//===- Memory.cpp - the memory that replayed calls use --------------------===//
#include "proxygen/replay/Memory.h"

#include <cstdlib>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace pilgrim {

/// Stands for the data of the program and its libraries. Pages that no call uses take no memory.
static constexpr size_t DataBytes = size_t(1) << 30;
alignas(4096) static char DataArena[DataBytes];
/// Of one piece. What spans more is two pieces whose distance a datatype contains.
static constexpr int64_t LargestPiece = int64_t(1) << 38;

static size_t sizeOf(const ByteSpan &S) { return static_cast<size_t>(S.End - S.First); }
static size_t pages(size_t Bytes) { return (Bytes + 4095) & ~size_t(4095); }

std::optional<std::string> Memory::check(const Footprint &Uses) {
  size_t Data = 0;
  for (const auto &[P, Span] : Uses.pieces()) {
    if (Span.End - Span.First > LargestPiece || Span.End < Span.First)
      return "a buffer spans " + std::to_string(Span.End - Span.First) +
             " bytes: a datatype joins blocks by the distance between them, which is another one in each run";
    if (P.T == Tag::Data)
      Data += pages(sizeOf(Span)) + 4096;
  }
  if (Data > DataBytes)
    return "buffers in static data take " + std::to_string(Data) + " bytes; the limit is " + std::to_string(DataBytes);
  return std::nullopt;
}

Memory::Memory(const Footprint &Uses) : Uses(Uses) {
  size_t At = 0;
  for (const auto &[P, Span] : Uses.pieces())
    if (P.T == Tag::Data) {
      // Offsets keep their alignment.
      const size_t Skip = static_cast<size_t>(Span.First & 4095);
      Data[P.Module] = DataArena + At + Skip - Span.First;
      At += pages(sizeOf(Span) + Skip);
    }
}

size_t Memory::stackBytes(const MemoryPiece &Stack) const {
  auto It = Uses.pieces().find(Stack);
  return It == Uses.pieces().end() ? 0 : sizeOf(It->second);
}

void Memory::setStack(const MemoryPiece &Stack, char *Base) {
  auto It = Uses.pieces().find(Stack);
  const auto Guard = lockIf(Waits, Lock);
  if (It == Uses.pieces().end())
    return;
  // Offsets keep their alignment.
  const auto Over = reinterpret_cast<uintptr_t>(Base - It->second.First) % StackAlignment;
  Blocks[It->first] = {Base - It->second.First + (Over ? StackAlignment - Over : 0), nullptr};
}

static constexpr size_t Page = 4096;

/// Calls that no tracer sees.
static char *mapped(size_t Bytes) {
  const long At =
      ::syscall(SYS_mmap, nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return At == -1 ? nullptr : reinterpret_cast<char *>(At);
}
static void unmap(char *At, size_t Bytes) { ::syscall(SYS_munmap, At, Bytes); }

/// A block before which Front bytes can be used, too, as a datatype that goes from it to others needs them. malloc maps
/// large blocks by themselves: it is led to where there is room before it, so that the block begins where the program's
/// began. If it takes other places all the time, the block begins further ahead.
Memory::Block Memory::blockWith(size_t Front, size_t Bytes) {
  auto Allocated = [](size_t Size) { return static_cast<char *>(std::calloc(1, Size)); };
  if (!Front) {
    char *Own = Allocated(Bytes);
    return {Own, Own};
  }
  constexpr size_t MappedAlone = size_t(33) << 20; // malloc's limit grows to 32 MiB
  const size_t Before = pages(Front), Size = pages(std::max(Bytes, MappedAlone));
  char *Tried[4] = {};
  Block Out;
  for (char *&Try : Tried) {
    char *const Room = mapped(Before + Size + Page);
    if (!Room)
      break;
    unmap(Room + Before, Size + Page);
    Try = Allocated(Size);
    if (Try && Try - reinterpret_cast<uintptr_t>(Try) % Page == Room + Before) {
      Out = {Try, std::exchange(Try, nullptr), Before};
      break;
    }
    unmap(Room, Before);
  }
  for (char *Try : Tried)
    std::free(Try);
  if (Out.Start)
    return Out;
  char *Own = Allocated(Front + Bytes);
  return {Own ? Own + Front : nullptr, Own};
}

Memory::Block Memory::made(const MemoryPiece &P) {
  auto It = Uses.pieces().find(P);
  ByteSpan Span = It == Uses.pieces().end() ? ByteSpan{0, 1} : It->second;
  if (P.T == Tag::Heap) {
    // Offsets count from the block's start. A buffer that begins before it is the program's affair.
    const size_t Front = Span.First < 0 ? static_cast<size_t>(-Span.First) : 0;
    return blockWith(Front, static_cast<size_t>(std::max<int64_t>(Span.End, 1)));
  }
  Span.First = std::min<int64_t>(Span.First, 0);
  // A system call that no tracer sees: the memory is of unknown origin again. The page before it, which nobody may
  // touch, parts it from what is there.
  const size_t Bytes = pages(sizeOf(Span)), Before = 4096;
  const long Mapped = ::syscall(SYS_mmap, nullptr, Bytes + Before, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *const Begin = reinterpret_cast<char *>(Mapped) + Before;
  if (Mapped == -1 || ::mprotect(Begin, Bytes, PROT_READ | PROT_WRITE) != 0)
    return {nullptr, nullptr};
  return {Begin - Span.First, nullptr};
}

char *Memory::at(const MemoryPlace &P) {
  const auto Guard = lockIf(Waits, Lock);
  if (P.In.T == Tag::Data) {
    auto It = Data.find(P.In.Module);
    return It == Data.end() ? nullptr : It->second + P.Offset;
  }
  if (P.In.T == Tag::Raw) {
    // Memory that no call reads or writes may lie anywhere.
    auto It = Uses.pieces().find(P.In);
    if (It == Uses.pieces().end() || sizeOf(It->second) <= 1)
      return reinterpret_cast<char *>(static_cast<uintptr_t>(P.In.Number));
  }
  auto It = Blocks.find(P.In);
  if (It == Blocks.end())
    It = Blocks.emplace(P.In, made(P.In)).first;
  return It->second.Start ? It->second.Start + P.Offset : nullptr;
}

bool Memory::acquire(const MemoryPiece &P) {
  if (!Waits || P.T != Tag::Heap)
    return false;
  InUse.acquire(static_cast<uint64_t>(P.Number));
  return true;
}

void Memory::release(const MemoryPiece &P) { InUse.release(static_cast<uint64_t>(P.Number)); }

void Memory::freed(const MemoryPiece &P) {
  // A block that is still in use after a minute stays: better some memory lost than some overwritten.
  const bool IsUnused = !Waits || P.T != Tag::Heap || InUse.wait(static_cast<uint64_t>(P.Number));
  const auto Guard = lockIf(Waits, Lock);
  auto It = Blocks.find(P);
  if (It == Blocks.end())
    return;
  if (IsUnused) {
    if (const Block &B = It->second; B.Before)
      unmap(B.Owned - reinterpret_cast<uintptr_t>(B.Owned) % Page - B.Before, B.Before);
    std::free(It->second.Owned);
  }
  Blocks.erase(It);
}

void Memory::given(const MemoryPlace &P, char *Address) {
  const auto Guard = lockIf(Waits, Lock);
  if (P.In.T == Tag::Data || P.In.T == Tag::Stack)
    return;
  // MPI_Buffer_detach gives back what the program has already.
  if (auto It = Blocks.find(P.In); It == Blocks.end() || It->second.Start != Address - P.Offset)
    Blocks.insert_or_assign(P.In, Block{Address - P.Offset, nullptr});
}

} // namespace pilgrim
