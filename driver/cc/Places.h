//===- Places.h - where the parts of Pilgrim are ----------------*- C++ -*-===//
//
// Found from where the wrapper itself lies, so that a build tree and an
// installed tree, moved or not, look alike.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_CC_PLACES_H
#define PILGRIM_DRIVER_CC_PLACES_H

#include <string>

namespace pilgrim {

/// Path of the plugin; empty where there is none.
std::string findPlugin();

/// Directory of the modules mpi and mpi_f08 for flang, and of the library that
/// belongs to them; empty where there is none.
std::string findModules();

/// Whether a command, looked for as the shell does, is this very program.
bool isOwnExecutable(const std::string &Command);

/// Whether the loader looks into a directory by itself.
bool isDefaultDirectory(const std::string &Directory);

} // namespace pilgrim

#endif
