// SPDX-License-Identifier: Apache-2.0
#include "nearest.h"

#include <algorithm>

namespace lffn::tools {
namespace {

constexpr size_t kLongestName = 64;

}  // namespace

size_t edits_between(std::string_view a, std::string_view b) {
  // Rows of the table of distances, for prefixes of a: rows[2] is the current one, rows[1] the one before, rows[0] the
  // one before that.
  std::vector<std::vector<size_t>> rows(3, std::vector<size_t>(b.size() + 1));
  for (size_t j = 0; j <= b.size(); ++j) rows[2][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::rotate(rows.begin(), rows.begin() + 1, rows.end());
    rows[2][0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = rows[1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[2][j] = std::min({replaced, rows[1][j] + 1, rows[2][j - 1] + 1});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) rows[2][j] = std::min(rows[2][j], rows[0][j - 2] + 1);
    }
  }
  return rows[2][b.size()];
}

std::string nearest_name(const std::vector<std::string>& names, std::string_view given) {
  if (given.empty() || given.size() > kLongestName) return {};
  std::string nearest;
  size_t fewest = std::max<size_t>(2, given.size() / 3) + 1;
  for (const std::string& name : names) {
    const bool begins_alike = given.size() >= 3 && name.substr(0, given.size()) == given;
    const size_t edits = begins_alike ? 1 : edits_between(name, given);
    if (edits >= fewest || edits >= given.size()) continue;
    fewest = edits;
    nearest = name;
  }
  return nearest;
}

}  // namespace lffn::tools
