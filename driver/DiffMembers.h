//===- DiffMembers.h - ranks whose calls compare alike ----------*- C++ -*-===//
//
// Ranks of a class make the same calls but for their values. The calls of one of them, the first, are compared one by
// one. This notes which pairs of calls it met, and then tells for which other ranks the comparison goes the same way,
// by a look at each pair once.
//
// A number compares as it did for the first rank: that is evaluated. Symbolic names are compared with those before
// them, so all of one kind are looked at together. Their comparison goes the same way if either
//
//   - the first rank's names can be replaced one to one by the other rank's, in each trace, or
//   - both ranks have the same names in both traces: then nothing differs.
//
// Values in streams are those of the first rank in both traces, or are the same in both traces. Else the rank is told
// apart though it may compare alike; nothing depends on that but time.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_DIFFMEMBERS_H
#define PILGRIM_DRIVER_DIFFMEMBERS_H

#include "driver/CallCompare.h"

#include <array>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pilgrim {

class DiffMembers {
public:
  using View = std::shared_ptr<const RankView>;
  /// A and B are the first rank's. What is given must outlive this.
  DiffMembers(CallCompare &Compare, const Trace &A, const Trace &B, View ViewA, View ViewB);

  /// The first rank's calls, as they are compared.
  void compared(const Call &A, const Call &B);
  /// The last ones, which differ in a slot, the last of so many that were compared.
  void differ(const Call &A, const Call &B, uint32_t Slots);
  /// A call of one side that is not compared.
  void skipped(const Call &C, bool IsB);
  /// The call of one side where the other one has come to its end.
  void last(const Call &C, bool IsB) { show(C, IsB); }
  /// Callbacks made calls, so that more values may have been read than were compared.
  void readAhead() { HasCallbacks = true; }

  struct Answer {
    RankSet Alike;              ///< with the first rank
    std::vector<RankSet> Apart; ///< by where they were told apart
    bool HaveSameValues = true; ///< whether the calls that differ have the same values on all of Alike
  };
  /// About all ranks of the class.
  Answer find(const RankSet &Class);

private:
  /// One side's value of a word as a function of the rank.
  struct Term {
    RankFn F;
    uint32_t Context = 0;
    int64_t First = 0, Now = 0; ///< of the first rank, of the one that is asked about
    bool IsUsed = false;        ///< whether Now is asked for
  };
  struct NumberUse {
    const ParamSchema *PA, *PB; ///< null: as they are
    uint32_t A, B;              ///< terms
    bool AreSame;               ///< whether the first rank's are
  };
  struct StatusUse {
    std::array<uint32_t, StatusWords> A, B;
    bool AreSame;
  };
  enum class Part : uint8_t { All, Number, Device }; ///< the latter of the first word of a segment
  struct SymbolUse {
    const ParamSchema *PA, *PB; ///< of a handle, which may be a constant; null: always a name
    uint32_t A, B;              ///< terms
    Part Of = Part::All;
    uint32_t RefA = 0, RefB = 0; ///< names of places: the module
  };
  /// Names that are compared with each other.
  struct Space {
    std::vector<SymbolUse> Uses;
    std::vector<uint32_t> Streams; ///< uses of streams
    bool MayBeIdentical = true;    ///< whether names of one trace may be looked for in the other
  };
  struct StreamUse {
    std::vector<uint32_t> Columns[2];         ///< by side: streams
    std::vector<uint32_t> Words[2];           ///< terms of a side that has none
    bool IsFirstIdentical = true;             ///< in both traces
    bool MayBeIdentical = true;               ///< whether equal values compare as the first rank's do
    bool IsSame = false, IsIdentical = false; ///< of the rank that is asked about
    uint32_t Slot = 0;
  };
  struct Side {
    View V;
    const Group *G;
    uint32_t World;
    std::vector<Term> Terms;
    std::map<std::pair<const WordList *, size_t>, uint32_t> TermOf; ///< by the word
    std::vector<RankFn::ContextFn> Contexts;                        ///< 0: the world
    std::vector<uint32_t> ContextOf;                                ///< by terminal; 0: not known yet
    std::vector<uint32_t> Kinds; ///< terms of segments that ranks must have of the same kind of memory
    std::vector<uint32_t> Shown; ///< terms of the call that differs
    std::vector<uint32_t> ShownStreams;
    // By stream.
    std::vector<uint64_t> Read;              ///< values
    std::vector<int64_t> Partner;            ///< the other side's that is read by the same calls; None, Several
    std::vector<const RankedStream *> First; ///< which one is the first rank's
    std::vector<bool> IsConstant;            ///< the same for the whole class
  };
  static constexpr int64_t None = -1, Several = -2;
  /// Spaces of no kind of handle.
  static constexpr unsigned Segments = 1000, Devices = 1001, Maps = 1002, Places = 1003;

  static Side sideOf(const Trace &T, View V);
  void use(uint32_t TermA, uint32_t TermB) { A.Terms[TermA].IsUsed = B.Terms[TermB].IsUsed = true; }
  static void addUse(std::vector<uint32_t> &To, Side &S, uint32_t Term) {
    S.Terms[Term].IsUsed = true;
    To.push_back(Term);
  }
  void addSymbol(Space &S, const SymbolUse &U) {
    use(U.A, U.B);
    S.Uses.push_back(U);
  }
  static uint32_t term(Side &S, const WordList &Words, size_t I, int64_t First, uint32_t Context);
  static uint32_t wordTerm(Side &S, const Call &C, const int64_t &Word);
  static uint32_t placeTerm(Side &S, const Call &C, const Value &V);
  void addPair(const Call &A, const Call &B, uint32_t Slots);
  void addSlot(const Call &A, const Call &B, uint32_t Slot, std::optional<uint32_t> &Stack);
  bool addWord(const ParamSchema &PA, const ParamSchema &PB, uint32_t A, uint32_t B);
  void addNumber(const ParamSchema *PA, const ParamSchema *PB, uint32_t A, uint32_t B, bool AreSame);
  void addNumber(uint32_t A, uint32_t B);
  bool areSameOnAllRanks(const ParamSchema *PA, const ParamSchema *PB, uint32_t A, uint32_t B) const;
  void addObject(uint32_t RefA, uint32_t RefB);
  static uint32_t objectTerm(Side &S, uint32_t Ref, size_t Word);
  void addStream(const Call &A, const Call &B, uint32_t Slot, std::optional<uint32_t> &Stack);
  void pairStreams(const Call &A, const Call &B);
  Space &space(unsigned Which);
  Space &stackSpace(std::optional<uint32_t> &Stack);
  static const ResolvedSignature::StreamSlot *streamOf(const ResolvedSignature &S, uint32_t Slot);
  bool haveEqualNames(const ParamSchema &PA, const ParamSchema &PB, Tag T) const;
  static void count(Side &S, const Call &C);
  void show(const Call &C, bool IsB);

  /// 0: alike; else where they were told apart.
  uint32_t check(uint32_t Rank);
  static void evaluate(Side &S, uint32_t Rank);
  bool check(const NumberUse &U);
  bool check(const StatusUse &U);
  bool check(const Space &S);
  bool check(StreamUse &U, uint32_t Rank);
  bool isSame(const Side &S, uint32_t Stream, uint32_t Rank) const;
  bool isIdentical(uint32_t StreamA, uint32_t StreamB, uint32_t Rank) const;
  bool hasSameValues() const;
  bool hasConstants(const RankSet &Class);

  CallCompare &Compare;
  const TraceData &DataA, &DataB;
  Side A, B;
  std::unordered_map<uint64_t, std::vector<uint32_t>> Pairs; ///< by terminals: uses of streams
  std::vector<uint32_t> Usual;                               ///< by A's terminal: B's of a pair without streams, + 1
  std::vector<NumberUse> Numbers;
  std::vector<StatusUse> Statuses;
  std::deque<Space> Spaces;
  std::map<unsigned, uint32_t> SpaceOf; ///< by kind of handle, or what else it is
  std::vector<StreamUse> Streams;
  std::map<std::pair<uint32_t, uint32_t>, bool> Objects; ///< that were met together
  bool IsClear = true;                                   ///< false: no other rank is known to compare alike
  bool HasCallbacks = false;
};

} // namespace pilgrim

#endif
