#include "text_pool.h"

#include <fstream>
#include <stdexcept>

namespace compare {
namespace {

void check(lffn_status status) {
  if (status != LFFN_OK) throw std::runtime_error(std::string("liblookupffn: ") + lffn_last_error());
}

}  // namespace

TextPool::TextPool(const std::string& folder, const std::string& words) {
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = 1;
  lffn_model* model = nullptr;
  check(lffn_model_load(folder.c_str(), &options, &model));
  model_.reset(model);
  std::ifstream file(words);
  for (std::string word; std::getline(file, word);) words_.push_back(word);
  if (words_.empty()) throw std::runtime_error("no words in " + words);
}

std::vector<int32_t> TextPool::ids(const std::string& text) const {
  std::vector<int32_t> ids(text.size() + 2);
  size_t n = 0;
  check(lffn_model_tokenize(model_.get(), text.data(), text.size(), LFFN_TOKENIZE_SPECIAL, ids.data(), ids.size(), &n));
  ids.resize(n);
  return ids;
}

void TextPool::fill(int64_t texts, int64_t length) {
  texts_.clear();
  for (int64_t i = 0; i < texts; ++i) {
    std::string text;
    for (size_t found = 0; found < static_cast<size_t>(length);) {
      const std::string longer = text + (text.empty() ? "" : " ") + words_[next_++ % words_.size()];
      const size_t tokens = ids(longer).size();
      if (tokens > static_cast<size_t>(length)) continue;
      text = longer;
      found = tokens;
    }
    texts_.push_back(text);
  }
}

}  // namespace compare
