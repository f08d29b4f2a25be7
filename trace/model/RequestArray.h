//===- RequestArray.h - arrays of requests, call after call -------*- C++ -*-===//
//
// A call that completes any or some of many requests (MPI_Waitany, MPI_Testany, MPI_Waitsome, MPI_Testsome and what is
// like them) often gets the array that the last one left: the same requests, less those that it completed. Then the
// trace has, instead of their names:
//
//   -3 - v, -16 - N, and for each place that is another one: -16 - place, name
//
// which refers to the thread's last such call with an array of N requests. v is 1: what that call completed is null
// now; 0: it is still there, as persistent requests are. So a call costs what has changed, and is the same from call to
// call where nothing else has.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_REQUESTARRAY_H
#define PILGRIM_TRACE_MODEL_REQUESTARRAY_H

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace pilgrim {

/// What a reader knows of a thread's arrays. Only those of which the last ones were used last are remembered.
class ArrayHistory {
public:
  static constexpr unsigned NumArrays = 8;
  /// An array is written out again after so many items of the thread, so a reader that begins somewhere has to go back
  /// that far at most.
  static constexpr uint64_t MaxDistance = 1 << 14;

  /// What stands in a trace for an array with these names (one at least). Empty: the names themselves. The call's
  /// number among all items of the thread is from First to Last.
  std::span<const int64_t> shorten(std::span<const int64_t> Names, uint64_t First, uint64_t Last);
  /// What words from a trace stand for; nothing if they refer to what is not remembered.
  std::optional<std::span<const int64_t>> resolve(std::span<const int64_t> Words);
  /// The call completed what is in this place of the last array that was shortened or resolved.
  void complete(int64_t Place);

private:
  struct Array {
    std::vector<int64_t> Names;                          ///< as the last call left them, if it completes for good
    std::vector<std::pair<uint32_t, int64_t>> Completed; ///< by the last call: the places, and what was there
    std::vector<int64_t> Whole;                          ///< as it was written out last; only of a writer
    uint64_t LastUse = 0, WrittenAt = 0;
  };
  Array *find(size_t N);
  Array &use(size_t N);
  Array &writeOut(std::span<const int64_t> Names);
  bool findChanges(const Array &A, std::span<const int64_t> Names, size_t Most);

  std::array<Array, NumArrays> Arrays;
  uint64_t Uses = 0;
  Array *Current = nullptr; ///< of the last call
  std::vector<int64_t> Words;
};

} // namespace pilgrim

#endif
