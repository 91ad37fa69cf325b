// SPDX-License-Identifier: Apache-2.0
#include "model_options.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "layer_options.h"
#include "numbers.h"

namespace lffn::tools {
namespace {

int open_input(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw std::system_error(errno, std::generic_category(), path);
  return file;
}

int64_t bytes_of(int file) {
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  return static_cast<int64_t>(status.st_size);
}

}  // namespace

void ModelOptions::add_to(CLI::App& app) {
  add_stored_to(app);
  add_attention_dtype(app, options_);
  add_seven_bit_inputs(app, options_);
}

void ModelOptions::add_stored_to(CLI::App& app) {
  app.add_option("--threads", options_.num_threads, "Threads; 0 = what the environment leaves")
      ->check(whole(0))
      ->type_name("N");
  add_choice(app, "--table-dtype", options_.table_dtype, dtype_names(),
             "Hold the tables as f32, bf16 or int8; default: as stored");
  add_choice(app, "--hash-dtype", options_.hash_dtype, exact_or_int8_names(),
             "Hold the projections as f32 or int8; default: as stored");
  add_choice(app, "--linear-dtype", options_.linear_dtype, dtype_names(),
             "Hold the linear layers as f32, bf16 or int8; default: as stored");
  add_choice(app, "--embedding-dtype", options_.embedding_dtype, dtype_names(),
             "Hold the word embeddings as f32, bf16 or int8; default: as stored");
  add_choice(app, "--word-dtype", options_.word_row_dtype, word_dtype_names(),
             "Hold rows by word as f32, bf16, int8 or int4; default: as stored");
  app.add_option("--adapter", adapter_, "Add one of the model's adapters to its weights, such as retrieval.query")
      ->type_name("NAME");
}

lookupffn::Model ModelOptions::load(const std::string& path) const {
  lookupffn::Outcome<lookupffn::Model> loaded = try_load(path);
  lookupffn::check(loaded.status);
  return std::move(loaded.value);
}

lookupffn::Outcome<lookupffn::Model> ModelOptions::try_load(const std::string& path) const {
  const Progress progress("loading " + path);
  lookupffn::LoadOptions options = options_;
  if (!adapter_.empty()) options.adapter = adapter_.c_str();
  return lookupffn::Model::try_load(path, options);
}

lookupffn::LoadOptions ModelOptions::same_threads() const {
  lookupffn::LoadOptions options;
  options.num_threads = options_.num_threads;
  return options;
}

Lines::Lines(const std::string& path, const std::string& doing)
    : name_(path == "-" ? "standard input" : path), file_(open_input(path)), progress_(doing, bytes_of(file_)) {}

Lines::~Lines() {
  if (file_ != STDIN_FILENO) close(file_);
}

bool Lines::more_is_there_already() const {
  pollfd input = {file_, POLLIN, 0};
  return poll(&input, 1, 0) == 1;
}

bool Lines::read_more() {
  constexpr size_t kBlock = size_t{1} << 16;
  const size_t size = buffer_.size();
  buffer_.resize(size + kBlock);
  ssize_t got;
  do {
    got = read(file_, buffer_.data() + size, kBlock);
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw std::system_error(errno, std::generic_category(), name_);
  buffer_.resize(size + static_cast<size_t>(got));
  progress_.add(got);
  end_ = got == 0;
  return !end_;
}

std::vector<std::string> Lines::next(size_t most) {
  buffer_.erase(0, begin_);
  searched_ -= begin_;
  begin_ = 0;
  first_ += count_;
  std::vector<std::string> lines;
  while (lines.size() < most) {
    const size_t line_end = buffer_.find('\n', searched_);
    if (line_end == std::string::npos) {
      searched_ = buffer_.size();
      if (end_ || (!lines.empty() && !more_is_there_already())) break;
      read_more();
      continue;
    }
    const bool has_return = line_end > begin_ && buffer_[line_end - 1] == '\r';
    lines.push_back(buffer_.substr(begin_, line_end - begin_ - (has_return ? 1 : 0)));
    begin_ = searched_ = line_end + 1;
  }
  if (end_ && lines.size() < most && begin_ < buffer_.size()) {
    lines.push_back(buffer_.substr(begin_));
    begin_ = searched_ = buffer_.size();
  }
  count_ = lines.size();
  return lines;
}

std::string Lines::name_of(size_t place) const { return name_ + ", line " + std::to_string(first_ + place + 1); }

void append_json(std::string& out, std::string_view text) {
  // JSON is UTF-8. Bytes that are not UTF-8 come here only if the model reads them as U+FFFD, too.
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_json(std::string& out, float number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(number));
  out += std::isfinite(number) ? text : "null";
}

void append_json(std::string& out, const float* numbers, size_t count) {
  out += '[';
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    append_json(out, numbers[i]);
  }
  out += ']';
}

void append_json(std::string& out, const int32_t* numbers, size_t count) {
  out += '[';
  for (size_t i = 0; i < count; ++i) out += (i > 0 ? "," : "") + std::to_string(numbers[i]);
  out += ']';
}

bool write_out(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

}  // namespace lffn::tools
