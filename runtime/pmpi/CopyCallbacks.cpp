//===- CopyCallbacks.cpp - copy callbacks of attributes -------------------===//
#include "pmpi/CopyCallbacks.h"
#include "platform/LoadedModules.h"
#include "pmpi/FinalizeCallback.h"
#include "pmpi/Fortran.h"
#include "pmpi/FortranDetours.h"
#include "pmpi/MpiLibraries.h"
#include "pmpi/Real.h"
#include "pmpi/State.h"

#include <atomic>
#include <cstring>
#include <utility>

namespace pilgrim {

static constinit thread_local bool IsTracersCopy = false;

WithoutCopyCallbacks::WithoutCopyCallbacks() { IsTracersCopy = true; }
WithoutCopyCallbacks::~WithoutCopyCallbacks() { IsTracersCopy = false; }

namespace {
/// MPI calls a callback as the language of the function wants it that has made the keyval. In each language the sixth
/// argument is where the answer goes, and Fortran has a seventh.
enum class Language : uint8_t { None, C, Cxx, Fortran };
using Word = uintptr_t;
using Callback = Word(Word, Word, Word, Word, Word, int *IsCopied, int *Error);

/// A callback of the program's.
struct Slot {
  std::atomic<Callback *> Theirs{nullptr};
  std::atomic<Language> Of{Language::None};
};
} // namespace

static constexpr size_t NumSlots = 64;
static constinit Slot Slots[NumSlots];

static void answerNotCopied(Language Of, int *IsCopied, int *Error) {
  if (Of == Language::Cxx)
    *reinterpret_cast<bool *>(IsCopied) = false;
  else
    *IsCopied = 0;
  if (Of == Language::Fortran)
    *Error = MPI_SUCCESS;
}

/// What MPI is given instead of the callback in Slots[I]. Arguments are passed on as they are, in any language.
template <size_t I> static Word ours(Word A, Word B, Word C, Word D, Word E, int *IsCopied, int *Error) {
  if (!IsTracersCopy)
    return Slots[I].Theirs.load(std::memory_order_relaxed)(A, B, C, D, E, IsCopied, Error);
  answerNotCopied(Slots[I].Of, IsCopied, Error);
  return MPI_SUCCESS;
}

template <size_t... I> static Callback *oursAt(size_t At, std::index_sequence<I...>) {
  static constexpr Callback *All[] = {ours<I>...};
  return All[At];
}

/// The function to give MPI instead of Theirs, which is the callback itself if all slots are taken.
static Callback *replacement(Callback *Theirs, Language Of) {
  for (size_t I = 0; I < NumSlots; ++I) {
    Slot &S = Slots[I];
    Callback *Was = nullptr;
    Language Before = Language::None;
    // Languages come first: a slot with one is taken by the callback that comes next.
    if (!S.Of.compare_exchange_strong(Before, Of) && Before != Of)
      continue;
    if (S.Theirs.compare_exchange_strong(Was, Theirs) || Was == Theirs)
      return oursAt(I, std::make_index_sequence<NumSlots>());
  }
  return Theirs;
}

/// The language of the call of Name that is under way; None if that is not known.
static Language languageOfCall([[maybe_unused]] const char *Name) {
#if defined(__x86_64__)
  ThreadState *T = CurrentThread;
  if (!T || !T->NumOpen)
    return Language::None;
  const ThreadState::OpenCall &Call = T->Open[T->NumOpen - 1];
  if (std::strcmp(T->Encoder.function(Call.function()).Name, Name) != 0)
    return Language::None;
  // The place that the call returns to, behind the frame of its wrapper.
  const auto FrameEnd = reinterpret_cast<uintptr_t>(Call.Scope) + 1;
  const uintptr_t Return = reinterpret_cast<const uintptr_t *>(FrameEnd)[-1];
  if (isBindingPending() || isInBinding(Return))
    return Language::Fortran;
  if (ModulePlace Place; moduleAt(Return, Place) && !isMpiLibrary(Place.Path))
    return isCxxLibrary(Place.Path) ? Language::Cxx : Language::C;
#endif
  return Language::None;
}

using MakeKeyval = decltype(RealFunctions::MPI_Comm_create_keyval);
template <MakeKeyval RealFunctions::*Make> static MakeKeyval Original;

template <MakeKeyval RealFunctions::*Make>
static int makeKeyval(MPI_Comm_copy_attr_function *Copy, MPI_Comm_delete_attr_function *Delete, int *Key, void *Extra) {
  constexpr bool IsOld = Make != &RealFunctions::MPI_Comm_create_keyval;
  // MPI's own callbacks are passed on like others: to name them would need the MPI library, which may be loaded late.
  const Language Of = Copy ? languageOfCall(IsOld ? "MPI_Keyval_create" : "MPI_Comm_create_keyval") : Language::None;
  if (Of != Language::None) {
    auto *Theirs = reinterpret_cast<Callback *>(reinterpret_cast<void *>(Copy));
    Copy = reinterpret_cast<MPI_Comm_copy_attr_function *>(reinterpret_cast<void *>(replacement(Theirs, Of)));
  }
  const int Ret = Original<Make>(Copy, Delete, Key, Extra);
  keyvalMade(Original<&RealFunctions::MPI_Comm_create_keyval>);
  return Ret;
}

template <MakeKeyval RealFunctions::*Make> static void replace() {
  if (!(Real.*Make))
    return;
  Original<Make> = Real.*Make;
  Real.*Make = makeKeyval<Make>;
}

void replaceCopyCallbacks() {
  replace<&RealFunctions::MPI_Comm_create_keyval>();
  replace<&RealFunctions::MPI_Keyval_create>();
}

} // namespace pilgrim
