//===- Preload.h - whether a program can be traced --------------*- C++ -*-===//
#ifndef PILGRIM_DRIVER_PRELOAD_H
#define PILGRIM_DRIVER_PRELOAD_H

#include <string>

namespace pilgrim {

/// Path of libpilgrim.so: what PILGRIM_LIBRARY says, else beside the tool;
/// empty if it is not there.
std::string findRuntime();

/// Why the runtime cannot be preloaded into a program ("is linked statically");
/// empty: nothing is known that speaks against it.
std::string findObstacle(const std::string &Program);

/// The runtime of AddressSanitizer that a program needs, as it names it; empty
/// if there is none, or if it is in the program itself. It ends a program in
/// which any other library comes before it.
std::string findAsan(const std::string &Program);

/// LD_PRELOAD with the runtime first. Only a sanitizer's runtime must come
/// before it.
std::string preloadList(const std::string &Library, const std::string &Before);

} // namespace pilgrim

#endif
