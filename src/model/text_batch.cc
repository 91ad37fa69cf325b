// SPDX-License-Identifier: Apache-2.0
#include "model/text_batch.h"

#include <algorithm>
#include <initializer_list>

#include "format/characters.h"
#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {

void TextBatch::start(const Model& model, const TextOptions& options) {
  is_sparse_query_ = options.sparse_query;
  tokenizer_ = is_sparse_query_ ? &model.query_weights()->tokenizer() : model.tokenizer().get();
  if (tokenizer_ == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no tokenizer");
  model_ = &model;
  if (options.repairs) {
    repair_utf8(options.prompt, prompt_, nullptr);
  } else {
    check_utf8(options.prompt, "prompt");
    prompt_ = options.prompt;
  }
  const SentenceSettings& sentence = model.sentence();
  const StaticVectors* const statics = model.statics();
  const bool as_model = !options.plain && sentence.is_sentence_encoder && statics == nullptr && !is_sparse_query_;
  // Only texts that are not to be cut can be too long for the model.
  const int64_t can = is_sparse_query_ ? INT32_MAX : model.config().max_tokens();
  const auto own_of_query = static_cast<int64_t>(tokenizer_->max_length());
  const int64_t own = !is_sparse_query_ ? model.own_max_tokens() : own_of_query > 0 ? own_of_query : can;
  rules_ = {};
  rules_.names = options.names;
  rules_.reading = {options.repairs, as_model && sentence.strips, as_model && sentence.lower_case};
  rules_.encoding.special = statics == nullptr && !is_sparse_query_;
  rules_.encoding.cancel = options.cancel;
  rules_.longest = static_cast<size_t>(can);
  rules_.types = is_sparse_query_ ? INT32_MAX : most_types(model);
  rules_.words = is_sparse_query_ ? INT32_MAX : model.config().vocab_size;
  if (options.max_tokens >= 0) {
    rules_.encoding.most = static_cast<size_t>(options.max_tokens > 0 ? std::min(options.max_tokens, can) : own);
  }
  start_late(options);
  rows_.clear();
  uncut_.clear();
  counts_itself_ = false;
  most_characters_ = 0;
  prompt_tokens_ = 0;
  if (!model.chat_template().empty()) {
    if (options.windows || options.spans) {
      fail(LFFN_ERROR_INVALID_ARGUMENT,
           "this model's chat template makes one text of a query and a document, so there are no windows and no spans "
           "of the given texts");
    }
    rules_.encoding.special = false;
    rules_.encoding.uncut = options.uncut;
    pair_texts_.start(model, prompt_, options.repairs, options.cancel);
    return;
  }
  if (!prompt_.empty() && !sentence.include_prompt) {
    // Pooling leaves out as many tokens as the prompt alone has, not counting the special token at the end.
    add(prompt_);
    const std::vector<int32_t>& ids = rows_.ids();
    prompt_tokens_ = static_cast<int64_t>(ids.size());
    if (!ids.empty() && tokenizer_->is_special(ids.back())) --prompt_tokens_;
    rows_.clear();
  }
  rules_.prompt = prompt_;
  rules_.windows = options.windows;
  rules_.stride = options.stride;
  rules_.encoding.spans = options.spans;
  rules_.encoding.first_only = options.first_only;
  rules_.encoding.uncut = options.uncut;
  if (statics == nullptr || !statics->settings().is_model2vec) return;
  counts_itself_ = options.uncut;
  const auto most = static_cast<int64_t>(std::min<size_t>(rules_.encoding.most, INT32_MAX));
  if (most < INT32_MAX && !options.windows) most_characters_ = most * statics->characters_per_token();
}

// Sets what a late model puts into its texts, and where it cuts them.
void TextBatch::start_late(const TextOptions& options) {
  is_partly_attended_ = false;
  const LateSettings& late = model_->sentence().late;
  if (!late.is_late || options.role == LateRole::kNone) return;
  const int64_t can = model_->config().max_tokens(), own = model_->late_tokens(options.role);
  const int64_t most = options.max_tokens > 0 ? std::min(options.max_tokens, can) : own;
  if (options.max_tokens >= 0) rules_.encoding.most = static_cast<size_t>(most);
  rules_.inserted = options.role == LateRole::kQuery ? late.query_prefix : late.document_prefix;
  if (options.role != LateRole::kQuery || late.filler < 0) return;
  if (options.windows) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "this model fills queries up to %lld tokens, so they are not read in windows",
         static_cast<long long>(own));
  }
  rules_.filler = late.filler;
  rules_.filled = static_cast<size_t>(late.filled_tokens > 0 ? std::min(late.filled_tokens, most) : most);
  is_partly_attended_ = !late.attends_to_filler;
}

void TextBatch::add(std::string_view text) {
  if (!model_->chat_template().empty()) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "this model scores pairs of a query and a document; give both");
  }
  if (model_->statics() != nullptr && model_->statics()->settings().is_model2vec) return add_static(text);
  rows_.add(*tokenizer_, text, nullptr, rules_);
}

void TextBatch::add_pair(std::string_view text, std::string_view pair) {
  if (model_->statics() != nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "a model of static vectors takes no pairs");
  if (!model_->chat_template().empty()) return add_rendered(text, pair);
  rows_.add(*tokenizer_, text, &pair, rules_);
}

void TextBatch::add_rendered(std::string_view query, std::string_view document) {
  const TextNames& names = *rules_.names;
  const std::string text = pair_texts_.render(query, document, names.first, names.second);
  rows_.add(*tokenizer_, text, nullptr, rules_);
  const std::vector<int64_t>& offsets = rows_.offsets();
  const auto tokens = static_cast<size_t>(offsets.back() - offsets[offsets.size() - 2]);
  if (tokens >= rules_.encoding.most) rows_.overwrite_end(pair_texts_.ending(*tokenizer_));
}

void TextBatch::add_nothing() {
  rows_.add_nothing();
  if (counts_itself_) uncut_.push_back(0);
}

// Cuts the text to most_characters_, then to the wanted number of tokens; unknown tokens are removed last.
void TextBatch::add_static(std::string_view text) {
  const int32_t unknown = model_->statics()->unknown();
  std::string_view read = text;
  if (most_characters_ > 0) {
    const auto in_prompt = static_cast<int64_t>(count_characters(prompt_));
    read = first_characters(text, static_cast<size_t>(std::max<int64_t>(0, most_characters_ - in_prompt)));
  }
  rows_.add(*tokenizer_, read, nullptr, rules_);
  if (unknown >= 0) rows_.remove_from_last(unknown);
  if (!counts_itself_) return;
  TextRows::Rules whole = rules_;
  whole.windows = false;
  whole.encoding.most = SIZE_MAX;
  whole.encoding.spans = false;
  counted_.clear();
  counted_.add(*tokenizer_, text, nullptr, whole);
  if (unknown >= 0) counted_.remove_from_last(unknown);
  uncut_.push_back(counted_.offsets().back());
}

void TextBatch::start_as(const TextBatch& other) {
  model_ = other.model_;
  tokenizer_ = other.tokenizer_;
  is_sparse_query_ = other.is_sparse_query_;
  is_partly_attended_ = other.is_partly_attended_;
  rules_ = other.rules_;
  prompt_ = other.prompt_;
  rules_.prompt = other.rules_.prompt.empty() ? std::string_view() : prompt_;
  pair_texts_ = other.pair_texts_;
  prompt_tokens_ = other.prompt_tokens_;
  most_characters_ = other.most_characters_;
  counts_itself_ = other.counts_itself_;
  uncut_.clear();
  rows_.clear();
}

void TextBatch::add_texts(const TextBatch& other, int64_t first, int64_t last) {
  rows_.add_texts(other.rows_, first, last);
  if (counts_itself_) uncut_.insert(uncut_.end(), other.uncut_.begin() + first, other.uncut_.begin() + last);
}

void TextBatch::fill(ModelCall& call) const {
  call.ids = rows_.ids().data();
  call.types = gives_types(*model_) && !is_sparse_query_ ? rows_.types().data() : nullptr;
  call.offsets = rows_.offsets().data();
  call.num_sequences = rows_.size();
  call.attended = is_partly_attended_ ? rows_.unfilled().data() : nullptr;
  call.prompt_tokens = prompt_tokens_;
  call.is_sparse_query = is_sparse_query_;
}

namespace {

bool is_same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

// The prompt of the first of these names that the model has; nullptr: it has none of them.
const std::string* prompt_of_name(const Model& model, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (const SentenceSettings::Prompt& prompt : model.sentence().prompts) {
      if (is_same_name(prompt.first, name)) return &prompt.second;
    }
  }
  return nullptr;
}

}  // namespace

const std::string* query_prompt(const Model& model) {
  return prompt_of_name(model, {"query", "search_query", "retrieval_query", "retrieval.query", "question"});
}

const std::string* document_prompt(const Model& model) {
  return prompt_of_name(
      model, {"document", "search_document", "retrieval_document", "retrieval.passage", "passage", "corpus"});
}

std::string_view default_prompt(const Model& model) {
  const SentenceSettings& sentence = model.sentence();
  if (sentence.default_prompt < 0) return {};
  return sentence.prompts[static_cast<size_t>(sentence.default_prompt)].second;
}

std::string_view find_prompt(const Model& model, std::string_view name) {
  const SentenceSettings& sentence = model.sentence();
  const int32_t place = sentence.find_prompt(name);
  if (place >= 0) return sentence.prompts[static_cast<size_t>(place)].second;
  std::string known;
  for (const SentenceSettings::Prompt& prompt : sentence.prompts) {
    known += (known.empty() ? "" : ", ") + in_quotes(prompt.first);
  }
  fail(LFFN_ERROR_INVALID_ARGUMENT, "the model has no prompt %s; it has %s", in_quotes(name).c_str(),
       known.empty() ? "none" : known.c_str());
}

}  // namespace lffn
