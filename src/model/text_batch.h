// SPDX-License-Identifier: Apache-2.0
// Texts as sequences of token ids, as a model wants them: prompt, white space, cutting, token types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "model/pair_texts.h"
#include "texts/text_rows.h"

namespace lffn {

struct TextOptions {
  bool plain = false;       // else stripped of white space and lower-cased as a sentence encoder wants it
  std::string_view prompt;  // put before each text
  int64_t max_tokens = 0;   // LFFN_MAX_TOKENS_ or a number, special tokens counted
  bool first_only = false;  // only the first text of a pair is cut
  bool spans = false;       // also find where the tokens are in the text
  bool uncut = true;  // also count the tokens that a text would have uncut; else long texts are not read to their ends
  bool repairs = false;              // bytes that are not UTF-8 are read as U+FFFD
  const TextNames* names = &kTexts;  // in messages
  bool sparse_query = false;         // read by the tokenizer of the model's query_weights()
  LateRole role = LateRole::kNone;   // of texts for a late model
  bool windows = false;              // longer texts are read in windows of max_tokens instead of cut
  int64_t stride = 0;                // tokens that a window shares with the one before; below 0: see stride_of
  const int32_t* cancel = nullptr;   // polled while tokenizing
};

class TextBatch {
 public:
  // Begins anew and keeps the memory. Throws Error(LFFN_ERROR_INVALID_ARGUMENT) for a model without a tokenizer or a
  // max_tokens that leaves no room for the special tokens, and LFFN_ERROR_BAD_TEXT for a prompt that is not UTF-8.
  void start(const Model& model, const TextOptions& options);

  // Appends a text. Throws Error(LFFN_ERROR_BAD_TEXT) for text that is not UTF-8, LFFN_ERROR_TOO_LONG for one with
  // too many tokens, LFFN_ERROR_INVALID_ARGUMENT where the model cannot run it; the batch is then as it was.
  void add(std::string_view text);
  void add_pair(std::string_view text, std::string_view pair);
  void add_nothing();  // an empty sequence

  // Begins with the settings of another batch, for another thread's part of the same texts.
  void start_as(const TextBatch& other);
  // Appends some texts of a batch that began with start_as().
  void add_texts(const TextBatch& other, int64_t first, int64_t last);

  const TextRows& rows() const { return rows_; }
  // Tokens that each text would have uncut, where they are wanted.
  const std::vector<int64_t>& uncut() const { return counts_itself_ ? uncut_ : rows_.uncut(); }
  int64_t num_texts() const { return static_cast<int64_t>(rows_.text_offsets().size()) - 1; }
  // Fills in the sequences. The batch must outlive the call.
  void fill(ModelCall& call) const;

 private:
  // Adds a text as Model2Vec reads it.
  void add_static(std::string_view text);
  void start_late(const TextOptions& options);
  // Adds a query and a document as the reranker's chat template renders them.
  void add_rendered(std::string_view query, std::string_view document);

  const Model* model_ = nullptr;
  const Tokenizer* tokenizer_ = nullptr;
  bool is_sparse_query_ = false;
  bool is_partly_attended_ = false;  // a query's padding is not attended to
  TextRows::Rules rules_;
  std::string prompt_;
  int64_t prompt_tokens_ = 0;
  TextRows rows_;
  PairTexts pair_texts_;  // used if the model has a chat template
  // For Model2Vec's texts: how many characters are read, 0 for all, and whether whole texts are counted separately.
  int64_t most_characters_ = 0;
  bool counts_itself_ = false;
  std::vector<int64_t> uncut_;
  TextRows counted_;
};

// Whether the token types that the tokenizer gives go to the model.
inline bool gives_types(const Model& model) { return model.family().texts_have_types && model.num_types() > 0; }
// The bound that token types must stay below: the tokenizer's files may have types that the model lacks.
inline int32_t most_types(const Model& model) { return gives_types(model) ? model.num_types() : INT32_MAX; }

// The text of one of the model's prompts. Throws Error(LFFN_ERROR_INVALID_ARGUMENT) that lists the names there are.
std::string_view find_prompt(const Model& model, std::string_view name);
// The default one, or "".
std::string_view default_prompt(const Model& model);
// The prompt for queries or for documents, found by its name; nullptr: the model has none.
const std::string* query_prompt(const Model& model);
const std::string* document_prompt(const Model& model);

}  // namespace lffn
