// SPDX-License-Identifier: Apache-2.0
#include "evaluate/columns.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lookupffn/lookupffn.hpp"
#include "model_options.h"

namespace lffn::tools {
namespace {

// The place of the first byte that belongs to no character, or npos.
size_t find_bad_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto byte = [&](size_t k) { return i + k < text.size() ? static_cast<uint8_t>(text[i + k]) : uint8_t{0}; };
    const uint8_t first = byte(0);
    const size_t length = first < 0x80   ? 1
                          : first < 0xc2 ? 0
                          : first < 0xe0 ? 2
                          : first < 0xf0 ? 3
                          : first < 0xf5 ? 4
                                         : 0;
    if (length == 0) return i;
    for (size_t k = 1; k < length; ++k) {
      if ((byte(k) & 0xc0) != 0x80) return i;
    }
    const bool too_long = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
    const bool surrogate = first == 0xed && byte(1) > 0x9f;
    const bool too_large = first == 0xf4 && byte(1) > 0x8f;
    if (too_long || surrogate || too_large) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns;
  for (size_t begin = 0;;) {
    const size_t end = line.find('\t', begin);
    columns.push_back(line.substr(begin, end - begin));
    if (end == std::string::npos) return columns;
    begin = end + 1;
  }
}

// Returns false if it is not a finite number.
bool read_number(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size() && std::isfinite(value);
}

}  // namespace

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

void for_each_line(const std::string& file,
                   const std::function<void(const std::string& line, const std::string& place)>& f) {
  Lines input(file, "reading " + file);
  bool first = true;
  for (std::vector<std::string> lines = input.next(kLinesAtOnce); !lines.empty(); lines = input.next(kLinesAtOnce)) {
    for (size_t i = 0; i < lines.size(); ++i) {
      std::string& line = lines[i];
      if (first && line.compare(0, 3, "\xef\xbb\xbf") == 0) line.erase(0, 3);  // a byte order mark
      first = false;
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      for_line(input, i, [&] {
        const size_t bad = find_bad_utf8(line);
        if (bad != std::string::npos) {
          throw lookupffn::InvalidArgument("byte " + std::to_string(bad) + " of the line is not valid UTF-8");
        }
        f(line, input.name_of(i));
      });
    }
  }
}

void for_each_case(const std::string& file, bool header, const std::string& names,
                   const std::function<void(const std::vector<std::string>& columns, const std::string& place)>& f) {
  const size_t wanted = columns_of(names).size();
  std::string listed = names;
  for (size_t tab = listed.find('\t'); tab != std::string::npos; tab = listed.find('\t')) listed.replace(tab, 1, ", ");
  bool skip = header, any = false;
  for_each_line(file, [&](const std::string& line, const std::string& place) {
    if (skip) {
      skip = false;
      return;
    }
    const std::vector<std::string> columns = columns_of(line);
    if (columns.size() != wanted) {
      throw lookupffn::InvalidArgument("expected " + std::to_string(wanted) + " columns with tabs between them, " +
                                       listed + ", here " + (columns.size() == 1 ? "is " : "are ") +
                                       std::to_string(columns.size()));
    }
    f(columns, place);
    any = true;
  });
  if (!any) throw lookupffn::InvalidArgument(file + ": there is no case in it; each line is one of " + listed);
}

bool is_number(const std::string& column) {
  double value;
  return read_number(trimmed(column), value);
}

double parse_number(const std::string& column, const char* what, const char* hint) {
  const std::string text = trimmed(column);
  double value;
  if (!read_number(text, value)) {
    throw lookupffn::InvalidArgument(std::string("the ") + what + " '" + text + "' is not a finite number" + hint);
  }
  return value;
}

}  // namespace lffn::tools
