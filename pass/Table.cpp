//===- Table.cpp - What the object says of a function ---------------------===//
#include "pass/Table.h"
#include "api/Markers.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include <xxhash.h>

using namespace llvm;

namespace pilgrim {

namespace {

uint64_t hash(StringRef Bytes) { return XXH3_64bits(Bytes.data(), Bytes.size()); }

class Writer {
public:
  Writer(const Reach &Reach, const OutlinedParts &Parts) : TheReach(Reach), Parts(Parts) {}
  std::string Bytes;

  void byte(uint8_t Value) { Bytes.push_back(char(Value)); }
  void number(uint64_t Value) {
    for (; Value >= 0x80; Value >>= 7)
      byte(Value | 0x80);
    byte(Value);
  }
  void string(StringRef Text) {
    number(Text.size());
    Bytes += Text;
  }
  void word(uint64_t Value) {
    for (unsigned Shift = 0; Shift < 64; Shift += 8)
      byte(Value >> Shift);
  }

  void event(const Event &Event);
  void region(const Region &Region);

private:
  StringRef nameOfCall(const CallBase &Call) const;
  const Reach &TheReach;
  const OutlinedParts &Parts;
};

/// Empty where it is computed, or leads to a computed one only.
StringRef Writer::nameOfCall(const CallBase &Call) const {
  if (StringRef Name = openmp::nameOf(Call); !Name.empty())
    return Name;
  const Function *Callee = Calls::callee(Call);
  if (!Callee || TheReach.kind(Call) == CallKind::None)
    return {};
  const OutlinedPart *Part = Parts.find(*Callee);
  return Part ? Part->Name : linkageName(*Callee);
}

void Writer::event(const Event &Event) {
  byte(Event.Kind);
  number(Event.Line);
  number(Event.Arm);
  if (Event.Kind == PilgrimLoop) {
    number(Event.Inner->Index);
  } else if (Event.Kind == PilgrimArm) {
    number(Event.Name);
    if (Event.Name == PilgrimCriticalArm)
      string(Sections::name(*Event.Call));
  } else {
    string(nameOfCall(*Event.Call));
  }
}

void Writer::region(const Region &Region) {
  number(Region.Line);
  number(Region.Events.size());
  for (const Event &Event : Region.Events)
    event(Event);
  const std::vector<PathGraph::Node> &Nodes = Region.Graph->nodes();
  number(Nodes.size());
  for (unsigned Node = 0; Node < Nodes.size(); ++Node) {
    number(Region.EventOf[Node]);
    number(Nodes[Node].Ways.size());
    for (unsigned Way = 0; Way < Nodes[Node].Ways.size(); ++Way) {
      number(Nodes[Node].Ways[Way].Target);
      number(Nodes[Node].Ways[Way].Value);
      number(Region.ArmsOf[Node][Way]);
    }
  }
  number(Region.Graph->entries().size());
  for (const PathGraph::Entry &Entry : Region.Graph->entries()) {
    number(Entry.Base);
    number(Entry.Node);
  }
}

} // namespace

StringRef linkageName(const Function &Function) {
  StringRef Name = Function.getName();
  Name.consume_front("\1");
  return Name;
}

Table encodeTable(const Function &Function, const Reach &Reach, const OutlinedParts &Parts, const Regions &Regions) {
  StringRef Name = linkageName(Function), File;
  const DISubprogram *Program = Function.getSubprogram();
  if (Program)
    File = sys::path::filename(Program->getFilename());
  Reach::Summary Summary = Reach.summary(Function);
  const OutlinedPart *Part = Parts.find(Function);
  Writer Writer(Reach, Parts);
  Writer.string(Part ? Part->Name : Name);
  Writer.string(File);
  Writer.number(Regions.all().front()->Line);
  Writer.byte(Summary.Site);
  Writer.number(Summary.Callees.size());
  for (const llvm::Function *Callee : Summary.Callees)
    Writer.word(hash(linkageName(*Callee)));
  Writer.number(Regions.all().size());
  for (auto &Region : Regions.all())
    Writer.region(*Region);

  bool IsLocal = Function.hasLocalLinkage();
  std::string Key = Name.str() + '\0';
  if (IsLocal)
    Key += Program ? File : sys::path::filename(Function.getParent()->getSourceFileName());
  Key += '\0';
  return {hash(Key + Writer.Bytes), IsLocal ? 0 : hash(Name), std::move(Writer.Bytes)};
}

} // namespace pilgrim
