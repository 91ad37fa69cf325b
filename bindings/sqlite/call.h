// SPDX-License-Identifier: Apache-2.0
// What the arguments of a call are. All throw Failure.
#pragma once

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

// The table-valued function lffn_search. `connection` is a std::shared_ptr<Connection>*, which `forget` deletes.
int add_search(sqlite3* database, void* connection, void (*forget)(void*));

}  // namespace lffn::sql
