//===- OutputFolder.h - whether a trace can be written later -----*- C++ -*-===//
//
// Asked when a run begins, so that its end brings no surprise: by `pilgrim run` before the program starts, and by the
// runtime.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_API_OUTPUTFOLDER_H
#define PILGRIM_API_OUTPUTFOLDER_H

#include <string>

namespace pilgrim {

/// Where a link leads to, whether something is there or not; Path itself if it is no link.
std::string targetOf(const std::string &Path);

/// Why no file can be written at Path: the system's text for it. Empty: nothing is against it. Makes no file.
std::string whyNotWritable(const std::string &Path);

} // namespace pilgrim

#endif
