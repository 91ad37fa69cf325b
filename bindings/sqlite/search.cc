// SPDX-License-Identifier: Apache-2.0
// lffn_search(table, column, text, k): the rows whose vectors are most like a text's, best first.
#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <vector>

#include "call.h"
#include "runtime/threads.h"
#include "scan.h"

namespace lffn::sql {
namespace {

using Shared = std::shared_ptr<Connection>;

// The hidden columns are the arguments.
constexpr char kSchema[] =
    "CREATE TABLE lffn_search(id INTEGER, similarity REAL, \"table\" HIDDEN, \"column\" HIDDEN, query HIDDEN, k "
    "HIDDEN)";
enum Column { kId, kSimilarity, kTable, kColumn, kQuery, kK, kColumns };
constexpr int64_t kUsualRows = 10, kMostRows = 1 << 20;

struct Table : sqlite3_vtab {
  Shared connection;
};

struct Cursor : sqlite3_vtab_cursor {
  std::vector<Found> found;  // best first
  size_t at = 0;
};

constexpr char kNoRowid[] =
    "the rows have no rowid that is a whole number, by which they are found; a view needs a column of this name, as in "
    "CREATE VIEW v AS SELECT id AS rowid, ...";

// A statement that is finalised.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql) : database_(database) {
    check(sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr), SQLITE_OK);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_DONE) return false;
    check(code, SQLITE_ROW);
    return true;
  }
  void bind(void* pointer, const char* type) {
    check(sqlite3_bind_pointer(statement_, 1, pointer, type, nullptr), SQLITE_OK);
  }

 private:
  void check(int code, int good) const {
    if (code == good) return;
    if (code == SQLITE_INTERRUPT) throw Interrupted();
    if (code == SQLITE_NOMEM) throw std::bad_alloc();
    const std::string why = sqlite3_errmsg(database_);
    throw Failure(why == "no such column: rowid" ? kNoRowid : why);
  }

  sqlite3* const database_;
  sqlite3_stmt* statement_ = nullptr;
};

// What is looked for, in the form that the table's vectors have.
class Query {
 public:
  Query(Connection& connection, sqlite3_value* value) : connection_(connection) {
    if (sqlite3_value_type(value) == SQLITE_BLOB) {
      given_ = vector_of(value, Form::kBits);
      own_ = form_of_subtype(value);
    } else {
      text_ = words_of(value, "a text or a vector to search for");
      connection.size();  // Throws where there is no model.
    }
  }

  // The first vector of the table tells by its size what all of them are. Throws Failure where they cannot be the
  // query's, or the model's.
  void become(size_t bytes) {
    if (text_.data() == nullptr && bytes != given_.size()) {
      throw Failure("its vector has " + std::to_string(bytes) + " bytes and the query " +
                    std::to_string(given_.size()) + "; one model with one type must have made both");
    }
    form_ = connection_.has_encoder() ? form_of_model(bytes) : own_.value_or(Form::kFloats);
    if (!form_) {
      throw Failure("its vector has " + std::to_string(bytes) + " bytes, but those of this connection's model have " +
                    expected() + "; load the model that made it");
    }
    if (own_ && *own_ != *form_) {
      throw Failure(std::string("its vector has the size of ") + name_of(*form_) + " numbers of this connection's " +
                    "model, but the query is " + name_of(*own_));
    }
    if (*form_ == Form::kFloats && bytes % sizeof(float) != 0) {
      throw Failure("its vector has " + std::to_string(bytes) + " bytes, which are no float32 numbers");
    }
    if (text_.data() != nullptr) {
      made_ = connection_.embed({text_}, Purpose::kQuery, *form_, false)[0];
      given_ = made_;
    }
  }
  std::string_view bytes() const { return given_; }
  Form form() const { return *form_; }

 private:
  std::optional<Form> form_of_model(size_t bytes) const {
    for (const Form form : {Form::kFloats, Form::kBytes, Form::kBits}) {
      if (bytes == bytes_of(form, connection_.size())) return form;
    }
    return std::nullopt;
  }
  std::string expected() const {
    const int64_t size = connection_.size();
    return std::to_string(bytes_of(Form::kFloats, size)) + " as float32, " +
           std::to_string(bytes_of(Form::kBytes, size)) + " as int8, " + std::to_string(bytes_of(Form::kBits, size)) +
           " as bits";
  }

  Connection& connection_;
  std::string_view text_, given_;
  std::string made_;
  std::optional<Form> own_;  // of a vector that a function made
  std::optional<Form> form_;
};

// What a call of lffn_search has found so far.
class Search {
 public:
  Search(Query& query, int64_t most) : query_(query), most_(most) {}

  void offer(sqlite3_value* row, sqlite3_value* value) {
    const int type = sqlite3_value_type(value);
    if (type == SQLITE_NULL) return;
    if (sqlite3_value_type(row) != SQLITE_INTEGER) throw Failure(kNoRowid);
    const int64_t id = sqlite3_value_int64(row);
    try {
      offer(id, value);
    } catch (const Failure& failure) {
      throw Failure("row " + std::to_string(id) + ": " + failure.what());
    }
  }
  std::vector<Found> take() { return scan_ ? scan_->take() : std::vector<Found>(); }

 private:
  void offer(int64_t id, sqlite3_value* value) {
    if (sqlite3_value_type(value) != SQLITE_BLOB) throw Failure("what it has is not a BLOB, so it is no vector");
    const void* const vector = sqlite3_value_blob(value);
    const auto bytes = static_cast<size_t>(sqlite3_value_bytes(value));
    if (vector == nullptr && bytes > 0) throw std::bad_alloc();
    if (!scan_) {
      query_.become(bytes);
      // Reading a row takes longer than comparing it, so more helpers have nothing to do.
      scan_.emplace(query_.bytes(), query_.form(), most_, std::min(2, resolve_threads(0) - 1));
    }
    if (bytes != query_.bytes().size()) {
      throw Failure("its vector has " + std::to_string(bytes) + " bytes, those of the rows before have " +
                    std::to_string(query_.bytes().size()));
    }
    scan_->offer(id, vector);
  }

  Query& query_;
  const int64_t most_;
  std::optional<Scan> scan_;
};

constexpr char kSearchPointer[] = "lffn_search";  // of a Search, which SQL can not make

// Takes a row: an aggregate's step sees the vector where SQLite has it, and the statement goes on by itself.
void take_row(sqlite3_context*, int, sqlite3_value** values) {
  auto* const search = static_cast<Search*>(sqlite3_value_pointer(values[0], kSearchPointer));
  if (search == nullptr) throw Failure("lffn_search_row is for lffn_search alone");
  search->offer(values[1], values[2]);
}

std::vector<Found> search(Connection& connection, std::string_view table, std::string_view column, Query& query,
                          int64_t most) {
  // Names in quotes, as they may be any.
  const std::string table_name(table), column_name(column);
  char* const sql = sqlite3_mprintf("SELECT lffn_search_row(?, rowid, \"%w\".\"%w\") FROM \"%w\"", table_name.c_str(),
                                    column_name.c_str(), table_name.c_str());
  if (sql == nullptr) throw std::bad_alloc();
  const std::unique_ptr<char, void (*)(void*)> owner(sql, [](void* own) { sqlite3_free(own); });
  Search found(query, most);
  const Connection::Inner inner(connection);
  Statement rows(connection.database(), sql);
  rows.bind(&found, kSearchPointer);
  while (rows.step()) continue;
  return found.take();
}

// Turns what a body throws into what a virtual table reports.
template <typename Body>
int guarded(sqlite3_vtab* table, Body&& body) {
  try {
    body();
    return SQLITE_OK;
  } catch (const Interrupted&) {
    return SQLITE_INTERRUPT;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& error) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("lffn_search: %s", error.what());
    return SQLITE_ERROR;
  }
}

int connect(sqlite3* database, void* own, int, const char* const*, sqlite3_vtab** out, char**) {
  int code = sqlite3_declare_vtab(database, kSchema);
  // It reads tables, and runs a model: not for what is stored in a database that may come from elsewhere.
  if (code == SQLITE_OK) code = sqlite3_vtab_config(database, SQLITE_VTAB_DIRECTONLY);
  if (code != SQLITE_OK) return code;
  auto* const table = new (std::nothrow) Table();
  if (table == nullptr) return SQLITE_NOMEM;
  table->connection = *static_cast<Shared*>(own);
  *out = table;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

// The arguments go to `filter` in their order, where k may be missing.
int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  int places[kColumns] = {};
  bool later = false;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.iColumn < kTable || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (constraint.usable == 0) later = true;
    if (constraint.usable != 0) places[constraint.iColumn] = i + 1;
  }
  if (later) return SQLITE_CONSTRAINT;  // they are known only when another table's row is
  if (places[kTable] == 0 || places[kColumn] == 0 || places[kQuery] == 0) {
    return guarded(table, [] { throw Failure("expected a table, a column, a text, and perhaps a number of rows"); });
  }
  for (int column = kTable, argument = 0; column < kColumns; ++column) {
    if (places[column] == 0) continue;
    auto& usage = info->aConstraintUsage[places[column] - 1];
    usage.argvIndex = ++argument;
    usage.omit = 1;
  }
  info->estimatedCost = 1e6;
  info->estimatedRows = kUsualRows;
  // It gives rows from the best on.
  if (info->nOrderBy == 1 && info->aOrderBy[0].iColumn == kSimilarity && info->aOrderBy[0].desc != 0) {
    info->orderByConsumed = 1;
  }
  return SQLITE_OK;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  *out = new (std::nothrow) Cursor();
  return *out == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int, const char*, int count, sqlite3_value** values) {
  auto& cursor = *static_cast<Cursor*>(base);
  Connection& connection = *static_cast<Table*>(base->pVtab)->connection;
  cursor.found.clear();
  cursor.at = 0;
  return guarded(base->pVtab, [&] {
    const std::string_view table = text_of(values[0], "the name of a table");
    const std::string_view column = text_of(values[1], "the name of a column");
    int64_t most = kUsualRows;
    if (count > 3) {
      most = sqlite3_value_int64(values[3]);
      if (sqlite3_value_type(values[3]) != SQLITE_INTEGER || most < 0 || most > kMostRows) {
        throw Failure("the number of rows must be 0 to " + std::to_string(kMostRows));
      }
    }
    Query query(connection, values[2]);
    cursor.found = search(connection, table, column, query, most);
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<Cursor*>(cursor)->at;
  return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* base) {
  const auto& cursor = *static_cast<Cursor*>(base);
  return cursor.at >= cursor.found.size() ? 1 : 0;
}

int give_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  const auto& cursor = *static_cast<Cursor*>(base);
  const Found& found = cursor.found[cursor.at];
  if (column == kId) sqlite3_result_int64(context, found.id);
  if (column == kSimilarity) sqlite3_result_double(context, found.similarity);  // of NaN, SQLite makes NULL
  return SQLITE_OK;
}

int give_rowid(sqlite3_vtab_cursor* base, sqlite3_int64* out) {
  *out = static_cast<sqlite3_int64>(static_cast<Cursor*>(base)->at);
  return SQLITE_OK;
}

sqlite3_module search_module() {
  sqlite3_module module = {};
  module.xConnect = connect;  // and no xCreate: it is there without CREATE VIRTUAL TABLE
  module.xDisconnect = disconnect;
  module.xBestIndex = best_index;
  module.xOpen = open;
  module.xClose = close;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = eof;
  module.xColumn = give_column;
  module.xRowid = give_rowid;
  return module;
}

}  // namespace

int add_search(sqlite3* database, void* connection, void (*forget)(void*)) {
  static const sqlite3_module module = search_module();
  const int code = sqlite3_create_function_v2(
      database, "lffn_search_row", 3, SQLITE_UTF8 | SQLITE_DIRECTONLY, nullptr, nullptr, guarded_function<take_row>,
      [](sqlite3_context*) {}, nullptr);
  if (code != SQLITE_OK) {
    forget(connection);
    return code;
  }
  return sqlite3_create_module_v2(database, "lffn_search", &module, connection, forget);
}

}  // namespace lffn::sql
