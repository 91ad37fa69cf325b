// SPDX-License-Identifier: Apache-2.0
// lookupffn rerank: sorts documents by how well they answer a query.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "comparison.h"
#include "model_options.h"
#include "text_options.h"

namespace lffn::tools {
namespace {

struct RerankOptions {
  std::string model;
  std::string query;
  std::string input = "-";
  size_t top = 0;
  bool activate = false;
  TextOptions text;
  ModelOptions load;
};

int rerank(const RerankOptions& options) {
  const lookupffn::Model model = options.load.load(options.model);
  const lookupffn::RunOptions run = options.text.run_options();
  const bool is_late = model.info().is_late != 0 && model.info().num_classes == 0;
  if (model.info().num_classes != 1 && !is_late) {
    throw lookupffn::InvalidArgument(options.model +
                                     ": a reranker has a classifier of one class, or is a late model; this model has " +
                                     std::to_string(model.info().num_classes));
  }
  Comparison comparison(model, is_late ? Comparison::Kind::kLate : Comparison::Kind::kPairs, options.query, run, run);
  TextInput input(options.input, "ranking", options.text.json_lines());
  std::vector<std::string> documents;
  std::vector<size_t> indexes;  // of the documents in the input
  size_t lines_read = 0;
  std::vector<float> scores;
  for (std::vector<TextRecord> records = input.next(); !records.empty(); records = input.next()) {
    const std::vector<std::optional<float>> found = comparison.scores(records, input);
    for (size_t i = 0; i < records.size(); ++i) {
      lines_read += 1;
      if (!found[i]) continue;
      indexes.push_back(lines_read - 1);
      documents.push_back(std::move(records[i].text));
      scores.push_back(*found[i]);
    }
  }
  std::vector<float> shown = scores;
  if (options.activate && !is_late) model.activate(LFFN_SCORES_MODEL, shown);
  std::vector<size_t> order = best_first(scores);
  if (options.top > 0 && options.top < order.size()) order.resize(options.top);
  std::string out;
  for (const size_t i : order) {
    out += "{\"index\":" + std::to_string(indexes[i]) + ",\"score\":";
    append_json(out, shown[i]);
    out += ",\"text\":";
    append_json(out, documents[i]);
    out += "}\n";
  }
  return write_out(out) ? input.exit_status() : 1;
}

}  // namespace

Command rerank_command(CLI::App& parent) {
  auto options = std::make_shared<RerankOptions>();
  CLI::App* app = parent.add_subcommand("rerank", "Put lines of text in the order of how well they answer a query");
  app->add_option("MODEL", options->model, "A reranker (cross-encoder) or a late model: a folder or a single file")
      ->required();
  app->add_option("FILE", options->input, "Lines of UTF-8 text, each a document; default or -: standard input");
  app->add_option("--query", options->query, "The query")->required()->type_name("TEXT");
  app->add_option("--top", options->top, "Only the best so many; default all")->check(whole(1))->type_name("N");
  app->add_flag("--activate", options->activate, "Scores through the model's own activation instead of raw ones");
  options->text.add_to(*app);
  options->load.add_to(*app);
  app->footer(
      "Each document becomes one line of JSON, {\"index\": ..., \"score\": ..., \"text\": ...}, the best first. index\n"
      "counts the lines from 0, score is the model's logit.\n"
      "\n"
      "Examples:\n"
      "  lookupffn rerank my-reranker --query 'How old is the sun?' documents.txt\n"
      "  lookupffn rerank my-reranker --query 'How old is the sun?' --top 3 documents.txt");
  return {app, [options] { return rerank(*options); }};
}

}  // namespace lffn::tools
