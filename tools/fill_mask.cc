// SPDX-License-Identifier: Apache-2.0
// lookupffn fill-mask: what a model would put in place of <mask>.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "model_options.h"
#include "text_options.h"

namespace lffn::tools {
namespace {

struct FillMaskOptions {
  std::string model;
  std::vector<std::string> texts;
  int32_t top_k = 5;
  bool json = false;
  bool json_lines = false;
  ModelOptions load;
};

using Fillings = lookupffn::List<lookupffn::List<lookupffn::Filling>>;

std::string token_text(const lookupffn::Tokenizer& tokenizer, int32_t id) {
  try {
    return tokenizer.decode(lookupffn::Span<const int32_t>(&id, 1));
  } catch (const lookupffn::InvalidArgument&) {
    return "[" + std::to_string(id) + "]";  // the model has room for more ids than the tokenizer has tokens
  }
}

void append_table(std::string& out, const lookupffn::Tokenizer& tokenizer, const std::string& text,
                  const Fillings& masks) {
  out += text + '\n';
  for (size_t mask = 0; mask < masks.size(); ++mask) {
    if (masks.size() > 1) out += "  <mask> " + std::to_string(mask + 1) + '\n';
    for (const lookupffn::Filling& filling : masks[mask]) {
      char share[32];
      std::snprintf(share, sizeof share, "  %6.2f %%  ", 100 * static_cast<double>(filling.probability));
      out += share + ('\'' + token_text(tokenizer, filling.id)) + "'\n";
    }
  }
}

void append_object(std::string& out, const lookupffn::Tokenizer& tokenizer, const std::string& text,
                   const Fillings& masks) {
  out += "{\"text\":";
  append_json(out, text);
  out += ",\"masks\":[";
  const char* between_masks = "";
  for (const lookupffn::List<lookupffn::Filling>& mask : masks) {
    out += between_masks;
    between_masks = ",";
    const char* between = "[";
    for (const lookupffn::Filling& filling : mask) {
      out += between + ("{\"id\":" + std::to_string(filling.id)) + ",\"token\":";
      append_json(out, token_text(tokenizer, filling.id));
      out += ",\"probability\":";
      char number[32];
      std::snprintf(number, sizeof number, "%.9g", static_cast<double>(filling.probability));
      out += std::string(number) + '}';
      between = ",";
    }
    out += ']';
  }
  out += "]}\n";
}

std::string answer(const FillMaskOptions& options, const lookupffn::Model& model, const lookupffn::Tokenizer& tokenizer,
                   const std::string& text) {
  const Fillings masks = model.fill_mask(text, options.top_k);
  if (masks.empty()) {
    const int32_t mask = tokenizer.info().mask_id;
    throw lookupffn::InvalidArgument("the text has no " +
                                     (mask < 0 ? std::string("mask") : std::string(tokenizer.token(mask))));
  }
  std::string out;
  if (options.json || options.json_lines) {
    append_object(out, tokenizer, text, masks);
  } else {
    append_table(out, tokenizer, text, masks);
  }
  return out;
}

int fill_mask(const FillMaskOptions& options) {
  const lookupffn::Model model = options.load.load(options.model);
  const lookupffn::Tokenizer tokenizer = model.tokenizer();
  for (const std::string& text : options.texts) {
    if (!write_out(answer(options, model, tokenizer, text))) return 1;
  }
  if (!options.texts.empty()) return 0;
  TextInput input("-", "filling masks", options.json_lines);
  for (std::vector<TextRecord> records = input.next(); !records.empty(); records = input.next()) {
    for (size_t i = 0; i < records.size(); ++i) {
      const std::string out =
          for_line(input.lines(), i, [&] { return answer(options, model, tokenizer, records[i].text); });
      if (!write_out(out)) return 1;
    }
  }
  return 0;
}

}  // namespace

Command fill_mask_command(CLI::App& parent) {
  auto options = std::make_shared<FillMaskOptions>();
  CLI::App* app = parent.add_subcommand("fill-mask", "Show what a model would put in place of a mask");
  app->add_option("MODEL", options->model, "A model with a language model head: a folder or a single file")->required();
  app->add_option("TEXT", options->texts,
                  "Texts with <mask> or [MASK] in them, as the model writes it; default: the lines of standard input");
  app->add_option("--top-k", options->top_k, "How many candidates for each mask; default 5")
      ->check(whole(1))
      ->type_name("N");
  app->add_flag("--json", options->json, "Print a line of JSON for each text");
  app->add_flag("--json-lines", options->json_lines,
                "Each line of standard input is a JSON string, or an object {\"text\": ...}; prints JSON, too");
  options->load.add_to(*app);
  app->footer(
      "Shares are the model's softmax. A token that begins a word begins with a blank.\n"
      "\n"
      "Examples:\n"
      "  lookupffn fill-mask my-model 'Freedom is <mask> word.'\n"
      "  lookupffn fill-mask --json --top-k 20 my-model < lines.txt > fillings.jsonl");
  return {app, [options] { return fill_mask(*options); }};
}

}  // namespace lffn::tools
