//===- Join.cpp - many traces become one ----------------------------------===//
//
// The pairs are a tree: node N of level L stands for 2^L shards from N * 2^L
// on. A thread that has made a node looks for its sibling. If that is there, it
// merges the two and goes on with their parent; else it leaves the node to
// whoever makes the sibling, and takes the next shard. Since shards are taken
// in order, what waits is what a binary counter holds: for each thread no more
// than log2 of the number of shards.
//
//===----------------------------------------------------------------------===//
#include "driver/Join.h"
#include "driver/Input.h"
#include "driver/Parallel.h"
#include "trace/merge/Merge.h"
#include "trace/read/Soundness.h"

namespace pilgrim {

namespace {
class MergeTree {
public:
  explicit MergeTree(size_t Leaves) : Last(Leaves - 1) {}

  /// Merges a leaf with all that wait for it. To be called by any thread.
  void add(size_t Leaf, TraceData T) {
    for (unsigned Level = 0; Last >> Level; ++Level) {
      size_t Node = Leaf >> Level, Sibling = Node ^ 1;
      if (Sibling > Last >> Level)
        continue; // there is none: the node is its parent
      auto Other = takeOrLeave({Level, Sibling}, {Level, Node}, T);
      if (!Other)
        return;
      if (Sibling < Node)
        std::swap(T, Other.mapped());
      merge(T, std::move(Other.mapped()));
    }
    Whole = std::move(T);
  }

  TraceData Whole; ///< once all leaves are there

private:
  using Place = std::pair<unsigned, size_t>; ///< level, node
  using Places = std::map<Place, TraceData>;

  /// The sibling; if it is not there yet, T now waits for it.
  Places::node_type takeOrLeave(Place Sibling, Place Own, TraceData &T) {
    std::lock_guard Lock(Mutex);
    auto Other = Waiting.extract(Sibling);
    if (!Other)
      Waiting.try_emplace(Own, std::move(T));
    return Other;
  }

  const size_t Last;
  std::mutex Mutex;
  Places Waiting; ///< for their siblings
};
} // namespace

std::expected<TraceData, TraceError> joinShards(const ShardList &List, unsigned Threads, Progress &Line) {
  MergeTree Tree(List.Shards.size());
  Failure Bad = forEachIndex(List.Shards.size(), Threads, [&](size_t I) -> std::string {
    auto T = readSound(List.Shards[I].File);
    if (!T)
      return T.error().What;
    if (T->world() != List.World || !(T->ranks() == List.Shards[I].Ranks))
      return "it changed while it was read";
    if (std::string Problem = findBadTimes(*T); !Problem.empty()) // else they would be copied as they are
      return Problem;
    TraceData Own = std::move(*T).take();
    deriveCandidates(Own);
    Tree.add(I, std::move(Own));
    Line.step();
    return "";
  });
  if (!Bad.What.empty())
    return std::unexpected(TraceError{List.Shards[Bad.At].File + ": " + Bad.What});
  return std::move(Tree.Whole);
}

} // namespace pilgrim
