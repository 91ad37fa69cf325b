// SPDX-License-Identifier: Apache-2.0
#include "evaluate/vectors.h"

#include <algorithm>
#include <cmath>

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

}  // namespace lffn::tools
