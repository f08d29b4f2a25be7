//===- StreamedKinds.h - which values may be in streams ----------*- C++ -*-===//
#ifndef PILGRIM_TRACE_MODEL_STREAMEDKINDS_H
#define PILGRIM_TRACE_MODEL_STREAMEDKINDS_H

#include "trace/model/Schema.h"

namespace pilgrim {

/// Whether a slot's raw words are the values that its stream takes.
constexpr bool isRawNumber(Kind K) {
  switch (K) {
  case Kind::Int:
  case Kind::Count:
  case Kind::Displacement:
  case Kind::Bytes:
  case Kind::Offset:
  case Kind::Rank:
  case Kind::Tag:
  case Kind::Flag:
  case Kind::Keyval:
  case Kind::Request: // the PMPI layer gives requests their ids
  case Kind::Status:
    return true;
  default:
    return false;
  }
}

/// Whether values of a kind may leave signatures for a stream because there are many of them. Others say what the rest
/// of a call means, as communicators do, or have names.
constexpr bool mayBeStreamed(Kind K) {
  return isRawNumber(K) || K == Kind::Buffer || K == Kind::Pointer || K == Kind::Address;
}

} // namespace pilgrim

#endif
