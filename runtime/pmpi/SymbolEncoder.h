//===- SymbolEncoder.h - symbols for a traced program's values ---*- C++ -*-===//
//
// The recorder's Encoder in a traced process. Objects.h names handles, memory/Segments.h addresses, and
// platform/LoadedModules.h return addresses.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_SYMBOLENCODER_H
#define PILGRIM_PMPI_SYMBOLENCODER_H

#include "core/Encoder.h"
#include "memory/Segments.h"

namespace pilgrim {

struct Process;
struct SegmentName;
namespace memory {
struct Location;
}

/// The name of a segment that has a number.
SegmentName segmentName(const memory::Location &At);

/// The id of the function that a symbol names; NoFunction: it is none.
uint32_t functionNamed(std::string_view Symbol);

class SymbolEncoder final : public Encoder {
public:
  explicit SymbolEncoder(Process &P) : P(P) {}
  void handle(Kind K, uint64_t Raw, SlotSink &Sink) override;
  void address(Kind K, uint64_t Raw, SlotSink &Sink) override;
  const char *constantName(const char *Names, int64_t Value) override;
  void allConstants(const char *Names, void *Context, void (*Fn)(void *, int64_t, const char *)) override;
  const char *sentinelName(unsigned Sentinel) override;
  void site(uint64_t Site, std::vector<SitePlace> &Places) override;
  uint64_t unloads() override;
  int64_t errorClass(int64_t Code) override;
  FunctionInfo function(uint32_t Id) override;
  uint32_t functionNamed(std::string_view Symbol) override;
  bool isRegion(const PilgrimRegion *R) override;

  /// While set, raw values of addresses are SegmentNames, and stand for the beginning of the segment.
  bool IsSegment = false;
  /// The thread whose calls are encoded: what others freed after its call began keeps its number.
  memory::Asker Who;

private:
  bool place(uint64_t Address, std::vector<SitePlace> &Places);
  Process &P;
};

} // namespace pilgrim

#endif
