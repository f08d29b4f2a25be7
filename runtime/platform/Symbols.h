//===- Symbols.h - functions of libraries that are loaded --------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_SYMBOLS_H
#define PILGRIM_PLATFORM_SYMBOLS_H

namespace pilgrim {

using SymbolLookup = void *(void *Library, const char *Name);
/// The dlsym() behind this library's own (LookupWrappers.cpp): the C library's, or that of another tool.
SymbolLookup *nextLookup();

/// A symbol of a library that the process has loaded already, even if the library is not in the program's global scope
/// (a plugin's libraries are not). Null if the library is not loaded or does not have the symbol. Loads nothing.
void *symbolInLoaded(const char *Library, const char *Name);

} // namespace pilgrim

#endif
