//===- FortranDetours.h - bindings that call no function of C ---*- C++ -*-===//
//
// Which functions these are depends on the MPI library. (Internal to runtime/pmpi.)
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_FORTRANDETOURS_H
#define PILGRIM_PMPI_FORTRANDETOURS_H

#include "pmpi/Fortran.h"

#include <cstdint>

namespace pilgrim {

/// Makes what wrappers call ready for it, once the library's functions are known.
void detourBindings();
/// Whether the wrapper that runs in this thread is going to call a binding.
bool isBindingPending();

#if defined(__x86_64__)
/// Of a binding, in registers.
constexpr unsigned MaxFortranArguments = 6;
/// Where a call of a binding goes, by its symbol's number; null if its function has no detour. Arguments: as the
/// program gave them, and behind them the call's return address; they become those of the function that is returned.
/// Find: looks a binding up.
FortranTarget detour(unsigned Symbol, uintptr_t *Arguments, FortranTarget (*Find)(unsigned));
#endif

} // namespace pilgrim

#endif
