// SPDX-License-Identifier: Apache-2.0
#include "searched_rows.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

#include "call.h"
#include "format/utf8.h"
#include "packed_index.h"
#include "statement.h"

namespace lffn::sql {
namespace {

constexpr char kNoRowid[] =
    "the rows have no rowid that is a whole number, by which they are found; a view needs a column of this name, as in "
    "CREATE VIEW v AS SELECT id AS rowid, ...";

// The query's vector, in the form of the table's vectors.
class Query {
 public:
  Query(Connection& connection, sqlite3_value* value) : connection_(connection) {
    if (sqlite3_value_type(value) == SQLITE_BLOB) {
      given_ = vector_of(value, Form::kBits);
      own_ = form_of_subtype(value);
    } else {
      text_ = words_of(value, "a text or a vector to search for");
      connection.size();  // throws if there is no model
    }
  }

  // The size of the table's first vector tells the form of all of them. Throws Failure if they do not fit the query or
  // the model.
  void become(size_t bytes, std::optional<Form> known = {}) {
    if (text_.data() == nullptr && bytes != given_.size()) {
      throw Failure("its vector has " + std::to_string(bytes) + " bytes and the query " +
                    std::to_string(given_.size()) + "; one model with one type must have made both");
    }
    form_ = known ? known : connection_.has_encoder() ? form_of_model(bytes) : own_.value_or(Form::kFloats);
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
      made_ = connection_.embed({text_}, {Purpose::kQuery, *form_, false}, false)[0];
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
  std::optional<Form> own_;  // of a query vector that a function made
  std::optional<Form> form_;
};

void check_model(std::string_view its, std::string_view expected) {
  if (its == expected) return;
  throw Failure("its vector is of the model " + in_quotes(its) + ", and others, or this connection's, of " +
                in_quotes(expected) + "; load the model that made the table, or embed its texts anew");
}

// What a call of lffn_search has found so far.
class Search {
 public:
  // `model` is the fingerprint of the model that makes the query's vector; empty if no model does.
  Search(Query& query, int64_t most, std::string model) : query_(query), model_(std::move(model)), best_(most) {}

  // `model` is nullptr if the table does not tell the row's model.
  void offer(sqlite3_value* row, sqlite3_value* value, sqlite3_value* model) {
    const int type = sqlite3_value_type(value);
    if (type == SQLITE_NULL) return;
    if (sqlite3_value_type(row) != SQLITE_INTEGER) throw Failure(kNoRowid);
    const int64_t id = sqlite3_value_int64(row);
    try {
      if (model != nullptr) compare_model(model);
      offer(id, value);
    } catch (const Failure& failure) {
      throw Failure("row " + std::to_string(id) + ": " + failure.what());
    }
  }
  std::vector<Found> take() { return best_.take(); }

 private:
  void compare_model(sqlite3_value* value) {
    if (sqlite3_value_type(value) == SQLITE_NULL) return;  // a row whose model is unknown
    const std::string_view model = text_of(value, "the fingerprint of a model");
    if (model_.empty()) model_ = model;
    check_model(model, model_);
  }
  void offer(int64_t id, sqlite3_value* value) {
    if (sqlite3_value_type(value) != SQLITE_BLOB) throw Failure("what it has is not a BLOB, so it is no vector");
    const void* const vector = sqlite3_value_blob(value);
    const auto bytes = static_cast<size_t>(sqlite3_value_bytes(value));
    if (vector == nullptr && bytes > 0) throw std::bad_alloc();
    if (!similarity_) {
      query_.become(bytes);
      similarity_.emplace(query_.bytes().data(), query_.bytes().size(), query_.form());
    }
    if (bytes != query_.bytes().size()) {
      throw Failure("its vector has " + std::to_string(bytes) + " bytes, those of the rows before have " +
                    std::to_string(query_.bytes().size()));
    }
    best_.offer({id, similarity_->to(vector)});
  }

  Query& query_;
  std::string model_;
  Best best_;
  std::optional<Similarity> similarity_;  // set once the first vector has told the form
};

constexpr char kSearchPointer[] = "lffn_search";  // the type of a pointer to a Search, which SQL cannot make

// Takes a row. As an aggregate's step, it sees the vector in SQLite's own memory, and SQLite goes on to the next row by
// itself.
void take_row(sqlite3_context*, int count, sqlite3_value** values) {
  auto* const search = static_cast<Search*>(sqlite3_value_pointer(values[0], kSearchPointer));
  if (search == nullptr) throw Failure("lffn_search_row is for lffn_search alone");
  search->offer(values[1], values[2], count > 3 ? values[3] : nullptr);
}

bool is_valid(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  sqlite3_finalize(statement);
  return code == SQLITE_OK;
}

struct Source {
  std::string schema;  // empty: SQLite searches the schemas
  std::string name;
  std::string sql() const { return (schema.empty() ? std::string() : quoted(schema) + ".") + quoted(name); }
};

bool is_there(sqlite3* database, const Source& source) { return is_valid(database, "SELECT 1 FROM " + source.sql()); }

// "main.notes" is the table "notes" of the schema "main", unless a table is called "main.notes", dot included.
Source source_of(sqlite3* database, std::string_view table) {
  Source whole{"", std::string(table)};
  const size_t dot = table.find('.');
  if (dot == std::string_view::npos || is_there(database, whole)) return whole;
  return {std::string(table.substr(0, dot)), std::string(table.substr(dot + 1))};
}

// nullptr if the table is no packed one.
PackedIndex* packed_index(Connection& connection, const Source& source) {
  sqlite3* const database = connection.database();
  if (!is_there(database, source)) return nullptr;  // asking has opened the table
  if (!source.schema.empty()) return connection.find_index(source.schema, source.name);
  // The schemas in the order in which SQLite looks.
  Statement schemas(database, "SELECT name FROM pragma_database_list ORDER BY name <> 'temp', seq");
  while (schemas.step()) {
    const std::string schema(schemas.bytes(0));
    if (is_there(database, {schema, source.name})) return connection.find_index(schema, source.name);
  }
  return nullptr;
}

// Throws unless the ids are a JSON array of whole numbers: other values would silently match no row.
void check_ids(sqlite3* database, sqlite3_value* ids) {
  constexpr char kExpected[] =
      "the ids to search among must be a JSON array of whole numbers, as json_group_array(id) makes";
  const std::string_view text = text_of(ids, "a JSON array of ids, as json_group_array(id) makes");
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '[') throw Failure(kExpected);
  Statement others(database, "SELECT 1 FROM json_each(?1) WHERE type <> 'integer' LIMIT 1");
  others.bind(1, ids);
  if (others.step()) throw Failure(kExpected);
}

std::vector<int64_t> ids_of(sqlite3* database, sqlite3_value* json) {
  check_ids(database, json);
  Statement values(database, "SELECT value FROM json_each(?1) ORDER BY value");
  values.bind(1, json);
  std::vector<int64_t> ids;
  while (values.step()) ids.push_back(values.number(0));
  return ids;
}

std::vector<Found> search_packed(Connection& connection, PackedIndex& index, const SearchCall& call) {
  if (sqlite3_stricmp(std::string(call.column).c_str(), "embedding") != 0) {
    throw Failure("no such column: " + std::string(call.column) +
                  "; the vectors of this table are its column embedding");
  }
  if (!index.kind().model.empty() && connection.has_encoder()) {
    check_model(index.kind().model, connection.fingerprint());
  }
  Query query(connection, call.query);
  query.become(index.vector_bytes(), index.kind().form);
  std::vector<int64_t> among;
  if (call.among != nullptr) among = ids_of(connection.database(), call.among);
  const Similarity similarity(query.bytes().data(), query.bytes().size(), query.form());
  Best best(call.most);
  const Connection::Inner inner(connection);
  index.read([&](const char* ids, const char* vectors, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      Found one = {};
      std::memcpy(&one.id, ids + static_cast<size_t>(i) * sizeof one.id, sizeof one.id);
      if (call.among != nullptr && !std::binary_search(among.begin(), among.end(), one.id)) continue;
      one.similarity = similarity.to(vectors + static_cast<size_t>(i) * index.vector_bytes());
      best.offer(one);
    }
  });
  return best.take();
}

}  // namespace

std::vector<Found> search(Connection& connection, const SearchCall& call) {
  sqlite3* const database = connection.database();
  const Source found_source = source_of(database, call.table);
  if (PackedIndex* const index = packed_index(connection, found_source)) return search_packed(connection, *index, call);
  const std::string source = found_source.sql() + " AS t";
  const std::string model = ", t." + quoted(std::string(call.column) + "_model");
  std::string sql = "SELECT lffn_search_row(?1, t.rowid, t." + quoted(call.column);
  const bool tells_model = is_valid(database, "SELECT 1" + model + " FROM " + source);
  if (tells_model) sql += model;
  sql += ") FROM " + source;
  if (call.among != nullptr) {
    check_ids(database, call.among);
    sql += " WHERE t.rowid IN (SELECT value FROM json_each(?2))";
  }
  Query query(connection, call.query);
  Search found(query, call.most, tells_model && connection.has_encoder() ? connection.fingerprint() : std::string());
  const Connection::Inner inner(connection);
  try {
    Statement rows(database, sql);
    rows.bind(1, &found, kSearchPointer);
    if (call.among != nullptr) rows.bind(2, call.among);
    while (rows.step()) continue;
  } catch (const DatabaseFailure& failure) {
    if (std::string_view(failure.what()) == "no such column: t.rowid") throw Failure(kNoRowid);
    throw;
  }
  return found.take();
}

int add_search_row(sqlite3* database) {
  for (const int arguments : {3, 4}) {
    const int code = sqlite3_create_function_v2(
        database, "lffn_search_row", arguments, SQLITE_UTF8 | SQLITE_DIRECTONLY, nullptr, nullptr,
        guarded_function<take_row>, [](sqlite3_context*) {}, nullptr);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace lffn::sql
