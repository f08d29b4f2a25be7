//===- CallWriter.h - calls of a trace as C ------------------------*- C++ -*-===//
//
// One call at one place, for all ranks that make it, as a statement. What is passed follows from the same table as in a
// replay (CallTable.h).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_PROXY_CALLWRITER_H
#define PILGRIM_PROXYGEN_PROXY_CALLWRITER_H

#include "proxygen/CallTable.h"
#include "proxygen/Footprint.h"
#include "proxygen/RequestLayout.h"
#include "proxygen/proxy/RankText.h"
#include "proxygen/proxy/StreamText.h"
#include "trace/read/Walk.h"

#include <expected>

namespace pilgrim {

/// The memory of all ranks.
struct ProxyMemory {
  /// Proxies have the same for each rank. Else: what of it cannot be made again.
  static std::expected<ProxyMemory, std::string> of(const Trace &T);

  std::map<MemoryPiece, ByteSpan> Pieces;
  static constexpr size_t MostRanks = 64;                ///< of which there are addresses, the first that have some
  std::map<uint32_t, RecordedAddresses> Addresses;       ///< by rank
  std::map<uint32_t, RemoteAddresses> Remote;            ///< the same
  std::map<uint32_t, std::vector<MemoryPlace>> Attached; ///< by rank; empty: no rank attaches memory
  /// The largest number of places that a rank attaches.
  size_t attachedPlaces() const;
  /// How many numbers pieces of a kind have, from 0 on.
  int64_t numberOf(Tag Kind) const;
};

class CallWriter {
public:
  CallWriter(Source &S, const Walk &W, const ProxyMemory &M)
      : S(S), W(W), M(M), Layouts(RequestLayouts::of(W)), HasQueries(hasFunction(W, "MPI_Grequest_start")),
        KeyvalsVary(findVaryingKeyvals(W)), MovesAddresses(findMovingAddresses(W, M)), Ranks(S, W.world()),
        Streams(S, W) {}
  /// A statement, or several in braces, for the ranks of Among that make the call.
  std::string statement(const CallShape &C, const RankSet &Among);
  /// What cannot be said; empty: everything could.
  const std::string &error() const { return Error; }
  /// Sets all objects to null handles when the proxy starts. Call it when all statements are there.
  void nullObjects();

private:
  struct Slot {
    const ParamSchema &P;
    const ParamInfo &I;
    const SlotShape &V;
    unsigned Number;
  };
  std::string argument(const Slot &X);
  std::string number(const Slot &X);
  std::string plainNumber(const Slot &X, const RankText::ValueFn &Value);
  static bool findVaryingKeyvals(const Walk &W);
  static bool hasFunction(const Walk &W, std::string_view Name);
  bool isPredefined(const Slot &X) const;
  std::string keyvalPlace(const Slot &X);
  std::string word(const Slot &X, unsigned Word, const RankText::ValueFn &Value);
  std::string wordText(const ParamSchema &P, int64_t V);
  std::string region(const std::string &Number);
  std::string addressText(const Slot &X, unsigned Word);
  static bool isPlace(const Slot &X) { return X.P.K == Kind::Address || X.P.K == Kind::Displacement; }
  static bool findMovingAddresses(const Walk &W, const ProxyMemory &M);
  static bool hasAddresses(const Slot &X);
  void moveAddresses(const std::string &Array, const std::string &Length);
  std::string askedPlace(const Slot &X);
  std::string remoteText(const Slot &X);
  std::string onePlace(const Slot &X, const Slot &Target);
  uint64_t countAddresses(const Slot &X, unsigned Word) const;
  std::string remoteTable();
  bool reachesAttached() const;
  std::optional<size_t> attachedPlace(unsigned Number) const;
  void followAttached(std::span<const std::string> Arguments);
  bool fails() const;
  void findFile(std::span<const std::string> Arguments);
  void followProbe(std::span<std::string> Arguments);
  std::string numbers(const Slot &X);
  std::string outNumbers(const Slot &X);
  bool isIrregular(const Slot &X) const;
  std::string sumsBefore(const Slot &X);
  std::string rowOfRank(const Slot &X);
  std::string handle(const Slot &X, unsigned At);
  std::string takenOnce(const std::string &Next);
  std::string streamedHandle(const Slot &X);
  std::string namedRequest(const std::string &Number);
  std::string chosen(std::span<const RankFn::Level> Levels, const std::function<std::string(int64_t)> &Text);
  std::string chosenHandle(const Slot &X, const RankFn &F);
  std::string chosenPlace(const Slot &X, unsigned At);
  std::string handleWord(const ParamSchema &P, int64_t V);
  std::string objectText(const ParamSchema &P, uint32_t Ref);
  std::string handles(const Slot &X);
  std::string address(const Slot &X);
  std::string status(const Slot &X);
  std::string text(const Slot &X);
  std::string userFunction(const Slot &X);
  std::string dataName(const std::string &Module);
  std::string next(const Slot &X, unsigned Column);
  const RankedStreams *stream(const Slot &X, unsigned Column) const;
  std::string streamKey(const Slot &X) const;
  std::string nextText(const Slot &X);
  std::string requests(const Slot &X);
  std::string placeText(const RankFn &F);
  std::string rowText(const SlotShape &V);
  std::string outScalar(const std::string &Type);
  std::string inOutNumber(const Slot &X);
  std::string room(const Slot &X, const std::string &Type);
  std::string valueBefore(const Slot &X);
  bool tellsPosition(const Slot &X) const;
  bool isNeededTwice(const Slot &X) const;
  const SlotShape *named(std::string_view Name) const;
  std::string recorded(std::string_view Of);
  std::string output(std::string_view Of) const;
  std::string repeated(std::vector<std::string> Arguments);
  void finish(std::string &Call);
  std::string wantedRequests();
  void settleRequests(std::string &Call);
  bool isTest() const;
  bool takesMessage();
  bool testsPersistent() const;
  void testOnce(std::vector<std::string> &Arguments);
  bool hasPersistent() const;
  bool notesGiven() const;
  void noteGiven();
  struct ObjectName {
    std::string Array, Number;
  };
  ObjectName nameOf(const std::string &Handle);
  bool isShared(Kind K, const std::string &Handle) const;
  std::string held(Kind K, const std::string &Handle);
  std::string used(Kind K, const std::string &Handle);
  void made(Kind K, const std::string &Handle, const std::string &Variable);
  std::string ofOtherThread(const Slot &X, const std::string &H);
  void takeTurn();
  void followReceive(std::vector<std::string> &Arguments);
  std::string block(const std::string &Number);
  uint32_t threadNumber() const;
  std::string dropped(const SlotShape &V);
  void bad(const std::string &What);
  std::string elementType(const ParamInfo &I) const;

  Source &S;
  const Walk &W;
  const ProxyMemory &M;
  const RequestLayouts Layouts; ///< of req
  const bool HasQueries;        ///< generalized requests ask functions of the program
  const bool KeyvalsVary;       ///< a keyval's number depends on the rank, or on the call
  const bool MovesAddresses;    ///< an address in displacements may be of one place, and later of another
  RankText Ranks;
  StreamText Streams;

  static constexpr size_t MostLevels = 64;   ///< handles by rank, where some are predefined
  static constexpr unsigned MostArrays = 13; ///< of a call; the last places are those of requests
  // Of the call that is being written.
  const CallShape *C = nullptr;
  const CallInfo *Info = nullptr;
  RankSet Here;
  std::string Own, Size; ///< rank and size that words refer to
  std::vector<std::string> Before, After;
  std::vector<std::string> Gets; ///< before the turn of a call that waits for a message: which one
  std::map<std::string, std::string, std::less<>> OutAt; ///< where the call writes its outputs
  std::map<unsigned, std::string> NumbersAt;             ///< arrays that the call reads, by slot
  std::map<unsigned, std::string> Taken; ///< numbers of streams, by slot: their names where they have one
  unsigned Outs = 0, Rooms = 0, Arrays = 0, Blocks = 0, Texts = 0;
  std::string RequestArray;   ///< how many requests the call completes, and their numbers: "4, a"
  std::string RequestRow;     ///< if they lie in a row: the first number, and how many: "6, 1"
  std::string Tested;         ///< the request of MPI_Test, which may be given a null one instead
  bool HasWantedFlag = false; ///< a variable with the recorded flag is there
  bool HasPlaces = false;     ///< whether a turn of places was taken for arrays that change
  std::string AskedPlace;     ///< what the call gives the address of, if displacements may be that
  std::map<int64_t, unsigned> Keyvals;
  std::map<std::string, std::string> Functions; ///< of the user, by place
  std::string Error;
};

} // namespace pilgrim

#endif
