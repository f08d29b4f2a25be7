//===- Proxy.h - a C program that makes the calls of a trace -----*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_PROXY_PROXY_H
#define PILGRIM_PROXYGEN_PROXY_PROXY_H

#include "trace/read/Reader.h"

#include <expected>
#include <string>

namespace pilgrim {

struct ProxyOptions {
  std::string Trace;            ///< its file name
  std::string Output;           ///< of the proxy
  std::string Compute = "none"; ///< what is done between calls: nothing, "mean" or "recorded"
};

/// The text of the program. Error: why there is none.
std::expected<std::string, std::string> proxyOf(const Trace &T, const ProxyOptions &O);

} // namespace pilgrim

#endif
