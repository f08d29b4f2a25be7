//===- Tasks.h - in which order threads were made -----------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_TASKS_H
#define PILGRIM_PLATFORM_TASKS_H

#include <vector>

namespace pilgrim {

/// The threads that a process had at some moment. Of later ones it can be said which was made first: the system gives
/// them ascending numbers.
class Tasks {
public:
  /// Now is that moment.
  void note();
  /// The place of the calling thread among all later ones that live, in the order in which they were made, from 1 on. 0
  /// if it is no later one, or if that cannot be found out.
  unsigned place() const;

private:
  std::vector<int> Known; ///< ascending; empty: that moment has not come
};

} // namespace pilgrim

#endif
