// SPDX-License-Identifier: Apache-2.0
#include "look_ahead.h"

#include <algorithm>
#include <optional>

namespace lffn::sql {
namespace {

constexpr size_t kMostTexts = 512, kMostBytes = 512 * 1024;

// Those of the connection that run now. nullptr unless one alone calls lffn_embed.
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

}  // namespace

void LookAhead::begin() {
  if (connection_.is_within_inner()) return;  // a view that embeds would be read for itself, again and again
  sqlite3* const database = connection_.database();
  sqlite3_stmt* const running = running_statement(database);
  if (running == nullptr) return;
  char* const expanded = sqlite3_expanded_sql(running);  // with the values of its parameters
  if (expanded == nullptr) return;
  std::string source;
  try {
    source = texts_of_statement(expanded);
  } catch (...) {
    sqlite3_free(expanded);
    throw;
  }
  sqlite3_free(expanded);
  if (source.empty()) return;
  const int code = sqlite3_prepare_v2(database, source.c_str(), static_cast<int>(source.size()), &source_, nullptr);
  if (code != SQLITE_OK || source_ == nullptr || sqlite3_stmt_readonly(source_) == 0) end();
}

void LookAhead::end() {
  sqlite3_finalize(source_);
  source_ = nullptr;
}

// The text, and with it those that come next.
void LookAhead::read_on(std::string_view text, Purpose purpose, Form form) {
  const auto used = std::count_if(known_.begin(), known_.end(), [](const auto& one) { return one.second.used; });
  // What was read ahead was not asked for: the statement takes its texts in another order, or only some of them.
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
      connection_.embed({texts.begin(), texts.end()}, purpose, form, /*may_fail=*/texts.size() > 1);
  known_.clear();
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!blobs[i].empty()) known_[std::move(texts[i])] = {std::move(blobs[i])};
  }
}

// A statement may embed in several ways, and change the model.
void LookAhead::forget_others(Purpose purpose, Form form) {
  if (purpose == purpose_ && form == form_ && connection_.loads() == model_) return;
  known_.clear();
  purpose_ = purpose;
  form_ = form;
  model_ = connection_.loads();
}

std::string LookAhead::embed(std::string_view text, Purpose purpose, Form form) {
  const auto alone = [&] { return std::move(connection_.embed({text}, purpose, form, false)[0]); };
  forget_others(purpose, form);
  if (++calls_ == 2) begin();
  if (calls_ == 1) {
    std::string blob = alone();
    known_[std::string(text)] = {blob, true};
    return blob;
  }
  auto found = known_.find(std::string(text));
  if (found == known_.end()) {
    if (source_ == nullptr) return alone();
    read_on(text, purpose, form);
    found = known_.find(std::string(text));
    if (found == known_.end()) return alone();  // which tells why it fails
  }
  found->second.used = true;
  return found->second.blob;
}

}  // namespace lffn::sql
