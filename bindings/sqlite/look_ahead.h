// SPDX-License-Identifier: Apache-2.0
// lffn_embed sees one row at a time, but a model runs many texts together in less time. So from the second row of a
// statement on, a statement of its own reads the next texts; they are embedded together, and their vectors are kept by
// text. A text's vector is the same alone and among others, so reading ahead changes nothing but the time.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "connection.h"

namespace lffn::sql {

// The SELECT that gives the texts which `sql`, a statement that calls lffn_embed once, will embed, in its order: for
// "INSERT INTO v SELECT id, lffn_embed(text) FROM t WHERE ..." it is "SELECT text FROM t WHERE ...". Empty if it cannot
// be told: then nothing is read ahead.
std::string texts_of_statement(std::string_view sql);

// The reading ahead of one statement, while it runs.
class LookAhead {
 public:
  explicit LookAhead(Connection& connection) : connection_(connection) {}
  ~LookAhead() { sqlite3_finalize(source_); }
  LookAhead(const LookAhead&) = delete;
  LookAhead& operator=(const LookAhead&) = delete;

  std::string embed(std::string_view text, const Reading& reading);

 private:
  struct Known {
    std::string blob;
    bool used = false;
  };

  void forget_others(const Reading& reading);
  void begin();
  void read_on(std::string_view text);
  void end();

  Connection& connection_;
  sqlite3_stmt* source_ = nullptr;
  std::unordered_map<std::string, Known> known_;
  Reading reading_;    // how the known vectors were made
  int64_t model_ = 0;  // Connection::loads() when they were made
  int64_t calls_ = 0;
  size_t batch_ = 16;
  int wasted_ = 0;
};

// The rows, of the table that the running statement reads, that have this value as lffn_embed's text: "row 7",
// "rows 7, 9". Empty if that cannot be told. Reads the whole table, so it is for error messages only.
std::string rows_of(Connection& connection, sqlite3_value* value);

}  // namespace lffn::sql
