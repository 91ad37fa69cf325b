// SPDX-License-Identifier: Apache-2.0
// Reads what the folder of a sparse encoder says: a masked language model and how its scores are pooled, perhaps behind
// a router that leads queries past it.
#include "format/json_object.h"
#include "format/utf8.h"
#include "model/config/sentence_folder.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr size_t kMaxFileBytes = size_t{1} << 20;

bool is_router(const std::string& name) { return name == "Router" || name == "Asym"; }

void read_pooling(const Folder& folder, SparseSettings& settings) {
  JsonObject config(folder.read_text("config.json", kMaxFileBytes), folder.path("config.json"));
  config.drop_nulls();
  settings.pools = true;
  settings.sums = config.choice("pooling_strategy", {"max", "sum"}, 0) == 1;
  settings.takes_log_twice = config.choice("activation_function", {"relu", "log1p_relu"}, 0) == 1;
}

[[noreturn]] void refuse_router(const std::string& where) {
  fail(LFFN_ERROR_UNSUPPORTED,
       "%s: its routes are not supported; supported are a route of a SparseStaticEmbedding for queries and one of an "
       "MLMTransformer and a SpladePooling for documents",
       where.c_str());
}

const JsonValue& member(const JsonObject& object, const char* key) {
  const JsonValue* const value = object.value(key);
  if (value == nullptr || value->shape != JsonValue::Shape::kObject) object.refuse(key, "an object");
  return *value;
}

// The class of the module at a place in the router's folder, as the router's file tells it.
std::string class_of(const JsonObject& router, const std::string& place) {
  const JsonValue& types = member(router, "types");
  for (size_t i = 0; i < types.items.size(); ++i) {
    if (types.names[i] != place || !types.items[i].is_text()) continue;
    const std::string& type = types.items[i].scalar.text;
    return type.substr(type.rfind('.') + 1);
  }
  router.refuse("types", "an object with the type of each module of 'structure'");
}

struct Routes {
  std::string query, transformer, pooling;  // places in the router's folder
  bool starts_with_query = false;           // the route of texts that are neither queries nor documents
};

Routes read_routes(const JsonObject& router, const std::string& where) {
  Routes found;
  bool has_query = false, has_document = false, first_is_query = false;
  std::string query_name;
  const JsonValue& structure = member(router, "structure");
  for (size_t i = 0; i < structure.items.size(); ++i) {
    const JsonValue& route = structure.items[i];
    if (route.shape != JsonValue::Shape::kList || route.items.empty()) refuse_router(where);
    for (const JsonValue& place : route.items) {
      if (!place.is_text()) refuse_router(where);
      check_place(place.scalar.text, where);
    }
    const std::string& first = route.items[0].scalar.text;
    const std::string name = class_of(router, first);
    if (name == "SparseStaticEmbedding" && route.items.size() == 1 && !has_query) {
      has_query = true;
      first_is_query = i == 0;
      query_name = structure.names[i];
      found.query = first;
    } else if (name == "MLMTransformer" && route.items.size() == 2 && !has_document &&
               class_of(router, route.items[1].scalar.text) == "SpladePooling") {
      has_document = true;
      found.transformer = first;
      found.pooling = route.items[1].scalar.text;
    } else {
      refuse_router(where);
    }
  }
  if (!has_query || !has_document) refuse_router(where);
  found.starts_with_query = first_is_query;
  const JsonValue* const parameters = router.value("parameters");
  if (parameters == nullptr || parameters->shape != JsonValue::Shape::kObject) return found;
  for (size_t i = 0; i < parameters->items.size(); ++i) {
    const JsonValue& value = parameters->items[i];
    if (parameters->names[i] == "default_route" && value.is_text()) {
      found.starts_with_query = value.scalar.text == query_name;
    }
  }
  return found;
}

std::string joined(const std::string& folder, const std::string& place) {
  return folder.empty() || place.empty() ? folder + place : folder + "/" + place;
}

}  // namespace

bool is_sparse_folder(const std::vector<SentenceModule>& modules) {
  return !modules.empty() && (modules[0].name == "MLMTransformer" || is_router(modules[0].name));
}

SentenceFolder read_sparse_folder(const Folder& folder, const std::vector<SentenceModule>& modules) {
  SentenceFolder result;
  SentenceSettings& settings = result.settings;
  settings.is_sentence_encoder = true;
  const std::string where = folder.path("modules.json");
  std::string pooling;
  if (is_router(modules[0].name)) {
    const InnerFolder inside(folder, modules[0].place);
    const char* const name = inside.has("router_config.json") ? "router_config.json" : "config.json";
    if (modules.size() != 1) refuse_router(where);
    JsonObject router(inside.read_text(name, kMaxFileBytes), inside.path(name));
    router.drop_nulls();
    const Routes routes = read_routes(router, inside.path(name));
    result.transformer = joined(modules[0].place, routes.transformer);
    result.query = joined(modules[0].place, routes.query);
    pooling = joined(modules[0].place, routes.pooling);
    settings.sparse.starts_with_query = routes.starts_with_query;
  } else {
    if (modules.size() != 2 || modules[1].name != "SpladePooling") {
      fail(LFFN_ERROR_UNSUPPORTED, "%s: behind an MLMTransformer only a SpladePooling is supported", where.c_str());
    }
    result.transformer = modules[0].place;
    pooling = modules[1].place;
  }
  read_transformer(InnerFolder(folder, result.transformer), settings);
  read_pooling(InnerFolder(folder, pooling), settings.sparse);
  read_prompts(folder, settings);
  return result;
}

}  // namespace lffn
