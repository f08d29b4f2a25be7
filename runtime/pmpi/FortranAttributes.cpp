//===- FortranAttributes.cpp - attributes that Fortran sets and gets ------===//
//
// For these MPICH's Fortran binding does not call C's functions but functions of MPICH's own, with the type of the
// value besides. They are exported here: a call from the binding goes to the wrapper of the function that the program
// called, and what that calls as C's function is MPICH's after all. MPICH's own calls go on as they are.
//
//===----------------------------------------------------------------------===//
#include "pmpi/Entries.h"
#include "pmpi/Fortran.h"
#include "pmpi/Functions.h"
#include "pmpi/Real.h"
#include "pmpi/State.h"

#include <cstdlib>
#include <string_view>
#include <utility>

namespace pilgrim {

#if defined(__x86_64__) && defined(MPICH_NUMVERSION)

namespace {
enum : unsigned { CommSet, CommGet, TypeSet, TypeGet, WinSet, WinGet, NumOwn };
struct OwnFunction {
  const char *Symbol;
  std::string_view Function, OldFunction; ///< that a program calls
  void *Code = nullptr;
};
constinit OwnFunction Own[NumOwn] = {{"MPII_Comm_set_attr", "MPI_Comm_set_attr", "MPI_Attr_put"},
                                     {"MPII_Comm_get_attr", "MPI_Comm_get_attr", "MPI_Attr_get"},
                                     {"MPII_Type_set_attr", "MPI_Type_set_attr", ""},
                                     {"MPII_Type_get_attr", "MPI_Type_get_attr", ""},
                                     {"MPII_Win_set_attr", "MPI_Win_set_attr", ""},
                                     {"MPII_Win_get_attr", "MPI_Win_get_attr", ""}};

/// The type of the value of the call that the thread's wrapper is to make, + 1; 0: none.
[[gnu::tls_model("initial-exec")]] constinit thread_local int Pending = 0;

/// What a wrapper calls as the library's function.
template <auto Member, unsigned Which, typename Function = std::remove_cvref_t<decltype(Real.*Member)>> struct Detour;
template <auto Member, unsigned Which, typename... Arguments> struct Detour<Member, Which, int (*)(Arguments...)> {
  using Called = int (*)(Arguments...);
  static inline constinit Called Plain = nullptr;
  static int call(Arguments... A) {
    if (!Pending) [[likely]]
      return Plain(A...);
    const int Type = std::exchange(Pending, 0) - 1;
    return reinterpret_cast<int (*)(Arguments..., int)>(Own[Which].Code)(A..., Type);
  }
  static void install() {
    if (Real.*Member == call)
      return;
    Plain = Real.*Member;
    Real.*Member = call;
  }
};
} // namespace

void detourAttributes() {
  Detour<&RealFunctions::MPI_Comm_set_attr, CommSet>::install();
  Detour<&RealFunctions::MPI_Attr_put, CommSet>::install();
  Detour<&RealFunctions::MPI_Comm_get_attr, CommGet>::install();
  Detour<&RealFunctions::MPI_Attr_get, CommGet>::install();
  Detour<&RealFunctions::MPI_Type_set_attr, TypeSet>::install();
  Detour<&RealFunctions::MPI_Type_get_attr, TypeGet>::install();
  Detour<&RealFunctions::MPI_Win_set_attr, WinSet>::install();
  Detour<&RealFunctions::MPI_Win_get_attr, WinGet>::install();
}

/// Where a call of one of them goes.
extern "C" __attribute__((visibility("hidden"), used)) void *__pilgrim_attribute_target(const void *Return,
                                                                                        unsigned Which, int Type) {
  OwnFunction &F = Own[Which];
  if (!__atomic_load_n(&F.Code, __ATOMIC_ACQUIRE)) {
    void *Code = lookupNext(F.Symbol);
    if (!Code) {
      // The dynamic linker would have said this without us.
      tell(TellLevel::Error, "symbol lookup error: undefined symbol: %s", F.Symbol);
      std::_Exit(127);
    }
    __atomic_store_n(&F.Code, Code, __ATOMIC_RELEASE);
  }
  if (!isInBinding(reinterpret_cast<uintptr_t>(Return)))
    return F.Code;
  const unsigned Row = __pilgrim_fortran_call.Symbol / NumFortranForms;
  const std::string_view Called = functionName(Row);
  const EntryPoint &E = EntryPoints[Row];
  const EntryTarget To = E.Mpi;
  if ((Called != F.Function && Called != F.OldFunction) || (To != E.Traced && To != E.Untimed))
    return F.Code;
  Pending = Type + 1;
  return reinterpret_cast<void *>(To);
}

// Entries come here with their number in r11 and the type in r10.
asm(R"(
.pushsection .text
.type __pilgrim_attribute_entered,@function
.p2align 4
__pilgrim_attribute_entered:
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq %r8
	pushq %r9
	subq $8, %rsp
	movq 56(%rsp), %rdi
	movl %r11d, %esi
	movl %r10d, %edx
	call __pilgrim_attribute_target
	addq $8, %rsp
	popq %r9
	popq %r8
	popq %rcx
	popq %rdx
	popq %rsi
	popq %rdi
	jmp *%rax
.size __pilgrim_attribute_entered,.-__pilgrim_attribute_entered
.popsection
)");
#define PILGRIM_ATTRIBUTE_ENTRY(Symbol, Which, TypeRegister)                                                           \
  asm(".pushsection .text\n.globl " Symbol "\n.type " Symbol ",@function\n.p2align 4\n" Symbol ":\n\tmovl $" Which     \
      ", %r11d\n\tmovl %" TypeRegister ", %r10d\n\tjmp __pilgrim_attribute_entered\n.size " Symbol ",.-" Symbol        \
      "\n.popsection\n");
PILGRIM_ATTRIBUTE_ENTRY("MPII_Comm_set_attr", "0", "ecx")
PILGRIM_ATTRIBUTE_ENTRY("MPII_Comm_get_attr", "1", "r8d")
PILGRIM_ATTRIBUTE_ENTRY("MPII_Type_set_attr", "2", "ecx")
PILGRIM_ATTRIBUTE_ENTRY("MPII_Type_get_attr", "3", "r8d")
PILGRIM_ATTRIBUTE_ENTRY("MPII_Win_set_attr", "4", "ecx")
PILGRIM_ATTRIBUTE_ENTRY("MPII_Win_get_attr", "5", "r8d")

#else

void detourAttributes() {}

#endif

} // namespace pilgrim
