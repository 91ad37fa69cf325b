// lookupffn fill-mask: what a model would put in place of <mask>.
#include <cstdio>
#include <string>
#include <vector>

#include "command.h"
#include "model_options.h"

namespace lffn::tools {
namespace {

struct Options {
  std::string model;
  std::vector<std::string> texts;
  int32_t top_k = 5;
  bool json = false;
  ModelOptions load;
};

using Fillings = std::vector<std::vector<lookupffn::Filling>>;

std::string token_text(const lookupffn::Model& model, int32_t id) {
  try {
    return lookupffn::detokenize(model, lookupffn::Span<const int32_t>(&id, 1));
  } catch (const lookupffn::InvalidArgument&) {
    return "[" + std::to_string(id) + "]";  // the model has room for more ids than the tokenizer has tokens
  }
}

void append_table(std::string& out, const lookupffn::Model& model, const std::string& text, const Fillings& masks) {
  out += text + '\n';
  for (size_t mask = 0; mask < masks.size(); ++mask) {
    if (masks.size() > 1) out += "  <mask> " + std::to_string(mask + 1) + '\n';
    for (const lookupffn::Filling& filling : masks[mask]) {
      char share[32];
      std::snprintf(share, sizeof share, "  %6.2f %%  ", 100 * static_cast<double>(filling.probability));
      out += share + ('\'' + token_text(model, filling.id)) + "'\n";
    }
  }
}

void append_object(std::string& out, const lookupffn::Model& model, const std::string& text, const Fillings& masks) {
  out += "{\"text\":";
  append_json(out, text);
  out += ",\"masks\":[";
  const char* between_masks = "";
  for (const std::vector<lookupffn::Filling>& mask : masks) {
    out += between_masks;
    between_masks = ",";
    const char* between = "[";
    for (const lookupffn::Filling& filling : mask) {
      out += between + ("{\"id\":" + std::to_string(filling.id)) + ",\"token\":";
      append_json(out, token_text(model, filling.id));
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

std::string answer(const Options& options, const lookupffn::Model& model, const std::string& text) {
  const Fillings masks = lookupffn::fill_mask(model, text, options.top_k);
  if (masks.empty()) throw lookupffn::InvalidArgument("the text has no <mask>");
  std::string out;
  if (options.json) {
    append_object(out, model, text, masks);
  } else {
    append_table(out, model, text, masks);
  }
  return out;
}

int fill_mask(const Options& options) {
  const lookupffn::Model model = options.load.load(options.model);
  for (const std::string& text : options.texts) {
    if (!write_out(answer(options, model, text))) return 1;
  }
  if (!options.texts.empty()) return 0;
  Lines input("-", "filling masks");
  for (std::vector<std::string> lines = input.next(kLinesAtOnce); !lines.empty(); lines = input.next(kLinesAtOnce)) {
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string out = for_line(input, i, [&] { return answer(options, model, lines[i]); });
      if (!write_out(out)) return 1;
    }
  }
  return 0;
}

}  // namespace

Command fill_mask_command(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* app = parent.add_subcommand("fill-mask", "Tell what a model would put in place of <mask>");
  app->add_option("MODEL", options->model, "A model with a language model head: a folder or a single file")->required();
  app->add_option("TEXT", options->texts, "Texts with <mask> in them; default: the lines of standard input");
  app->add_option("--top-k", options->top_k, "How many candidates for each mask; default 5")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app->add_flag("--json", options->json, "Print a line of JSON for each text");
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
