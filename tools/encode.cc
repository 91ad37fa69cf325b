// SPDX-License-Identifier: Apache-2.0
// lookupffn encode: the hidden states or the logits of each line of text.
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "model_options.h"
#include "text_options.h"

namespace lffn::tools {
namespace {

struct EncodeOptions {
  std::string model;
  std::string input = "-";
  bool logits = false;
  TextOptions text;
  ModelOptions load;
};

void append_rows(std::string& out, const float* rows, int64_t count, size_t width) {
  out += '[';
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    append_json(out, rows + static_cast<size_t>(i) * width, width);
  }
  out += ']';
}

int encode(const EncodeOptions& options) {
  const lookupffn::Model model = options.load.load(options.model);
  const bool of_tokens = options.logits && model.info().token_head != LFFN_TOKEN_HEAD_NONE;
  const int32_t logits = of_tokens ? model.info().num_token_classes : model.info().vocab_size;
  const auto width = static_cast<size_t>(options.logits ? logits : model.info().hidden_size);
  const lookupffn::RunOptions run = options.text.run_options();
  lffn_model_run_args args = lookupffn::Model::arguments(run);
  const lookupffn::Output<float> output = of_tokens        ? lookupffn::out::token_scores
                                          : options.logits ? lookupffn::out::logits
                                                           : lookupffn::out::hidden;
  if (options.logits && !of_tokens) args.flags = LFFN_RUN_ALL_LOGITS;
  TextInput input(options.input, "encoding", options.text.json_lines());
  lookupffn::Result result;
  for (std::vector<TextRecord> records = input.next(); !records.empty(); records = input.next()) {
    const auto statuses = run_records(model, records, input, args,
                                      {lookupffn::out::token_ids, lookupffn::out::token_offsets, output}, result);
    const float* const rows = result.get(output).values.data();
    const int32_t* const ids = result.get(lookupffn::out::token_ids).values.data();
    const auto offsets = result.get(lookupffn::out::token_offsets);
    for (size_t i = 0; i < records.size(); ++i) {
      if (statuses[i] != LFFN_OK) continue;
      const int64_t begin = offsets[i], count = offsets[i + 1] - begin;
      std::string out = "{\"ids\":";
      append_json(out, ids + begin, static_cast<size_t>(count));
      out += options.logits ? ",\"logits\":" : ",\"hidden\":";
      append_rows(out, rows + static_cast<size_t>(begin) * width, count, width);
      out += "}\n";
      if (!write_out(out)) return 1;
    }
  }
  return input.exit_status();
}

}  // namespace

Command encode_command(CLI::App& parent) {
  auto options = std::make_shared<EncodeOptions>();
  CLI::App* app = parent.add_subcommand("encode", "Turn each token of each line of text into a vector");
  app->add_option("MODEL", options->model, "A model: a folder or a single file")->required();
  app->add_option("FILE", options->input, "Lines of UTF-8 text; default or -: standard input");
  app->add_flag("--logits", options->logits, "The logits of the language model, of token classes or of answers");
  options->text.add_uncut_to(*app);
  options->load.add_to(*app);
  app->footer(
      "Each line becomes one line of JSON, {\"ids\": [...], \"hidden\": [[...], ...]} or {\"ids\": ..., \"logits\":\n"
      "...}, with one list of numbers for each token, special ones included.\n"
      "\n"
      "Examples:\n"
      "  echo 'One line.' | lookupffn encode my-model\n"
      "  lookupffn encode --logits my-model lines.txt > logits.jsonl");
  return {app, [options] { return encode(*options); }};
}

}  // namespace lffn::tools
