// SPDX-License-Identifier: Apache-2.0
// Something that comes from outside, of any size, and what the library does with it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace growth {

using Files = std::vector<std::pair<std::string, std::string>>;

// What is measured: bytes from outside, and what is done with them. It says how that ended: "" or the first words of
// the message.
struct Work {
  size_t bytes = 0;
  std::function<std::string()> run;
};

struct Case {
  const char* kind;  // a row of SECURITY.md's table
  const char* name;
  std::function<Work(size_t n)> make;  // of n parts
  size_t least;                        // parts of the smallest one that is measured
  const char* outcome = "";            // the start of the message
};

std::vector<Case> weight_cases();
std::vector<Case> settings_cases();
std::vector<Case> template_cases();
std::vector<Case> tokenizer_cases();
std::vector<Case> text_cases();
std::vector<Case> sql_cases();

inline std::string repeated(const std::string& what, size_t times) {
  std::string result;
  result.reserve(what.size() * times);
  for (size_t i = 0; i < times; ++i) result += what;
  return result;
}

// part(i) for each, with `between` between.
template <typename Part>
std::string listed(size_t count, const char* between, Part&& part) {
  std::string result;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) result += between;
    result += part(i);
  }
  return result;
}

// Loads them as a tokenizer, or as a model.
Work tokenizer_of(Files files);
Work model_of(Files files);

}  // namespace growth
