//===- Source.h - the parts of a proxy's text --------------------*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_PROXY_SOURCE_H
#define PILGRIM_PROXYGEN_PROXY_SOURCE_H

#include "trace/model/Schema.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pilgrim {

/// Collects the text of a C program, part by part. Tables with equal contents are one table.
class Source {
public:
  Source();
  /// Asks for a piece of the prelude (Prelude.h) and all that it needs.
  void use(std::string_view Helper);
  /// A static table: "static TYPE NAME[] = {...};". Returns its name. Prefix: begins the name. IsShared: nobody writes
  /// it, so that tables with equal contents are one.
  std::string table(const std::string &Type, const std::string &Prefix, const std::string &Content,
                    bool IsShared = true);
  /// Head and the elements of a table, in lines of about 100 characters.
  static std::string broken(const std::string &Head, std::string_view Content);
  /// A statement that is executed once, when the rank is known.
  void setUp(const std::string &Statement) { SetUp += "  " + Statement + "\n"; }
  /// Text at file scope, behind the tables.
  void add(const std::string &Text) { Body += Text; }
  void declare(const std::string &Text) { Declarations += Text; }
  /// A name that nothing else has.
  std::string name(const std::string &Wanted);
  /// Notes that objects of a kind have numbers up to this one.
  void object(Kind K, int64_t Number);

  std::vector<std::pair<std::string, std::string>> Tables; ///< by name
  std::string Declarations, Body, SetUp;
  std::set<std::string, std::less<>> Helpers;
  std::set<std::string> Cursors;                         ///< names of variables
  std::map<std::vector<int64_t>, std::string> Variables; ///< of the rank, by what they are made of
  std::map<Kind, int64_t> Objects;                       ///< by kind: the largest number
  unsigned Depth = 1;                                    ///< of the deepest grammar
  bool HasThreads = false;                               ///< several that call MPI
  bool CallsDeprecated = false;                          ///< functions that MPI has deprecated or removed
  bool HasWindowMemory = false;                          ///< MPI may give memory with windows
  std::vector<std::string> Notes;                        ///< for the user: what is not as recorded

private:
  std::map<std::string, std::string> Known;        ///< tables by content
  std::unordered_map<std::string, unsigned> Names; ///< and the number that makes the next name of each
  static constexpr unsigned FirstNext = 2;
  unsigned Next = 0;
};

/// The name of a kind's objects in a proxy ("comm" of comm[2]), their C type and null handle; null: the kind has none.
const char *objectArray(Kind K);
const char *objectType(Kind K);
const char *objectNull(Kind K);

/// A number as C source.
std::string numberText(int64_t V);
/// A string in quotes, as C source.
std::string stringText(std::string_view S);
/// A name that C accepts.
std::string identifier(std::string_view Name);

} // namespace pilgrim

#endif
