// SPDX-License-Identifier: Apache-2.0
#include "evaluate/cases.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <unordered_map>

#include "lookupffn/lookupffn.hpp"
#include "model_options.h"
#include "progress.h"

namespace lffn::tools {
namespace {

constexpr size_t kTextsAtOnce = 256;

// The texts of a batch one by one, to find the one that a message is about.
void name_the_culprit(const lookupffn::Model& model, const TextPool& pool, size_t first, size_t end,
                      const lookupffn::RunOptions& options) {
  for (size_t i = first; i < end; ++i) {
    try {
      static_cast<void>(model.embed(lookupffn::Texts{pool.text(i)}, options));
    } catch (const lookupffn::InvalidArgument& error) {
      const std::string message = error.what(), place = "texts[0]: ";
      if (message.compare(0, place.size(), place) != 0) return;  // no fault of the text
      throw lookupffn::InvalidArgument(pool.place(i) + ": " + message.substr(place.size()));
    }
  }
}

void scale(float* vector, size_t width, const std::string& place) {
  double sum = 0;
  for (size_t k = 0; k < width; ++k) sum += static_cast<double>(vector[k]) * vector[k];
  if (!std::isfinite(sum)) throw lookupffn::BadModel(place + ": the text's vector is not finite");
  if (sum == 0) return;
  const double factor = 1 / std::sqrt(sum);
  for (size_t k = 0; k < width; ++k) vector[k] = static_cast<float>(vector[k] * factor);
}

}  // namespace

size_t TextPool::add(const std::string& text, const std::string& place) {
  const auto [found, is_new] = numbers_.emplace(text, texts_.size());
  if (is_new) {
    texts_.push_back(text);
    places_.push_back(place);
  }
  return found->second;
}

Vectors embed_pool(const lookupffn::Model& model, const TextPool& pool, const lookupffn::RunOptions& options,
                   const std::string& doing) {
  int64_t bytes = 0;
  for (size_t i = 0; i < pool.size(); ++i) bytes += static_cast<int64_t>(pool.text(i).size());
  Progress progress(doing, bytes);
  Vectors result;
  result.width = static_cast<size_t>(model.info().embedding_size);
  result.numbers.reserve(pool.size() * result.width);
  for (size_t first = 0; first < pool.size(); first += kTextsAtOnce) {
    const size_t end = std::min(first + kTextsAtOnce, pool.size());
    lookupffn::Texts texts;
    for (size_t i = first; i < end; ++i) texts.add(pool.text(i));
    try {
      const std::vector<float> vectors = model.embed(texts, options);
      result.numbers.insert(result.numbers.end(), vectors.begin(), vectors.end());
    } catch (const lookupffn::InvalidArgument&) {
      name_the_culprit(model, pool, first, end, options);
      throw;
    }
    for (size_t i = first; i < end; ++i) {
      scale(result.numbers.data() + i * result.width, result.width, pool.place(i));
      progress.add(static_cast<int64_t>(pool.text(i).size()));
    }
  }
  return result;
}

double cosine(const float* a, const float* b, size_t width) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t k = 0; k < width; ++k) {
    ab += static_cast<double>(a[k]) * b[k];
    aa += static_cast<double>(a[k]) * a[k];
    bb += static_cast<double>(b[k]) * b[k];
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

namespace {

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

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

// Calls f(columns, place) for each line that is not blank. `names` tells the columns, such as "score, text, text".
template <typename F>
void for_each_case(const std::string& file, bool header, const std::string& names, F f) {
  const size_t wanted = columns_of(names).size();
  std::string listed = names;
  for (size_t tab = listed.find('\t'); tab != std::string::npos; tab = listed.find('\t')) listed.replace(tab, 1, ", ");
  Lines input(file, "reading " + file);
  bool first = true, skip = header, any = false;
  for (std::vector<std::string> lines = input.next(kLinesAtOnce); !lines.empty(); lines = input.next(kLinesAtOnce)) {
    for (size_t i = 0; i < lines.size(); ++i) {
      std::string& line = lines[i];
      if (first && line.compare(0, 3, "\xef\xbb\xbf") == 0) line.erase(0, 3);  // a byte order mark
      first = false;
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      if (skip) {
        skip = false;
        continue;
      }
      for_line(input, i, [&] {
        const size_t bad = find_bad_utf8(line);
        if (bad != std::string::npos) {
          throw lookupffn::InvalidArgument("byte " + std::to_string(bad) + " of the line is not valid UTF-8");
        }
        const std::vector<std::string> columns = columns_of(line);
        if (columns.size() != wanted) {
          throw lookupffn::InvalidArgument("expected " + std::to_string(wanted) + " columns with tabs between them, " +
                                           listed + ", here " + (columns.size() == 1 ? "is " : "are ") +
                                           std::to_string(columns.size()));
        }
        f(columns, input.name_of(i));
      });
      any = true;
    }
  }
  if (!any) throw lookupffn::InvalidArgument(file + ": there is no case in it; each line is one of " + listed);
}

double parse_number(const std::string& column, const char* what) {
  const std::string text = trimmed(column);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) {
    throw lookupffn::InvalidArgument(std::string("the ") + what + " '" + text +
                                     "' is no finite number; if this line names the columns, give --header");
  }
  return value;
}

}  // namespace

Pairs read_pairs(const std::string& file, bool header, TextPool& texts) {
  Pairs result;
  result.file = file;
  for_each_case(file, header, "score\ttext\ttext",
                [&](const std::vector<std::string>& columns, const std::string& place) {
                  result.scores.push_back(parse_number(columns[0], "score"));
                  result.a.push_back(texts.add(columns[1], place));
                  result.b.push_back(texts.add(columns[2], place));
                });
  return result;
}

Labels read_labels(const std::string& train_file, const std::string& test_file, bool header, TextPool& texts) {
  Labels result;
  result.train_file = train_file;
  result.test_file = test_file;
  std::unordered_map<std::string, int32_t> numbers;
  const auto class_of = [](const std::string& column) {
    std::string name = trimmed(column);
    if (name.empty()) throw lookupffn::InvalidArgument("the label is empty");
    return name;
  };
  for_each_case(train_file, header, "label\ttext",
                [&](const std::vector<std::string>& columns, const std::string& place) {
                  const auto number = static_cast<int32_t>(numbers.size());
                  result.train_classes.push_back(numbers.emplace(class_of(columns[0]), number).first->second);
                  result.train.push_back(texts.add(columns[1], place));
                });
  result.classes = numbers.size();
  if (result.classes < 2) {
    throw lookupffn::InvalidArgument(train_file + ": all texts have the label '" + numbers.begin()->first +
                                     "'; at least two labels are needed");
  }
  for_each_case(test_file, header, "label\ttext",
                [&](const std::vector<std::string>& columns, const std::string& place) {
                  const auto found = numbers.find(class_of(columns[0]));
                  result.test_classes.push_back(found == numbers.end() ? -1 : found->second);
                  result.unknown += found == numbers.end() ? 1 : 0;
                  result.test.push_back(texts.add(columns[1], place));
                });
  return result;
}

Ranking read_ranking(const std::string& file, bool header, TextPool& queries, TextPool& texts) {
  std::vector<Query> found;
  std::unordered_map<size_t, size_t> places;  // of a query in `found`
  for_each_case(file, header, "query\tlabel\ttext",
                [&](const std::vector<std::string>& columns, const std::string& place) {
                  const bool right = parse_number(columns[1], "label") > 0;
                  const size_t query = queries.add(columns[0], place);
                  const auto [entry, is_new] = places.emplace(query, found.size());
                  if (is_new) found.push_back({query, {}, {}, 0});
                  Query& one = found[entry->second];
                  one.candidates.push_back(texts.add(columns[2], place));
                  one.right.push_back(right ? 1 : 0);
                  one.rights += right ? 1 : 0;
                });
  Ranking result;
  result.file = file;
  for (Query& one : found) {
    if (one.rights == 0) {
      ++result.without_right;
      continue;
    }
    result.candidates += one.candidates.size();
    result.queries.push_back(std::move(one));
  }
  if (result.queries.empty()) throw lookupffn::InvalidArgument(file + ": no query has a text whose label is above 0");
  return result;
}

}  // namespace lffn::tools
