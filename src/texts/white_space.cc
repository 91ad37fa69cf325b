// SPDX-License-Identifier: Apache-2.0
#include "texts/white_space.h"

namespace lffn {
namespace {

// White space beyond ASCII, as UTF-8.
constexpr std::string_view kSpaces[] = {"\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
                                        "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a",
                                        "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};

bool is_ascii_space(char c) { return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20); }

}  // namespace

size_t space_at(std::string_view text, bool end) {
  if (text.empty()) return 0;
  if (is_ascii_space(end ? text.back() : text.front())) return 1;
  for (const std::string_view space : kSpaces) {
    if (text.size() < space.size()) continue;
    if (text.substr(end ? text.size() - space.size() : 0, space.size()) == space) return space.size();
  }
  return 0;
}

std::string_view strip_start(std::string_view text) {
  while (const size_t bytes = space_at(text, false)) text.remove_prefix(bytes);
  return text;
}

std::string_view strip_end(std::string_view text) {
  while (const size_t bytes = space_at(text, true)) text.remove_suffix(bytes);
  return text;
}

}  // namespace lffn
