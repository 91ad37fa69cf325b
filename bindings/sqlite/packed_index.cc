// SPDX-License-Identifier: Apache-2.0
#include "packed_index.h"

#include <algorithm>
#include <cstring>

#include "call.h"
#include "format/utf8.h"

namespace lffn::sql {
namespace {

// Small enough that a table of few vectors is small, large enough that a block is read in one go.
constexpr size_t kBlockBytes = 128 * 1024;
constexpr int64_t kLeastRows = 16, kMostRows = 2048;
constexpr int64_t kMostSize = 65536;
constexpr const char* kTables[] = {"_blocks", "_rows", "_info"};

int64_t rows_of_block(size_t bytes) {
  return std::clamp(static_cast<int64_t>(kBlockBytes / std::max<size_t>(bytes, 1)), kLeastRows, kMostRows);
}

}  // namespace

PackedIndex::PackedIndex(Connection& connection, std::string schema, std::string name)
    : connection_(connection), schema_(std::move(schema)), name_(std::move(name)) {}

void PackedIndex::fail_damaged() const {
  throw Failure("the tables " + name_ +
                "_blocks, _rows and _info do not fit together; make the table anew from its texts");
}

Statement& PackedIndex::prepared(Statement& statement, const std::string& sql) {
  if (!statement.is_prepared()) statement.prepare(connection_.database(), sql);
  return statement;
}

void PackedIndex::create(const Kind& kind) {
  kind_ = kind;
  block_rows_ = rows_of_block(vector_bytes());
  sqlite3* const database = connection_.database();
  Statement(database,
            "CREATE TABLE " + table("_blocks") + "(id INTEGER PRIMARY KEY, ids BLOB NOT NULL, vectors BLOB NOT NULL)")
      .run();
  Statement(database, "CREATE TABLE " + table("_rows") + "(id INTEGER PRIMARY KEY, place INTEGER NOT NULL)").run();
  Statement(database, "CREATE TABLE " + table("_info") +
                          "(type TEXT, size INTEGER, model TEXT, block_rows INTEGER, count INTEGER)")
      .run();
  Statement info(database, "INSERT INTO " + table("_info") + " VALUES (?, ?, ?, ?, 0)");
  info.bind(1, std::string_view(name_of(kind.form)));
  info.bind(2, kind.size);
  info.bind(3, std::string_view(kind.model));
  info.bind(4, block_rows_);
  info.run();
}

void PackedIndex::open() {
  Statement info(connection_.database(), "SELECT type, size, model, block_rows FROM " + table("_info"));
  if (!info.step()) fail_damaged();
  bool is_known = false;
  for (const Form form : {Form::kFloats, Form::kBytes, Form::kBits}) {
    if (info.bytes(0) != name_of(form)) continue;
    kind_.form = form;
    is_known = true;
  }
  kind_.size = info.number(1);
  kind_.model = std::string(info.bytes(2));
  block_rows_ = info.number(3);
  // The database may come from anybody, so its numbers are checked.
  if (!is_known || kind_.size < 1 || kind_.size > kMostSize || block_rows_ != rows_of_block(vector_bytes()))
    fail_damaged();
}

void PackedIndex::drop() {
  kept_ = std::make_unique<Kept>();
  for (const char* const which : kTables)
    Statement(connection_.database(), "DROP TABLE IF EXISTS " + table(which)).run();
}

void PackedIndex::rename(const std::string& name) {
  kept_ = std::make_unique<Kept>();
  for (const char* const which : kTables) {
    Statement(connection_.database(), "ALTER TABLE " + table(which) + " RENAME TO " + quoted(name + which)).run();
  }
  name_ = name;
}

int64_t PackedIndex::count() {
  Statement& ask = prepared(kept_->count, "SELECT count FROM " + table("_info"));
  const int64_t found = ask.step() ? ask.number(0) : -1;
  ask.reset();
  if (found < 0) fail_damaged();
  return found;
}

void PackedIndex::set_count(int64_t count) {
  Statement& set = prepared(kept_->set_count, "UPDATE " + table("_info") + " SET count = ?");
  set.bind(1, count);
  set.run();
}

int64_t PackedIndex::place_of(int64_t id) {
  Statement& ask = prepared(kept_->place_of, "SELECT place FROM " + table("_rows") + " WHERE id = ?");
  ask.bind(1, id);
  const int64_t found = ask.step() ? ask.number(0) : -1;
  ask.reset();
  return found;
}

bool PackedIndex::has(int64_t id) { return place_of(id) >= 0; }

int64_t PackedIndex::new_id() {
  Statement& ask = prepared(kept_->new_id, "SELECT ifnull(max(id), 0) FROM " + table("_rows"));
  ask.step();
  const int64_t last = ask.number(0);
  ask.reset();
  if (last == INT64_MAX) throw Failure("there is no larger rowid left; give one");
  return last + 1;
}

// Reads or writes the id, or the vector, at a place of its block.
void PackedIndex::transfer(Column column, int64_t at, char* read, const char* write) {
  const size_t bytes = column == Column::kIds ? sizeof(int64_t) : vector_bytes();
  sqlite3_blob* blob = nullptr;
  const int code = sqlite3_blob_open(connection_.database(), schema_.c_str(), (name_ + "_blocks").c_str(),
                                     column == Column::kIds ? "ids" : "vectors", at / block_rows_ + 1,
                                     write != nullptr ? 1 : 0, &blob);
  const std::unique_ptr<sqlite3_blob, int (*)(sqlite3_blob*)> owner(blob, sqlite3_blob_close);
  if (code == SQLITE_NOMEM) throw std::bad_alloc();
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) throw DatabaseFailure(code, sqlite3_errmsg(connection_.database()));
  if (code != SQLITE_OK || at < 0 ||
      static_cast<size_t>(sqlite3_blob_bytes(blob)) != bytes * static_cast<size_t>(block_rows_)) {
    fail_damaged();
  }
  const int size = static_cast<int>(bytes), offset = static_cast<int>(at % block_rows_) * size;
  const int done =
      write != nullptr ? sqlite3_blob_write(blob, write, size, offset) : sqlite3_blob_read(blob, read, size, offset);
  if (done != SQLITE_OK) throw DatabaseFailure(done, sqlite3_errmsg(connection_.database()));
}

std::string PackedIndex::vector(int64_t at) {
  std::string bytes(vector_bytes(), '\0');
  transfer(Column::kVectors, at, bytes.data(), nullptr);
  return bytes;
}

void PackedIndex::insert(int64_t id, std::string_view vector) {
  const int64_t at = count();
  if (at % block_rows_ == 0) {
    Statement& add =
        prepared(kept_->new_block, "INSERT INTO " + table("_blocks") + " VALUES (?, zeroblob(?), zeroblob(?))");
    add.bind(1, at / block_rows_ + 1);
    add.bind(2, block_rows_ * static_cast<int64_t>(sizeof(int64_t)));
    add.bind(3, block_rows_ * static_cast<int64_t>(vector_bytes()));
    add.run();
  }
  char own[sizeof id];
  std::memcpy(own, &id, sizeof id);
  transfer(Column::kIds, at, nullptr, own);
  transfer(Column::kVectors, at, nullptr, vector.data());
  Statement& set = prepared(kept_->set_place, "INSERT OR REPLACE INTO " + table("_rows") + " VALUES (?, ?)");
  set.bind(1, id);
  set.bind(2, at);
  set.run();
  set_count(at + 1);
}

void PackedIndex::replace(int64_t id, std::string_view vector) {
  const int64_t at = place_of(id);
  if (at < 0 || at >= count()) fail_damaged();
  transfer(Column::kVectors, at, nullptr, vector.data());
}

// Moves the last vector into the place of the erased one.
void PackedIndex::erase(int64_t id) {
  const int64_t at = place_of(id), last = count() - 1;
  if (at < 0) return;
  if (at > last) fail_damaged();
  if (at != last) {
    char own[sizeof(int64_t)];
    transfer(Column::kIds, last, own, nullptr);
    const std::string vector = this->vector(last);
    transfer(Column::kIds, at, nullptr, own);
    transfer(Column::kVectors, at, nullptr, vector.data());
    int64_t moved = 0;
    std::memcpy(&moved, own, sizeof moved);
    Statement& set = prepared(kept_->set_place, "INSERT OR REPLACE INTO " + table("_rows") + " VALUES (?, ?)");
    set.bind(1, moved);
    set.bind(2, at);
    set.run();
  }
  Statement& forget = prepared(kept_->forget, "DELETE FROM " + table("_rows") + " WHERE id = ?");
  forget.bind(1, id);
  forget.run();
  set_count(last);
  if (last % block_rows_ != 0) return;
  Statement& drop = prepared(kept_->drop_block, "DELETE FROM " + table("_blocks") + " WHERE id = ?");
  drop.bind(1, last / block_rows_ + 1);
  drop.run();
}

void PackedIndex::read(const std::function<void(const char*, const char*, int64_t)>& visit) {
  // One statement, so that no other connection's change comes between. SQLite reads blocks in the order of their ids by
  // itself; with ORDER BY it would copy them first.
  Statement blocks(connection_.database(), "SELECT blocks.id, ids, vectors, count FROM " + table("_info") +
                                               " LEFT JOIN " + table("_blocks") + " AS blocks");
  const auto rows = static_cast<size_t>(block_rows_);
  int64_t seen = 0, count = 0;
  while (blocks.step()) {
    count = blocks.number(3);
    if (count == 0 && blocks.number(0) == 0) break;  // without blocks there is one row with NULLs
    const std::string_view ids = blocks.bytes(1), vectors = blocks.bytes(2);
    const int64_t here = std::min(block_rows_, count - seen);
    if (blocks.number(0) != seen / block_rows_ + 1 || here <= 0 || ids.size() != rows * sizeof(int64_t) ||
        vectors.size() != rows * vector_bytes()) {
      fail_damaged();
    }
    visit(ids.data(), vectors.data(), here);
    seen += here;
  }
  if (seen != count) fail_damaged();
}

}  // namespace lffn::sql
