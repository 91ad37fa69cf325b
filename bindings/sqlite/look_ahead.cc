// SPDX-License-Identifier: Apache-2.0
#include "look_ahead.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace lffn::sql {
namespace {

constexpr size_t kMostTexts = 512, kMostBytes = 512 * 1024;

// The running statement of the connection that calls lffn_embed; nullptr unless there is exactly one.
sqlite3_stmt* running_statement(sqlite3* database) {
  sqlite3_stmt* found = nullptr;
  for (sqlite3_stmt* one = sqlite3_next_stmt(database, nullptr); one != nullptr;
       one = sqlite3_next_stmt(database, one)) {
    const char* const sql = sqlite3_sql(one);
    if (sqlite3_stmt_busy(one) == 0 || sql == nullptr || sqlite3_strlike("%lffn_embed%", sql, 0) != 0) continue;
    if (found != nullptr) return nullptr;
    found = one;
  }
  return found;
}

// The texts that the running statement embeds; empty where that cannot be told.
std::string texts_of_running(const Connection& connection) {
  if (connection.is_within_inner()) return {};  // a view that embeds would read ahead for itself, again and again
  sqlite3_stmt* const running = running_statement(connection.database());
  if (running == nullptr) return {};
  // With the values of its parameters.
  const std::unique_ptr<char, void (*)(void*)> expanded(sqlite3_expanded_sql(running), sqlite3_free);
  return expanded == nullptr ? std::string() : texts_of_statement(expanded.get());
}

// nullptr if SQLite does not accept the SQL, or if it would write.
sqlite3_stmt* prepared(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code == SQLITE_OK && statement != nullptr && sqlite3_stmt_readonly(statement) != 0) return statement;
  sqlite3_finalize(statement);
  return nullptr;
}

std::string_view seen(const void* bytes, int size) {
  return bytes == nullptr ? std::string_view()
                          : std::string_view(static_cast<const char*>(bytes), static_cast<size_t>(size));
}

}  // namespace

std::string rows_of(Connection& connection, sqlite3_value* value) {
  const std::string texts = texts_of_running(connection);
  if (texts.empty()) return {};
  constexpr std::string_view kSelect = "SELECT ";
  const Connection::Inner inner(connection);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> rows(
      prepared(connection.database(), "SELECT rowid, " + texts.substr(kSelect.size())), sqlite3_finalize);
  if (rows == nullptr) return {};
  const int type = sqlite3_value_type(value);
  const void* const own = sqlite3_value_blob(value);
  const std::string_view wanted = seen(own, sqlite3_value_bytes(value));
  constexpr size_t kMostNamed = 3;
  std::vector<int64_t> ids;
  while (ids.size() <= kMostNamed && sqlite3_step(rows.get()) == SQLITE_ROW) {
    if (sqlite3_column_type(rows.get(), 0) != SQLITE_INTEGER) return {};
    if (sqlite3_column_type(rows.get(), 1) != type) continue;
    const void* const bytes = sqlite3_column_blob(rows.get(), 1);
    if (seen(bytes, sqlite3_column_bytes(rows.get(), 1)) != wanted) continue;
    ids.push_back(sqlite3_column_int64(rows.get(), 0));
  }
  if (ids.empty()) return {};
  std::string named = ids.size() > 1 ? "rows " : "row ";
  for (size_t i = 0; i < std::min(ids.size(), kMostNamed); ++i) named += (i > 0 ? ", " : "") + std::to_string(ids[i]);
  return named + (ids.size() > kMostNamed ? " and others" : "");
}

void LookAhead::begin() {
  const std::string texts = texts_of_running(connection_);
  if (!texts.empty()) source_ = prepared(connection_.database(), texts);
}

void LookAhead::end() {
  sqlite3_finalize(source_);
  source_ = nullptr;
}

// Embeds the text together with the texts that come next.
void LookAhead::read_on(std::string_view text) {
  const auto used = std::count_if(known_.begin(), known_.end(), [](const auto& one) { return one.second.used; });
  // Most texts that were read ahead were not asked for: the statement takes texts in another order, or only some of
  // them.
  if (static_cast<size_t>(used) * 2 < known_.size() && ++wasted_ > 2) end();
  std::vector<std::string> texts = {std::string(text)};
  std::optional<Connection::Inner> inner;
  if (source_ != nullptr) inner.emplace(connection_);
  size_t bytes = text.size();
  while (source_ != nullptr && texts.size() < batch_ && bytes < kMostBytes) {
    const int code = sqlite3_step(source_);
    if (code == SQLITE_INTERRUPT) throw Interrupted();
    if (code != SQLITE_ROW) {
      end();
      break;
    }
    const int type = sqlite3_column_type(source_, 0);
    if (type == SQLITE_NULL || type == SQLITE_BLOB) continue;
    const auto* const next = reinterpret_cast<const char*>(sqlite3_column_text(source_, 0));
    if (next == nullptr) throw std::bad_alloc();
    std::string_view read(next, static_cast<size_t>(sqlite3_column_bytes(source_, 0)));
    if (read == text || known_.count(std::string(read)) != 0) continue;
    texts.emplace_back(read);
    bytes += read.size();
  }
  inner.reset();
  batch_ = std::min(2 * batch_, kMostTexts);
  std::vector<std::string> blobs =
      connection_.embed({texts.begin(), texts.end()}, reading_, /*may_fail=*/texts.size() > 1);
  known_.clear();
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!blobs[i].empty()) known_[std::move(texts[i])] = {std::move(blobs[i])};
  }
}

// A statement may embed in several ways, and change the model.
void LookAhead::forget_others(const Reading& reading) {
  if (reading == reading_ && connection_.loads() == model_) return;
  known_.clear();
  reading_ = reading;
  model_ = connection_.loads();
}

std::string LookAhead::embed(std::string_view text, const Reading& reading) {
  const auto alone = [&] { return std::move(connection_.embed({text}, reading, false)[0]); };
  forget_others(reading);
  if (++calls_ == 2) begin();
  if (calls_ == 1) {
    std::string blob = alone();
    known_[std::string(text)] = {blob, true};
    return blob;
  }
  auto found = known_.find(std::string(text));
  if (found == known_.end()) {
    if (source_ == nullptr) return alone();
    read_on(text);
    found = known_.find(std::string(text));
    if (found == known_.end()) return alone();  // it fails alone, too, and says why
  }
  found->second.used = true;
  return found->second.blob;
}

}  // namespace lffn::sql
