// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <new>

#include "format/utf8.h"

namespace lffn::sql {
namespace {

// The key of a count that SQLite keeps beside the running statement until it ends. Negative keys belong to no argument;
// SQLite's own functions use them in this way.
constexpr int kCalls = -0x6c66636c;
constexpr size_t kExcerptBytes = 48;

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

std::string_view words_of(sqlite3_value* value, const char* what) {
  const int type = sqlite3_value_type(value);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return text_of(value, what);
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
  if (bytes == nullptr && size > 0) throw std::bad_alloc();  // no memory for the bytes of a zeroblob
  if (form == Form::kFloats && size % sizeof(float) != 0) {
    throw Failure("the vector has " + std::to_string(size) + " bytes, which are no float32 numbers");
  }
  return {bytes == nullptr ? "" : bytes, size};
}

Purpose purpose_of(sqlite3_value* value) {
  if (sqlite3_value_type(value) == SQLITE_NULL) return Purpose::kAny;
  const std::string_view name = text_of(value, "'query', 'document' or 'none'");
  if (name == "query") return Purpose::kQuery;
  if (name == "document") return Purpose::kDocument;
  if (name == "none") return Purpose::kNone;
  throw Failure("the purpose is " + in_quotes(name) + ", expected 'query', 'document', 'none' or NULL");
}

Form form_of(sqlite3_value* value) { return form_of(text_of(value, "'float32', 'int8' or 'bit'")); }

Form form_of(std::string_view name) {
  if (name == "float32") return Form::kFloats;
  if (name == "int8") return Form::kBytes;
  if (name == "bit") return Form::kBits;
  throw Failure("the type is " + in_quotes(name) + ", expected 'float32', 'int8' or 'bit'");
}

const char* name_of(Form form) { return form == Form::kFloats ? "float32" : form == Form::kBytes ? "int8" : "bit"; }

std::optional<Form> form_of_subtype(sqlite3_value* value) {
  const unsigned subtype = sqlite3_value_subtype(value);
  for (const Form form : {Form::kFloats, Form::kBytes, Form::kBits}) {
    if (subtype == subtype_of(form)) return form;
  }
  return std::nullopt;
}

bool repairs_texts(sqlite3_value* value) {
  if (sqlite3_value_type(value) == SQLITE_NULL) return false;
  const std::string_view name = text_of(value, "'repair'");
  if (name == "repair") return true;
  throw Failure("the option is " + in_quotes(name) + ", expected 'repair' or NULL");
}

Failure named(const char* function, int64_t call, const std::string& rows, std::string_view text, const char* why) {
  std::string name = "call " + std::to_string(call) + " of " + function + " in this statement";
  if (!rows.empty()) name += ", " + rows;
  if (text.data() != nullptr) name += ", on " + in_quotes(text, kExcerptBytes);
  return Failure(name + ": " + why);
}

int64_t count_call(sqlite3_context* context) {
  auto* calls = static_cast<int64_t*>(sqlite3_get_auxdata(context, kCalls));
  if (calls != nullptr) return ++*calls;
  calls = new int64_t(1);
  sqlite3_set_auxdata(context, kCalls, calls, [](void* own) { delete static_cast<int64_t*>(own); });
  return 1;
}

unsigned subtype_of(Form form) { return form == Form::kFloats ? 223 : form == Form::kBits ? 224 : 225; }

}  // namespace lffn::sql
