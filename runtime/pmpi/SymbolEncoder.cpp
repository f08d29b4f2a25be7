//===- SymbolEncoder.cpp - symbols for a traced program's values ----------===//
#include "pmpi/SymbolEncoder.h"
#include "memory/Segments.h"
#include "platform/LoadedModules.h"
#include "pmpi/Constants.h"
#include "pmpi/Functions.h"
#include "pmpi/Markers.h"
#include "pmpi/MpiLibraries.h"
#include "pmpi/Real.h"
#include "pmpi/State.h"
#include "trace/model/SegmentName.h"
#include "trace/read/Reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <strings.h>

namespace pilgrim {

/// Names of predefined handles that are no table objects: the codes of constants.api.
namespace {
struct HandleName {
  Kind K;
  int64_t Code;
  const char *Name;
};
} // namespace

/// Threads may ask for it at once.
static const std::vector<HandleName> &handleNameTable() {
  // Never destroyed: other libraries' destructors may call MPI.
  static const auto &Table = *[] {
    static auto *Filling = new std::vector<HandleName>; // fillPredefined takes a plain function
    fillPredefined([](Kind K, int64_t Code, const char *Name, uint64_t) { Filling->push_back({K, Code, Name}); });
    return Filling;
  }();
  return Table;
}

void SymbolEncoder::handle(Kind K, uint64_t Raw, SlotSink &Sink) {
  std::lock_guard<BookLock> L(P.Books);
  P.Handles.encode(K, Raw, Sink, CurrentThread->Leaving);
}

SegmentName segmentName(const memory::Location &At) {
  switch (At.Kind) {
  case memory::SegmentKind::Device:
    return {At.Id, MemoryKind::Device, At.Device};
  case memory::SegmentKind::Managed:
    return {At.Id, MemoryKind::Managed, At.Device};
  case memory::SegmentKind::Pinned:
    return {At.Id, MemoryKind::Pinned, At.Device};
  default:
    return {At.Id};
  }
}

void SymbolEncoder::address(Kind K, uint64_t Raw, SlotSink &Sink) {
  if (IsSegment)
    return Sink.put(Tag::Heap, static_cast<int64_t>(Raw), 0);
  const void *A = reinterpret_cast<const void *>(static_cast<uintptr_t>(Raw));
  if (K == Kind::Buffer) {
    if (A == MPI_IN_PLACE)
      return Sink.put(Tag::Name, "MPI_IN_PLACE");
    if (A == MPI_BOTTOM)
      return Sink.put(Tag::Name, "MPI_BOTTOM");
  }
  if (!A)
    return Sink.put(Tag::Null);
  if (K == Kind::Function) {
    Dl_info Info;
    if (dladdr(A, &Info) && Info.dli_sname && Info.dli_saddr == A)
      return Sink.put(Tag::String, Info.dli_sname);
  }
  // Opaque values are often small numbers and not addresses.
  if (K == Kind::Pointer && Raw < 65536)
    return Sink.put(Tag::Raw, static_cast<int64_t>(Raw), 0);
  if (K == Kind::Buffer && P.Opts.Buffers == BuffersOption::Off)
    return Sink.put(Tag::Absent);
  memory::Location At = memory::locate(A, Who);
  if (At.IsFleeting)
    Sink.doNotKeep();
  switch (At.Kind) {
  case memory::SegmentKind::Heap:
  case memory::SegmentKind::Device:
  case memory::SegmentKind::Managed:
  case memory::SegmentKind::Pinned:
    return Sink.put(Tag::Heap, segmentName(At).word(), At.Offset);
  case memory::SegmentKind::Stack:
    if (At.Id == 0)
      return Sink.put(Tag::Stack, At.Offset, 0);
    return Sink.put(Tag::Map, MainStackRegion, At.Offset);
  case memory::SegmentKind::Data:
    return Sink.putData(At.Module, At.Offset);
  case memory::SegmentKind::Mapping:
    return Sink.put(Tag::Map, At.Id, At.Offset);
  default:
    return Sink.put(Tag::Raw, static_cast<int64_t>(Raw), 0);
  }
}

const char *SymbolEncoder::constantName(const char *Names, int64_t Value) {
  for (unsigned I = 0; I < NumNamedValues; ++I)
    if (NamedValues[I].Value == Value && std::strcmp(NamedValues[I].Key, Names) == 0)
      return NamedValues[I].Name;
  for (const HandleName &H : handleNameTable())
    if (H.Code == Value && std::strcmp(handleNames(H.K), Names) == 0)
      return H.Name;
  return nullptr;
}

void SymbolEncoder::allConstants(const char *Names, void *Context, void (*Fn)(void *, int64_t, const char *)) {
  for (unsigned I = NumNamedValues; I-- > 0;)
    if (std::strcmp(NamedValues[I].Key, Names) == 0)
      Fn(Context, NamedValues[I].Value, NamedValues[I].Name);
  for (const HandleName &H : handleNameTable())
    if (std::strcmp(handleNames(H.K), Names) == 0)
      Fn(Context, H.Code, H.Name);
}

const char *SymbolEncoder::sentinelName(unsigned Sentinel) {
  return Sentinel < NumSentinels ? SentinelNames[Sentinel] : "?";
}

bool SymbolEncoder::place(uint64_t Address, std::vector<SitePlace> &Places) {
  ModulePlace At;
  // A call that came through a Fortran binding: the place in the program is not known.
  if (!Address || !moduleAt(static_cast<uintptr_t>(Address), At) || isFortranLibrary(At.Path))
    return false;
  const char *Name = baseName(At.Path);
  Places.push_back({Name, static_cast<int64_t>(Address - At.FirstPage)});
  // Where there is structure this is a place that it does not tell.
  if (P.Opts.Callstack || (P.Structured && hasRegions())) {
    std::lock_guard<BookLock> L(P.Books);
    P.Modules.add(Name, At, P.Folder);
  }
  return true;
}

void SymbolEncoder::site(uint64_t Site, std::vector<SitePlace> &Places) {
  if (!CallStacks::isChain(Site)) {
    place(Site, Places);
    return;
  }
  for (int64_t Address : CurrentThread->Stacks->chain(Site))
    if (!place(static_cast<uint64_t>(Address), Places))
      return;
}

uint64_t SymbolEncoder::unloads() { return pilgrim::unloads(); }

int64_t SymbolEncoder::errorClass(int64_t Code) {
  int Class = static_cast<int>(Code);
  // What the program has added stays. It is above all that the library has, and the same in each run.
  if (Code <= MPI_ERR_LASTCODE && Real.MPI_Error_class)
    Real.MPI_Error_class(static_cast<int>(Code), &Class);
  return Class;
}

namespace {
/// Rows of functions by name, in any case.
class RowsByName {
public:
  RowsByName() {
    for (unsigned Row = 0; Row < NumFunctions; ++Row)
      if (uint16_t &At = *find(functionName(Row)); !At)
        At = static_cast<uint16_t>(Row + 1);
  }
  /// The place of the row + 1; 0 there: no function has this name.
  uint16_t *find(std::string_view Name) {
    uint32_t Hash = 2166136261;
    for (const char C : Name)
      Hash =
          (Hash ^ static_cast<uint32_t>(C | 32)) * 16777619; // what it does to other characters than letters is no harm
    for (uint32_t I = Hash;; ++I) {
      uint16_t *At = &Table[I % Size];
      if (!*At)
        return At;
      const char *Other = functionName(*At - 1u);
      if (strncasecmp(Other, Name.data(), Name.size()) == 0 && !Other[Name.size()])
        return At;
    }
  }

private:
  static constexpr uint32_t Size = 4096; // a power of two, much larger than the number of functions
  uint16_t Table[Size] = {};
};
} // namespace

/// Symbols of one function in C and Fortran: MPI_Send, PMPI_Send, mpi_send_, mpi_send_f08_, mpi_send_f08ts_,
/// pmpir_send_f08ts_. Those of MPI_Send_c end with _large_ in Fortran.
uint32_t functionNamed(std::string_view Symbol) {
  static RowsByName Known;
  char Name[96] = "mpi_";
  const std::string_view Prefixes[] = {"mpi_", "pmpi_", "pmpir_"};
  const auto *Prefix = std::find_if(std::begin(Prefixes), std::end(Prefixes), [&](std::string_view P) {
    return Symbol.size() > P.size() && strncasecmp(Symbol.data(), P.data(), P.size()) == 0;
  });
  if (Prefix == std::end(Prefixes))
    return NoFunction;
  Symbol.remove_prefix(Prefix->size());
  while (Symbol.ends_with('_'))
    Symbol.remove_suffix(1);
  const bool IsLarge = Symbol.ends_with("_large");
  for (std::string_view Suffix : {"_large", "_f08ts", "_f08"})
    if (Symbol.ends_with(Suffix))
      Symbol.remove_suffix(Suffix.size());
  if (Symbol.size() > sizeof Name - 8)
    return NoFunction;
  std::memcpy(Name + 4, Symbol.data(), Symbol.size());
  std::strcpy(Name + 4 + Symbol.size(), IsLarge ? "_c" : "");
  const uint16_t Row = *Known.find(Name);
  return Row ? FunctionRows[Row - 1].Id : NoFunction;
}

uint32_t SymbolEncoder::functionNamed(std::string_view Symbol) { return pilgrim::functionNamed(Symbol); }
bool SymbolEncoder::isRegion(const PilgrimRegion *R) { return isLoadedRegion(R); }

static const SlotInfo UntracedSlots[] = {
    {"", Kind::Error, Layout::Word, 1, false, true, false, false, false, nullptr},
    {"calls", Kind::Int, Layout::Word, 1, false, false, false, false, false, nullptr}};
static const uint16_t UntracedNumbers[] = {0, UntracedCalls};

static const SlotInfo FreedSlots[] = {
    {"", Kind::Error, Layout::Word, 1, false, true, false, false, false, nullptr},
    {"block", Kind::Buffer, Layout::Word, 1, false, false, false, false, false, nullptr}};
static const uint16_t FreedNumbers[] = {0, FreedBlock};

FunctionInfo SymbolEncoder::function(uint32_t Id) {
  if (Id == UntracedId)
    return {Id, "(not traced)", false, {UntracedSlots, UntracedNumbers}, Level::Tracer};
  if (Id == FreedId)
    return {Id, "(freed)", false, {FreedSlots, FreedNumbers}, Level::Tracer};
  const unsigned Row = rowOf(Id);
  const FunctionRow &R = FunctionRows[Row];
  return {Id, functionName(Row), R.IsCollective, {SlotTable, std::span{SlotNumbers + R.FirstSlot, R.NumSlots}}};
}

} // namespace pilgrim
