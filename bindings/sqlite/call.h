// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of a call. All functions throw Failure.
#pragma once

#include <new>
#include <optional>
#include <string_view>

#include "connection.h"

namespace lffn::sql {

// A text's bytes, valid as long as the value. `what` names it in messages.
std::string_view text_of(sqlite3_value* value, const char* what);
// The same for a text that a model reads: a number is read as its text, as everywhere in SQL.
std::string_view words_of(sqlite3_value* value, const char* what);
// A vector's bytes.
std::string_view vector_of(sqlite3_value* value, Form form);
Purpose purpose_of(sqlite3_value* value);
Form form_of(std::string_view name);
Form form_of(sqlite3_value* value);
const char* name_of(Form form);
// Whether the options of lffn_embed say that texts are repaired, which is the only option.
bool repairs_texts(sqlite3_value* value);
// The subtype by which sqlite-vec tells what a BLOB holds, if the BLOB comes from a function and not from a table.
unsigned subtype_of(Form form);
std::optional<Form> form_of_subtype(sqlite3_value* value);

// The number of this call among the statement's calls of a function, from 1 on.
int64_t count_call(sqlite3_context* context);
// "call 3 of lffn_embed in this statement, row 7, on 'the text': why"; rows and text are left out if they are empty.
Failure named(const char* function, int64_t call, const std::string& rows, std::string_view text, const char* why);

// Runs `body`, whose failures name the call.
template <typename Body>
auto naming_call(const char* function, int64_t call, std::string_view text, Body&& body) {
  try {
    return body();
  } catch (const Failure& failure) {
    throw named(function, call, {}, text, failure.what());
  }
}

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

// The module lffn_index of packed tables, likewise.
int add_index(sqlite3* database, void* connection, void (*forget)(void*));

}  // namespace lffn::sql
