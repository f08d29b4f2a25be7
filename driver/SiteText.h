//===- SiteText.h - places in a program as text -----------------*- C++ -*-===//
//
// How the tool names a place of the traced program: by file and line where the
// compiler told them, by the function where it did not, and by module and
// offset where nothing else is known.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_SITETEXT_H
#define PILGRIM_DRIVER_SITETEXT_H

#include "trace/Reader.h"

#include <string>

namespace pilgrim {

/// A function by its linkage name: demangled where it is C++, "main program" of
/// Fortran, else as it is.
std::string functionName(const std::string &Linkage);
/// The same for a line of text: with () behind it where no parameters are named,
/// and long lists of parameters and template arguments left out.
std::string functionText(const std::string &Linkage);
/// "halo.c:42"; empty if there is no file or line.
std::string lineText(const Region &R, uint32_t Line);
/// "app+0x1189"
std::string offsetText(const std::string &Module, int64_t Offset);
/// Where the calls of a signature are made: "halo.c:42", "exchange()" or
/// "app+0x1189"; empty: not known.
std::string siteText(const RankView &View, const ResolvedSignature &S);

} // namespace pilgrim

#endif
