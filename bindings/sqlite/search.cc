// SPDX-License-Identifier: Apache-2.0
// lffn_search(table, column, text, k, among): the rows whose vectors are most like a text's, best first.
#include <new>
#include <vector>

#include "call.h"
#include "searched_rows.h"
#include "statement.h"

namespace lffn::sql {
namespace {

using Shared = std::shared_ptr<Connection>;

// The hidden columns are the arguments.
constexpr char kSchema[] =
    "CREATE TABLE lffn_search(id INTEGER, similarity REAL, \"table\" HIDDEN, \"column\" HIDDEN, query HIDDEN, k "
    "HIDDEN, among HIDDEN)";
enum Column { kId, kSimilarity, kTable, kColumn, kQuery, kK, kAmong, kColumns };
constexpr int64_t kUsualRows = 10, kMostRows = 1 << 20;

struct Table : sqlite3_vtab {
  Shared connection;
};

struct Cursor : sqlite3_vtab_cursor {
  std::vector<Found> found;  // best first
  size_t at = 0;
};

template <typename Body>
int guarded(sqlite3_vtab* table, Body&& body) {
  return reported(table, "lffn_search", std::forward<Body>(body));
}

int connect(sqlite3* database, void* own, int, const char* const*, sqlite3_vtab** out, char**) {
  int code = sqlite3_declare_vtab(database, kSchema);
  // It reads tables and runs a model, so views and triggers in a database, which may come from elsewhere, cannot use
  // it.
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

// The arguments go to `filter` in their order; idxNum has a bit for each column that is given, as k and among may be
// missing.
int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  int places[kColumns] = {};
  bool later = false;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.iColumn < kTable || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (constraint.usable == 0) later = true;
    if (constraint.usable != 0) places[constraint.iColumn] = i + 1;
  }
  if (later) return SQLITE_CONSTRAINT;  // an argument is known only with a row of another table
  if (places[kTable] == 0 || places[kColumn] == 0 || places[kQuery] == 0) {
    return guarded(table, [] { throw Failure("expected a table, a column, a text, and perhaps a number of rows"); });
  }
  for (int column = kTable, argument = 0; column < kColumns; ++column) {
    if (places[column] == 0) continue;
    auto& usage = info->aConstraintUsage[places[column] - 1];
    usage.argvIndex = ++argument;
    info->idxNum |= 1 << column;
    usage.omit = 1;
  }
  info->estimatedCost = 1e6;
  info->estimatedRows = kUsualRows;
  // Rows come best first.
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

int filter(sqlite3_vtab_cursor* base, int given, const char*, int, sqlite3_value** values) {
  auto& cursor = *static_cast<Cursor*>(base);
  Connection& connection = *static_cast<Table*>(base->pVtab)->connection;
  cursor.found.clear();
  cursor.at = 0;
  return guarded(base->pVtab, [&] {
    SearchCall call;
    call.table = text_of(values[0], "the name of a table");
    call.column = text_of(values[1], "the name of a column");
    call.query = values[2];
    call.most = kUsualRows;
    int next_value = 3;
    if ((given & 1 << kK) != 0) {
      sqlite3_value* const most = values[next_value++];
      if (sqlite3_value_type(most) != SQLITE_NULL) call.most = sqlite3_value_int64(most);
      const int type = sqlite3_value_type(most);
      if ((type != SQLITE_INTEGER && type != SQLITE_NULL) || call.most < 0 || call.most > kMostRows) {
        throw Failure("the number of rows must be 0 to " + std::to_string(kMostRows));
      }
    }
    if ((given & 1 << kAmong) != 0) {
      call.among = values[next_value];
      if (sqlite3_value_type(call.among) == SQLITE_NULL) return;  // NULL: no row takes part
    }
    cursor.found = search(connection, call);
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
  if (column == kSimilarity) sqlite3_result_double(context, found.similarity);  // SQLite turns NaN into NULL
  return SQLITE_OK;
}

int give_rowid(sqlite3_vtab_cursor* base, sqlite3_int64* out) {
  *out = static_cast<sqlite3_int64>(static_cast<Cursor*>(base)->at);
  return SQLITE_OK;
}

sqlite3_module search_module() {
  sqlite3_module module = {};
  module.xConnect = connect;  // no xCreate, so the table exists without CREATE VIRTUAL TABLE
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
  const int code = add_search_row(database);
  if (code != SQLITE_OK) {
    forget(connection);
    return code;
  }
  return sqlite3_create_module_v2(database, "lffn_search", &module, connection, forget);
}

}  // namespace lffn::sql
