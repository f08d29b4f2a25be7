//===- TrafficFinder.h - how flows are found ---------------------*- C++ -*-===//
//
// Goes through the shapes of calls and makes flows of them (internal to Traffic*.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_TRAFFICFINDER_H
#define PILGRIM_DRIVER_TRAFFICFINDER_H

#include "driver/Messages.h"
#include "driver/SiteText.h"
#include "driver/Starts.h"
#include "driver/Traffic.h"
#include "trace/base/Saturate.h"

#include <tuple>

namespace pilgrim {

class TrafficFinder {
public:
  /// RuleOf: what the flows are made of.
  TrafficFinder(const Walk &W, Traffic::By By, bool Collectives, MessageRule (*RuleOf)(const FunctionSchema &))
      : W(W), By(By), Collectives(Collectives), RuleOf(RuleOf), Lines(W.trace()) {}

  Traffic run();

private:
  const MessageRule &rule(const FunctionSchema &F) {
    auto It = Rules.find(F.Id);
    return It != Rules.end() ? It->second : Rules.emplace(F.Id, RuleOf(F)).first->second;
  }
  bool isCounted(const MessageRule &R) const {
    return R.How == MessageRule::Send || (Collectives && R.How != MessageRule::Nothing && R.How != MessageRule::Start);
  }
  /// Whatever makes persistent requests is looked at, since a number may be another request's later.
  bool isWanted(const FunctionSchema &F) {
    const MessageRule &R = rule(F);
    return isCounted(R) || R.How == MessageRule::Start || R.IsPersistent;
  }

  uint32_t part(const std::string &Name);
  /// Calls F(ranks, part) for what a call's flows are told apart by.
  template <typename Fn> void forEachPart(const CallShape &C, const MessageRule &Rule, const RankSet &Ranks, Fn &&F) {
    if (By == Traffic::By::Nothing)
      return F(Ranks, 0);
    if (By == Traffic::By::Function)
      return F(Ranks, part(C.Function->Name));
    if (By == Traffic::By::Site) {
      std::string Text = chainText(siteText(W, C, Lines));
      return F(Ranks, part(C.Function->Name + " " + (Text.empty() ? "-" : Text)));
    }
    const SlotShape &S = C.Slots[static_cast<size_t>(Rule.Comm)];
    if (S.T != Tag::Object)
      return F(Ranks, part("unknown"));
    const ObjectShape &O = W.object(C.Thread, S.Ref);
    if (!O.Name.empty())
      return F(Ranks, part(O.Name));
    const auto Ids = O.Words[0].levels(Ranks, W.worldContext(), MaxParts);
    if (!Ids)
      return F(Ranks, part("others"));
    for (const RankFn::Level &L : *Ids)
      F(L.Ranks, part("comm" + std::to_string(L.Value)));
  }

  /// Ranks on which the call succeeded.
  RankSet succeeded(const CallShape &C) const;
  /// Values of streamed slots.
  using Fixed = Starts::Fixed;

  void addParts(const CallShape &C, const MessageRule &Rule, const RankSet &Ranks, const Fixed &Values, uint64_t N) {
    if (!Ranks.empty())
      forEachPart(C, Rule, Ranks, [&](const RankSet &R, uint32_t Part) { addAlike(C, Rule, R, Values, N, Part); });
  }

  /// What a request says that C made, when it is started.
  void addStarted(const CallShape &C, const MessageRule &Rule, const Fixed &Values, const RankedCount &Times) {
    addParts(C, Rule, Times.Ranks.common(succeeded(C)), Values, Times.N);
  }

  /// Ranks on which the call's communicator has a number that stood for several: their calls are looked at in order,
  /// behind all others.
  RankSet putAside(const CallShape &C, const MessageRule &Rule);
  void addAside();
  /// The communicator of a call on a rank.
  Communicators::View communicator(const CallShape &C, const SlotShape &S, uint32_t Rank) {
    if (Told)
      return *Told;
    return S.T == Tag::Object ? comms().find(C.Thread, S.Ref, Rank) : Communicators::View();
  }

  void addCall(const CallShape &C, const MessageRule &Rule);
  /// Calls that are looked at one by one.
  void addIrregular();
  void joinMany();
  static const std::vector<int64_t> *fixed(const Fixed &Values, int Slot);
  /// A word of a slot as a function of the rank.
  RankFn word(const CallShape &C, const Fixed &Values, int Slot, size_t Word) const;

  /// Ranks by how many bytes a call sends. Peer: of slots that have a number for each peer.
  std::vector<RankFn::Level> bytes(const CallShape &C, const MessageRule &Rule, const RankSet &Ranks,
                                   const Fixed &Values, size_t Peer) const;
  /// N calls on each of Ranks whose streamed slots have these values.
  void addAlike(const CallShape &C, const MessageRule &Rule, const RankSet &Ranks, const Fixed &Values, uint64_t N,
                uint32_t Part);
  void add(RankSet From, Flow::Target T, int64_t To, uint64_t N, uint64_t Bytes, uint32_t Part);
  const Communicators &comms() {
    if (!Comms)
      Comms.emplace(W);
    return *Comms;
  }

  bool isWorld(const CallShape &C, const MessageRule &Rule) const {
    const SlotShape &S = C.Slots[static_cast<size_t>(Rule.Comm)];
    return S.T == Tag::Object && W.object(C.Thread, S.Ref).Name == "MPI_COMM_WORLD";
  }

  /// Messages to a rank of the call's communicator. Ranks below zero are nobody.
  void addTo(const CallShape &C, const MessageRule &Rule, const RankFn &Dest, const RankSet &Ranks, uint64_t N,
             uint64_t Bytes, uint32_t Part);
  /// Those of Ranks whose receivers the function says without a list, as flows. Returns them.
  RankSet addFunction(const RankFn &Dest, const RankSet &Ranks, uint64_t N, uint64_t Bytes, uint32_t Part);
  void addPiece(Piece P, uint64_t N, uint64_t Bytes, uint32_t Part);
  /// Sets of senders whose peers are the same list; an empty list if it is unknown.
  struct Team {
    RankSet From;
    std::span<const uint32_t> Peers;
    bool IsInter = false;
  };
  std::vector<Team> teams(const CallShape &C, const MessageRule &Rule, const RankSet &Ranks);
  void addCollective(const CallShape &C, const MessageRule &Rule, const RankSet &Ranks, const Fixed &Values, uint64_t N,
                     uint32_t Part);
  void addRooted(const CallShape &C, const MessageRule &Rule, const Team &T, const Fixed &Values, uint64_t N,
                 uint32_t Part);
  void addToHigher(const CallShape &C, const MessageRule &Rule, const Team &T, const Fixed &Values, uint64_t N,
                   uint32_t Part);
  void addToEach(const CallShape &C, const MessageRule &Rule, const RankSet &From, std::span<const uint32_t> Peers,
                 const Fixed &Values, uint64_t N, uint32_t Part);
  void addSet(const RankSet &From, Flow::Target Target, const std::shared_ptr<const RankSet> &All, uint64_t N,
              uint64_t Bytes, uint32_t Part);
  int64_t rootOfOther() const;

  void count(const Flow &F) {
    const uint64_t Pairs = pairsOf(F);
    addProduct(F.T == Flow::Unknown ? Out.UnknownMessages : Out.Messages, F.Messages, Pairs);
    addProduct(F.T == Flow::Unknown ? Out.UnknownBytes : Out.Bytes, F.Bytes, Pairs);
  }

  static constexpr size_t MaxParts = 4096;

  const Walk &W;
  const Traffic::By By;
  const bool Collectives;
  MessageRule (*const RuleOf)(const FunctionSchema &);
  SourceLines Lines;
  Traffic Out;
  std::map<uint32_t, MessageRule> Rules;
  std::map<std::string, uint32_t> PartOf;
  std::optional<Communicators> Comms; ///< found where a call needs them
  std::vector<uint32_t> AllRanks;     ///< likewise
  struct Later {
    CallShape C;
    MessageRule Rule;
    RankSet Ranks;
  };
  std::vector<Later> Aside, Irregular;
  size_t MostFlows = 4096;                 ///< that are not added up
  std::optional<Communicators::View> Told; ///< the communicator of the call at hand, if it is not to be looked for
};

} // namespace pilgrim

#endif
