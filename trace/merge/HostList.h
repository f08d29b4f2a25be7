//===- HostList.h - names of many hosts ---------------------------*- C++ -*-===//
//
// Hosts of a cluster are numbered. A list of them is kept as people write it: "login1,nid[0001-0512,0600]". Numbers of
// one width with a leading zero stand together, and so do those without.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MERGE_HOSTLIST_H
#define PILGRIM_TRACE_MERGE_HOSTLIST_H

#include <cstdint>
#include <string>
#include <string_view>

namespace pilgrim {

/// Under what a trace has the hosts of its ranks, among what it says of its run.
constexpr std::string_view HostsKey = "hosts";

/// A host's name as a list, without characters that mean something there.
std::string hostList(std::string_view Name);
/// The hosts of both lists.
std::string uniteHosts(const std::string &A, const std::string &B);
/// How many hosts a list has.
uint64_t countHosts(const std::string &List);

} // namespace pilgrim

#endif
