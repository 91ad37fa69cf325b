// SPDX-License-Identifier: Apache-2.0
#include "text_options.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "numbers.h"

namespace lffn::tools {
namespace {

TextRecord parse_record(const std::string& line) {
  const nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
  TextRecord record;
  if (value.is_string()) {
    record.text = value.get<std::string>();
    return record;
  }
  if (!value.is_object() || !value.contains("text") || !value["text"].is_string()) {
    throw lookupffn::InvalidArgument(
        "expected a JSON string, or an object like {\"text\": \"...\", \"pair\": \"...\"}");
  }
  record.text = value["text"].get<std::string>();
  if (value.contains("pair") && !value["pair"].is_null()) {
    if (!value["pair"].is_string()) throw lookupffn::InvalidArgument("\"pair\" must be a string");
    record.pair = value["pair"].get<std::string>();
    record.has_pair = true;
  }
  return record;
}

void add_to(lookupffn::Texts& texts, const TextRecord& record) {
  if (record.has_pair) {
    texts.add(record.text, record.pair);
  } else {
    texts.add(record.text);
  }
}

}  // namespace

TextRecord record_of(const std::string& line, bool json_lines) {
  return json_lines ? parse_record(line) : TextRecord{line, "", false};
}

std::string TextOptions::described() const {
  std::string all;
  if (json_lines_) all += "json-lines\n";
  if (max_tokens_ > 0) all += "max-tokens " + std::to_string(max_tokens_) + "\n";
  if (uncut_) all += "no-truncate\n";
  if (no_prompt_) all += "no-prompt\n";
  if (prompt_) all += "prompt " + *prompt_ + "\n";
  if (prompt_text_) all += "prompt-text " + *prompt_text_ + "\n";
  return all;
}

void TextOptions::add_prompts_to(CLI::App& app) {
  CLI::Option* const prompt =
      app.add_option("--prompt", prompt_, "Put the model's prompt of this name before each text")->type_name("NAME");
  CLI::Option* const text = app.add_option("--prompt-text", prompt_text_, "Put this text before each text")
                                ->type_name("TEXT")
                                ->excludes(prompt);
  app.add_flag("--no-prompt", no_prompt_, "Put none of the model's prompts before texts")
      ->excludes(prompt)
      ->excludes(text);
}

void TextOptions::add_purposes_to(CLI::App& app) {
  CLI::Option* const query = app.add_flag("--query", queries_, "The texts are queries: the model's prompt for these");
  CLI::Option* const document =
      app.add_flag("--document", documents_, "The texts are documents: the model's prompt for these")->excludes(query);
  for (const char* other : {"--prompt", "--prompt-text", "--no-prompt"}) {
    query->excludes(other);
    document->excludes(other);
  }
}

void TextOptions::add_reading_to(CLI::App& app) {
  truncate_ = true;
  app.add_option("--max-tokens", max_tokens_, "Cut texts to so many tokens instead, special ones counted")
      ->check(whole(1))
      ->type_name("N");
  add_prompts_to(app);
}

void TextOptions::add_format_to(CLI::App& app) {
  app.add_flag("--json-lines", json_lines_,
               "Each line of the input is a JSON string, or an object {\"text\": ..., \"pair\": ...}");
  app.add_option("--max-tokens", max_tokens_, "Cut texts to so many tokens, special ones counted")
      ->check(whole(1))
      ->type_name("N");
}

void TextOptions::add_to(CLI::App& app) {
  add_format_to(app);
  app.add_flag("--truncate", truncate_, "Cut texts to what the model means to read; the default");
  app.add_flag("--no-truncate", uncut_, "Refuse texts of more tokens than the model can run")->excludes("--truncate");
  add_prompts_to(app);
}

void TextOptions::add_uncut_to(CLI::App& app) {
  add_format_to(app);
  uncut_ = true;
  app.add_flag("--truncate", truncate_, "Cut texts to what the model means to read");
  add_prompts_to(app);
}

lookupffn::RunOptions TextOptions::run_options() const {
  lookupffn::RunOptions options;
  if (max_tokens_ > 0) {
    options.max_tokens = max_tokens_;
  } else if (uncut_ && !truncate_) {
    options.max_tokens = LFFN_MAX_TOKENS_NEVER;
  }
  if (queries_) options.prompt_kind = LFFN_PROMPT_QUERY;
  if (documents_) options.prompt_kind = LFFN_PROMPT_DOCUMENT;
  if (no_prompt_) options.prompt_kind = LFFN_PROMPT_NONE;
  if (prompt_) {
    options.prompt_kind = LFFN_PROMPT_NAMED;
    options.prompt = *prompt_;
  } else if (prompt_text_) {
    options.prompt_kind = LFFN_PROMPT_TEXT;
    options.prompt = *prompt_text_;
  }
  return options;
}

std::vector<TextRecord> TextInput::next() {
  std::vector<TextRecord> records;
  const std::vector<std::string> lines = lines_.next(kLinesAtOnce);
  for (size_t i = 0; i < lines.size(); ++i) {
    records.push_back(for_line(lines_, i, [&] { return record_of(lines[i], json_lines_); }));
  }
  return records;
}

void TextInput::refuse(size_t place, const std::string& why) {
  std::fflush(stdout);
  std::fprintf(stderr, "lookupffn: %s: %s\n", lines_.name_of(place).c_str(), why.c_str());
  refused_ = true;
}

lookupffn::Rows<int32_t> run_records(const lookupffn::Model& model, const std::vector<TextRecord>& records,
                                     TextInput& from, lffn_model_run_args args,
                                     const std::vector<lookupffn::AnyOutput>& outputs, lookupffn::Result& result) {
  const auto refuse = [&](size_t place, const std::string& why) { from.refuse(place, why); };
  return run_records(model, records, refuse, args, outputs, result);
}

lookupffn::Rows<int32_t> run_records(const lookupffn::Model& model, const std::vector<TextRecord>& records,
                                     const std::function<void(size_t, const std::string&)>& refuse,
                                     lffn_model_run_args args, const std::vector<lookupffn::AnyOutput>& outputs,
                                     lookupffn::Result& result) {
  namespace out = lookupffn::out;
  lookupffn::Texts texts;
  for (const TextRecord& record : records) add_to(texts, record);
  texts.give(args);
  std::vector<lffn_output> list;
  for (const lookupffn::AnyOutput output : {lookupffn::AnyOutput(out::statuses), lookupffn::AnyOutput(out::messages),
                                            lookupffn::AnyOutput(out::message_offsets)}) {
    list.push_back({output.what, 0, nullptr, 0});
  }
  for (const lookupffn::AnyOutput output : outputs) list.push_back({output.what, 0, nullptr, 0});
  args.outputs = list.data();
  args.n_outputs = static_cast<int64_t>(list.size());
  args.result = result.get();
  model.run(args);
  const lookupffn::Rows<int32_t> statuses = result.get(out::statuses);
  const char* const messages = result.get(out::messages).values.data();
  const lookupffn::Rows<int64_t> offsets = result.get(out::message_offsets);
  for (size_t i = 0; i < records.size(); ++i) {
    if (statuses[i] != LFFN_OK) refuse(i, messages + offsets[i]);
  }
  return statuses;
}

void append_record(std::string& out, const TextRecord& record) {
  out += "\"text\":";
  append_json(out, record.text);
  if (!record.has_pair) return;
  out += ",\"pair\":";
  append_json(out, record.pair);
}

}  // namespace lffn::tools
