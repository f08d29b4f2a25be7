//===- Stacks.cpp - where threads' stacks lie -----------------------------===//
#include "platform/Stacks.h"

#include <algorithm>
#include <atomic>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pilgrim {

/// Kept by the dynamic linker.
extern "C" void *InitialStackPointer asm("__libc_stack_end");

uintptr_t initialStackPointer() { return reinterpret_cast<uintptr_t>(InitialStackPointer); }

/// 0 in a program that loads this library late, from another thread.
static constinit std::atomic<pthread_t> MainThread = 0;

__attribute__((constructor)) static void findMainThread() {
  if (gettid() == getpid())
    MainThread.store(pthread_self(), std::memory_order_relaxed);
}

bool isMainThread() {
  const pthread_t Main = MainThread.load(std::memory_order_relaxed);
  return Main ? pthread_equal(Main, pthread_self()) != 0 : gettid() == getpid();
}

AddressRange threadStack() {
  pthread_attr_t Attributes;
  if (pthread_getattr_np(pthread_self(), &Attributes) != 0)
    return {};
  AddressRange Stack;
  void *Low = nullptr;
  size_t Size = 0;
  if (pthread_attr_getstack(&Attributes, &Low, &Size) == 0)
    Stack = {reinterpret_cast<uintptr_t>(Low), reinterpret_cast<uintptr_t>(Low) + Size};
  pthread_attr_destroy(&Attributes);
  return Stack;
}

constinit thread_local AddressRange FrameStack;

void learnStack() {
  AddressRange Stack = threadStack();
  if (Stack.End && isMainThread()) {
    // If there is no limit, all is said to be the stack that lies above the next mapping. Later ones may lie there.
    constexpr uintptr_t Most = uintptr_t(1) << 40;
    Stack.End = initialStackPointer();
    Stack.Begin = std::max(Stack.Begin, Stack.End - Most);
  }
  FrameStack = Stack;
}

uintptr_t stackEnd() {
  if (isMainThread())
    return initialStackPointer();
  const AddressRange Stack = threadStack();
  return Stack.End ? Stack.End : UINTPTR_MAX;
}

int threadId() { return static_cast<int>(syscall(SYS_gettid)); }

} // namespace pilgrim
