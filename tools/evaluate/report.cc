// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "evaluate/results.h"

namespace lffn::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(double share) {
  if (std::isnan(share)) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", 100 * share);
  return std::string(text) == "-0.00" ? "0.00" : text;
}

std::string text_of(const Estimate& estimate) {
  std::string text = text_of(estimate.value);
  if (!std::isnan(estimate.low)) text += " (" + text_of(estimate.low) + " to " + text_of(estimate.high) + ")";
  return text;
}

// File names may contain characters that would break the table.
std::string cell(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '|' ? "\\|" : std::string(1, c == '\n' ? ' ' : c);
  return text;
}

std::string heading(const ModelReport& model) {
  return cell(model.query_model.empty() ? model.model : model.model + ", queries by " + model.query_model);
}

size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string file_name(const Cases& cases, size_t file) {
  if (file < cases.pairs.size()) return cases.pairs[file].file;
  file -= cases.pairs.size();
  if (file < cases.labels.size()) return cases.labels[file].test_file;
  file -= cases.labels.size();
  if (file < cases.rankings.size()) return cases.rankings[file].file;
  return cases.collections[file - cases.rankings.size()].folder;
}

std::string notes(const Cases& cases) {
  std::string out;
  for (const Labels& labels : cases.labels) {
    if (labels.unknown == 0) continue;
    out += "\n" + labels.test_file + ": " + std::to_string(labels.unknown) + " of " +
           std::to_string(labels.test.size()) + " texts have labels that no text of " + labels.train_file +
           " has; they count as wrong.\n";
  }
  for (const Ranking& ranking : cases.rankings) {
    if (ranking.without_right == 0) continue;
    out += "\n" + ranking.file + ": " + std::to_string(ranking.without_right) + " of " +
           std::to_string(ranking.queries.size() + ranking.without_right) +
           " queries have no text whose label is above 0; they are left out.\n";
  }
  for (const Collection& collection : cases.collections) {
    const size_t left_out = collection.without_right + collection.unjudged;
    if (left_out > 0) {
      out += "\n" + collection.folder + ": " + std::to_string(left_out) + " of " +
             std::to_string(collection.queries.size() + left_out) +
             " queries have no document that answers them; they are left out.\n";
    }
    if (collection.unknown_documents > 0) {
      out += "\n" + collection.folder + ": " + std::to_string(collection.unknown_documents) +
             " judgements are of documents that it does not have; they count as not found.\n";
    }
    if (collection.unknown_queries > 0) {
      out += "\n" + collection.folder + ": " + std::to_string(collection.unknown_queries) +
             " judgements are of queries that it does not have; they are left out.\n";
    }
  }
  return out;
}

Json number(double value) { return std::isnan(value) ? Json() : Json(value); }

Json as_json(const std::vector<NamedEstimate>& figures) {
  Json json = Json::object();
  for (const NamedEstimate& figure : figures) {
    std::string name = figure.name;
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    json[name] = {{"value", number(figure.estimate.value)},
                  {"low", number(figure.estimate.low)},
                  {"high", number(figure.estimate.high)}};
  }
  return json;
}

void add_file(Json& list, Json json, const FileReport& file) {
  json.update(as_json(file.figures));
  if (!file.differences.empty()) {
    json["agreement"] = number(file.agreement);
    json["difference"] = as_json(file.differences);
  }
  list.push_back(std::move(json));
}

Json as_json(const ModelReport& model, const Cases& cases) {
  Json pairs = Json::array(), labels = Json::array(), rankings = Json::array(), collections = Json::array();
  size_t file = 0;
  for (const Pairs& one : cases.pairs) {
    add_file(pairs, {{"file", one.file}, {"pairs", one.scores.size()}}, model.files[file++]);
  }
  for (const Labels& one : cases.labels) {
    const Json head = {{"train", one.train_file},       {"test", one.test_file},
                       {"classes", one.classes},        {"train_texts", one.train.size()},
                       {"test_texts", one.test.size()}, {"unknown_labels", one.unknown}};
    add_file(labels, head, model.files[file++]);
  }
  for (const Ranking& one : cases.rankings) {
    const Json head = {{"file", one.file},
                       {"queries", one.queries.size()},
                       {"texts", one.candidates},
                       {"queries_left_out", one.without_right}};
    add_file(rankings, head, model.files[file++]);
  }
  for (const Collection& one : cases.collections) {
    const Json head = {{"folder", one.folder},
                       {"documents", one.documents.size()},
                       {"queries", one.queries.size()},
                       {"queries_left_out", one.without_right + one.unjudged},
                       {"judgements", one.judgements},
                       {"unknown_documents", one.unknown_documents},
                       {"unknown_queries", one.unknown_queries}};
    add_file(collections, head, model.files[file++]);
  }
  Json json = {{"model", model.model}};
  if (!model.query_model.empty()) json["query_model"] = model.query_model;
  json.update(Json{{"pairs", pairs}, {"labels", labels}, {"rankings", rankings}});
  if (!collections.empty()) json["retrieval"] = collections;
  return json;
}

}  // namespace

std::string as_table(const Report& report, const Cases& cases) {
  std::vector<std::vector<std::string>> rows(1);
  rows[0] = {"", ""};
  for (const auto* list : {&report.against, &report.models}) {
    for (const ModelReport& model : *list) rows[0].push_back(heading(model));
  }
  if (!report.against.empty()) {
    for (const ModelReport& model : report.models) {
      const std::string beside = report.models.size() > 1 ? heading(model) + ": " : "";
      rows[0].push_back(beside + "difference");
      rows[0].push_back(beside + "agreement");
    }
  }
  const std::vector<FileReport>& first = report.models.front().files;
  for (size_t file = 0; file < first.size(); ++file) {
    for (size_t figure = 0; figure < first[file].figures.size(); ++figure) {
      std::vector<std::string> row = {cell(file_name(cases, file)), first[file].figures[figure].name};
      for (const auto* list : {&report.against, &report.models}) {
        for (const ModelReport& model : *list) row.push_back(text_of(model.files[file].figures[figure].estimate));
      }
      for (const ModelReport& model : report.models) {
        if (report.against.empty()) break;
        row.push_back(text_of(model.files[file].differences[figure].estimate));
        row.push_back(text_of(model.files[file].agreement));
      }
      rows.push_back(std::move(row));
    }
  }
  std::vector<size_t> widths(rows[0].size(), 3);
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t i = 0; i < rows[r].size(); ++i) {
      out += "| " + rows[r][i] + std::string(widths[i] - width_of(rows[r][i]), ' ') + ' ';
    }
    out += "|\n";
    if (r > 0) continue;
    for (const size_t width : widths) out += "|" + std::string(width + 2, '-');
    out += "|\n";
  }
  return out + notes(cases);
}

std::string as_json(const Report& report, const Cases& cases) {
  Json models = Json::array();
  for (const ModelReport& model : report.models) models.push_back(as_json(model, cases));
  Json json = {{"resamples", report.resamples}, {"models", models}};
  if (!report.against.empty()) json["against"] = as_json(report.against.front(), cases);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lffn::tools
