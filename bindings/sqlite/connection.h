// SPDX-License-Identifier: Apache-2.0
// The models of a connection to a database, and what it asks of them.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "sqlite_api.h"
#include "vectors.h"

namespace lffn::sql {

// Becomes an SQL error.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The statement was interrupted, by sqlite3_interrupt or by a progress handler.
struct Interrupted {};

// Whether the running statement is to end. Older versions of SQLite have no function that tells, but a statement that
// runs within it is told, and asks the progress handler as well.
class InterruptCheck {
 public:
  explicit InterruptCheck(sqlite3* database);
  ~InterruptCheck() { sqlite3_finalize(statement_); }
  InterruptCheck(const InterruptCheck&) = delete;
  InterruptCheck& operator=(const InterruptCheck&) = delete;
  bool operator()();

 private:
  sqlite3_stmt* statement_ = nullptr;
};

// A loaded model, shared by all connections of the process that use it; the last one frees it.
struct SharedModel {
  SharedModel() = default;
  ~SharedModel() { lffn_model_free(handle); }
  SharedModel(const SharedModel&) = delete;
  SharedModel& operator=(const SharedModel&) = delete;
  lffn_model* handle = nullptr;
  lffn_model_heads heads = {};
  bool is_late() const { return heads.is_late != 0 && heads.num_classes == 0; }
  bool scores_pairs() const { return heads.num_classes == 1 || is_late(); }
};

// What a text is for. This chooses its prompt: kAny the model's default one, kNone no prompt.
enum class Purpose { kAny, kQuery, kDocument, kNone };

// How texts are embedded.
struct Reading {
  Purpose purpose = Purpose::kAny;
  Form form = Form::kFloats;
  bool repairs = false;  // invalid UTF-8 is read as U+FFFD
  bool operator==(const Reading& other) const {
    return purpose == other.purpose && form == other.form && repairs == other.repairs;
  }
};

class PackedIndex;

class Connection {
 public:
  // Lives while a search, or reading ahead, runs SQL within a statement. That SQL may contain a search again, because a
  // view may search itself. Throws Failure if these are nested so deeply that the stack could overflow.
  class Inner {
   public:
    explicit Inner(Connection& connection);
    ~Inner() { --connection_.depth_; }
    Inner(const Inner&) = delete;
    Inner& operator=(const Inner&) = delete;

   private:
    Connection& connection_;
  };

  explicit Connection(sqlite3* database) : database_(database) {}
  ~Connection() { lffn_result_free(result_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Loads the model, unless another connection has it. rerank() then uses a model that scores pairs, embed() any other.
  // All functions throw Failure and Interrupted.
  const SharedModel& load(const std::string& path);
  bool has_encoder() const { return encoder_ != nullptr; }
  int64_t loads() const { return loads_; }                         // calls of load() so far
  int64_t size() const { return encoder().heads.embedding_size; }  // numbers of an embedding
  // The model that embeds.
  const SharedModel& encoder() const;
  // The fingerprint of the model that embeds, in hexadecimal.
  const std::string& fingerprint();
  // The vectors of some texts as BLOBs. If `may_fail`, a text that cannot be read has an empty BLOB.
  std::vector<std::string> embed(const std::vector<std::string_view>& texts, const Reading& reading, bool may_fail);
  double rerank(std::string_view query, std::string_view document);
  sqlite3* database() const { return database_; }
  // The packed tables that this connection has open; find_index() asks by schema and name, and gives nullptr for
  // others.
  void add_index(PackedIndex* index) { indexes_.push_back(index); }
  void remove_index(PackedIndex* index);
  PackedIndex* find_index(const std::string& schema, const std::string& name) const;
  bool is_within_inner() const { return depth_ > 0; }

 private:
  // Keeps the outputs in the result.
  void run(const SharedModel& model, lffn_model_run_args& args);
  lffn_array array(int32_t what) const;
  double rerank_late(std::string_view query, std::string_view document);

  sqlite3* const database_;
  std::shared_ptr<const SharedModel> encoder_, reranker_;
  std::string fingerprint_;  // of encoder_, empty until it is asked for
  int64_t loads_ = 0;
  std::vector<PackedIndex*> indexes_;
  int depth_ = 0;  // how many Inner objects live
  lffn_result* result_ = nullptr;
};

}  // namespace lffn::sql
