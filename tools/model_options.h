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
  // Adds only options that a file can hold, for a command that writes a file.
  void add_stored_to(CLI::App& app);
  lookupffn::Model load(const std::string& path) const;
  lookupffn::Outcome<lookupffn::Model> try_load(const std::string& path) const;
  const lookupffn::LoadOptions& get() const { return options_; }
  // Element types as stored, with the same number of threads.
  lookupffn::LoadOptions same_threads() const;

 private:
  lookupffn::LoadOptions options_;
  std::string adapter_;
};

// The lines of a file or of standard input, handed out as they come: many at once if many are there. So a command can
// be in a pipe with a program that waits for each answer.
class Lines {
 public:
  // "-" is standard input.
  Lines(const std::string& path, const std::string& doing);
  ~Lines();
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  // The next lines, at most `most`, without their ends; none at the end of the input.
  std::vector<std::string> next(size_t most);
  // "FILE, line 17", for a line of the last next().
  std::string name_of(size_t place) const;

 private:
  bool read_more();
  bool more_is_there_already() const;

  std::string name_;
  int file_;
  std::string buffer_;
  size_t begin_ = 0;     // in the buffer: the first byte that was not handed out
  size_t searched_ = 0;  // in the buffer: there is no line end before this byte
  bool end_ = false;
  size_t first_ = 0;  // number of the first line of the last next()
  size_t count_ = 0;  // how many lines the last next() gave
  Progress progress_;
};

// Calls f, which may fail only because of the line; then the message names the line.
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
