// SPDX-License-Identifier: Apache-2.0
// CREATE VIRTUAL TABLE name USING lffn_index(type=int8): a table of rowid and embedding, packed for lffn_search.
#include <climits>
#include <new>

#include "call.h"
#include "format/utf8.h"
#include "packed_index.h"

namespace lffn::sql {
namespace {

using Shared = std::shared_ptr<Connection>;

constexpr char kModule[] = "lffn_index";
constexpr char kSchema[] = "CREATE TABLE lffn_index(embedding BLOB)";
enum Plan { kEveryRow, kOneRow };

struct Table : sqlite3_vtab {
  Table(Shared own, const char* schema, const char* name)
      : sqlite3_vtab(), connection(std::move(own)), index(*connection, schema, name) {
    connection->add_index(&index);
  }
  ~Table() { connection->remove_index(&index); }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  const Shared connection;
  PackedIndex index;
};

struct Cursor : sqlite3_vtab_cursor {
  std::unique_ptr<Statement> rows;
  bool is_at_end = true;
};

Table& table_of(sqlite3_vtab* table) { return *static_cast<Table*>(table); }
PackedIndex& index_of(sqlite3_vtab* table) { return table_of(table).index; }

template <typename Body>
int guarded(sqlite3_vtab* table, Body&& body) {
  return reported(table, kModule, std::forward<Body>(body));
}

// "size = 384" and the like.
PackedIndex::Kind kind_of(Connection& connection, int count, const char* const* arguments) {
  PackedIndex::Kind kind;
  for (int i = 3; i < count; ++i) {
    std::string_view argument = arguments[i];
    const auto trimmed = [](std::string_view text) {
      while (!text.empty() && (text.front() == ' ' || text.front() == '\'' || text.front() == '\n'))
        text.remove_prefix(1);
      while (!text.empty() && (text.back() == ' ' || text.back() == '\'' || text.back() == '\n')) text.remove_suffix(1);
      return text;
    };
    const size_t equals = argument.find('=');
    const std::string_view name = trimmed(argument.substr(0, equals));
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : trimmed(argument.substr(equals + 1));
    if (name == "type") {
      kind.form = form_of(value);
    } else if (name == "size") {
      for (const char digit : value) {
        if (digit < '0' || digit > '9' || kind.size > 65536)
          kind.size = INT_MAX;
        else
          kind.size = 10 * kind.size + (digit - '0');
      }
      if (kind.size < 1 || kind.size > 65536) throw Failure("size is " + in_quotes(value) + ", expected 1 to 65536");
    } else {
      throw Failure("the option is " + in_quotes(name) +
                    ", expected type=float32, type=int8 or type=bit, and size=NUMBERS");
    }
  }
  // Without a size the vectors are those of this connection's model, whose fingerprint is stored with them.
  if (kind.size == 0) {
    if (!connection.has_encoder()) {
      throw Failure("expected size=NUMBERS, or a model that embeds: call SELECT lffn_model('folder') first");
    }
    kind.size = connection.size();
    kind.model = connection.fingerprint();
  }
  return kind;
}

int make(sqlite3* database, void* own, int count, const char* const* arguments, bool is_new, sqlite3_vtab** out,
         char** why) {
  int code = sqlite3_declare_vtab(database, kSchema);
  if (code == SQLITE_OK) code = sqlite3_vtab_config(database, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
  // The table reads and writes its own tables only, so views and triggers may use it, whoever stored them.
  if (code == SQLITE_OK) code = sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
  if (code != SQLITE_OK) return code;
  std::unique_ptr<Table> table;
  sqlite3_vtab told = {};
  code = guarded(&told, [&] {
    Connection& connection = **static_cast<Shared*>(own);
    const Connection::Inner inner(connection);
    table = std::make_unique<Table>(*static_cast<Shared*>(own), arguments[1], arguments[2]);
    if (is_new) table->index.create(kind_of(connection, count, arguments));
    table->index.open();
  });
  *why = told.zErrMsg;
  if (code == SQLITE_OK) *out = table.release();
  return code;
}

int create(sqlite3* database, void* own, int count, const char* const* arguments, sqlite3_vtab** out, char** why) {
  return make(database, own, count, arguments, true, out, why);
}

int connect(sqlite3* database, void* own, int count, const char* const* arguments, sqlite3_vtab** out, char** why) {
  return make(database, own, count, arguments, false, out, why);
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

int destroy(sqlite3_vtab* table) {
  const int code = guarded(table, [&] { index_of(table).drop(); });
  return code == SQLITE_OK ? disconnect(table) : code;
}

int best_index(sqlite3_vtab*, sqlite3_index_info* info) {
  info->idxNum = kEveryRow;
  info->estimatedCost = 1e6;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.iColumn != -1 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ || constraint.usable == 0) continue;
    info->aConstraintUsage[i].argvIndex = 1;
    info->idxNum = kOneRow;
    info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    info->estimatedCost = 10;
    info->estimatedRows = 1;
    break;
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

int next(sqlite3_vtab_cursor* base) {
  auto& cursor = *static_cast<Cursor*>(base);
  return guarded(base->pVtab, [&] {
    const Connection::Inner inner(*table_of(base->pVtab).connection);
    cursor.is_at_end = !cursor.rows->step();
  });
}

int filter(sqlite3_vtab_cursor* base, int plan, const char*, int, sqlite3_value** values) {
  auto& cursor = *static_cast<Cursor*>(base);
  const int code = guarded(base->pVtab, [&] {
    cursor.rows = std::make_unique<Statement>(table_of(base->pVtab).connection->database(),
                                              "SELECT id, place FROM " + index_of(base->pVtab).table("_rows") +
                                                  (plan == kOneRow ? " WHERE id = ?" : " ORDER BY id"));
    if (plan == kOneRow) cursor.rows->bind(1, values[0]);
  });
  return code == SQLITE_OK ? next(base) : code;
}

int eof(sqlite3_vtab_cursor* base) { return static_cast<Cursor*>(base)->is_at_end ? 1 : 0; }

int give_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int) {
  return guarded(base->pVtab, [&] {
    const std::string vector = index_of(base->pVtab).vector(static_cast<Cursor*>(base)->rows->number(1));
    sqlite3_result_blob64(context, vector.data(), vector.size(), SQLITE_TRANSIENT);
    sqlite3_result_subtype(context, subtype_of(index_of(base->pVtab).kind().form));
  });
}

int give_rowid(sqlite3_vtab_cursor* base, sqlite3_int64* out) {
  *out = static_cast<Cursor*>(base)->rows->number(0);
  return SQLITE_OK;
}

// The vector to store, which is one of the table's kind.
std::string_view checked_vector(Connection& connection, const PackedIndex& index, sqlite3_value* value) {
  const PackedIndex::Kind& kind = index.kind();
  const std::string_view vector = vector_of(value, Form::kBits);
  const std::optional<Form> form = form_of_subtype(value);
  if ((form && *form != kind.form) || vector.size() != index.vector_bytes()) {
    throw Failure("the vector has " + std::to_string(vector.size()) + " bytes" +
                  (form ? " of " + std::string(name_of(*form)) : "") + ", and this table has vectors of " +
                  std::to_string(kind.size) + " numbers as " + name_of(kind.form) + ", which are " +
                  std::to_string(index.vector_bytes()) + " bytes");
  }
  if (!kind.model.empty() && connection.has_encoder() && connection.fingerprint() != kind.model) {
    throw Failure("the table has vectors of the model " + in_quotes(kind.model) + ", and this connection's is " +
                  in_quotes(connection.fingerprint()) +
                  "; load the model that made the table, or make a table for this one");
  }
  return vector;
}

struct IsThere {};

void change(Table& table, int count, sqlite3_value** values, sqlite3_int64* rowid) {
  PackedIndex& index = table.index;
  const bool has_old = sqlite3_value_type(values[0]) != SQLITE_NULL;
  const int64_t old_id = has_old ? sqlite3_value_int64(values[0]) : 0;
  if (count == 1) return index.erase(old_id);
  const int id_type = sqlite3_value_type(values[1]);
  if (id_type != SQLITE_NULL && id_type != SQLITE_INTEGER) throw Failure("a rowid is a whole number");
  const std::string_view vector = checked_vector(*table.connection, index, values[2]);
  const int64_t id = id_type == SQLITE_NULL ? index.new_id() : sqlite3_value_int64(values[1]);
  *rowid = id;
  if (has_old && id == old_id) return index.replace(id, vector);
  if (index.has(id)) {
    if (sqlite3_vtab_on_conflict(table.connection->database()) != SQLITE_REPLACE) throw IsThere();
    if (has_old) index.erase(old_id);
    return index.replace(id, vector);
  }
  if (has_old) index.erase(old_id);
  index.insert(id, vector);
}

int update(sqlite3_vtab* base, int count, sqlite3_value** values, sqlite3_int64* rowid) {
  try {
    return guarded(base, [&] {
      Table& table = table_of(base);
      const Connection::Inner inner(*table.connection);
      change(table, count, values, rowid);
    });
  } catch (const IsThere&) {
    sqlite3_free(base->zErrMsg);
    base->zErrMsg = sqlite3_mprintf("UNIQUE constraint failed: %s.rowid", index_of(base).name().c_str());
    return SQLITE_CONSTRAINT;
  }
}

// The tables beside it hold everything, so there is nothing to do. But these functions must exist for the table to take
// part in transactions.
int begin(sqlite3_vtab*) { return SQLITE_OK; }

int rename(sqlite3_vtab* base, const char* name) {
  return guarded(base, [&] { index_of(base).rename(name); });
}

int is_shadow(const char* name) {
  const std::string_view all = name;
  return all == "blocks" || all == "rows" || all == "info" ? 1 : 0;
}

sqlite3_module index_module() {
  sqlite3_module module = {};
  module.iVersion = 3;
  module.xCreate = create;
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xDestroy = destroy;
  module.xOpen = open;
  module.xClose = close;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = eof;
  module.xColumn = give_column;
  module.xRowid = give_rowid;
  module.xUpdate = update;
  module.xBegin = begin;
  module.xRename = rename;
  module.xShadowName = is_shadow;
  return module;
}

}  // namespace

int add_index(sqlite3* database, void* connection, void (*forget)(void*)) {
  static const sqlite3_module module = index_module();
  return sqlite3_create_module_v2(database, kModule, &module, connection, forget);
}

}  // namespace lffn::sql
