// SPDX-License-Identifier: Apache-2.0
// An SQL statement that is finalised with its object, and the exceptions for its failures.
#pragma once

#include <new>
#include <string>
#include <string_view>

#include "connection.h"

namespace lffn::sql {

// What SQLite itself refused: busy, full, no such table.
struct DatabaseFailure : Failure {
  DatabaseFailure(int its_code, const char* why) : Failure(why), code(its_code) {}
  int code;
};

class Statement {
 public:
  Statement() = default;
  Statement(sqlite3* database, const std::string& sql) { prepare(database, sql); }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void prepare(sqlite3* database, const std::string& sql) {
    database_ = database;
    check(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr), SQLITE_OK);
  }
  bool is_prepared() const { return statement_ != nullptr; }
  // Returns whether there is a row.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_DONE) return false;
    check(code, SQLITE_ROW);
    return true;
  }
  // Ends it, so that it holds no lock; it may be run again.
  void reset() { sqlite3_reset(statement_); }
  void run() {
    try {
      while (step()) continue;
    } catch (...) {
      reset();
      throw;
    }
    reset();
  }
  void bind(int place, void* pointer, const char* type) {
    check(sqlite3_bind_pointer(statement_, place, pointer, type, nullptr), SQLITE_OK);
  }
  void bind(int place, sqlite3_value* value) { check(sqlite3_bind_value(statement_, place, value), SQLITE_OK); }
  void bind(int place, int64_t number) { check(sqlite3_bind_int64(statement_, place, number), SQLITE_OK); }
  void bind(int place, std::string_view text) {
    check(sqlite3_bind_text64(statement_, place, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8), SQLITE_OK);
  }
  int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  // Valid until the next step. data() is nullptr if there is no value.
  std::string_view bytes(int column) const {
    const void* const blob = sqlite3_column_blob(statement_, column);
    const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_, column));
    return blob == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(blob), size);
  }

 private:
  void check(int code, int good) const {
    if (code == good) return;
    if (code == SQLITE_INTERRUPT) throw Interrupted();
    if (code == SQLITE_NOMEM) throw std::bad_alloc();
    throw DatabaseFailure(code, sqlite3_errmsg(database_));
  }

  sqlite3* database_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
};

// Quotes a name, which may contain any characters.
inline std::string quoted(std::string_view name) {
  std::string result = "\"";
  for (const char c : name) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

// Turns what a body throws into what a virtual table reports. `name` is the table's, or its module's.
template <typename Body>
int reported(sqlite3_vtab* table, const char* name, Body&& body) {
  try {
    body();
    return SQLITE_OK;
  } catch (const Interrupted&) {
    return SQLITE_INTERRUPT;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& error) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s: %s", name, error.what());
    const auto* const failure = dynamic_cast<const DatabaseFailure*>(&error);
    return failure == nullptr ? SQLITE_ERROR : failure->code;
  }
}

}  // namespace lffn::sql
