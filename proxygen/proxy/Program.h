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

#include <array>

namespace pilgrim {

class Program {
public:
  /// What is computed before each call.
  enum class Gaps { None, Mean, Recorded };
  Program(Source &S, const Walk &W, const ProxyMemory &M, Gaps Computes)
      : S(S), W(W), Computes(Computes), Ranks(S, W.world()), Streams(S, W), Calls(S, W, M) {
    W.forEachCall([this](const CallShape &C) { HasCallbacks |= C.Depth > 0; });
  }
  /// Writes a thread; the statement that runs it.
  std::string thread(uint32_t Thread);
  /// Writes the order between threads. Call it when all are written.
  void turns();
  const std::string &error() const { return Calls.error(); }
  unsigned depth() const { return Streams.depth(); }

private:
  std::string node(uint32_t Node);
  std::string visit(uint32_t Node, const RankSet &Here);
  std::string event(uint32_t Node, uint32_t Event);
  std::string item(const RankedItems &X, uint32_t Terminal);
  std::string call(const RankedItems &X, uint32_t Terminal);
  std::string whole(const RankedItems &X);
  std::string choice(const RankedItems &X, const std::string &Next, bool Counts);
  bool lacks(const RankedItems &X, uint32_t Terminal);
  std::string function(const std::string &Wanted, const std::string &Body, const std::string &Comment = "");
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
  std::map<std::string, std::string> Known;                                          ///< functions by their body
};

/// Lines with two more blanks before each.
std::string indented(const std::string &Text);
/// "if (WHEN) BODY"; BODY alone where WHEN is "1".
std::string guarded(const std::string &When, const std::string &Body);
/// In braces, unless it is one statement.
std::string block(const std::string &Text);

} // namespace pilgrim

#endif
