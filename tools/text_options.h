// SPDX-License-Identifier: Apache-2.0
// What the subcommands that read texts share: reading lines, options for cutting and prompts, and running the texts.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.hpp"
#include "model_options.h"

namespace lffn::tools {

// One input: a text, or a pair of texts.
struct TextRecord {
  std::string text;
  std::string pair;
  bool has_pair = false;
};

// What a line holds: itself, or what its JSON says. Throws InvalidArgument.
TextRecord record_of(const std::string& line, bool json_lines);

class TextOptions {
 public:
  // For a command that cuts texts to what the model means to read.
  void add_to(CLI::App& app);
  // Adds options that say whether the texts are queries or documents.
  void add_purposes_to(CLI::App& app);
  // For a command that shows all tokens unless asked to cut.
  void add_uncut_to(CLI::App& app);
  // Adds options for how the model reads texts, for a command that always cuts them to what the model means to read.
  void add_reading_to(CLI::App& app);
  bool json_lines() const { return json_lines_; }
  lookupffn::RunOptions run_options() const;
  // Whether reading the texts needs the model, and not its tokenizer alone.
  bool needs_model() const { return truncate_ || prompt_ || prompt_text_; }
  int64_t max_tokens() const { return max_tokens_; }
  // The chosen options that change how a line is read, in words; empty if none was chosen.
  std::string described() const;

 private:
  void add_format_to(CLI::App& app);
  void add_prompts_to(CLI::App& app);

  bool json_lines_ = false;
  bool truncate_ = false;
  bool uncut_ = false;
  bool no_prompt_ = false;
  bool queries_ = false;
  bool documents_ = false;
  int64_t max_tokens_ = 0;
  std::optional<std::string> prompt_;
  std::optional<std::string> prompt_text_;
};

// The records of a file or of standard input, handed out as they come.
class TextInput {
 public:
  // "-" is standard input.
  TextInput(const std::string& path, const std::string& doing, bool json_lines)
      : lines_(path, doing), json_lines_(json_lines) {}

  // The next records; none at the end of the input.
  std::vector<TextRecord> next();
  const Lines& lines() const { return lines_; }

  // Reports that one of the records of the last next() cannot be run. The others are still run.
  void refuse(size_t place, const std::string& why);
  // 1 if a line was refused.
  int exit_status() const { return refused_ ? 1 : 0; }

 private:
  Lines lines_;
  bool json_lines_;
  bool refused_ = false;
};

// Runs the records and keeps these outputs in the result. A record that cannot be run is reported with the name of its
// line: its status, among those that are returned, is an error, and its results are zeros.
lookupffn::Rows<int32_t> run_records(const lookupffn::Model& model, const std::vector<TextRecord>& records,
                                     TextInput& from, lffn_model_run_args args,
                                     const std::vector<lookupffn::AnyOutput>& outputs, lookupffn::Result& result);
// Likewise, but calls `refuse` with the place of a record that cannot be run, and the reason.
lookupffn::Rows<int32_t> run_records(const lookupffn::Model& model, const std::vector<TextRecord>& records,
                                     const std::function<void(size_t, const std::string&)>& refuse,
                                     lffn_model_run_args args, const std::vector<lookupffn::AnyOutput>& outputs,
                                     lookupffn::Result& result);

// "text":...,"pair":... without braces.
void append_record(std::string& out, const TextRecord& record);

// The order of scores: the best first, by index among equals.
inline std::vector<size_t> best_first(const std::vector<float>& scores) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // A NaN counts as worse than any number: it has no place in a sorting order.
  const auto value = [&](size_t i) {
    return scores[i] == scores[i] ? scores[i] : -std::numeric_limits<float>::infinity();
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return value(a) > value(b); });
  return order;
}

}  // namespace lffn::tools
