//===- Command.h - pilgrim proxy ---------------------------------*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_PROXY_COMMAND_H
#define PILGRIM_PROXYGEN_PROXY_COMMAND_H

#include "driver/CommandLine.h"

namespace pilgrim {

void addProxy(CommandLine &Tool);

} // namespace pilgrim

#endif
