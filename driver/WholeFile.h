//===- WholeFile.h - files that are written whole or not at all --*- C++ -*-===//
#ifndef PILGRIM_DRIVER_WHOLEFILE_H
#define PILGRIM_DRIVER_WHOLEFILE_H

#include <span>
#include <string>
#include <string_view>

namespace pilgrim {

/// Writes a file under a temporary name first, so that nothing is left where writing fails. 0, or 2 after one line.
int writeWhole(const std::string &File, std::string_view Content);
/// To be asked before a trace is read: whether writing to File would replace one of the traces, under whatever name.
/// Option is how File was given. 0, or 2 after one line.
int refuseInput(std::string_view Option, const std::string &File, std::span<const std::string> Traces);

} // namespace pilgrim

#endif
