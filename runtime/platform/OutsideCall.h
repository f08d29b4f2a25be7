//===- OutsideCall.h - calls of libpilgrim that take a while ------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_OUTSIDECALL_H
#define PILGRIM_PLATFORM_OUTSIDECALL_H

#include <atomic>

namespace pilgrim {

/// A signal may interrupt a thread in a function of the system that libpilgrim has called. From where it was
/// interrupted that cannot be seen, if the function has a frame. So who calls one while something is recorded says it.
class OutsideCall {
public:
  OutsideCall() {
    ++Depth;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~OutsideCall() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    --Depth;
  }
  OutsideCall(const OutsideCall &) = delete;
  /// Whether the thread is in one.
  static bool isUnderWay() { return Depth != 0; }

private:
  static inline constinit thread_local unsigned Depth = 0;
};

} // namespace pilgrim

#endif
