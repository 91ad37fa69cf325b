// SPDX-License-Identifier: Apache-2.0
#include "model/text_batch.h"

#include <algorithm>

#include "format/utf8.h"
#include "runtime/error.h"
#include "tokenizer/unicode.h"

namespace lffn {
namespace {

// White space as Python's str.strip() knows it, by the bytes of its UTF-8.
constexpr std::string_view kSpaces[] = {"\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
                                        "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a",
                                        "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};

bool is_ascii_space(char c) { return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20); }

// How many bytes of white space the text begins with, or ends with: of one character; 0: none.
size_t space_at(std::string_view text, bool end) {
  if (text.empty()) return 0;
  if (is_ascii_space(end ? text.back() : text.front())) return 1;
  for (const std::string_view space : kSpaces) {
    if (text.size() < space.size()) continue;
    if (text.substr(end ? text.size() - space.size() : 0, space.size()) == space) return space.size();
  }
  return 0;
}

std::string_view strip(std::string_view text) {
  while (const size_t bytes = space_at(text, false)) text.remove_prefix(bytes);
  while (const size_t bytes = space_at(text, true)) text.remove_suffix(bytes);
  return text;
}

// Whether the capital sigma that ends at `end` and begins at `begin` ends a word, which has a letter with case before
// it.
bool ends_word(std::string_view text, size_t begin, size_t end) {
  UnicodeRecord before = {0, 0}, after = {0, 0};
  do {
    if (begin == 0) return false;
    begin = character_before(text, begin);
    size_t at = begin;
    before = unicode_record(next_character(text, at));
  } while (before.is_case_ignorable());
  do {
    if (end == text.size()) return before.is_cased();
    after = unicode_record(next_character(text, end));
  } while (after.is_case_ignorable());
  return before.is_cased() && !after.is_cased();
}

}  // namespace

void lower(std::string_view text, std::string& to) {
  constexpr uint32_t kCapitalSigma = 0x3a3, kFinalSigma = 0x3c2;
  to.clear();
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const uint32_t character = next_character(text, at);
    if (character == kCapitalSigma && ends_word(text, begin, at)) {
      append_utf8(to, kFinalSigma);
      continue;
    }
    const CodePoints lowered = lower_case(character);
    for (size_t i = 0; i < lowered.size; ++i) append_utf8(to, lowered.values[i]);
  }
}

void check_types(const Model& model, const std::vector<int32_t>& types) {
  for (const int32_t type : types) {
    if (gives_types(model) && type >= model.num_types()) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "the tokenizer gives a token of this text the type %d, the model has 0 to %d",
           type, model.num_types() - 1);
    }
  }
}

void TextBatch::start(const Model& model, const TextOptions& options) {
  if (model.tokenizer() == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no tokenizer");
  model_ = &model;
  check_utf8(options.prompt, "prompt");
  options_ = options;
  // Texts that nobody wants cut may be too long for the model, others never are.
  const int64_t can = model.config().max_tokens();
  most_ = options.max_tokens > 0                        ? std::min(options.max_tokens, can)
          : options.max_tokens == LFFN_MAX_TOKENS_MODEL ? model.own_max_tokens()
                                                        : INT64_MAX;
  clear();
  prompt_tokens_ = 0;
  if (options.prompt.empty() || model.sentence().include_prompt) return;
  // Pooling leaves out as many tokens as the prompt alone has, but for the one that ends a text.
  options_.prompt = {};
  add(options.prompt);
  options_.prompt = options.prompt;
  prompt_tokens_ = static_cast<int64_t>(ids_.size());
  if (!ids_.empty() && model.tokenizer()->is_special(ids_.back())) --prompt_tokens_;
  clear();
}

void TextBatch::clear() {
  ids_.clear();
  types_.clear();
  spans_.clear();
  texts_.clear();
  offsets_.assign(1, 0);
  uncut_.clear();
}

void TextBatch::add(std::string_view text) { append(text, nullptr); }

void TextBatch::add_pair(std::string_view text, std::string_view pair) { append(text, &pair); }

void TextBatch::add_nothing() {
  offsets_.push_back(offsets_.back());
  uncut_.push_back(0);
}

std::string_view TextBatch::prepare(std::string_view text, bool first) {
  const SentenceSettings& sentence = model_->sentence();
  if (first && !options_.prompt.empty()) text = prompted_.assign(options_.prompt).append(text);
  if (options_.plain || !sentence.is_sentence_encoder) return text;
  text = strip(text);
  if (!sentence.lower_case) return text;
  std::string& lowered = lowered_[first ? 0 : 1];
  lower(text, lowered);
  return lowered;
}

void TextBatch::append(std::string_view text, const std::string_view* pair) {
  const Tokenizer& tokenizer = *model_->tokenizer();
  // Before anything is put before them or taken away: the messages count the caller's bytes.
  check_utf8(text, "text");
  if (pair != nullptr) check_utf8(*pair, "pair");
  longest_ = std::max(longest_, text.size() + (pair != nullptr ? pair->size() : 0));
  Tokenizer::Options options;
  options.special = true;
  options.checked = true;
  options.spans = options_.spans;
  options.first_only = options_.first_only;
  options.cancel = options_.cancel;
  options.most = static_cast<size_t>(most_);
  std::string_view prepared_pair;
  if (pair != nullptr) prepared_pair = prepare(*pair, false);
  tokenizer.encode(prepare(text, true), pair != nullptr ? &prepared_pair : nullptr, options, scratch_, new_);
  const int64_t most = model_->config().max_tokens();
  if (static_cast<int64_t>(new_.ids.size()) > most) {
    fail(LFFN_ERROR_TOO_LONG, "the text has %zu tokens, the model can run at most %lld", new_.ids.size(),
         static_cast<long long>(most));
  }
  check_types(*model_, new_.types);
  ids_.insert(ids_.end(), new_.ids.begin(), new_.ids.end());
  types_.insert(types_.end(), new_.types.begin(), new_.types.end());
  spans_.insert(spans_.end(), new_.spans.begin(), new_.spans.end());
  texts_.insert(texts_.end(), new_.texts.begin(), new_.texts.end());
  offsets_.push_back(static_cast<int64_t>(ids_.size()));
  uncut_.push_back(static_cast<int64_t>(new_.num_tokens));
}

void TextBatch::fill(ModelCall& call) const {
  call.ids = ids_.data();
  call.types = gives_types(*model_) ? types_.data() : nullptr;
  call.offsets = offsets_.data();
  call.num_sequences = size();
  call.prompt_tokens = prompt_tokens_;
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
