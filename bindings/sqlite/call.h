// SPDX-License-Identifier: Apache-2.0
// What the arguments of a call are. All throw Failure.
#pragma once

#include <new>
#include <string_view>

#include "connection.h"

namespace lffn::sql {

// A text's bytes, valid as long as the value. `what` names it in messages.
std::string_view text_of(sqlite3_value* value, const char* what);
// A vector's bytes.
std::string_view vector_of(sqlite3_value* value, Form form);
Purpose purpose_of(sqlite3_value* value);
Form form_of(sqlite3_value* value);
// sqlite-vec tells by it what a BLOB has.
unsigned subtype_of(Form form);

// A function that turns what its body throws into SQL errors.
template <void (*kBody)(sqlite3_context*, int, sqlite3_value**)>
void guarded_function(sqlite3_context* context, int count, sqlite3_value** values) {
  try {
    kBody(context, count, values);
  } catch (const Interrupted&) {
    sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

// The table-valued function lffn_search. `connection` is a std::shared_ptr<Connection>*, which `forget` deletes.
int add_search(sqlite3* database, void* connection, void (*forget)(void*));

}  // namespace lffn::sql
