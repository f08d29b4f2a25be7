//===- HostList.h - names of many hosts ---------------------------*- C++ -*-===//
//
// Hosts of a cluster are numbered. A list of hosts is stored in the usual short form: "login1,nid[0001-0512,0600]".
// Numbers with a leading zero are grouped by width; numbers without one form another group.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MERGE_HOSTLIST_H
#define PILGRIM_TRACE_MERGE_HOSTLIST_H

#include <cstdint>
#include <string>
#include <string_view>

namespace pilgrim {

/// The key in TraceData::Meta of the hosts of a trace's ranks.
constexpr std::string_view HostsKey = "hosts";

/// A host's name as a list. Characters with a meaning in lists become '?'.
std::string hostList(std::string_view Name);
/// The hosts of both lists.
std::string uniteHosts(const std::string &A, const std::string &B);
/// The number of hosts in a list.
uint64_t countHosts(const std::string &List);

} // namespace pilgrim

#endif
