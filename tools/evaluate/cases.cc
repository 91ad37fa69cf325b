// SPDX-License-Identifier: Apache-2.0
#include "evaluate/cases.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "evaluate/columns.h"
#include "lookupffn/lookupffn.hpp"
#include "progress.h"

namespace lffn::tools {
namespace {

constexpr size_t kPooledAtOnce = 256;

// Runs the texts of a batch one by one, to find the one that a message is about.
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

}  // namespace

void scale_to_one(float* vector, size_t width, const std::string& place) {
  double sum = 0;
  for (size_t k = 0; k < width; ++k) sum += static_cast<double>(vector[k]) * vector[k];
  if (!std::isfinite(sum)) throw lookupffn::BadModel(place + ": the text's vector is not finite");
  if (sum == 0) return;
  const double factor = 1 / std::sqrt(sum);
  for (size_t k = 0; k < width; ++k) vector[k] = static_cast<float>(vector[k] * factor);
}

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
  for (size_t first = 0; first < pool.size(); first += kPooledAtOnce) {
    const size_t end = std::min(first + kPooledAtOnce, pool.size());
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
      scale_to_one(result.numbers.data() + i * result.width, result.width, pool.place(i));
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

Pairs read_pairs(const std::string& file, bool header, TextPool& texts) {
  Pairs result;
  result.file = file;
  for_each_case(file, header, "score\ttext\ttext",
                [&](const std::vector<std::string>& columns, const std::string& place) {
                  result.scores.push_back(parse_number(columns[0], "score", kGiveHeader));
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

Ranking read_ranking(const std::string& file, bool header, TextPool& queries, TextPool& documents) {
  std::vector<Query> found;
  std::unordered_map<size_t, size_t> places;  // where each query is in `found`
  for_each_case(file, header, "query\tlabel\ttext",
                [&](const std::vector<std::string>& columns, const std::string& place) {
                  const bool right = parse_number(columns[1], "label", kGiveHeader) > 0;
                  const size_t query = queries.add(columns[0], place);
                  const auto [entry, is_new] = places.emplace(query, found.size());
                  if (is_new) found.push_back({query, {}, {}, 0});
                  Query& one = found[entry->second];
                  one.candidates.push_back(documents.add(columns[2], place));
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
