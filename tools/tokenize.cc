// SPDX-License-Identifier: Apache-2.0
// lookupffn tokenize: the tokens of each line of text, or the text of tokens.
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "command.h"
#include "model_options.h"
#include "text_options.h"

namespace lffn::tools {
namespace {

struct TokenizeOptions {
  std::string model;
  std::string input = "-";
  bool plain = false;
  bool decode = false;
  TextOptions text;
};

// What is put before each text, and how many tokens it may have.
struct Reading {
  std::string prompt;
  int64_t max_tokens = LFFN_MAX_TOKENS_NEVER;
};

Reading reading_of(const TokenizeOptions& options) {
  Reading reading;
  if (options.text.max_tokens() > 0) reading.max_tokens = options.text.max_tokens();
  if (!options.text.needs_model()) return reading;
  const lookupffn::Model model = lookupffn::Model::load(options.model);
  const lookupffn::RunOptions run = options.text.run_options();
  if (run.max_tokens == LFFN_MAX_TOKENS_MODEL) reading.max_tokens = model.info().own_max_tokens;
  if (run.prompt_kind == LFFN_PROMPT_NAMED) reading.prompt = model.prompt(run.prompt);
  if (run.prompt_kind == LFFN_PROMPT_TEXT) reading.prompt = run.prompt;
  return reading;
}

void append_tokens(std::string& out, const TokenizeOptions& options, const Reading& reading,
                   const lookupffn::Tokenizer& tokenizer, const TextRecord& record) {
  lookupffn::TokenizeOptions how;
  how.special = !options.plain;
  how.max_tokens = reading.max_tokens;
  if (record.has_pair) how.pair = record.pair;
  const lookupffn::Encoding tokens = tokenizer.encode(reading.prompt + record.text, how);
  out += "{\"ids\":";
  append_json(out, tokens.ids.data(), tokens.ids.size());
  out += ",\"types\":";
  append_json(out, tokens.types.data(), tokens.types.size());
  out += ",\"tokens\":[";
  for (size_t i = 0; i < tokens.ids.size(); ++i) {
    if (i > 0) out += ',';
    append_json(out, tokenizer.token(tokens.ids[i]));
  }
  out += "],\"spans\":[";
  for (size_t i = 0; i < tokens.ids.size(); ++i) {
    out += (i > 0 ? ",[" : "[") + std::to_string(tokens.begins[i]) + ',' + std::to_string(tokens.ends[i]) + ']';
  }
  out += "]}\n";
}

void append_text(std::string& out, const lookupffn::Tokenizer& tokenizer, const std::string& line) {
  std::istringstream words(line);
  std::vector<int32_t> ids;
  for (std::string word; words >> word;) {
    char* end = nullptr;
    const long id = std::strtol(word.c_str(), &end, 10);
    if (*end != '\0' || id < 0 || id > INT32_MAX) throw lookupffn::InvalidArgument("'" + word + "' is not an id");
    ids.push_back(static_cast<int32_t>(id));
  }
  out += tokenizer.decode(ids) + '\n';
}

int decode(const TokenizeOptions& options, const lookupffn::Tokenizer& tokenizer) {
  Lines input(options.input, "detokenizing");
  for (std::vector<std::string> lines = input.next(kLinesAtOnce); !lines.empty(); lines = input.next(kLinesAtOnce)) {
    std::string out;
    for (size_t i = 0; i < lines.size(); ++i) {
      for_line(input, i, [&] { append_text(out, tokenizer, lines[i]); });
    }
    if (!write_out(out)) return 1;
  }
  return 0;
}

int tokenize(const TokenizeOptions& options) {
  const lookupffn::Tokenizer tokenizer = lookupffn::Tokenizer::load(options.model);
  if (options.decode) return decode(options, tokenizer);
  const Reading reading = reading_of(options);
  TextInput input(options.input, "tokenizing", options.text.json_lines());
  for (std::vector<TextRecord> records = input.next(); !records.empty(); records = input.next()) {
    std::string out;
    for (size_t i = 0; i < records.size(); ++i) {
      try {
        append_tokens(out, options, reading, tokenizer, records[i]);
      } catch (const lookupffn::BadText& error) {
        input.refuse(i, error.what());
      }
    }
    if (!write_out(out)) return 1;
  }
  return input.exit_status();
}

}  // namespace

Command tokenize_command(CLI::App& parent) {
  auto options = std::make_shared<TokenizeOptions>();
  CLI::App* app = parent.add_subcommand("tokenize", "Show the tokens of each line of text, or turn tokens into text");
  app->add_option("MODEL", options->model, "A model with a tokenizer, or a tokenizer.json")->required();
  app->add_option("FILE", options->input, "Lines of UTF-8 text; default or -: standard input");
  app->add_flag("--plain", options->plain, "Without special tokens around each line");
  app->add_flag("--decode", options->decode, "The reverse: lines of ids, separated by blanks, become text");
  options->text.add_uncut_to(*app);
  app->footer(
      "Each line becomes one line of JSON: \"ids\", \"types\" (1 for the second text of a pair where the model's\n"
      "template says so), \"tokens\" as the vocabulary writes them, and \"spans\", the bytes of the line that each\n"
      "token stands for. The weights are not read, unless --truncate or --prompt ask what the model says.\n"
      "\n"
      "Examples:\n"
      "  echo 'Freedom is <mask>.' | lookupffn tokenize my-model\n"
      "  lookupffn tokenize --plain my-model text.txt > tokens.jsonl\n"
      "  echo '0 75 119 2' | lookupffn tokenize --decode my-model");
  return {app, [options] { return tokenize(*options); }};
}

}  // namespace lffn::tools
