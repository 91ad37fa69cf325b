// SPDX-License-Identifier: Apache-2.0
// The functions that the extension adds to a connection. See docs/sqlite.md.
#include <new>
#include <optional>

#include "call.h"
#include "connection.h"
#include "format/utf8.h"
#include "look_ahead.h"

SQLITE_EXTENSION_INIT1

namespace lffn::sql {
namespace {

using Shared = std::shared_ptr<Connection>;

Connection& connection_of(sqlite3_context* context) { return **static_cast<Shared*>(sqlite3_user_data(context)); }

void give_text(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void give_vector(sqlite3_context* context, const std::string& blob, Form form) {
  sqlite3_result_blob64(context, blob.data(), blob.size(), SQLITE_TRANSIENT);
  sqlite3_result_subtype(context, subtype_of(form));
}

void model(sqlite3_context* context, int, sqlite3_value** values) {
  const std::string path(text_of(values[0], "the path of a model"));
  const SharedModel& model = connection_of(context).load(path);
  give_text(context,
            std::string(lffn_model_family(model.handle)) +
                (model.scores_pairs() ? ", scores pairs"
                                      : ", embeds in " + std::to_string(model.heads.embedding_size) + " numbers"));
}

constexpr int kLookAhead = -0x6c66666e;  // a key for what SQLite keeps beside the statement, as in call.cc

void embed_text(sqlite3_context* context, std::string_view text, int count, sqlite3_value** values) {
  Reading reading;
  if (count > 1) reading.purpose = purpose_of(values[1]);
  if (count > 2) reading.form = form_of(values[2]);
  if (count > 3) reading.repairs = repairs_texts(values[3]);
  Connection& connection = connection_of(context);
  auto* ahead = static_cast<LookAhead*>(sqlite3_get_auxdata(context, kLookAhead));
  if (ahead == nullptr) {
    sqlite3_set_auxdata(context, kLookAhead, new LookAhead(connection),
                        [](void* own) { delete static_cast<LookAhead*>(own); });
    ahead = static_cast<LookAhead*>(sqlite3_get_auxdata(context, kLookAhead));
  }
  if (ahead == nullptr) return give_vector(context, connection.embed({text}, reading, false)[0], reading.form);
  give_vector(context, ahead->embed(text, reading), reading.form);
}

void embed(sqlite3_context* context, int count, sqlite3_value** values) {
  const int64_t call = count_call(context);
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;  // NULL has no vector
  // Not one try block: g++ 12 loses a text that is assigned in it and read in its catch.
  const auto naming = [&](std::string_view text, auto&& body) {
    try {
      return body();
    } catch (const Failure& failure) {
      throw named("lffn_embed", call, rows_of(connection_of(context), values[0]), text, failure.what());
    }
  };
  const std::string_view text = naming({}, [&] { return words_of(values[0], "a text"); });
  naming(text, [&] { embed_text(context, text, count, values); });
}

void model_info(sqlite3_context* context, int, sqlite3_value** values) {
  const std::string_view what = text_of(values[0], "what to tell");
  Connection& connection = connection_of(context);
  const SharedModel& model = connection.encoder();
  if (what == "fingerprint") return give_text(context, connection.fingerprint());
  if (what == "family") return give_text(context, lffn_model_family(model.handle));
  if (what == "size") return sqlite3_result_int64(context, model.heads.embedding_size);
  if (what == "arithmetic") {
    lffn_model_shape shape;
    lffn_model_shape_init(&shape);
    if (lffn_model_get_shape(model.handle, &shape) != LFFN_OK) throw Failure(lffn_last_error());
    return sqlite3_result_int64(context, shape.arithmetic);
  }
  throw Failure("lffn_model_info tells no " + in_quotes(what) +
                ", expected 'fingerprint', 'family', 'size' or 'arithmetic'");
}

void same_model(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  const std::string_view other = text_of(values[0], "a fingerprint");
  sqlite3_result_int(context, other == connection_of(context).fingerprint() ? 1 : 0);
}

// The form of both vectors: as the call says, or else as the functions that made them say.
Form form_of_both(int count, sqlite3_value** values) {
  std::optional<Form> form;
  if (count > 2) form = form_of(values[2]);
  for (int i = 0; i < 2; ++i) {
    const std::optional<Form> own = form_of_subtype(values[i]);
    if (own && form && *own != *form) {
      throw Failure(std::string("vectors of ") + name_of(*form) + " and of " + name_of(*own) + " cannot be compared");
    }
    if (own) form = own;
  }
  return form.value_or(Form::kFloats);
}

void similar(sqlite3_context* context, int count, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL) return;
  const Form form = form_of_both(count, values);
  const std::string_view a = vector_of(values[0], form), b = vector_of(values[1], form);
  if (a.size() != b.size()) {
    throw Failure("the vectors have " + std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                  " bytes; one model with one type must have made both");
  }
  sqlite3_result_double(context, similarity(a.data(), b.data(), a.size(), form));
}

void rerank(sqlite3_context* context, int, sqlite3_value** values) {
  const int64_t call = count_call(context);
  if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL) return;
  constexpr char kName[] = "lffn_rerank";
  const std::string_view query = naming_call(kName, call, {}, [&] { return words_of(values[0], "a query"); });
  const std::string_view document = naming_call(kName, call, {}, [&] { return words_of(values[1], "a document"); });
  naming_call(kName, call, document,
              [&] { sqlite3_result_double(context, connection_of(context).rerank(query, document)); });
}

void forget(void* own) { delete static_cast<Shared*>(own); }

// SQLITE_RESULT_SUBTYPE, which SQLite has from 3.45 on; older ones do not read it.
constexpr int kGivesSubtype = 0x1000000;
// The first version in which a function or a table can be for direct use only.
constexpr int kOldestVersion = 3031000;

int add_functions(sqlite3* database, const Shared& connection) {
  const struct {
    const char* name;
    int least, most;  // arguments
    int flags;
    void (*function)(sqlite3_context*, int, sqlite3_value**);
  } functions[] = {
      // A database may come from elsewhere: SQL that is stored in it must not call functions that read a file or run a
      // model. In a CHECK constraint, SQLite enforces this for deterministic functions only.
      {"lffn_model", 1, 1, SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC, guarded_function<model>},
      {"lffn_embed", 1, 4, SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC | kGivesSubtype, guarded_function<embed>},
      {"lffn_similarity", 2, 3, SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC | SQLITE_SUBTYPE, guarded_function<similar>},
      {"lffn_rerank", 2, 2, SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC, guarded_function<rerank>},
      // Not deterministic: they report on the connection's model, which lffn_model changes.
      {"lffn_model_info", 1, 1, SQLITE_INNOCUOUS, guarded_function<model_info>},
      {"lffn_same_model", 1, 1, SQLITE_INNOCUOUS, guarded_function<same_model>},
  };
  for (const auto& one : functions) {
    for (int count = one.least; count <= one.most; ++count) {
      // SQLite calls `forget` where it fails, too.
      const int code = sqlite3_create_function_v2(database, one.name, count, one.flags | SQLITE_UTF8,
                                                  new Shared(connection), one.function, nullptr, nullptr, forget);
      if (code != SQLITE_OK) return code;
    }
  }
  const int code = add_index(database, new Shared(connection), forget);
  return code == SQLITE_OK ? add_search(database, new Shared(connection), forget) : code;
}

// Makes SQLite read the schema again. Otherwise constraints, generated columns and indexes that it read before these
// functions existed could call them: SQLite marks a function as called from the schema only if it knows the function.
int read_schema_again(sqlite3* database) {
  bool is_writable = false;
  const auto note = [](void* to, int, char** values, char**) {
    *static_cast<bool*>(to) = values[0] != nullptr && values[0][0] == '1';
    return 0;
  };
  int code = sqlite3_exec(database, "PRAGMA writable_schema", note, &is_writable, nullptr);
  if (code == SQLITE_OK) code = sqlite3_exec(database, "PRAGMA writable_schema = RESET", nullptr, nullptr, nullptr);
  if (code == SQLITE_OK && is_writable) {
    code = sqlite3_exec(database, "PRAGMA writable_schema = ON", nullptr, nullptr, nullptr);
  }
  return code;
}

}  // namespace
}  // namespace lffn::sql

// The name follows from the file's name. Once loaded, the library stays: its threads wait for the next call.
extern "C" __attribute__((visibility("default"))) int sqlite3_lookupffnsqlite_init(sqlite3* database, char** message,
                                                                                   const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api);
  if (sqlite3_libversion_number() < lffn::sql::kOldestVersion) {
    if (message != nullptr) *message = sqlite3_mprintf("lookupffn-sqlite needs SQLite 3.31 or newer");
    return SQLITE_ERROR;
  }
  try {
    int code = lffn::sql::add_functions(database, std::make_shared<lffn::sql::Connection>(database));
    if (code == SQLITE_OK) code = lffn::sql::read_schema_again(database);
    if (code != SQLITE_OK && message != nullptr) *message = sqlite3_mprintf("%s", sqlite3_errmsg(database));
    return code == SQLITE_OK ? SQLITE_OK_LOAD_PERMANENTLY : code;
  } catch (const std::bad_alloc&) {
    if (message != nullptr) *message = sqlite3_mprintf("out of memory");
    return SQLITE_NOMEM;
  }
}
