//===- ValueText.h - values of a call as text -------------------*- C++ -*-===//
//
// How a value is written, in JSON and in text: constants by name, objects by a
// symbolic name, buffers as segment and offset. docs/tools.md lists the forms.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_VALUETEXT_H
#define PILGRIM_DRIVER_VALUETEXT_H

#include "trace/read/Reader.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pilgrim {

/// A string in quotes, as JSON; bytes that are no UTF-8 become U+FFFD.
void appendJson(std::string &Out, std::string_view Text);
/// A string in quotes, as C writes it.
void appendQuoted(std::string &Out, std::string_view Text);
void appendNumber(std::string &Out, int64_t V);
/// An object by its number: "comm2". A request that another thread made: "req0@1", where 1 is that thread.
std::string symbolText(Kind K, int64_t V);

class ValueText {
public:
  enum class Form { Text, Json };
  ValueText(const Trace &T, Form F) : T(T), F(F) {}

  /// The value of a slot.
  void append(std::string &Out, const ParamSchema &P, const Value &V, const RankView &View);
  /// One word of a slot: a number, a name, a symbol.
  void appendWord(std::string &Out, const ParamSchema &P, int64_t V);
  void appendObject(std::string &Out, const ObjectInfo &O);
  /// Four words as trace/model/Signature.h says. Whole: with error and cancelled.
  void appendStatus(std::string &Out, std::span<const int64_t> Words, bool Whole);
  /// The address forms: Heap, Stack, Data, Map, Raw.
  void appendAddress(std::string &Out, const Value &V, const RankView &View);
  /// The name of a value, or null.
  const std::string *nameOf(const ParamSchema &P, int64_t V);

  Form form() const { return F; }
  const Trace &trace() const { return T; }

private:
  using NameList = std::vector<std::pair<int64_t, const std::string *>>;
  const NameList &namesOf(const std::string &Key);
  void bare(std::string &Out, std::string_view Text);
  void flags(std::string &Out, const ParamSchema &P, int64_t V);
  void strings(std::string &Out, const std::string &Text);
  template <typename Items, typename Fn> void list(std::string &Out, const Items &I, size_t Step, Fn &&One);
  void field(std::string &Out, const char *Name, const std::string &Key, int64_t V);

  const Trace &T;
  Form F;
  std::unordered_map<std::string, NameList> Names;
};

/// What a wildcard receive of this call matched: the slot with the status (of
/// several requests: the statuses), or null.
const Value *matchedSlot(ValueText &Values, const Call &C);

} // namespace pilgrim

#endif
