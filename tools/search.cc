// SPDX-License-Identifier: Apache-2.0
// lookupffn search: the lines of a file that are most like a query.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "command.h"
#include "comparison.h"
#include "layer_options.h"
#include "model_options.h"
#include "search_lines.h"
#include "text_options.h"

namespace lffn::tools {
namespace {

struct SearchOptions {
  std::string model;
  std::string query;
  std::string input = "-";
  std::optional<std::string> query_prompt;
  std::optional<std::string> query_prompt_text;
  std::string vectors;
  bool keeps_nothing = false;
  int32_t kind = 0;
  std::string reranker;
  int64_t candidates = 100;
  int64_t top = 5;
  bool json = false;
  TextOptions text;
  ModelOptions load;
};

const std::map<std::string, int32_t>& kind_names() {
  static const std::map<std::string, int32_t> names = {{"float32", LFFN_VECTORS_F32}, {"int8", LFFN_VECTORS_INT8}};
  return names;
}

lookupffn::RunOptions query_options(const SearchOptions& options) {
  lookupffn::RunOptions run = options.text.run_options();
  if (options.query_prompt) {
    run.prompt_kind = LFFN_PROMPT_NAMED;
    run.prompt = *options.query_prompt;
  } else if (options.query_prompt_text) {
    run.prompt_kind = LFFN_PROMPT_TEXT;
    run.prompt = *options.query_prompt_text;
  }
  return run;
}

bool reads_queries(const SearchOptions& options) { return options.query == "-"; }

// The second stage, which puts hits in another order.
std::optional<lookupffn::Model> load_reranker(const SearchOptions& options) {
  if (options.reranker.empty()) return {};
  lookupffn::Model model = lookupffn::Model::load(options.reranker, options.load.same_threads());
  if (model.info().num_classes != 1 && (model.info().num_classes != 0 || model.info().is_late == 0)) {
    throw lookupffn::InvalidArgument(options.reranker +
                                     ": is no model to rerank with, which has a classifier of one class or is a late "
                                     "model; `lookupffn info` shows what a model is");
  }
  return model;
}

int64_t wanted(const SearchOptions& options) {
  return options.reranker.empty() ? options.top : std::max(options.top, options.candidates);
}

std::vector<FoundLine> best_of(const SearchOptions& options, const std::optional<lookupffn::Model>& reranker,
                               const std::string& query, std::vector<FoundLine> hits) {
  if (reranker && !hits.empty()) {
    std::vector<std::string> texts;
    texts.reserve(hits.size());
    for (const FoundLine& hit : hits) texts.push_back(hit.text);
    const std::vector<float> scores = reranker->rerank(query, texts);
    std::vector<FoundLine> ordered;
    ordered.reserve(hits.size());
    for (const size_t i : best_first(scores)) ordered.push_back({hits[i].index, scores[i], std::move(hits[i].text)});
    hits = std::move(ordered);
  }
  if (static_cast<size_t>(options.top) < hits.size()) hits.resize(static_cast<size_t>(options.top));
  return hits;
}

void append_object(std::string& out, const FoundLine& hit) {
  out += "{\"index\":" + std::to_string(hit.index) + ",\"score\":";
  append_json(out, hit.score);
  out += ",\"text\":";
  append_json(out, hit.text);
  out += '}';
}

std::string as_text(const std::vector<FoundLine>& hits) {
  std::string out;
  for (const FoundLine& hit : hits) {
    char score[32];
    std::snprintf(score, sizeof score, "%7.4f  ", static_cast<double>(hit.score));
    out += score + hit.text + '\n';
  }
  return out;
}

// The answer to a single query: one JSON object on each line.
std::string as_answer(bool json, const std::vector<FoundLine>& hits) {
  if (!json) return as_text(hits);
  std::string out;
  for (const FoundLine& hit : hits) {
    append_object(out, hit);
    out += '\n';
  }
  return out;
}

// The answer to one of several queries: a line of JSON, or lines of text with an empty line after them.
std::string as_answer(bool json, const std::string& query, const std::vector<FoundLine>& hits) {
  if (!json) return as_text(hits) + '\n';
  std::string out = "{\"query\":";
  append_json(out, query);
  out += ",\"found\":[";
  for (size_t i = 0; i < hits.size(); ++i) {
    if (i > 0) out += ',';
    append_object(out, hits[i]);
  }
  return out + "]}\n";
}

// Compares each text with the query, for models that do not give one vector for each line.
std::vector<FoundLine> compare_all(const SearchOptions& options, const lookupffn::Model& model, Comparison::Kind kind,
                                   int& status) {
  Comparison comparison(model, kind, options.query, query_options(options), options.text.run_options());
  TextInput input(options.input, "searching", options.text.json_lines());
  std::vector<FoundLine> hits;
  size_t lines_read = 0;
  std::vector<float> scores;
  for (std::vector<TextRecord> records = input.next(); !records.empty(); records = input.next()) {
    const std::vector<std::optional<float>> found = comparison.scores(records, input);
    for (size_t i = 0; i < records.size(); ++i) {
      lines_read += 1;
      if (!found[i]) continue;
      scores.push_back(*found[i]);
      hits.push_back({lines_read - 1, *found[i], std::move(records[i].text)});
    }
  }
  std::vector<size_t> order = best_first(scores);
  if (static_cast<size_t>(wanted(options)) < order.size()) order.resize(static_cast<size_t>(wanted(options)));
  std::vector<FoundLine> best;
  best.reserve(order.size());
  for (const size_t i : order) best.push_back(std::move(hits[i]));
  status = input.exit_status();
  return best;
}

int answer_queries(const SearchOptions& options, const std::optional<lookupffn::Model>& reranker,
                   const LineSearch& search) {
  int status = search.exit_status();
  const bool asks = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
  Lines queries("-", "searching");
  for (;;) {
    if (asks) std::fputs("query: ", stderr);
    const std::vector<std::string> lines = queries.next(1);
    if (lines.empty()) break;
    std::vector<FoundLine> hits;
    try {
      hits = best_of(options, reranker, lines[0], search.find(lines[0], wanted(options)));
    } catch (const lookupffn::Error& error) {
      std::fprintf(stderr, "lookupffn: %s: %s\n", queries.name_of(0).c_str(), error.what());
      status = 1;
    }
    if (!write_out(as_answer(options.json, lines[0], hits))) return 1;
  }
  return status;
}

LineSearchOptions line_options(const SearchOptions& options) {
  LineSearchOptions made;
  if (!options.keeps_nothing) {
    made.vectors = options.vectors;
    // A pipe cannot be read again, so its lines cannot be checked against vectors of earlier ones.
    std::error_code unreadable;
    const bool is_file = std::filesystem::is_regular_file(options.input, unreadable);
    if (made.vectors.empty() && is_file) made.vectors = options.input + ".vectors";
  }
  made.kind = options.kind;
  made.text = options.text;
  made.query = query_options(options);
  return made;
}

int search(const SearchOptions& options) {
  if (reads_queries(options) && options.input == "-") {
    throw lookupffn::InvalidArgument("texts and queries cannot both come from standard input; name the file of texts");
  }
  const lookupffn::Model model = options.load.load(options.model);
  const std::optional<lookupffn::Model> reranker = load_reranker(options);
  const Comparison::Kind kind = Comparison::kind_of(model);
  if (kind == Comparison::Kind::kDense) {
    const LineSearch lines(model, options.input, line_options(options));
    if (reads_queries(options)) return answer_queries(options, reranker, lines);
    std::vector<FoundLine> hits;
    try {
      hits = lines.find(options.query, wanted(options));
    } catch (const lookupffn::Error& error) {
      throw lookupffn::Error(error.status(), std::string("--query: ") + error.what());
    }
    return write_out(as_answer(options.json, best_of(options, reranker, options.query, std::move(hits))))
               ? lines.exit_status()
               : 1;
  }
  if (reads_queries(options) || !options.vectors.empty() || options.kind != 0) {
    throw lookupffn::InvalidArgument(options.model +
                                     ": has no vector for each line that could be kept, so --query -, --vectors and "
                                     "--type have no meaning; ask one query, or take a model of embeddings and this "
                                     "one with --rerank if it is a reranker or a late model");
  }
  int status = 0;
  std::vector<FoundLine> hits = compare_all(options, model, kind, status);
  return write_out(as_answer(options.json, best_of(options, reranker, options.query, std::move(hits)))) ? status : 1;
}

}  // namespace

Command search_command(CLI::App& parent) {
  auto options = std::make_shared<SearchOptions>();
  CLI::App* app = parent.add_subcommand("search", "Find the lines of a file that are most like a query");
  app->add_option("MODEL", options->model, "A model: a folder or a single file")->required();
  app->add_option("FILE", options->input, "Lines of UTF-8 text; default or -: standard input");
  app->add_option("--query", options->query, "What to look for; -: each line of standard input")
      ->required()
      ->type_name("TEXT");
  CLI::Option* const named =
      app->add_option("--query-prompt", options->query_prompt, "The model's prompt of this name goes before the query")
          ->type_name("NAME");
  app->add_option("--query-prompt-text", options->query_prompt_text, "This text goes before the query")
      ->type_name("TEXT")
      ->excludes(named);
  app->add_option("--top", options->top, "How many lines; default 5")->check(whole(1))->type_name("N");
  app->add_flag("--json", options->json,
                "Print {\"index\": ..., \"score\": ..., \"text\": ...}, an object a line; with --query - an object a "
                "query, {\"query\": ..., \"found\": [...]}");
  CLI::Option* const vectors =
      app->add_option("--vectors", options->vectors, "Keep the lines' vectors in this file; default: FILE.vectors")
          ->type_name("PATH");
  app->add_flag("--no-vectors", options->keeps_nothing, "Keep no vectors, and use none that were kept")
      ->excludes(vectors);
  add_choice(
      *app, "--type", options->kind, kind_names(),
      "Numbers of the vectors: float32 or int8, a quarter as large; default: as the file has them, else float32");
  CLI::Option* const rerank =
      app->add_option("--rerank", options->reranker,
                      "Put the best lines in the order that this model gives them: a reranker or a late model")
          ->type_name("MODEL");
  app->add_option("--candidates", options->candidates, "How many lines it reads for a query; default 100")
      ->check(whole(1))
      ->type_name("N")
      ->needs(rerank);
  options->text.add_to(*app);
  options->load.add_to(*app);
  app->footer(
      "Scores are cosines: 1 for the same meaning, about 0 for none in common. A model of sparse vectors scores by\n"
      "their products, a late-interaction model by its sums of products, a reranker by its logit of each pair.\n"
      "\n"
      "Before the query and before the lines goes the model's prompt for queries and for documents, as in `evaluate`:\n"
      "--no-prompt leaves both out, --prompt and --prompt-text replace both, --query-prompt and --query-prompt-text\n"
      "the query's.\n"
      "\n"
      "The lines' vectors are kept beside FILE, and used while the model, the options and the lines are what they "
      "were;\n"
      "lines that were added get vectors of their own. Those of standard input are not kept.\n"
      "\n"
      "Examples:\n"
      "  lookupffn search my-model sentences.txt --query 'Somebody has a meal.'\n"
      "  lookupffn search my-model sentences.txt --query - --json < queries.txt\n"
      "  lookupffn search e5-small-v2 passages.txt --prompt-text 'passage: ' \\\n"
      "      --query-prompt-text 'query: ' --query 'How old is the sun?'");
  return {app, [options] { return search(*options); }};
}

}  // namespace lffn::tools
