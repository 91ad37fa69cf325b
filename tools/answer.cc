// SPDX-License-Identifier: Apache-2.0
// lookupffn answer: the parts of a context that answer a question.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "model_options.h"

namespace lffn::tools {
namespace {

struct AnswerOptions {
  std::string model;
  std::string input = "-";
  bool json_lines = false;
  lookupffn::AnswerOptions how;
  ModelOptions load;
};

struct Question {
  std::string question, context;
};

Question parse_question(const std::string& line) {
  const nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
  const auto has = [&](const char* name) { return value.contains(name) && value[name].is_string(); };
  if (!value.is_object() || !has("question") || !has("context")) {
    throw lookupffn::InvalidArgument("expected an object like {\"question\": \"...\", \"context\": \"...\"}");
  }
  return {value["question"].get<std::string>(), value["context"].get<std::string>()};
}

int answer(const AnswerOptions& options) {
  const lookupffn::Model model = options.load.load(options.model);
  if (model.info().token_head != LFFN_TOKEN_HEAD_ANSWERS) {
    throw lookupffn::InvalidArgument(options.model + ": this model has no head for answers");
  }
  Lines lines(options.input, "answering");
  for (std::vector<std::string> some = lines.next(kLinesAtOnce); !some.empty(); some = lines.next(kLinesAtOnce)) {
    std::string out;
    for (size_t i = 0; i < some.size(); ++i) {
      const Question question = for_line(lines, i, [&] { return parse_question(some[i]); });
      const std::vector<lookupffn::Answer> answers =
          for_line(lines, i, [&] { return model.answer(question.question, question.context, options.how); });
      out += "{\"answers\":[";
      for (const lookupffn::Answer& one : answers) {
        if (&one != answers.data()) out += ',';
        out += "{\"text\":";
        append_json(out, question.context.substr(one.begin, one.end - one.begin));
        out += ",\"score\":";
        append_json(out, one.score);
        out += ",\"begin\":" + std::to_string(one.begin) + ",\"end\":" + std::to_string(one.end) + '}';
      }
      out += "]}\n";
    }
    if (!write_out(out)) return 1;
  }
  return 0;
}

}  // namespace

Command answer_command(CLI::App& parent) {
  auto options = std::make_shared<AnswerOptions>();
  CLI::App* app = parent.add_subcommand("answer", "Find the answers to questions in texts");
  app->add_option("MODEL", options->model, "A model that answers questions: a folder or a single file")->required();
  app->add_option("FILE", options->input, "Lines of JSON; default or -: standard input");
  app->add_flag("--json-lines", options->json_lines,
                "Each line of the input is an object {\"question\": ..., \"context\": ...}; this is the default");
  app->add_option("--top-k", options->how.top_k, "How many answers; default 1")->check(whole(1))->type_name("K");
  app->add_option("--max-tokens", options->how.max_tokens,
                  "Tokens of a window; a long context is read in several. Default: what the model reads, at most 384")
      ->check(whole(1))
      ->type_name("N");
  app->add_option("--stride", options->how.stride,
                  "Tokens of the context that a window repeats; default half of a window, at most 128")
      ->check(whole(0))
      ->type_name("N");
  app->add_option("--max-answer-tokens", options->how.max_answer_tokens, "The most tokens of an answer; default 15")
      ->check(whole(1))
      ->type_name("N");
  app->add_flag("--may-be-none", options->how.may_be_none,
                "Allow \"no answer\" as an answer: an empty text, begin 0 and end 0");
  options->load.add_to(*app);
  app->footer(
      "Each line, {\"question\": ..., \"context\": ...}, becomes one line of JSON, {\"answers\": [{\"text\": ...,\n"
      "\"score\": ..., \"begin\": 0, \"end\": 5}, ...]}, the best first. begin and end count bytes of the context.\n"
      "\n"
      "Examples:\n"
      "  lookupffn answer my-model questions.jsonl > answers.jsonl\n"
      "  echo '{\"question\": \"Where is she?\", \"context\": \"Ada lives in London.\"}' | lookupffn answer my-model");
  return {app, [options] { return answer(*options); }};
}

}  // namespace lffn::tools
