// Traces that show what a file can hold, and how they are made of ranks' traces.
#ifndef PILGRIM_TEST_SAMPLES_H
#define PILGRIM_TEST_SAMPLES_H

#include "test/unit/Sealed.h"
#include "test/unit/StructureSample.h"

#include <span>

namespace pilgrim::test {

ModelValue value(Tag T, std::vector<int64_t> Words = {}, std::string Text = {}, std::vector<ModelObject> Objects = {});
ModelValue streamed(ModelValue V);

TraceData join(std::vector<TraceData> Parts);

/// The one that docs/format.md goes through byte by byte: three ranks send to
/// the next one, four times.
TraceData tiny();

/// Every tag, every kind of object, streams, callbacks, times, extreme values.
TraceData tags();

/// Values by rank: pieces, and too many of them.
TraceData ranks();

TraceData mixed();

/// With structure, of which some does not depend on the rank.
TraceData nodes();

/// All-to-all of differing sizes: displacements follow from counts, and what is received from what is sent. Shift: of
/// one displacement on rank 2, which then does not follow from anything.
TraceData vectors(int64_t Shift);
TraceData vectors();

/// Ranks in a row, who send to and receive from their neighbours if they have some; the last one also asks first.
TraceData border();

/// Ranks in a torus, who send to the one in the next row and column; sizes depend on the column, all in the same way.
TraceData torus();

/// Ranks in a grid of four columns, who write parts of a file: streams that run alike on all ranks, but begin
/// elsewhere, go on in other steps, and change sooner or later. The last but one does something else.
TraceData offsets();

/// Ranks that switched tracing off: as many calls as their number says, then always more, then inside of a callback,
/// and all that rank 2 did.
TraceData switched();

/// Blocks of memory that were freed: one at a time and always the same, others in turns, by rank, and inside of a
/// callback.
TraceData freed();

/// Sites with callers, as --callstack makes them: one place called from two, a recursion, and ranks that came to a
/// place in different ways.
TraceData callers();

/// Ranks with three threads, which take turns: one after the other, again and again; rank 1 once more at the end. Rank
/// 4 has one thread, rank 5 two and no order between them. What comes behind the last turn is in none.
TraceData turns();

/// Loops that ranks run through unequally often, alone and inside of each other, with times.
TraceData unequal();

/// Ranks of a world whose calls take longer from rank to rank. What is one call twice on even ranks is two on odd ones,
/// so both have one measure; a second thread makes other calls at the same place, which have measures of their own.
TraceData measured(uint32_t World);
/// Gaps by what was before: the thread's begin, a call at the same event or at another one, and what was not told
/// apart.
TraceData gaps();
/// The same with histograms.
TraceData histograms(bool IsByPath);
TraceData histogram();
TraceData histogramByPath();
/// Means.
TraceData means();
/// Of some ranks: sums.
TraceData sums();

/// Loops that ranks run through unequally often, with structure.
TraceData visits();

/// Those of so many ranks.
template <typename MakeFn> TraceData joinRanks(uint32_t Ranks, MakeFn Make) {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < Ranks; ++R)
    Parts.push_back(Make(Ranks, R));
  return join(std::move(Parts));
}

/// Loops whose visits follow from which calls of one sequence a rank has.
TraceData neighbours();

/// The same, each time.
TraceData rounds();

/// Paths that are all events but some, which for some are not the same on all ranks.
TraceData paths();

/// They stand in test/format as files.
/// Of tiny(), with a section that is packed alone.
TraceData large();

/// Sequences and streams of which parts are sealed; the same with structure.
TraceData chunks();
TraceData visited();

struct Sample {
  const char *Name;
  TraceData (*Make)();
  int Level;
};
extern const std::span<const Sample> Samples;

} // namespace pilgrim::test

#endif
