// SPDX-License-Identifier: Apache-2.0
// lookupffn evaluate: how well models do on judged texts, and how sure the figures are.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "evaluate/cases.h"
#include "evaluate/figures.h"
#include "evaluate/results.h"
#include "model_options.h"
#include "progress.h"
#include "text_options.h"

namespace lffn::tools {
namespace {

struct Options {
  std::vector<std::string> models, pairs, rankings;
  std::vector<std::pair<std::string, std::string>> labels;
  std::string against, query_prompt;
  size_t resamples = 2000;
  double strength = 10;
  bool header = false;
  bool json = false;
  TextOptions text;
  ModelOptions load;
};

// Of one model: what is needed to compare others with it.
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
    cases.rankings.push_back(read_ranking(file, options.header, cases.queries, cases.texts));
  }
  return cases;
}

Answers answer(const Options& options, const Cases& cases, const std::string& path) {
  const lookupffn::Model model = options.load.load(path);
  const lookupffn::RunOptions run = options.text.run_options();
  lookupffn::RunOptions query_run = run;
  if (!options.query_prompt.empty()) {
    query_run.prompt_kind = LFFN_PROMPT_NAMED;
    query_run.prompt = options.query_prompt;
  }
  Answers answers;
  answers.model = path;
  answers.num_threads = model.info().num_threads;
  answers.embedded.texts = embed_pool(model, cases.texts, run, path + ": embedding");
  answers.embedded.queries = embed_pool(model, cases.queries, query_run, path + ": embedding queries");
  answers.files = measure(cases, answers.embedded, path, options.strength, answers.num_threads);
  return answers;
}

ModelReport report_on(const Options& options, const Cases& cases, const Answers& answers, const Answers* against) {
  const Progress progress(answers.model + ": resampling");
  ModelReport report = {answers.model, {}};
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
  std::unique_ptr<Answers> against;
  if (!options.against.empty()) {
    against = std::make_unique<Answers>(answer(options, cases, options.against));
    report.against.push_back(report_on(options, cases, *against, nullptr));
  }
  for (const std::string& model : options.models) {
    report.models.push_back(report_on(options, cases, answer(options, cases, model), against.get()));
  }
  return write_out(options.json ? as_json(report, cases) : as_table(report, cases)) ? 0 : 1;
}

}  // namespace

Command evaluate_command(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* app = parent.add_subcommand("evaluate", "Tell how well models do on texts that people judged");
  app->add_option("MODEL", options->models, "Models: folders or single files")->required();
  app->add_option("--pairs", options->pairs, "Lines of score, text, text: correlations of the cosine with the score")
      ->type_name("FILE.tsv");
  app->add_option("--labels", options->labels,
                  "Lines of label, text: how often the nearest training text, and logistic regression, tell the label")
      ->type_name("TRAIN.tsv TEST.tsv");
  app->add_option("--ranking", options->rankings,
                  "Lines of query, label, text: where texts with labels above 0 come among the query's by their cosine")
      ->type_name("FILE.tsv");
  app->add_option("--against", options->against, "Compare each model with this one, case by case")->type_name("MODEL");
  app->add_option("--query-prompt", options->query_prompt, "The model's prompt of this name goes before queries")
      ->type_name("NAME");
  app->add_option("--resamples", options->resamples, "How many for the intervals, 0 for none; default 2000")
      ->check(CLI::Range(0, 1000000))
      ->type_name("N");
  app->add_option("--strength", options->strength,
                  "Of the logistic regression, scikit-learn's C: the larger, the closer it fits; default 10")
      ->check(CLI::Range(1e-6, 1e9))
      ->type_name("C");
  app->add_flag("--header", options->header, "The first line of each file names the columns");
  app->add_flag("--json", options->json,
                "Print one JSON object, figures as shares of 1, instead of a table, times 100");
  options->text.add_reading_to(*app);
  options->load.add_to(*app);
  app->callback([options] {
    if (options->pairs.empty() && options->labels.empty() && options->rankings.empty()) {
      throw CLI::RequiredError("--pairs, --labels or --ranking");
    }
  });
  app->footer(
      "Files have tabs between columns and no quotes. Spearman, Pearson: of all pairs of a file. nearest, logistic: "
      "share\n"
      "of test texts whose label is right. MAP, MRR: mean average precision, mean of one over the place of the first\n"
      "right text. Behind each figure the interval of 95 % of its resamples. agreement: correlation of the two "
      "models'\n"
      "cosines. Texts are cut to what the model means to read.\n"
      "\n"
      "Examples:\n"
      "  lookupffn evaluate my-model --pairs judged.tsv\n"
      "  lookupffn evaluate small large --labels train.tsv test.tsv --json\n"
      "  lookupffn evaluate distilled --against teacher --pairs sts*.tsv --ranking answers.tsv");
  return {app, [options] { return evaluate(*options); }};
}

}  // namespace lffn::tools
