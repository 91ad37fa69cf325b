// SPDX-License-Identifier: Apache-2.0
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
  lffn_tokenizer* tokenizer = nullptr;
  check(lffn_tokenizer_load(folder.c_str(), nullptr, &tokenizer));
  tokenizer_.reset(tokenizer);
  std::ifstream file(words);
  for (std::string word; std::getline(file, word);) words_.push_back(word);
  if (words_.empty()) throw std::runtime_error("no words in " + words);
}

std::vector<int32_t> TextPool::ids(const std::string& text) const {
  std::vector<int32_t> ids(text.size() + 2);
  int64_t offsets[2] = {};
  const char* const pointer = text.data();
  const size_t size = text.size();
  const lffn_output outputs[] = {{LFFN_OUT_TOKEN_IDS, 0, ids.data(), static_cast<int64_t>(ids.size())},
                                 {LFFN_OUT_TOKEN_OFFSETS, 0, offsets, 2}};
  lffn_tokenizer_encode_args args;
  lffn_tokenizer_encode_args_init(&args);
  args.n = 1;
  args.texts = &pointer;
  args.text_sizes = &size;
  args.outputs = outputs;
  args.n_outputs = 2;
  check(lffn_tokenizer_encode(tokenizer_.get(), &args));
  ids.resize(static_cast<size_t>(offsets[1]));
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
