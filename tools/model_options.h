// SPDX-License-Identifier: Apache-2.0
// What the subcommands that work on a model share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lookupffn/lookupffn.hpp"
#include "progress.h"

namespace lffn::tools {

class ModelOptions {
 public:
  void add_to(CLI::App& app);
  // All but what no file holds, for a command that writes one.
  void add_stored_to(CLI::App& app);
  lookupffn::Model load(const std::string& path) const;
  lookupffn::Outcome<lookupffn::Model> try_load(const std::string& path) const;
  const lookupffn::LoadOptions& get() const { return options_; }
  // Element types as stored, but as many threads.
  lookupffn::LoadOptions same_threads() const;

 private:
  lookupffn::LoadOptions options_;
  std::string adapter_;
};

// The lines of a file or of standard input, handed out as they come: many at once when many are there, so that a
// command can sit in a pipe with a program that waits for each answer.
class Lines {
 public:
  // "-" is standard input.
  Lines(const std::string& path, const std::string& doing);
  ~Lines();
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  // The next lines, at most `most`, without their ends; none at the end of the input.
  std::vector<std::string> next(size_t most);
  // "FILE, line 17", for a line that next() gave last.
  std::string name_of(size_t place) const;

 private:
  bool read_more();
  bool more_is_there_already() const;

  std::string name_;
  int file_;
  std::string buffer_;
  size_t begin_ = 0;     // of the buffer, what was not handed out
  size_t searched_ = 0;  // of the buffer, where there is no line end before
  bool end_ = false;
  size_t first_ = 0;  // number of the first line that next() gave last
  size_t count_ = 0;  // how many there were
  Progress progress_;
};

// Calls f, which must not fail but for the line; then the message names the line.
template <typename F>
auto for_line(const Lines& lines, size_t place, F f) {
  try {
    return f();
  } catch (const lookupffn::Error& error) {
    throw lookupffn::Error(error.status(), lines.name_of(place) + ": " + error.what());
  }
}

// JSON, numbers with as many digits as it takes to read the same floats back.
void append_json(std::string& out, std::string_view text);
void append_json(std::string& out, float number);
void append_json(std::string& out, const float* numbers, size_t count);
void append_json(std::string& out, const int32_t* numbers, size_t count);

// Writes to standard output at once. False when that is impossible; main() tells why.
bool write_out(const std::string& text);

constexpr size_t kLinesAtOnce = 256;

}  // namespace lffn::tools
