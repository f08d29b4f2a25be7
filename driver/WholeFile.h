//===- WholeFile.h - files that are written whole or not at all --*- C++ -*-===//
#ifndef PILGRIM_DRIVER_WHOLEFILE_H
#define PILGRIM_DRIVER_WHOLEFILE_H

#include <string>
#include <string_view>

namespace pilgrim {

/// Writes a file under a temporary name first, so that nothing is left where writing fails. 0, or 2 after one line.
int writeWhole(const std::string &File, std::string_view Content);

} // namespace pilgrim

#endif
