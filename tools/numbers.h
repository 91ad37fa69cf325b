// SPDX-License-Identifier: Apache-2.0
// Checks of options that take a number. A message says what is expected.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace lffn::tools {

inline std::string not_a_number(const std::string& expected, const std::string& given) {
  return "expected " + expected + ", but it is '" + given + "'";
}

// A whole number, by default of an int32_t.
inline CLI::Validator whole(int64_t least, int64_t most = std::numeric_limits<int32_t>::max()) {
  const auto check = [least, most](const std::string& given) -> std::string {
    int64_t number = 0;
    const char* const end = given.data() + given.size();
    const auto [read, error] = std::from_chars(given.data(), end, number);
    if (error == std::errc() && read == end && number >= least && number <= most) return {};
    return not_a_number("a whole number from " + std::to_string(least) + " to " + std::to_string(most), given);
  };
  return {check, ""};
}

// Any number, but neither infinity nor NaN.
inline CLI::Validator real(double least, double most, const char* range) {
  const auto check = [least, most, range](const std::string& given) -> std::string {
    double number = 0;
    const bool is_read = CLI::detail::lexical_cast(given, number);
    if (is_read && std::isfinite(number) && number >= least && number <= most) return {};
    return not_a_number(std::string("a number ") + range, given);
  };
  return {check, ""};
}

}  // namespace lffn::tools
