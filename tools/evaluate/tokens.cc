// SPDX-License-Identifier: Apache-2.0
#include "evaluate/tokens.h"

#include <algorithm>
#include <numeric>

#include "api/handles.h"
#include "progress.h"

namespace lffn::tools {
namespace {

constexpr size_t kTextsAtOnce = 1024;
constexpr size_t kTokensAtOnce = size_t{1} << 14;
constexpr size_t kBytesAtOnce = size_t{1} << 16;

// Two models for which this is the same read each text as the same tokens.
std::string reading_of(const lookupffn::Model& model, const lookupffn::RunOptions& options) {
  const Model& inner = *model.get()->model;
  const SentenceSettings& sentence = inner.sentence();
  std::string reading;
  const auto add = [&](const std::string& part) { reading += std::to_string(part.size()) + ':' + part; };
  const auto add_number = [&](int64_t number) { add(std::to_string(number)); };
  add(options.prompt);
  for (const int64_t number :
       {options.max_tokens, int64_t{options.reading}, int64_t{options.prompt_kind}, inner.own_max_tokens(),
        int64_t{model.info().max_tokens}, int64_t{model.info().num_token_types},
        int64_t{inner.family().texts_have_types}, int64_t{sentence.is_sentence_encoder}, int64_t{sentence.lower_case},
        int64_t{sentence.default_prompt}}) {
    add_number(number);
  }
  for (const auto& [name, text] : sentence.prompts) {
    add(name);
    add(text);
  }
  add(inner.tokenizer()->to_json());
  return reading;
}

namespace out = lookupffn::out;

// Runs texts. If some cannot be run, throws an error with place(i) of the first of them.
template <typename Place>
void run_or_refuse(const lookupffn::Model& model, const lookupffn::Texts& texts,
                   std::vector<lookupffn::AnyOutput> outputs, lookupffn::Result& result,
                   const lookupffn::RunOptions& options, Place&& place) {
  outputs.insert(outputs.end(), {out::statuses, out::messages, out::message_offsets});
  std::vector<lffn_output> list;
  list.reserve(outputs.size());
  for (const lookupffn::AnyOutput output : outputs) list.push_back({output.what, 0, nullptr, 0});
  lffn_model_run_args args = lookupffn::Model::arguments(options);
  texts.give(args);
  args.outputs = list.data();
  args.n_outputs = static_cast<int64_t>(list.size());
  args.result = result.get();
  model.run(args);
  const auto statuses = result.get(out::statuses);
  const auto offsets = result.get(out::message_offsets);
  for (size_t i = 0; i < statuses.count(); ++i) {
    if (statuses[i] == LFFN_OK) continue;
    throw lookupffn::InvalidArgument(place(i) + ": " + (result.get(out::messages).values.data() + offsets[i]));
  }
}

}  // namespace

bool TokenizedTexts::can_read(const lookupffn::Model& model) {
  const Model& inner = *model.get()->model;
  // If pooling leaves the prompt out, ids alone do not tell which tokens that are; a late model adds tokens of its own.
  return inner.tokenizer() != nullptr && inner.sentence().include_prompt && !inner.sentence().late.is_late;
}

void TokenizedTexts::read(const lookupffn::Model& model, const TextList& texts, const lookupffn::RunOptions& options,
                          const std::string& doing) {
  std::string reading = reading_of(model, options);
  if (reading == reading_) return;
  reading_.clear();
  ids_.clear();
  types_.clear();
  offsets_.assign(1, 0);
  Progress progress(doing, static_cast<int64_t>(texts.count));
  lookupffn::Result result;
  bool has_types = false;
  for (size_t first = 0; first < texts.count; first += kTextsAtOnce) {
    const size_t end = std::min(first + kTextsAtOnce, texts.count);
    lookupffn::Texts batch;
    for (size_t i = first; i < end; ++i) batch.add(texts.text(i));
    run_or_refuse(model, batch, {out::token_ids, out::token_types, out::token_offsets}, result, options,
                  [&](size_t i) { return texts.place(first + i); });
    const auto offsets = result.get(out::token_offsets);
    for (size_t i = 1; i < offsets.count(); ++i) offsets_.push_back(static_cast<int64_t>(ids_.size()) + offsets[i]);
    const auto ids = result.get(out::token_ids).values, types = result.get(out::token_types).values;
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    types_.insert(types_.end(), types.begin(), types.end());
    has_types = has_types || std::any_of(types.begin(), types.end(), [](int32_t t) { return t != 0; });
    progress.add(static_cast<int64_t>(end - first));
  }
  if (!has_types) types_.clear();
  reading_ = std::move(reading);
}

lookupffn::Span<const int32_t> TokenizedTexts::ids(size_t text) const {
  return {ids_.data() + offsets_[text], tokens_of(text)};
}

lookupffn::Span<const int32_t> TokenizedTexts::types(size_t text) const {
  if (types_.empty()) return {};
  return {types_.data() + offsets_[text], tokens_of(text)};
}

namespace {

// Embeds texts of about the same size together, the largest first: `embed` is given some of them.
Vectors embed_by_size(const lookupffn::Model& model, const TextList& texts, size_t most_at_once,
                      const std::function<size_t(size_t)>& size_of,
                      const std::function<std::vector<float>(const std::vector<size_t>&)>& embed,
                      const std::string& doing) {
  std::vector<size_t> order(texts.count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return size_of(a) > size_of(b); });
  int64_t all = 0;
  for (const size_t i : order) all += static_cast<int64_t>(size_of(i));
  Progress progress(doing, all);
  Vectors result;
  result.width = static_cast<size_t>(model.info().embedding_size);
  result.numbers.resize(texts.count * result.width);
  for (size_t first = 0; first < order.size();) {
    std::vector<size_t> batch;
    size_t sizes = 0;
    for (; first < order.size(); ++first) {
      const size_t size = size_of(order[first]);
      if (!batch.empty() && (sizes + size > most_at_once || batch.size() == kTextsAtOnce)) break;
      batch.push_back(order[first]);
      sizes += size;
    }
    const std::vector<float> vectors = embed(batch);
    for (size_t i = 0; i < batch.size(); ++i) {
      float* const to = result.numbers.data() + batch[i] * result.width;
      std::copy_n(vectors.data() + i * result.width, result.width, to);
      scale_to_one(to, result.width, texts.place(batch[i]));
    }
    progress.add(static_cast<int64_t>(sizes));
  }
  return result;
}

}  // namespace

Vectors embed_tokenized(const lookupffn::Model& model, const TokenizedTexts& tokens, const TextList& texts,
                        const std::string& doing) {
  const auto embed = [&](const std::vector<size_t>& which) {
    lookupffn::TokenBatch batch;
    std::vector<int32_t> types;
    for (const size_t i : which) {
      batch.add(tokens.ids(i));
      const lookupffn::Span<const int32_t> more = tokens.types(i);
      types.insert(types.end(), more.begin(), more.end());
    }
    lookupffn::Sequences sequences = batch.view();
    sequences.types = types;
    return model.embed(sequences);
  };
  return embed_by_size(
      model, texts, kTokensAtOnce, [&](size_t i) { return tokens.tokens_of(i); }, embed, doing);
}

Vectors embed_list(const lookupffn::Model& model, const TextList& texts, const lookupffn::RunOptions& options,
                   const std::string& doing) {
  const auto embed = [&](const std::vector<size_t>& which) {
    lookupffn::Texts batch;
    for (const size_t i : which) batch.add(texts.text(i));
    lookupffn::Result result;
    run_or_refuse(model, batch, {out::embeddings}, result, options, [&](size_t i) { return texts.place(which[i]); });
    const auto embeddings = result.get(out::embeddings).values;
    return std::vector<float>(embeddings.begin(), embeddings.end());
  };
  return embed_by_size(
      model, texts, kBytesAtOnce, [&](size_t i) { return texts.text(i).size() + 1; }, embed, doing);
}

}  // namespace lffn::tools
