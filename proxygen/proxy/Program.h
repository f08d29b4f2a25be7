//===- Program.h - the structure of a proxy ----------------------*- C++ -*-===//
//
// The functions, loops and branches of a thread: a function for each function of the traced program, in each context
// that it was called from, with its loops inside; and one for each rule of a grammar. Where the order of things does
// not follow from the source, a cursor over a small table tells what comes next.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_PROXY_PROGRAM_H
#define PILGRIM_PROXYGEN_PROXY_PROGRAM_H

#include "proxygen/proxy/CallWriter.h"
#include "proxygen/proxy/Functions.h"
#include "proxygen/proxy/LiteralRows.h"

#include <array>
#include <optional>

namespace pilgrim {

class Program {
public:
  /// What is computed before each call.
  enum class Gaps { None, Mean, Recorded };
  Program(Source &S, const Walk &W, const ProxyMemory &M, Gaps Computes)
      : S(S), W(W), Computes(Computes), Ranks(S, W.world()), Streams(S, W), Calls(S, W, M), Made(S) {
    W.forEachCall([this](const CallShape &C) { HasCallbacks |= C.Depth > 0; });
  }
  /// Writes a thread; the statement that runs it.
  std::string thread(uint32_t Thread);
  /// Writes the order between threads. Call it when all are written.
  void turns();
  const std::string &error() const { return Calls.error(); }

private:
  std::string node(uint32_t Node);
  std::string newNode(uint32_t Node);
  std::string visit(uint32_t Node, const RankSet &Here);
  std::string event(uint32_t Node, uint32_t Event);
  /// A call in a form that some ranks make it in. The forms of a call are tried in order.
  struct CallForm {
    std::string When;         ///< a condition; empty: all others
    std::string Before, Text; ///< statements
    std::string Name;         ///< of the function that Text becomes if it is long
  };
  /// What happens at an item of a sequence, before functions are made of long texts.
  struct Piece {
    std::string Activation;      ///< the text; empty: it is a call
    std::vector<CallForm> Calls; ///< of a call
    bool IsPartial = false;      ///< it counts for ranks that make one of the calls
    /// All of its text, and the piece with other text.
    std::string joined() const;
    Piece with(const std::string &Joined) const;
    size_t lines() const;
  };
  /// Which items of a sequence are one case of a switch.
  struct Cases {
    std::vector<std::vector<uint32_t>> Members;   ///< of a case, ascending
    std::vector<std::optional<LiteralRows>> Rows; ///< of a case with several members
    uint32_t MostRows = 1;
  };
  class Stretches;
  std::string item(const RankedItems &X, uint32_t Terminal);
  std::vector<CallForm> forms(const RankedItems &X, uint32_t Terminal, bool IsPartial);
  /// Counts: items are counted down by n, which must not count what a rank does not have.
  Piece piece(const RankedItems &X, uint32_t Terminal, bool Counts = false);
  std::string textOf(const Piece &P);
  std::string rule(const RankedItems &X, uint32_t R, uint32_t FirstPlace, const std::vector<std::string> &Texts);
  static Cases casesOf(const std::vector<Piece> &Pieces);
  std::string whole(const RankedItems &X);
  std::string choice(const RankedItems &X, bool IsWhole, bool Counts);
  bool lacks(const RankedItems &X, uint32_t Terminal);
  void collect(uint32_t Node, uint32_t Event);
  bool hasCallbacks(const RankedItems &X, uint32_t Terminal);
  std::map<const RankedItems *, std::set<uint32_t>> Around; ///< calls that stand behind calls of callbacks
  std::set<std::array<uint32_t, 3>> Collected;              ///< thread, node, event

  Source &S;
  const Walk &W;
  Gaps Computes;
  bool HasCallbacks = false; ///< which make calls
  RankText Ranks;
  StreamText Streams;
  CallWriter Calls;
  uint32_t Thread = 0;
  std::map<std::pair<const RankedItems *, uint32_t>, std::vector<CallShape>> Shapes; ///< of calls, by item
  std::map<std::pair<uint32_t, uint32_t>, std::string> Activations;                  ///< by thread and node
  Functions Made;
};

/// Lines with two more blanks before each.
std::string indented(const std::string &Text);
/// "if (WHEN) BODY"; BODY alone where WHEN is "1".
std::string guarded(const std::string &When, const std::string &Body);
/// A statement that is executed if a condition holds.
struct Guarded {
  std::string When, Body;
};
/// Statements one after the other. Neighbours that the same ranks execute have one condition.
class Statements {
public:
  void add(const std::string &Text);
  bool empty() const { return All.empty(); }
  std::string text() const;

private:
  std::vector<Guarded> All;
};
/// BODY so many times.
std::string repeated(const std::string &Count, const std::string &Body, const char *Variable = "i");
/// In braces, unless it is one statement.
std::string block(const std::string &Text);
/// Whether a case with this text stands on one line.
bool isShortCase(const std::string &Text);
/// A switch over What, with these texts at these values; others do nothing.
std::string switchOver(const std::string &What, const std::vector<std::pair<size_t, std::string>> &Cases);
bool isOneLine(const std::string &Text);

} // namespace pilgrim

#endif
