// SPDX-License-Identifier: Apache-2.0
// The functions that the extension adds to a connection. See docs/sqlite.md.
#include <new>
#include <optional>

#include "call.h"
#include "connection.h"
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
  const bool scores_pairs = model.info.num_classes == 1;
  give_text(context, std::string(lffn_model_family(model.handle)) +
                         (scores_pairs ? ", scores pairs"
                                       : ", embeds in " + std::to_string(model.info.embedding_size) + " numbers"));
}

// Kept by SQLite beside the statement that runs, until it ends. Negative numbers are those that are not bound to one
// argument; SQLite's own functions use them so.
constexpr int kLookAhead = -0x6c66666e;

void embed(sqlite3_context* context, int count, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;  // of nothing there is none
  const std::string_view text = text_of(values[0], "a text");
  const Purpose purpose = count > 1 ? purpose_of(values[1]) : Purpose::kAny;
  const Form form = count > 2 ? form_of(values[2]) : Form::kFloats;
  Connection& connection = connection_of(context);
  auto* ahead = static_cast<LookAhead*>(sqlite3_get_auxdata(context, kLookAhead));
  if (ahead == nullptr) {
    sqlite3_set_auxdata(context, kLookAhead, new LookAhead(connection),
                        [](void* own) { delete static_cast<LookAhead*>(own); });
    ahead = static_cast<LookAhead*>(sqlite3_get_auxdata(context, kLookAhead));
  }
  if (ahead == nullptr) return give_vector(context, connection.embed({text}, purpose, form, false)[0], form);
  give_vector(context, ahead->embed(text, purpose, form), form);
}

void similar(sqlite3_context* context, int count, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL) return;
  const Form form = count > 2 ? form_of(values[2]) : Form::kFloats;
  const std::string_view a = vector_of(values[0], form), b = vector_of(values[1], form);
  if (a.size() != b.size()) {
    throw Failure("the vectors have " + std::to_string(a.size()) + " and " + std::to_string(b.size()) + " bytes");
  }
  sqlite3_result_double(context, similarity(a.data(), b.data(), a.size(), form));
}

void rerank(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL) return;
  const std::string_view query = text_of(values[0], "a query"), document = text_of(values[1], "a document");
  sqlite3_result_double(context, connection_of(context).rerank(query, document));
}

void forget(void* own) { delete static_cast<Shared*>(own); }

int add_functions(sqlite3* database, const Shared& connection) {
  const struct {
    const char* name;
    int least, most;  // arguments
    int flags;
    void (*function)(sqlite3_context*, int, sqlite3_value**);
  } functions[] = {
      // It reads files, so what is stored in a database may not call it.
      {"lffn_model", 1, 1, SQLITE_DIRECTONLY, guarded_function<model>},
      {"lffn_embed", 1, 3, SQLITE_DETERMINISTIC, guarded_function<embed>},
      {"lffn_similarity", 2, 3, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, guarded_function<similar>},
      {"lffn_rerank", 2, 2, SQLITE_DETERMINISTIC, guarded_function<rerank>},
  };
  for (const auto& one : functions) {
    for (int count = one.least; count <= one.most; ++count) {
      // SQLite calls `forget` where it fails, too.
      const int code = sqlite3_create_function_v2(database, one.name, count, one.flags | SQLITE_UTF8,
                                                  new Shared(connection), one.function, nullptr, nullptr, forget);
      if (code != SQLITE_OK) return code;
    }
  }
  return add_search(database, new Shared(connection), forget);
}

}  // namespace
}  // namespace lffn::sql

// The name follows from the file's. The library stays once it is loaded: its threads wait for the next call.
extern "C" __attribute__((visibility("default"))) int sqlite3_lookupffnsqlite_init(sqlite3* database, char** message,
                                                                                   const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api);
  try {
    const int code = lffn::sql::add_functions(database, std::make_shared<lffn::sql::Connection>(database));
    return code == SQLITE_OK ? SQLITE_OK_LOAD_PERMANENTLY : code;
  } catch (const std::bad_alloc&) {
    if (message != nullptr) *message = sqlite3_mprintf("out of memory");
    return SQLITE_NOMEM;
  }
}
