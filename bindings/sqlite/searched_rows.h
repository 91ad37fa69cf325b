// SPDX-License-Identifier: Apache-2.0
// Searches the rows of a table, by a statement of its own.
#pragma once

#include <string_view>
#include <vector>

#include "best.h"
#include "connection.h"

namespace lffn::sql {

struct SearchCall {
  std::string_view table;   // "name" or "schema.name"
  std::string_view column;  // of vectors; a column "..._model" beside it has the fingerprints of their models
  sqlite3_value* query = nullptr;
  int64_t most = 0;
  sqlite3_value* among = nullptr;  // a JSON array of the ids that take part; nullptr: all do
};

// The nearest rows, best first. Throws Failure and Interrupted.
std::vector<Found> search(Connection& connection, const SearchCall& call);

// Adds the function that takes rows from SQLite.
int add_search_row(sqlite3* database);

}  // namespace lffn::sql
