//===- Language.h - what differs between the compiler wrappers --*- C++ -*-===//
//
// pilgrim-cc, pilgrim-cxx and pilgrim-fort are one program for three languages.
// Everything in which they differ is a Language; the three values are written
// when Pilgrim is configured (Built.h.in).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_CC_LANGUAGE_H
#define PILGRIM_DRIVER_CC_LANGUAGE_H

namespace pilgrim {

struct Language {
  const char *Wrapper;    ///< pilgrim-cc
  const char *Variable;   ///< that replaces the compiler: PILGRIM_CC
  const char *Compiler;   ///< path of the compiler, "" where none was found
  const char *MpiWrapper; ///< whose flags these are: /usr/bin/mpicc
  const char *Name;       ///< of a compiler that the plugin fits: clang
  const char *Package;    ///< that has it
  const char *Probe;      ///< a small MPI program
  const char *Suffix;     ///< of a file that holds it
  // Words that the MPI's wrapper adds, each list ended by a null pointer.
  const char *const *Compile; ///< include directories and definitions
  const char *const *Own;     ///< other options, made for the wrapper's own compiler
  const char *const *Link;    ///< libraries, and how they are found

  bool isFortran() const { return Suffix[1] == 'f'; }
};

} // namespace pilgrim

#endif
