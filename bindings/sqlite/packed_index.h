// SPDX-License-Identifier: Apache-2.0
// Vectors in blocks, which SQLite reads with less work than a row for each. All is kept in ordinary tables beside the
// virtual one, so that transactions, other connections and VACUUM need nothing more:
//   NAME_blocks  in each row some vectors and their ids, one after the other; all blocks but the last are full
//   NAME_rows    where each id's vector is
//   NAME_info    one row: what the vectors are, and how many
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "connection.h"
#include "statement.h"

namespace lffn::sql {

class PackedIndex {
 public:
  struct Kind {
    Form form = Form::kFloats;
    int64_t size = 0;   // numbers of a vector
    std::string model;  // the model's fingerprint, empty if it is not known
  };

  // `schema` and `name` are those of the virtual table. Each function throws Failure and Interrupted.
  PackedIndex(Connection& connection, std::string schema, std::string name);
  void create(const Kind& kind);  // creates the tables beside it
  void open();                    // opens tables that exist
  void drop();
  void rename(const std::string& name);

  const std::string& schema() const { return schema_; }
  const std::string& name() const { return name_; }
  const Kind& kind() const { return kind_; }
  size_t vector_bytes() const { return bytes_of(kind_.form, kind_.size); }

  bool has(int64_t id);
  int64_t new_id();
  void insert(int64_t id, std::string_view vector);
  void replace(int64_t id, std::string_view vector);  // of an id that is there
  void erase(int64_t id);                             // does nothing if there is none
  std::string vector(int64_t at);                     // at a place that NAME_rows tells
  // Calls `visit` with the ids and the vectors of each block.
  void read(const std::function<void(const char* ids, const char* vectors, int64_t count)>& visit);
  std::string table(const char* which) const { return quoted(schema_) + "." + quoted(name_ + which); }

 private:
  enum class Column { kIds, kVectors };
  [[noreturn]] void fail_damaged() const;
  void transfer(Column column, int64_t at, char* read, const char* write);
  int64_t count();
  void set_count(int64_t count);
  int64_t place_of(int64_t id);  // -1: there is none
  Statement& prepared(Statement& statement, const std::string& sql);

  Connection& connection_;
  const std::string schema_;
  std::string name_;
  Kind kind_;
  int64_t block_rows_ = 0;
  // Statements that are kept because each new row needs them. None of them runs between calls.
  struct Kept {
    Statement count, set_count, place_of, set_place, forget, new_id, new_block, drop_block;
  };
  std::unique_ptr<Kept> kept_ = std::make_unique<Kept>();
};

}  // namespace lffn::sql
