//===- LiteralRows.h - statements that differ in literals ---------*- C++ -*-===//
//
// Programs make many calls that differ in numbers and strings only (10,000 keys of an MPI_Info). A proxy writes such a
// call once: its arguments are elements of tables, one row for each of the statements.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_PROXY_LITERALROWS_H
#define PILGRIM_PROXYGEN_PROXY_LITERALROWS_H

#include "proxygen/proxy/Source.h"

namespace pilgrim {

/// A piece of C, taken apart.
struct LiteralText {
  enum Type : char { Integer = 'i', Real = 'r', String = 's' };
  std::vector<std::string> Between;  ///< one more than literals
  std::vector<std::string> Literals; ///< as in the text
  std::vector<Type> Types;           ///< of the literals

  static LiteralText of(std::string_view Text);
  /// Equal for texts that differ in the values of literals only.
  std::string form() const;
};

/// Statements of one form.
class LiteralRows {
public:
  /// Fewer statements than this stay as they are.
  static constexpr size_t LeastRows = 8;

  void add(LiteralText T);
  size_t size() const { return Rows; }
  /// Whether the rows differ.
  bool varies() const;
  /// Lines of the tables that text() makes.
  size_t tableLines() const;
  /// The statement of the row that the variable `row` of C has.
  std::string text(Source &S) const;

private:
  std::string prefix(size_t Column) const;
  bool isSize(size_t Column) const;
  bool isFormula(size_t Column, std::string &Out) const;
  bool isConst(size_t Column) const;
  std::string content(size_t Column) const;
  std::string type(size_t Column) const;

  LiteralText First;
  std::vector<std::vector<std::string>> Columns; ///< literals of all rows
  size_t Rows = 0;
};

} // namespace pilgrim

#endif
