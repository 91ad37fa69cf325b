// lookupffn tokenize: the tokens of each line of text, or the text of tokens.
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "command.h"
#include "model_options.h"

namespace lffn::tools {
namespace {

struct Options {
  std::string model;
  std::string input = "-";
  bool plain = false;
  bool spans = false;
  bool decode = false;
  ModelOptions load;
};

void append_tokens(std::string& out, const Options& options, const lookupffn::Model& model, const std::string& line) {
  const lookupffn::TokenSpans tokens =
      lookupffn::tokenize_spans(model, line, options.plain ? 0u : uint32_t{LFFN_TOKENIZE_SPECIAL});
  out += "{\"ids\":";
  append_json(out, tokens.ids.data(), tokens.ids.size());
  out += ",\"tokens\":[";
  for (size_t i = 0; i < tokens.ids.size(); ++i) {
    if (i > 0) out += ',';
    append_json(out, lookupffn::detokenize(model, lookupffn::Span<const int32_t>(&tokens.ids[i], 1)));
  }
  out += ']';
  if (options.spans) {
    out += ",\"spans\":[";
    for (size_t i = 0; i < tokens.ids.size(); ++i) {
      out += (i > 0 ? ",[" : "[") + std::to_string(tokens.begins[i]) + ',' + std::to_string(tokens.ends[i]) + ']';
    }
    out += ']';
  }
  out += "}\n";
}

void append_text(std::string& out, const lookupffn::Model& model, const std::string& line) {
  std::istringstream words(line);
  std::vector<int32_t> ids;
  for (std::string word; words >> word;) {
    char* end = nullptr;
    const long id = std::strtol(word.c_str(), &end, 10);
    if (*end != '\0' || id < 0 || id > INT32_MAX) throw lookupffn::InvalidArgument("'" + word + "' is no id");
    ids.push_back(static_cast<int32_t>(id));
  }
  out += lookupffn::detokenize(model, ids) + '\n';
}

int tokenize(const Options& options) {
  const lookupffn::Model model = options.load.load(options.model);
  Lines input(options.input, options.decode ? "detokenizing" : "tokenizing");
  for (std::vector<std::string> lines = input.next(kLinesAtOnce); !lines.empty(); lines = input.next(kLinesAtOnce)) {
    std::string out;
    for (size_t i = 0; i < lines.size(); ++i) {
      for_line(input, i, [&] {
        if (options.decode) {
          append_text(out, model, lines[i]);
        } else {
          append_tokens(out, options, model, lines[i]);
        }
      });
    }
    if (!write_out(out)) return 1;
  }
  return 0;
}

}  // namespace

Command tokenize_command(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* app = parent.add_subcommand("tokenize", "Tell the tokens of each line of text, or the text of tokens");
  app->add_option("MODEL", options->model, "A model with a tokenizer: a folder or a single file")->required();
  app->add_option("FILE", options->input, "Lines of UTF-8 text; default or -: standard input");
  app->add_flag("--plain", options->plain, "Without <s> before and </s> behind each line");
  app->add_flag("--spans", options->spans, "Tell which bytes of the line each token stands for, too");
  app->add_flag("--decode", options->decode, "The other way: lines of ids, separated by blanks, become text");
  options->load.add_to(*app);
  app->footer(
      "Each line becomes one line of JSON, {\"ids\": [...], \"tokens\": [...]}. A token that is part of a character\n"
      "shows as U+FFFD.\n"
      "\n"
      "Examples:\n"
      "  echo 'Freedom is <mask>.' | lookupffn tokenize my-model\n"
      "  lookupffn tokenize --plain --spans my-model text.txt > tokens.jsonl\n"
      "  echo '0 75 119 2' | lookupffn tokenize --decode my-model");
  return {app, [options] { return tokenize(*options); }};
}

}  // namespace lffn::tools
