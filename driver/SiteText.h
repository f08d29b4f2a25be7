//===- SiteText.h - places in a program as text -----------------*- C++ -*-===//
//
// How the tool names a place of the traced program: by file and line where the
// compiler told them or debug info does, by the function where a compiler did
// not, and by module and offset where nothing else is known.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_SITETEXT_H
#define PILGRIM_DRIVER_SITETEXT_H

#include "driver/SourceLines.h"
#include "trace/read/Walk.h"

#include <span>
#include <string>
#include <vector>

namespace pilgrim {

/// A function by its linkage name: demangled where it is C++, "main program" of
/// Fortran, else as it is.
std::string functionName(const std::string &Linkage);
/// Whether this names no function of the source, but a construct: "parallel region", "OpenMP barrier".
inline bool isConstruct(const std::string &Linkage) { return Linkage.find(' ') != std::string::npos; }
/// functionName() for a line of text: with () behind it where no parameters are named,
/// and long lists of parameters and template arguments left out.
std::string functionText(const std::string &Linkage);
std::string functionText(const std::string &Linkage, std::string Name);
/// The same for a function whose file tells the language.
std::string functionName(const Region &R);
std::string functionText(const Region &R);
/// Whether it belongs to the C++ library.
bool isSystemFunction(const std::string &Linkage);
/// "halo.c:42"; empty if there is no file or line.
std::string lineText(const Region &R, uint32_t Line);

/// A place as text and, where they are known, the file and line that it is.
struct PlaceText {
  std::string Text; ///< "halo.c:42", "exchange()" or "app+0x1189"; empty: not known
  std::string File;
  int Line = 0;
};
/// Where calls are made, then where the callers were called, innermost first.
using SiteText = std::vector<PlaceText>;
/// Of the calls of a signature. Never empty.
SiteText siteText(const RankView &View, const ResolvedSignature &S, SourceLines &Lines);
/// Of a call of all ranks. Never empty.
SiteText siteText(const Walk &W, const CallShape &C, SourceLines &Lines);
/// Of a call at an event. Site: + 1; 0: not known, or given by the event. Never empty.
SiteText siteText(const Walk &W, uint32_t Thread, uint32_t Node, uint32_t Event, uint32_t Site, SourceLines &Lines);
/// Of a site of a thread.
SiteText siteText(const Walk &W, uint32_t Thread, uint32_t Site, SourceLines &Lines);
/// What was before a gap of a call at that event: "MPI_Send heat.c:42", "the thread's begin", "other calls". Functions
/// and lines are left out where they are not known.
std::string pathText(const Walk &W, uint32_t Thread, uint32_t Node, uint32_t Event, const GapPath &P,
                     SourceLines &Lines);
/// "halo.c:42 <- exchange.c:7 <- main.c:11"
std::string chainText(const SiteText &Site);

} // namespace pilgrim

#endif
