// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <new>

namespace lffn::sql {
namespace {

const char* kind_of(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
      return "NULL";
    case SQLITE_TEXT:
      return "a text";
    case SQLITE_BLOB:
      return "a BLOB";
    default:
      return "a number";
  }
}

}  // namespace

std::string_view text_of(sqlite3_value* value, const char* what) {
  if (sqlite3_value_type(value) != SQLITE_TEXT) {
    throw Failure(std::string("expected ") + what + ", but it is " + kind_of(value));
  }
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) throw std::bad_alloc();
  return {text, static_cast<size_t>(sqlite3_value_bytes(value))};
}

std::string_view vector_of(sqlite3_value* value, Form form) {
  if (sqlite3_value_type(value) != SQLITE_BLOB) {
    throw Failure(std::string("expected a vector, which is a BLOB, but it is ") + kind_of(value));
  }
  const auto* const bytes = static_cast<const char*>(sqlite3_value_blob(value));
  const auto size = static_cast<size_t>(sqlite3_value_bytes(value));
  if (bytes == nullptr && size > 0) throw std::bad_alloc();  // zeros that were not there yet
  if (form == Form::kFloats && size % sizeof(float) != 0) {
    throw Failure("the vector has " + std::to_string(size) + " bytes, which are no float32 numbers");
  }
  return {bytes == nullptr ? "" : bytes, size};
}

Purpose purpose_of(sqlite3_value* value) {
  if (sqlite3_value_type(value) == SQLITE_NULL) return Purpose::kAny;
  const std::string_view name = text_of(value, "'query' or 'document'");
  if (name == "query") return Purpose::kQuery;
  if (name == "document") return Purpose::kDocument;
  throw Failure("the purpose is '" + std::string(name) + "', expected 'query', 'document' or NULL");
}

Form form_of(sqlite3_value* value) {
  const std::string_view name = text_of(value, "'float32', 'int8' or 'bit'");
  if (name == "float32") return Form::kFloats;
  if (name == "int8") return Form::kBytes;
  if (name == "bit") return Form::kBits;
  throw Failure("the type is '" + std::string(name) + "', expected 'float32', 'int8' or 'bit'");
}

unsigned subtype_of(Form form) { return form == Form::kFloats ? 223 : form == Form::kBits ? 224 : 225; }

}  // namespace lffn::sql
