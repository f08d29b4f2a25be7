//===- Command.h - pilgrim extrapolate ---------------------------*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_COMMAND_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_COMMAND_H

#include "driver/CommandLine.h"

namespace pilgrim {

void addExtrapolate(CommandLine &Tool);

} // namespace pilgrim

#endif
