//===- FortranDetours.cpp - bindings that call no function of C -----------===//
//
// For some functions the Fortran bindings of MPI libraries do not call C's function but one of the library's own. Their
// entries lead to the wrapper of C's function, with arguments as C has them, as if the program had called that. What
// the wrapper then calls as the library's function is the binding after all, with the arguments that the program gave.
//
//===----------------------------------------------------------------------===//
#include "pmpi/FortranDetours.h"
#include "pmpi/Entries.h"
#include "pmpi/Functions.h"
#include "pmpi/Real.h"
#include "pmpi/State.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace pilgrim {

#if defined(__x86_64__)

namespace {
/// What the arguments of a function are. "Object" is a communicator, datatype or window.
enum class Shape {
  Set,            ///< object, keyval, value
  OldSet,         ///< the same; the value is an INTEGER
  Get,            ///< object, keyval, value, flag
  OldGet,         ///< the same; the value is an INTEGER
  MakeKeyval,     ///< copy and delete functions, keyval, extra state
  OldMakeKeyval,  ///< the same; the extra state is an INTEGER
  MakeErrhandler, ///< function, handler
  MatchSize,      ///< class, size, datatype
};

constexpr unsigned numArguments(Shape S) {
  switch (S) {
  case Shape::Set:
  case Shape::OldSet:
  case Shape::MatchSize:
    return 3;
  case Shape::MakeErrhandler:
    return 2;
  default:
    return 4;
  }
}

/// A binding that is to be called, and what the program gave it. An error code comes behind the arguments; none in
/// programs of mpi_f08 that do not ask for it.
struct BindingCall {
  FortranTarget Binding = nullptr; ///< null: there is none
  uintptr_t Arguments[MaxFortranArguments] = {};
};
[[gnu::tls_model("initial-exec")]] constinit thread_local BindingCall Pending;
/// Stands for an output that is longer in C than in Fortran.
[[gnu::tls_model("initial-exec")]] constinit thread_local uintptr_t Longer;

MPI_Fint &integerAt(uintptr_t Argument) { return *reinterpret_cast<MPI_Fint *>(Argument); }
uintptr_t wordOf(intptr_t Value) { return static_cast<uintptr_t>(Value); }

/// C's handle, as an argument. Convert: the function of MPI that makes it.
template <typename Handle> uintptr_t handleOf(MPI_Fint Fortran, [[maybe_unused]] const char *Convert) {
  if constexpr (std::is_integral_v<Handle>) {
    return wordOf(Fortran);
  } else {
    auto *Function = reinterpret_cast<Handle (*)(MPI_Fint)>(lookupNext(Convert));
    return Function ? reinterpret_cast<uintptr_t>(Function(Fortran)) : 0;
  }
}
template <typename Object, typename... Rest> Object objectOfFunction(int (*)(Object, Rest...)); // only its type
template <auto Member> uintptr_t objectOf(uintptr_t Argument) {
  using Object = decltype(objectOfFunction(Real.*Member));
  return handleOf<Object>(integerAt(Argument), std::is_same_v<Object, MPI_Comm>  ? "PMPI_Comm_f2c"
                                               : std::is_same_v<Object, MPI_Win> ? "PMPI_Win_f2c"
                                                                                 : "PMPI_Type_f2c");
}

/// Changes arguments into C's.
template <auto Member, Shape S> void toC(uintptr_t *A) {
  if constexpr (S == Shape::Set || S == Shape::OldSet || S == Shape::Get || S == Shape::OldGet) {
    A[0] = objectOf<Member>(A[0]);
    A[1] = wordOf(integerAt(A[1]));
  }
  if constexpr (S == Shape::Set)
    A[2] = wordOf(*reinterpret_cast<MPI_Aint *>(A[2]));
  if constexpr (S == Shape::OldSet)
    A[2] = wordOf(integerAt(A[2]));
  if constexpr (S == Shape::OldGet)
    A[2] = reinterpret_cast<uintptr_t>(&Longer);
  if constexpr (S == Shape::MakeKeyval)
    A[3] = wordOf(*reinterpret_cast<MPI_Aint *>(A[3]));
  if constexpr (S == Shape::OldMakeKeyval)
    A[3] = wordOf(integerAt(A[3]));
  if constexpr (S == Shape::MakeErrhandler)
    A[1] = reinterpret_cast<uintptr_t>(&Longer);
  if constexpr (S == Shape::MatchSize) {
    A[0] = wordOf(integerAt(A[0]));
    A[1] = wordOf(integerAt(A[1]));
    A[2] = reinterpret_cast<uintptr_t>(&Longer);
  }
}

template <Shape S> int callBinding(BindingCall C) {
  MPI_Fint Own = MPI_SUCCESS;
  auto &A = C.Arguments;
  uintptr_t &Error = A[numArguments(S)];
  if (!Error)
    Error = reinterpret_cast<uintptr_t>(&Own);
  reinterpret_cast<void (*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t)>(C.Binding)(A[0], A[1], A[2], A[3],
                                                                                               A[4]);
  const int Ret = integerAt(Error);
  if (Ret != MPI_SUCCESS)
    return Ret;
  if constexpr (S == Shape::OldGet)
    Longer = wordOf(integerAt(A[2]));
  if constexpr (S == Shape::MakeErrhandler)
    Longer = handleOf<MPI_Errhandler>(integerAt(A[1]), "PMPI_Errhandler_f2c");
  if constexpr (S == Shape::MatchSize)
    Longer = handleOf<MPI_Datatype>(integerAt(A[2]), "PMPI_Type_f2c");
  return Ret;
}

template <typename Copy, typename Delete, typename... Rest>
void useFunctions(BindingCall &C, Copy *CopyFunction, Delete *DeleteFunction, Rest...) {
  C.Arguments[0] = reinterpret_cast<uintptr_t>(CopyFunction);
  C.Arguments[1] = reinterpret_cast<uintptr_t>(DeleteFunction);
}

/// What the wrapper of a function calls as the library's.
template <auto Member, Shape S, typename Function = std::remove_cvref_t<decltype(Real.*Member)>> struct Detour;
template <auto Member, Shape S, typename... Arguments> struct Detour<Member, S, int (*)(Arguments...)> {
  using Called = int (*)(Arguments...);
  static inline constinit Called Plain = nullptr;
  static int call(Arguments... A) {
    if (!Pending.Binding) [[likely]]
      return Plain(A...);
    BindingCall C = std::exchange(Pending, {});
    if constexpr (S == Shape::MakeKeyval || S == Shape::OldMakeKeyval) {
      // The tracer may have put its own function in place of the program's.
      useFunctions(C, A...);
    }
    return callBinding<S>(C);
  }
  static void install() {
    if (!(Real.*Member) || Real.*Member == call)
      return;
    Plain = Real.*Member;
    Real.*Member = call;
  }
};

struct DetouredFunction {
  const char *Name;
  void (*Install)();
  void (*ToC)(uintptr_t *Arguments);
  FortranTarget Bindings[NumFortranForms] = {};
};
#define PILGRIM_DETOUR(Function, S)                                                                                    \
  {#Function, Detour<&RealFunctions::Function, S>::install, toC<&RealFunctions::Function, S>}
constinit DetouredFunction Detoured[] = {
    PILGRIM_DETOUR(MPI_Comm_set_attr, Shape::Set),
    PILGRIM_DETOUR(MPI_Type_set_attr, Shape::Set),
    PILGRIM_DETOUR(MPI_Win_set_attr, Shape::Set),
    PILGRIM_DETOUR(MPI_Attr_put, Shape::OldSet),
    PILGRIM_DETOUR(MPI_Comm_get_attr, Shape::Get),
    PILGRIM_DETOUR(MPI_Type_get_attr, Shape::Get),
    PILGRIM_DETOUR(MPI_Win_get_attr, Shape::Get),
    PILGRIM_DETOUR(MPI_Attr_get, Shape::OldGet),
#if defined(OPEN_MPI)
    PILGRIM_DETOUR(MPI_Comm_create_keyval, Shape::MakeKeyval),
    PILGRIM_DETOUR(MPI_Type_create_keyval, Shape::MakeKeyval),
    PILGRIM_DETOUR(MPI_Win_create_keyval, Shape::MakeKeyval),
    PILGRIM_DETOUR(MPI_Keyval_create, Shape::OldMakeKeyval),
    PILGRIM_DETOUR(MPI_Comm_create_errhandler, Shape::MakeErrhandler),
    PILGRIM_DETOUR(MPI_File_create_errhandler, Shape::MakeErrhandler),
    PILGRIM_DETOUR(MPI_Win_create_errhandler, Shape::MakeErrhandler),
    PILGRIM_DETOUR(MPI_Type_match_size, Shape::MatchSize),
#endif
};
#undef PILGRIM_DETOUR
} // namespace

void detourBindings() {
  for (const DetouredFunction &F : Detoured)
    F.Install();
}

bool isBindingPending() { return Pending.Binding; }

FortranTarget detour(unsigned Symbol, uintptr_t *Arguments, FortranTarget (*Find)(unsigned)) {
  const unsigned Row = Symbol / NumFortranForms;
  const char *Name = functionName(Row);
  const auto F = std::ranges::find_if(Detoured, [&](const DetouredFunction &D) { return !std::strcmp(D.Name, Name); });
  if (F == std::end(Detoured))
    return nullptr;
  FortranTarget &Known = F->Bindings[Symbol % NumFortranForms];
  FortranTarget Binding = __atomic_load_n(&Known, __ATOMIC_ACQUIRE);
  if (!Binding)
    __atomic_store_n(&Known, Binding = Find(Symbol), __ATOMIC_RELEASE);
  const EntryPoint &E = EntryPoints[Row];
  const EntryTarget To = E.Mpi;
  const bool IsTraced = To == E.Traced || To == E.Untimed;
  if (!IsTraced || isInBinding(Arguments[MaxFortranArguments])) // one binding calls another one
    return Binding;
  Pending.Binding = Binding;
  std::copy_n(Arguments, MaxFortranArguments, Pending.Arguments);
  F->ToC(Arguments);
  return To;
}

#else

void detourBindings() {}
bool isBindingPending() { return false; }

#endif

} // namespace pilgrim
