//===- Join.cpp - many traces become one ----------------------------------===//
//
// The pairs are a tree: node N of level L stands for shards N * 2^L up to the
// next one's. A thread that has made a node looks for its sibling. If that is
// there, it merges the two and goes on with their parent; else it leaves the
// node to whoever makes the sibling, and takes the next shards. Since shards
// are taken in order, what waits is what a binary counter holds, once for each
// thread: log2 of the number of shards.
//
//===----------------------------------------------------------------------===//
#include "driver/Join.h"
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/Progress.h"
#include "trace/Merge.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <system_error>
#include <thread>

namespace pilgrim {

namespace {
class Join {
public:
  Join(const ShardList &List, unsigned Threads, Progress &Line) : List(List), Threads(Threads), Line(Line) {
    // Subtrees that one thread makes by itself; several for each, since some take longer than others.
    Batch = std::bit_floor(std::clamp<size_t>(size() / Threads / 4, 1, 64));
  }

  /// Returns when all threads are done.
  void run() {
    std::vector<std::jthread> Others;
    try {
      while (Others.size() + 1 < Threads)
        Others.emplace_back([this] { guardedWork(); });
    } catch (const std::system_error &) {
      // No more threads than these, then.
    }
    guardedWork();
  }

  TraceData Whole;
  size_t BadAt = SIZE_MAX; ///< the first shard that cannot be read
  std::string Why;
  std::exception_ptr Thrown;

private:
  size_t size() const { return List.Shards.size(); }

  void guardedWork() {
    try {
      work();
    } catch (...) {
      std::lock_guard Lock(Mutex);
      Thrown = std::current_exception();
      BadAt = 0;
    }
  }

  void work() {
    for (size_t I; (I = Next.fetch_add(Batch)) < size();)
      for (size_t End = std::min(I + Batch, size()); I < End; ++I) {
        if (isBadBefore(I))
          return;
        auto T = read(List.Shards[I]);
        if (!T)
          return giveUp(I, T.error().What);
        rise(I, std::move(*T));
        Line.step();
      }
  }

  std::expected<TraceData, TraceError> read(const Shard &S) const {
    auto T = readSound(S.File);
    if (!T)
      return std::unexpected(T.error());
    if (T->data().World != List.World || !(T->data().Ranks == S.Ranks))
      return std::unexpected(TraceError{"it has changed while shards were merged"});
    TraceData Data = std::move(*T).take();
    deriveCandidates(Data);
    return Data;
  }

  /// Merges the trace of a shard with all that wait for it.
  void rise(size_t I, TraceData T) {
    size_t Last = size() - 1;
    for (unsigned Level = 0; Last >> Level; ++Level) {
      size_t Node = I >> Level, Sibling = Node ^ 1;
      if (Sibling > Last >> Level)
        continue; // there is none: its parent is the node itself
      decltype(Waiting)::node_type Other;
      {
        std::lock_guard Lock(Mutex);
        Other = Waiting.extract({Level, Sibling});
        if (!Other) {
          Waiting.try_emplace({Level, Node}, std::move(T));
          return;
        }
      }
      if (Sibling < Node)
        std::swap(T, Other.mapped());
      merge(T, std::move(Other.mapped()));
    }
    Whole = std::move(T);
  }

  /// Shards before a bad one are still read: the first is told, whichever thread it falls to.
  bool isBadBefore(size_t I) {
    std::lock_guard Lock(Mutex);
    return BadAt < I || Thrown;
  }

  void giveUp(size_t I, const std::string &What) {
    std::lock_guard Lock(Mutex);
    if (I >= BadAt)
      return;
    BadAt = I;
    Why = What;
  }

  const ShardList &List;
  const unsigned Threads;
  Progress &Line;
  size_t Batch;
  std::atomic<size_t> Next = 0;                             ///< shard that no thread has taken yet
  std::mutex Mutex;                                         ///< of what follows, BadAt, Why and Thrown
  std::map<std::pair<unsigned, size_t>, TraceData> Waiting; ///< for their siblings; by level and node
};
} // namespace

std::optional<TraceData> joinShards(const ShardList &List, unsigned Threads) {
  std::optional<Progress> Line(std::in_place, "merging", List.Shards.size(), "files");
  Join J(List, static_cast<unsigned>(std::min<size_t>(Threads, List.Shards.size())), *Line);
  J.run();
  Line.reset();
  if (J.Thrown)
    std::rethrow_exception(J.Thrown);
  if (!J.Why.empty()) {
    fail(List.Shards[J.BadAt].File, J.Why);
    return std::nullopt;
  }
  return std::move(J.Whole);
}

} // namespace pilgrim
