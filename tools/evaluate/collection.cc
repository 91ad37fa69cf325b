// SPDX-License-Identifier: Apache-2.0
#include "evaluate/collection.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "evaluate/columns.h"
#include "lookupffn/lookupffn.hpp"

namespace lffn::tools {
namespace {

using nlohmann::json;

constexpr char kCorpus[] = "/corpus.jsonl";

// The places of documents or queries by their ids.
using Places = std::unordered_map<std::string, uint32_t>;

json parse_object(const std::string& line) {
  json object = json::parse(line, nullptr, false);
  if (!object.is_object()) throw lookupffn::InvalidArgument("expected a JSON object, {\"_id\": \"...\", ...}");
  return object;
}

// "" if the object has no such member.
std::string string_of(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return "";
  if (!found->is_string()) throw lookupffn::InvalidArgument("\"" + std::string(name) + "\" must be a string");
  return found->get<std::string>();
}

// In some files ids are numbers.
std::string id_of(const json& object) {
  const auto found = object.find("_id");
  if (found != object.end() && found->is_number_integer()) return found->dump();
  std::string id = string_of(object, "_id");
  if (id.empty()) throw lookupffn::InvalidArgument("the line has no \"_id\"");
  return id;
}

void add_place(Places& places, const std::string& id, size_t place) {
  if (place >= kNowhere) throw lookupffn::InvalidArgument("there are too many lines; 4,294,967,294 are the most");
  if (!places.emplace(id, static_cast<uint32_t>(place)).second) {
    throw lookupffn::InvalidArgument("the \"_id\" '" + id + "' appears twice; each must be unique");
  }
}

uint32_t find(const Places& places, const std::string& id) {
  const auto found = places.find(id);
  return found == places.end() ? kNowhere : found->second;
}

std::string joined(const std::string& title, const std::string& text) {
  if (title.empty() || text.empty()) return title + text;
  return title + ' ' + text;
}

uint32_t line_number(const std::string& place) {
  return static_cast<uint32_t>(std::stoul(place.substr(place.rfind(' ') + 1)));
}

void read_documents(Collection& to, Places& places) {
  for_each_line(to.folder + kCorpus, [&](const std::string& line, const std::string& place) {
    const json object = parse_object(line);
    add_place(places, id_of(object), to.documents.size());
    if (!object.contains("text") && !object.contains("title")) {
      throw lookupffn::InvalidArgument("the document has neither \"title\" nor \"text\"");
    }
    to.documents.push_back(joined(string_of(object, "title"), string_of(object, "text")));
    to.lines.push_back(line_number(place));
  });
  if (to.documents.empty()) throw lookupffn::InvalidArgument(to.folder + kCorpus + ": there is no document in it");
}

void read_queries(Collection& to, const Places& documents, Places& places) {
  const std::string file = to.folder + "/queries.jsonl";
  for_each_line(file, [&](const std::string& line, const std::string& place) {
    const json object = parse_object(line);
    JudgedQuery query;
    query.id = id_of(object);
    add_place(places, query.id, to.queries.size());
    if (!object.contains("text")) throw lookupffn::InvalidArgument("the query has no \"text\"");
    query.text = string_of(object, "text");
    query.place = place;
    query.own = find(documents, query.id);
    to.queries.push_back(std::move(query));
  });
  if (to.queries.empty()) throw lookupffn::InvalidArgument(file + ": there is no query in it");
}

// BEIR's own folders have qrels/test.tsv; other folders have the judgements beside the other files.
std::string file_of_judgements(const std::string& folder) {
  const std::string file = folder + "/qrels.tsv", other = folder + "/qrels/test.tsv";
  std::error_code error;
  return !std::filesystem::exists(file, error) && std::filesystem::exists(other, error) ? other : file;
}

void read_judgements(Collection& to, const Places& documents, const Places& queries) {
  bool first = true;
  std::unordered_map<std::string, double> known;  // by query and document
  for_each_case(file_of_judgements(to.folder), false, "query\tdocument\tscore",
                [&](const std::vector<std::string>& columns, const std::string&) {
                  const bool names = std::exchange(first, false) && !is_number(columns[2]);
                  if (names) return;
                  const double score = std::max(0.0, parse_number(columns[2], "score"));
                  const auto [before, is_new] = known.emplace(columns[0] + '\t' + columns[1], score);
                  if (!is_new && before->second != score) {
                    throw lookupffn::InvalidArgument("document '" + columns[1] + "' has another score for query '" +
                                                     columns[0] + "' in a line before");
                  }
                  if (!is_new) return;
                  const uint32_t query = find(queries, columns[0]), document = find(documents, columns[1]);
                  to.unknown_queries += query == kNowhere ? 1 : 0;
                  if (query == kNowhere) return;
                  to.unknown_documents += document == kNowhere ? 1 : 0;
                  to.queries[query].judged.push_back({document, score});
                });
}

// Candidates that are not in the collection are left out.
void read_candidates(Collection& to, const Places& documents, const Places& queries) {
  const std::string file = to.folder + "/candidates_bm25.tsv";
  bool first = true;
  for_each_case(file, false, "query\tdocument\tplace",
                [&](const std::vector<std::string>& columns, const std::string&) {
                  const bool names = std::exchange(first, false) && !is_number(columns[2]);
                  if (names) return;
                  static_cast<void>(parse_number(columns[2], "place"));
                  const uint32_t query = find(queries, columns[0]), document = find(documents, columns[1]);
                  if (query == kNowhere || document == kNowhere) return;
                  to.queries[query].candidates.push_back(document);
                });
  for (JudgedQuery& query : to.queries) {
    std::vector<uint32_t>& list = query.candidates;
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

// Only queries with an answer can be measured.
void keep_answered(Collection& collection) {
  std::vector<JudgedQuery> kept;
  for (JudgedQuery& query : collection.queries) {
    std::sort(query.judged.begin(), query.judged.end(),
              [](const Judgement& a, const Judgement& b) { return a.document < b.document; });
    const bool has_right = std::any_of(query.judged.begin(), query.judged.end(), [&](const Judgement& judgement) {
      return judgement.score >= collection.right_from;
    });
    if (has_right) {
      collection.judgements += query.judged.size();
      kept.push_back(std::move(query));
    } else {
      ++(query.judged.empty() ? collection.unjudged : collection.without_right);
    }
  }
  collection.queries = std::move(kept);
}

}  // namespace

std::string Collection::place_of(size_t document) const {
  return folder + kCorpus + ", line " + std::to_string(lines[document]);
}

Collection read_collection(const std::string& folder, double right_from, bool candidates) {
  Collection collection;
  collection.folder = folder;
  while (collection.folder.size() > 1 && collection.folder.back() == '/') collection.folder.pop_back();
  collection.right_from = right_from;
  Places documents, queries;
  read_documents(collection, documents);
  read_queries(collection, documents, queries);
  read_judgements(collection, documents, queries);
  if (candidates) read_candidates(collection, documents, queries);
  keep_answered(collection);
  if (collection.queries.empty()) {
    throw lookupffn::InvalidArgument(
        folder + ": no query has a document that answers it, with a score of 1, or --right-from, or more");
  }
  return collection;
}

}  // namespace lffn::tools
