// SPDX-License-Identifier: Apache-2.0
#include "model/text_batch.h"

#include <algorithm>
#include <initializer_list>

#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {

void TextBatch::start(const Model& model, const TextOptions& options) {
  if (model.tokenizer() == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no tokenizer");
  model_ = &model;
  if (options.repairs) {
    repair_utf8(options.prompt, prompt_, nullptr);
  } else {
    check_utf8(options.prompt, "prompt");
    prompt_ = options.prompt;
  }
  const SentenceSettings& sentence = model.sentence();
  const bool as_model = !options.plain && sentence.is_sentence_encoder;
  // Texts that nobody wants cut may be too long for the model, others never are.
  const int64_t can = model.config().max_tokens();
  rules_ = {};
  if (options.documents) rules_.names = &kDocuments;
  rules_.reading = {options.repairs, as_model, as_model && sentence.lower_case};
  rules_.encoding.special = true;
  rules_.encoding.cancel = options.cancel;
  rules_.longest = static_cast<size_t>(can);
  rules_.types = most_types(model);
  if (options.max_tokens >= 0) {
    rules_.encoding.most =
        static_cast<size_t>(options.max_tokens > 0 ? std::min(options.max_tokens, can) : model.own_max_tokens());
  }
  rows_.clear();
  prompt_tokens_ = 0;
  if (!prompt_.empty() && !sentence.include_prompt) {
    // Pooling leaves out as many tokens as the prompt alone has, but for the one that ends a text.
    add(prompt_);
    const std::vector<int32_t>& ids = rows_.ids();
    prompt_tokens_ = static_cast<int64_t>(ids.size());
    if (!ids.empty() && model.tokenizer()->is_special(ids.back())) --prompt_tokens_;
    rows_.clear();
  }
  rules_.prompt = prompt_;
  rules_.windows = options.windows;
  rules_.stride = options.stride;
  rules_.encoding.spans = options.spans;
  rules_.encoding.first_only = options.first_only;
  rules_.encoding.uncut = options.uncut;
}

void TextBatch::fill(ModelCall& call) const {
  call.ids = rows_.ids().data();
  call.types = gives_types(*model_) ? rows_.types().data() : nullptr;
  call.offsets = rows_.offsets().data();
  call.num_sequences = rows_.size();
  call.prompt_tokens = prompt_tokens_;
}

namespace {

bool is_same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

// Of the first name that there is; nullptr: none.
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
