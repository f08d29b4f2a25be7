//===- Records.cpp - Tables and their registration in an object -----------===//
#include "pass/Records.h"
#include "api/Markers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace pilgrim {

namespace {

const char *const FlagOf = "pilgrim.flag";

/// The distance from a place in a constant to another global, 32 bits.
Constant *offset(Constant *Target, GlobalVariable *Holder, ArrayRef<unsigned> Place) {
  LLVMContext &Context = Holder->getContext();
  Type *I64 = Type::getInt64Ty(Context), *I32 = Type::getInt32Ty(Context);
  SmallVector<Constant *> Indices{ConstantInt::get(I32, 0)};
  for (unsigned Index : Place)
    Indices.push_back(ConstantInt::get(I32, Index));
  Constant *From = ConstantExpr::getInBoundsGetElementPtr(Holder->getValueType(), Holder, Indices);
  Constant *Distance =
      ConstantExpr::getSub(ConstantExpr::getPtrToInt(Target, I64), ConstantExpr::getPtrToInt(From, I64));
  return ConstantExpr::getTrunc(Distance, I32);
}

} // namespace

StructType *Records::recordType(LLVMContext &Context) {
  Type *I64 = Type::getInt64Ty(Context), *I32 = Type::getInt32Ty(Context);
  return StructType::get(I64, I64, I32, I32);
}

/// Local without a group; in a group equal in all objects, so that they share it.
GlobalVariable *Records::define(Constant *Value, Comdat *Group, const Twine &Name, bool IsConstant) {
  auto Linkage = Group ? GlobalValue::LinkOnceODRLinkage : GlobalValue::PrivateLinkage;
  auto *Variable = new GlobalVariable(Module, Value->getType(), IsConstant, Linkage, Value, Name);
  if (Group) {
    Variable->setComdat(Group);
    Variable->setVisibility(GlobalValue::HiddenVisibility);
  }
  Variable->setDSOLocal(true);
  return Variable;
}

GlobalVariable *Records::addFlag(Function &Clone) {
  Comdat *Group = Clone.hasComdat() ? const_cast<Comdat *>(Clone.getComdat()) : nullptr;
  LLVMContext &Context = Module.getContext();
  auto *Flag = define(ConstantInt::get(Type::getInt8Ty(Context), 0), Group, Clone.getName() + ".flag", false);
  Flag->setMetadata(FlagOf, MDNode::get(Context, {ValueAsMetadata::get(&Clone)}));
  return Flag;
}

const Function *Records::behindFlag(const GlobalVariable &Variable) {
  const MDNode *Node = Variable.getMetadata(FlagOf);
  return Node ? mdconst::dyn_extract_or_null<Function>(Node->getOperand(0)) : nullptr;
}

GlobalVariable *Records::add(const Function &Function, const Table &Table, unsigned Regions, GlobalVariable *Flag) {
  LLVMContext &Context = Module.getContext();
  Type *I64 = Type::getInt64Ty(Context), *I32 = Type::getInt32Ty(Context);
  Comdat *Group = nullptr;
  std::string Prefix;
  if (Flag) {
    Group = Flag->getComdat();
    Prefix = Function.getName().str();
  } else {
    Prefix = "__pilgrim." + utohexstr(Table.Id, /*LowerCase=*/true);
    if (Function.hasLinkOnceODRLinkage() || Function.hasWeakODRLinkage())
      Group = Module.getOrInsertComdat(Prefix);
  }

  GlobalVariable *Bytes =
      define(ConstantDataArray::getString(Context, Table.Bytes, false), Group, Prefix + ".table", true);
  Bytes->setSection(".rodata.pilgrim");
  Bytes->setAlignment(Align(1));

  StructType *Type = recordType(Context);
  GlobalVariable *Record = define(ConstantAggregateZero::get(Type), Group, Group ? Prefix : Prefix + ".record", true);
  Record->setSection("pilgrim_functions");
  Record->setAlignment(Align(8));
  Record->setInitializer(ConstantStruct::get(Type, {ConstantInt::get(I64, Table.Id), ConstantInt::get(I64, Table.Name),
                                                    offset(Bytes, Record, {2}),
                                                    Flag ? offset(Flag, Record, {3}) : ConstantInt::get(I32, 0)}));
  Kept.push_back(Record);

  StructType *RegionType = StructType::get(I32, I32);
  ArrayType *ListType = ArrayType::get(RegionType, Regions);
  GlobalVariable *List = define(ConstantAggregateZero::get(ListType), Group, Prefix + ".regions", true);
  SmallVector<Constant *> Entries;
  for (unsigned Index = 0; Index < Regions; ++Index)
    Entries.push_back(
        ConstantStruct::get(RegionType, {offset(Record, List, {Index, 0}), ConstantInt::get(I32, Index)}));
  List->setInitializer(ConstantArray::get(ListType, Entries));
  List->setAlignment(Align(8));
  return List;
}

Function *Records::makeHook(StringRef Name, StringRef Callee, GlobalVariable &Argument, Comdat *Group) {
  LLVMContext &Context = Module.getContext();
  Type *Void = Type::getVoidTy(Context);
  FunctionCallee Target = Module.getOrInsertFunction(Callee, Void, PointerType::getUnqual(Context));
  Function *Hook = Function::Create(FunctionType::get(Void, false), GlobalValue::LinkOnceODRLinkage, Name, Module);
  Hook->setVisibility(GlobalValue::HiddenVisibility);
  Hook->setDSOLocal(true);
  Hook->setComdat(Group);
  Hook->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> Builder(BasicBlock::Create(Context, "", Hook));
  Builder.CreateCall(Target, {&Argument});
  Builder.CreateRetVoid();
  return Hook;
}

void Records::finish() {
  if (Kept.empty())
    return;
  appendToCompilerUsed(Module, Kept);
  LLVMContext &Context = Module.getContext();
  Type *I32 = Type::getInt32Ty(Context), *Pointer = PointerType::getUnqual(Context);
  auto Bound = [&](StringRef Name) {
    // Weak: a linker may throw all of the section away.
    auto *Symbol =
        new GlobalVariable(Module, recordType(Context), true, GlobalValue::ExternalWeakLinkage, nullptr, Name);
    Symbol->setVisibility(GlobalValue::HiddenVisibility);
    Symbol->setDSOLocal(true);
    return Symbol;
  };
  Comdat *Group = Module.getOrInsertComdat("__pilgrim_module");
  StructType *Type = StructType::get(I32, I32, Pointer, Pointer);
  GlobalVariable *Description =
      define(ConstantStruct::get(Type, {ConstantInt::get(I32, PILGRIM_MARKERS_VERSION),
                                        ConstantInt::get(I32, sizeof(PilgrimModule)),
                                        Bound("__start_pilgrim_functions"), Bound("__stop_pilgrim_functions")}),
             Group, "__pilgrim_module", true);
  Function *Begin = makeHook("__pilgrim_module_begin", "__pilgrim_register", *Description, Group);
  Function *End = makeHook("__pilgrim_module_end", "__pilgrim_unregister", *Description, Group);
  // The first priority that is not the system's: before constructors of the program, which may call MPI.
  appendToGlobalCtors(Module, Begin, 101, Begin);
  appendToGlobalDtors(Module, End, 101, End);
}

} // namespace pilgrim
