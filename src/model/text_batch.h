// SPDX-License-Identifier: Apache-2.0
// Texts as sequences of token ids, as a model wants them: prompt, white space, cutting, token types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace lffn {

struct TextOptions {
  bool plain = false;               // else stripped of white space and lower-cased as a sentence encoder wants it
  std::string_view prompt;          // put before each text
  int64_t max_tokens = 0;           // LFFN_MAX_TOKENS_ or a number, special tokens counted
  bool first_only = false;          // of a pair only the first one is cut
  bool spans = false;               // with where the tokens are in the text
  const int32_t* cancel = nullptr;  // seen while tokenizing
};

class TextBatch {
 public:
  // Begins anew and keeps the memory. Throws Error(LFFN_ERROR_INVALID_ARGUMENT) for a model without a tokenizer, where
  // max_tokens leaves no room for the special tokens, and for a prompt that is not UTF-8.
  void start(const Model& model, const TextOptions& options);

  // Appends a sequence. Throws Error(LFFN_ERROR_BAD_TEXT) for text that is not UTF-8, LFFN_ERROR_TOO_LONG for one with
  // too many tokens, LFFN_ERROR_INVALID_ARGUMENT where the model cannot run it; the batch is then as it was.
  void add(std::string_view text);
  void add_pair(std::string_view text, std::string_view pair);
  void add_nothing();  // an empty sequence

  int64_t size() const { return static_cast<int64_t>(offsets_.size()) - 1; }
  const std::vector<int32_t>& ids() const { return ids_; }
  const std::vector<int64_t>& offsets() const { return offsets_; }  // [size() + 1]
  const std::vector<int64_t>& uncut() const { return uncut_; }      // [size()] tokens that each would have uncut
  // As those of an Encoding, of each token, if wanted.
  const std::vector<TextSpan>& spans() const { return spans_; }
  const std::vector<int8_t>& texts() const { return texts_; }
  // The bytes of the longest text so far, by which the memory that it keeps has grown.
  size_t longest() const { return longest_; }
  // Fills in the sequences. The batch must outlive the call.
  void fill(ModelCall& call) const;

 private:
  void append(std::string_view text, const std::string_view* pair);
  void clear();
  std::string_view prepare(std::string_view text, bool first);

  const Model* model_ = nullptr;
  TextOptions options_;
  std::string prompted_, lowered_[2];  // a text with its prompt; it and its pair lower-cased
  int64_t prompt_tokens_ = 0;
  int64_t most_ = 0;  // tokens of a text
  size_t longest_ = 0;
  Tokenizer::Scratch scratch_;
  Encoding new_;
  std::vector<int32_t> ids_, types_;
  std::vector<int64_t> offsets_ = {0}, uncut_;
  std::vector<TextSpan> spans_;
  std::vector<int8_t> texts_;
};

// Whether what the tokenizer calls a token's type goes to the model.
inline bool gives_types(const Model& model) { return model.family().texts_have_types && model.num_types() > 0; }
// What the tokenizer's files say of types need not fit the model: throws Error(LFFN_ERROR_INVALID_ARGUMENT) then.
void check_types(const Model& model, const std::vector<int32_t>& types);
// As Python's str.lower() does it. The text must be UTF-8.
void lower(std::string_view text, std::string& to);

// The text of one of the model's prompts. Throws Error(LFFN_ERROR_INVALID_ARGUMENT) that lists the names there are.
std::string_view find_prompt(const Model& model, std::string_view name);
// The default one, or "".
std::string_view default_prompt(const Model& model);

}  // namespace lffn
