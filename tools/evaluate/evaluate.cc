// SPDX-License-Identifier: Apache-2.0
// lookupffn evaluate: how well models do on judged texts, and how sure the figures are.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "evaluate/cases.h"
#include "evaluate/figures.h"
#include "evaluate/results.h"
#include "evaluate/retrieval.h"
#include "model_options.h"
#include "progress.h"
#include "text_options.h"

namespace lffn::tools {
namespace {

struct Options {
  std::vector<std::string> models, pairs, rankings, collections;
  std::vector<std::pair<std::string, std::string>> labels;
  std::string against, reranker, query_model;
  std::string query_prompt, query_prompt_text, document_prompt, document_prompt_text;
  size_t rerank_depth = 100;
  double right_from = 1;
  bool candidates = false;
  VectorKind vectors = VectorKind::kUsual;
  size_t resamples = 2000;
  double strength = 10;
  bool header = false;
  bool json = false;
  TextOptions text;
  ModelOptions load;
};

// What one model gave: all that is needed to compare others with it.
struct Answers {
  std::string model;
  Embedded embedded;
  std::vector<Measured> files;
  int32_t num_threads;
};

Cases read_cases(const Options& options) {
  Cases cases;
  for (const std::string& file : options.pairs) cases.pairs.push_back(read_pairs(file, options.header, cases.texts));
  for (const auto& [train, test] : options.labels) {
    cases.labels.push_back(read_labels(train, test, options.header, cases.texts));
  }
  for (const std::string& file : options.rankings) {
    cases.rankings.push_back(read_ranking(file, options.header, cases.queries, cases.documents));
  }
  for (const std::string& folder : options.collections) {
    cases.collections.push_back(read_collection(folder, options.right_from, options.candidates));
  }
  return cases;
}

// What is kept from model to model.
struct Kept {
  std::unique_ptr<lookupffn::Model> reranker, query_model;
  std::vector<CollectionMemory> collections;
};

lookupffn::RunOptions with_prompt(lookupffn::RunOptions run, const std::string& name, const std::string& text) {
  if (name.empty() && text.empty()) return run;
  run.prompt_kind = name.empty() ? LFFN_PROMPT_TEXT : LFFN_PROMPT_NAMED;
  run.prompt = name.empty() ? text : name;
  return run;
}

lookupffn::RunOptions of_kind(lookupffn::RunOptions run, int32_t kind) {
  if (run.prompt_kind == LFFN_PROMPT_MODEL) run.prompt_kind = kind;
  return run;
}

lookupffn::RunOptions documents_run(const Options& options) {
  return with_prompt(of_kind(options.text.run_options(), LFFN_PROMPT_DOCUMENT), options.document_prompt,
                     options.document_prompt_text);
}

lookupffn::RunOptions queries_run(const Options& options) {
  return with_prompt(of_kind(options.text.run_options(), LFFN_PROMPT_QUERY), options.query_prompt,
                     options.query_prompt_text);
}

RetrievalOptions retrieval_options(const Options& options) {
  RetrievalOptions result;
  result.vectors = options.vectors;
  result.documents = documents_run(options);
  result.queries = queries_run(options);
  result.pairs.max_tokens = options.text.run_options().max_tokens;
  result.candidates = options.candidates;
  result.rerank_depth = options.reranker.empty() ? 0 : options.rerank_depth;
  return result;
}

void measure_collections(const Options& options, const Cases& cases, const lookupffn::Model& model,
                         const lookupffn::Model& query_model, Kept& kept, Answers& to) {
  const RetrievalOptions how = retrieval_options(options);
  for (size_t i = 0; i < cases.collections.size(); ++i) {
    const Collection& collection = cases.collections[i];
    Measured measured;
    measured.found = find_documents(collection, kept.collections[i], model, query_model, how, to.model);
    measured.figures = figures_of(collection, measured.found, "");
    if (kept.reranker != nullptr) {
      const std::vector<Hits> reranked =
          rerank(collection, kept.collections[i], measured.found, *kept.reranker, how, to.model);
      for (Figure& figure : figures_of(collection, reranked, "reranked ")) {
        measured.figures.push_back(std::move(figure));
      }
    }
    to.files.push_back(std::move(measured));
  }
}

// query_model: embeds the queries instead of the model; may be null.
Answers answer(const Options& options, const Cases& cases, const std::string& path, const lookupffn::Model* query_model,
               Kept& kept) {
  const lookupffn::Model model = options.load.load(path);
  if (query_model != nullptr) {
    check_query_model(*query_model, options.query_model, model, path, retrieval_options(options));
  }
  const lookupffn::Model& of_queries = query_model != nullptr ? *query_model : model;
  const lookupffn::RunOptions run = options.text.run_options();
  Answers answers;
  answers.model = path;
  answers.num_threads = model.info().num_threads;
  answers.embedded.texts = embed_pool(model, cases.texts, run, path + ": embedding");
  answers.embedded.queries = embed_pool(of_queries, cases.queries, queries_run(options), path + ": embedding queries");
  answers.embedded.documents =
      embed_pool(model, cases.documents, documents_run(options), path + ": embedding documents");
  answers.files = measure(cases, answers.embedded, path, options.strength, answers.num_threads);
  measure_collections(options, cases, model, of_queries, kept, answers);
  return answers;
}

// is_asked: its queries are embedded by --query-model, if there is one.
ModelReport report_on(const Options& options, const Cases& cases, const Answers& answers, bool is_asked,
                      const Answers* against) {
  const Progress progress(answers.model + ": resampling");
  ModelReport report = {answers.model, is_asked ? options.query_model : "", {}};
  std::vector<double> agreed;
  if (against != nullptr) {
    agreed = agreements(cases, answers.embedded, answers.files, against->embedded, against->files, answers.num_threads);
  }
  for (size_t file = 0; file < answers.files.size(); ++file) {
    FileReport one;
    const std::vector<Figure>& figures = answers.files[file].figures;
    for (size_t i = 0; i < figures.size(); ++i) {
      one.figures.push_back({figures[i].name, estimate(figures[i], options.resamples, answers.num_threads)});
      if (against == nullptr) continue;
      const Figure difference = difference_figure(figures[i], against->files[file].figures[i]);
      one.differences.push_back({figures[i].name, estimate(difference, options.resamples, answers.num_threads)});
    }
    if (against != nullptr) one.agreement = agreed[file];
    report.files.push_back(std::move(one));
  }
  return report;
}

int evaluate(const Options& options) {
  const Cases cases = read_cases(options);
  Report report;
  report.resamples = options.resamples;
  Kept kept;
  kept.collections.resize(cases.collections.size());
  if (!options.reranker.empty()) {
    kept.reranker = std::make_unique<lookupffn::Model>(options.load.load(options.reranker));
    check_reranker(*kept.reranker, options.reranker);
  }
  if (!options.query_model.empty()) {
    kept.query_model = std::make_unique<lookupffn::Model>(options.load.load(options.query_model));
  }
  // What is wrong with one of them is told before the minutes that another takes.
  if (options.models.size() + !options.against.empty() > 1) {
    for (const std::string& model : options.models) options.load.load(model);
  }
  std::unique_ptr<Answers> against;
  if (!options.against.empty()) {
    against = std::make_unique<Answers>(answer(options, cases, options.against, nullptr, kept));
    report.against.push_back(report_on(options, cases, *against, false, nullptr));
  }
  for (const std::string& model : options.models) {
    const Answers answers = answer(options, cases, model, kept.query_model.get(), kept);
    report.models.push_back(report_on(options, cases, answers, true, against.get()));
  }
  return write_out(options.json ? as_json(report, cases) : as_table(report, cases)) ? 0 : 1;
}

void add_prompt(CLI::App& app, const std::string& option, const std::string& what, std::string& name,
                std::string& text) {
  CLI::Option* const named =
      app.add_option(option, name, "The model's prompt of this name goes before " + what)->type_name("NAME");
  app.add_option(option + "-text", text, "This text goes before " + what)->type_name("TEXT")->excludes(named);
}

}  // namespace

Command evaluate_command(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* app = parent.add_subcommand("evaluate", "Measure how well models do on texts that people judged");
  app->add_option("MODEL", options->models, "Models: folders or single files")->required();
  app->add_option("--pairs", options->pairs, "Lines of score, text, text: correlations of the cosine with the score")
      ->type_name("FILE.tsv");
  app->add_option("--labels", options->labels,
                  "Lines of label, text: how often the nearest training text, and logistic regression, tell the label")
      ->type_name("TRAIN.tsv TEST.tsv");
  app->add_option("--ranking", options->rankings,
                  "Lines of query, label, text: how high texts with labels above 0 rank among the query's by cosine")
      ->type_name("FILE.tsv");
  app->add_option("--retrieval", options->collections,
                  "Folders as BEIR has them, corpus.jsonl, queries.jsonl and qrels.tsv: how high the documents "
                  "that answer a query rank")
      ->type_name("FOLDER");
  const std::map<std::string, VectorKind> kinds = {
      {"dense", VectorKind::kDense}, {"sparse", VectorKind::kSparse}, {"late", VectorKind::kLate}};
  app->add_option(
         "--vectors", options->vectors,
         "What --retrieval compares: dense, sparse or late; default: sparse or late with a model that has these "
         "and not both, else dense")
      ->transform(CLI::CheckedTransformer(kinds))
      ->type_name("KIND");
  app->add_option("--query-model", options->query_model,
                  "Embeds the queries of --retrieval and --ranking instead of MODEL, which embeds the documents")
      ->type_name("MODEL");
  app->add_option("--rerank", options->reranker, "A reranker that puts the first documents in another order")
      ->type_name("MODEL");
  app->add_option("--rerank-depth", options->rerank_depth, "How many it puts in order; default 100")
      ->check(whole(1, 100000))
      ->type_name("N");
  app->add_flag(
      "--candidates", options->candidates,
      "Of each query only the documents that the folder's candidates_bm25.tsv names; MODEL may be a reranker");
  app->add_option("--right-from", options->right_from,
                  "The score from which a document is right, for recall and MRR; default 1")
      ->check(real(1e-6, 1e6, "from 1e-6 to 1e6"))
      ->type_name("SCORE");
  app->add_option("--against", options->against, "Compare each model with this one, case by case")->type_name("MODEL");
  add_prompt(*app, "--query-prompt", "queries", options->query_prompt, options->query_prompt_text);
  add_prompt(*app, "--document-prompt", "documents of --retrieval and --ranking", options->document_prompt,
             options->document_prompt_text);
  app->add_option("--resamples", options->resamples, "How many for the intervals, 0 for none; default 2000")
      ->check(whole(0, 1000000))
      ->type_name("N");
  app->add_option("--strength", options->strength,
                  "Of the logistic regression, scikit-learn's C: the larger, the closer it fits; default 10")
      ->check(real(1e-6, 1e9, "from 1e-6 to 1e9"))
      ->type_name("C");
  app->add_flag("--header", options->header, "The first line of each file names the columns");
  app->add_flag("--json", options->json,
                "Print one JSON object, figures as shares of 1, instead of a table, times 100");
  options->text.add_reading_to(*app);
  options->load.add_to(*app);
  app->callback([options] {
    if (options->pairs.empty() && options->labels.empty() && options->rankings.empty() &&
        options->collections.empty()) {
      throw CLI::RequiredError("--pairs, --labels, --ranking or --retrieval");
    }
    if (!options->query_model.empty() && options->rankings.empty() && options->collections.empty()) {
      throw CLI::RequiredError("--retrieval or --ranking, with --query-model,");
    }
    if (options->collections.empty() &&
        (options->candidates || !options->reranker.empty() || options->vectors != VectorKind::kUsual)) {
      throw CLI::RequiredError("--retrieval, with --rerank, --vectors or --candidates,");
    }
  });
  app->footer(
      "Files have tabs between columns and no quotes. Spearman, Pearson: of all pairs of a file. nearest, logistic: "
      "share\n"
      "of test texts whose label is right. MAP, MRR: mean average precision, mean of one over the place of the first\n"
      "right text. nDCG@10, recall@100, MRR@10: of the ten, hundred and ten documents that come first. Behind each "
      "figure stands the interval that holds 95 % of its resamples. agreement: correlation of the two "
      "models'\n"
      "cosines. Texts are cut to what the model means to read.\n"
      "\n"
      "Examples:\n"
      "  lookupffn evaluate my-model --pairs judged.tsv\n"
      "  lookupffn evaluate small large --labels train.tsv test.tsv --json\n"
      "  lookupffn evaluate distilled --against teacher --pairs sts*.tsv --ranking answers.tsv\n"
      "  lookupffn evaluate distilled --against teacher --retrieval nfcorpus my-collection\n"
      "  lookupffn evaluate teacher --query-model distilled --against teacher --retrieval nfcorpus");
  return {app, [options] { return evaluate(*options); }};
}

}  // namespace lffn::tools
