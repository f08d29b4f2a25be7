//===- Doctor.h - whether compiler, plugin and MPI fit ----------*- C++ -*-===//
#ifndef PILGRIM_DRIVER_CC_DOCTOR_H
#define PILGRIM_DRIVER_CC_DOCTOR_H

#include "driver/cc/Language.h"

namespace pilgrim {

/// Tries everything that a compilation needs, prints a line for each, with the
/// remedy where something does not fit. Exit code 0 if all does.
int runDoctor(const Language &L);

} // namespace pilgrim

#endif
