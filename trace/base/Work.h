//===- Work.h - something long, done bit by bit -------------------*- C++ -*-===//
//
// A coroutine that pauses now and then, so that whoever needs its result later can let it go on a little at each
// opportunity: no call of a traced program then waits for all of it at once, and the ranks of a run, which wait for
// each other, do not wait for one after the other.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_BASE_WORK_H
#define PILGRIM_TRACE_BASE_WORK_H

#include <coroutine>
#include <utility>

namespace pilgrim {

/// What a coroutine refers to must live until it has finished or is destroyed. Inside, `co_await Pause();` pauses, and
/// `co_await` of another Work does that first, with its pauses.
class Work {
public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;
  struct promise_type {
    Work *Inner = nullptr; ///< what is awaited
    Work get_return_object() { return Work(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept {} // there are none
  };

  Work(Work &&Other) noexcept : H(std::exchange(Other.H, nullptr)) {}
  Work &operator=(Work &&Other) noexcept {
    std::swap(H, Other.H);
    return *this;
  }
  ~Work() {
    if (H)
      H.destroy();
  }

  /// Until the next pause. Returns whether it has finished; then this may not be called again.
  bool goOn() {
    promise_type &P = H.promise();
    if (P.Inner && !P.Inner->goOn())
      return false;
    P.Inner = nullptr;
    H.resume();
    return H.done();
  }
  void finish() {
    while (!goOn())
      ;
  }

  auto operator co_await() && noexcept {
    struct Awaiter {
      Work Inner;
      bool await_ready() const noexcept { return false; }
      void await_suspend(Handle Outer) noexcept { Outer.promise().Inner = &Inner; }
      void await_resume() const noexcept {}
    };
    return Awaiter{std::move(*this)};
  }

private:
  explicit Work(Handle H) : H(H) {}
  Handle H;
};

using Pause = std::suspend_always;

} // namespace pilgrim

#endif
