//===- Functions.h - the functions of a proxy --------------------*- C++ -*-===//
//
// A function that is called from several places does the same there but for where its sequences stand. It is written
// once: the cursors of a call are passed, as pointers that stand one behind the other, those of the calls in it among
// them.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_PROXY_FUNCTIONS_H
#define PILGRIM_PROXYGEN_PROXY_FUNCTIONS_H

#include "proxygen/proxy/Source.h"

#include <functional>

namespace pilgrim {

class Functions {
public:
  explicit Functions(Source &S) : S(S) {}

  /// A function with this body, unless there is one with the same comment; a statement that calls it. HasRow: it needs
  /// the variable `row`. The statement is one for bodies of other functions, and for atTop().
  std::string call(const std::string &Wanted, const std::string &Body, const std::string &Comment, bool HasRow);
  /// The name of a function without parameters.
  std::string alone(const std::string &Wanted, const std::string &Body);
  /// Statements for a place outside of such functions.
  std::string atTop(const std::string &Text);

private:
  /// Replaces "&NAME" of a cursor by Cursor(name), and what stands for the cursors of a call by Of(number of the call).
  std::string replaced(const std::string &Text, const std::function<std::string(const std::string &)> &Cursor,
                       const std::function<std::string(size_t)> &Of) const;
  /// The name of a function with this body.
  std::string define(const std::string &Wanted, const std::string &Body, const std::string &Comment,
                     const std::string &Parameters);

  Source &S;
  std::map<std::string, std::string> Known;    ///< by parameters, comment and body
  std::vector<std::vector<std::string>> Calls; ///< their cursors
};

} // namespace pilgrim

#endif
