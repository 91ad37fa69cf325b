// SPDX-License-Identifier: Apache-2.0
// lookupffn rerank: documents in the order of how well they answer a query.
#include <memory>
#include <string>
#include <vector>

#include "command.h"
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

// Of some documents, whose vectors these are.
std::vector<float> max_sims(const lookupffn::Model& model, const lookupffn::LateVectors& query,
                            const lookupffn::ResultView& view) {
  std::vector<float> scores(static_cast<size_t>(view.n));
  lffn_max_sim_args args;
  lffn_max_sim_args_init(&args);
  args.queries = query.values.data();
  args.query_offsets = query.offsets.data();
  args.n_queries = 1;
  args.documents = view.token_vectors;
  args.document_offsets = view.vector_offsets;
  args.n_documents = view.n;
  args.size = view.token_vector_size;
  args.flags = query.max_sim_flags;
  args.num_threads = model.info().num_threads;
  args.scores = scores.data();
  args.capacity = view.n;
  lookupffn::check(lffn_max_sim(&args));
  return scores;
}

int rerank(const RerankOptions& options) {
  const lookupffn::Model model = options.load.load(options.model);
  const bool is_late = model.info().is_late != 0 && model.info().num_classes == 0;
  if (model.info().num_classes != 1 && !is_late) {
    throw lookupffn::InvalidArgument(options.model +
                                     ": a reranker has a classifier of one class, or is a late model; this model has " +
                                     std::to_string(model.info().num_classes));
  }
  lookupffn::RunOptions run = options.text.run_options();
  lookupffn::LateVectors query;
  if (is_late) {
    lookupffn::RunOptions of_query = run;
    of_query.prompt_kind = LFFN_PROMPT_QUERY;
    of_query.max_tokens = LFFN_MAX_TOKENS_MODEL;
    query = model.embed_late({options.query}, of_query);
    run.prompt_kind = LFFN_PROMPT_DOCUMENT;
  }
  lffn_model_run_args args = lookupffn::Model::arguments(run);
  args.wanted = is_late ? uint32_t{LFFN_WANT_TOKEN_VECTORS} : uint32_t{LFFN_WANT_CLASS_SCORES};
  args.flags |= LFFN_RUN_DOCUMENTS;
  TextInput input(options.input, "ranking", options.text.json_lines());
  lookupffn::Result result;
  std::vector<std::string> documents;
  std::vector<size_t> indexes;  // of the documents in the input
  size_t lines_read = 0;
  std::vector<float> scores;
  for (std::vector<TextRecord> records = input.next(); !records.empty(); records = input.next()) {
    for (TextRecord& record : records) {
      if (is_late) {
        record = {record.text, "", false};
      } else {
        record = {options.query, record.text, true};
      }
    }
    const lookupffn::ResultView view = run_records(model, records, input, args, result);
    const std::vector<float> found = is_late ? max_sims(model, query, view) : std::vector<float>();
    for (size_t i = 0; i < records.size(); ++i) {
      lines_read += 1;
      if (view.statuses[i] != LFFN_OK) continue;
      indexes.push_back(lines_read - 1);
      documents.push_back(is_late ? records[i].text : records[i].pair);
      scores.push_back(is_late ? found[i] : view.class_scores[i]);
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
  app->add_option("--top", options->top, "Only the best so many; default all")->type_name("N");
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
