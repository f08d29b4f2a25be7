//===- SplitSurvey.h - What all ranks say in Comm_split ---------*- C++ -*-===//
//
// MPI_Comm_split needs the colours and keys of all members of the parent, but
// ranks run one after the other. So the program is run in passes: in each,
// every rank's contributions are noted under (parent, ordinal of the split in
// it), and answered from the notes of the pass before. A split not noted before
// gives a communicator of oneself alone, for the time being. When a pass
// answered everything and noted nothing new, its calls were those of a real
// run; splits nested N deep need N + 1 passes.
//
// Splits of the same parent in which all ranks say the same as in the one
// before share their notes, so a loop around a split costs memory only for the
// first.
//
//===----------------------------------------------------------------------===//

#ifndef PILGRIM_BENCHMARKS_SPLITSURVEY_H
#define PILGRIM_BENCHMARKS_SPLITSURVEY_H

#include "Group.h"

#include <map>

namespace pilgrim::virtualranks {

class SplitSurvey {
public:
  /// Names a split: the same on all ranks that take part in it.
  struct Split {
    std::uint64_t Parent;
    int Ordinal;
    auto operator<=>(const Split &) const = default;
  };

  /// Notes what a rank says. The ranks of a pass come in ascending order.
  void note(Split Name, int WorldRank, int Color, int Key);

  /// The members of \p WorldRank's new communicator, in their order, as far as
  /// known.
  GroupRef answer(Split Name, const Group &Parent, int WorldRank, int Color);

  /// Ends a pass; the next one is answered from its notes. True if this one was
  /// right, and so will be all after it.
  bool endPass();

private:
  struct Note {
    int WorldRank, Color, Key;
    bool operator==(const Note &) const = default;
  };
  struct Notes {
    std::vector<Note> List;
    std::unordered_map<int, GroupRef> ByColor; // filled when the first rank asks
  };
  // A split sees the first NumNotes of its notes; the owner is the one that
  // appends.
  struct Entry {
    std::shared_ptr<Notes> Shared;
    std::size_t NumNotes = 0;
    bool Owner = true;
  };
  using Pass = std::map<Split, Entry>;

  static void fillGroups(Notes &Of, const Group &Parent);

  Pass Before, Now;
  bool Provisional = false; // some answer was not from notes
};

} // namespace pilgrim::virtualranks

#endif // PILGRIM_BENCHMARKS_SPLITSURVEY_H
