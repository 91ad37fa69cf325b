// The functions on text: argument checks, and what turns text into sequences of ids.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/boundary.h"
#include "api/model_handle.h"
#include "model/tokenizer/tokenizer.h"

using namespace lffn;

namespace {

const Tokenizer& tokenizer_of(const lffn_model* model) {
  need(model, "model");
  const Tokenizer* tokenizer = model->model->tokenizer().get();
  if (tokenizer == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no tokenizer");
  return *tokenizer;
}

void check_flags(uint32_t flags, uint32_t known) {
  if ((flags & ~known) != 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "flags is 0x%x, which has bits this version does not know", flags);
  }
}

std::string_view view(const char* utf8, size_t n_bytes) {
  if (n_bytes > 0) need(utf8, "utf8");
  if (n_bytes > PTRDIFF_MAX) fail(LFFN_ERROR_INVALID_ARGUMENT, "n_bytes is %zu, more than any memory holds", n_bytes);
  return {utf8, n_bytes};
}

Tokenizer::Options tokenize_options(const lffn_model* model, uint32_t flags) {
  check_flags(flags, LFFN_TOKENIZE_SPECIAL | LFFN_TOKENIZE_TRUNCATE);
  Tokenizer::Options options;
  options.special = (flags & LFFN_TOKENIZE_SPECIAL) != 0;
  if ((flags & LFFN_TOKENIZE_TRUNCATE) != 0) {
    options.most = static_cast<size_t>(model->model->config().max_tokens());
  }
  return options;
}

// Hands out as many as there is room for.
template <typename From, typename To, typename Get>
void copy_out(const std::vector<From>& from, To* to, size_t capacity, Get get) {
  for (size_t i = 0; to != nullptr && i < std::min(from.size(), capacity); ++i) to[i] = get(from[i]);
}

void tokenize(const lffn_model* model, std::string_view text, uint32_t flags, int32_t* ids, int64_t* begins,
              int64_t* ends, size_t capacity, size_t* n_ids) {
  const Tokenizer& tokenizer = tokenizer_of(model);
  need(n_ids, "n_ids");
  Tokenizer::Options options = tokenize_options(model, flags);
  options.spans = begins != nullptr || ends != nullptr;
  Tokenizer::Scratch scratch;
  Encoding found;
  tokenizer.encode(text, options, scratch, found);
  copy_out(found.ids, ids, capacity, [](int32_t id) { return id; });
  copy_out(found.spans, begins, capacity, [](const TextSpan& span) { return static_cast<int64_t>(span.begin); });
  copy_out(found.spans, ends, capacity, [](const TextSpan& span) { return static_cast<int64_t>(span.end); });
  *n_ids = found.ids.size();
}

void check_length(const Model& model, size_t tokens) {
  if (tokens > static_cast<size_t>(model.config().max_tokens())) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "the text has %zu tokens, the model can run at most %lld", tokens,
         static_cast<long long>(model.config().max_tokens()));
  }
}

// Texts as sequences back to back, each between <s> and </s>.
struct Sequences {
  std::vector<int32_t> ids;
  std::vector<int64_t> offsets = {0};
};

Sequences read_texts(const lffn_model* model, const char* const* texts, const size_t* sizes, int64_t n,
                     uint32_t flags) {
  const Tokenizer& tokenizer = tokenizer_of(model);
  const Tokenizer::Options options = tokenize_options(model, flags | LFFN_TOKENIZE_SPECIAL);
  if (n < 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "n is %lld, expected 0 or more", static_cast<long long>(n));
  if (n > 0) need(texts, "texts");
  Sequences result;
  Tokenizer::Scratch scratch;
  Encoding found;
  for (int64_t i = 0; i < n; ++i) {
    try {
      need(texts[i], "the text");
      tokenizer.encode(view(texts[i], sizes == nullptr ? std::strlen(texts[i]) : sizes[i]), options, scratch, found);
      check_length(*model->model, found.ids.size());
    } catch (const Error& error) {
      throw Error(error.status(), "texts[" + std::to_string(i) + "]: " + error.what());
    }
    result.ids.insert(result.ids.end(), found.ids.begin(), found.ids.end());
    result.offsets.push_back(static_cast<int64_t>(result.ids.size()));
  }
  return result;
}

ModelCall call_of(const Sequences& sequences) {
  ModelCall call;
  call.ids = sequences.ids.data();
  call.offsets = sequences.offsets.data();
  call.num_sequences = static_cast<int64_t>(sequences.offsets.size()) - 1;
  return call;
}

struct Candidate {
  int32_t id;
  float probability;
};

// The most likely tokens first, the lower id first among equals; softmax over all logits.
void most_likely(const float* logits, std::vector<int32_t>& order, int32_t top_k, Candidate* out) {
  // NaN goes last: an order that is none could not be sorted by.
  const auto value = [&](int32_t id) { return std::isnan(logits[id]) ? -INFINITY : logits[id]; };
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
  std::partial_sort(order.begin(), order.begin() + top_k, order.end(),
                    [&](int32_t a, int32_t b) { return value(a) != value(b) ? value(a) > value(b) : a < b; });
  const double largest = value(order[0]);
  double sum = 0;
  for (size_t i = 0; i < order.size(); ++i) sum += std::exp(static_cast<double>(logits[i]) - largest);
  for (int32_t k = 0; k < top_k; ++k) {
    out[k] = {order[k], static_cast<float>(std::exp(static_cast<double>(logits[order[k]]) - largest) / sum)};
  }
}

void fill_mask(const lffn_model* handle, std::string_view text, int32_t top_k, int32_t* ids, float* probabilities,
               size_t capacity, size_t* n_masks, const int32_t* cancel) {
  const Tokenizer& tokenizer = tokenizer_of(handle);
  const Model& model = *handle->model;
  const int32_t vocab_size = model.config().vocab_size;
  need(n_masks, "n_masks");
  if (!model.has_lm_head()) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no language model head");
  if (tokenizer.mask_id() < 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model's vocabulary has no <mask>");
  if (top_k < 1 || top_k > vocab_size) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "top_k is %d, expected 1 to %d, the size of the vocabulary", top_k, vocab_size);
  }
  Sequences sequence;
  Tokenizer::Options options;
  options.special = true;
  options.cancel = cancel;
  Tokenizer::Scratch scratch;
  Encoding found_tokens;
  tokenizer.encode(text, options, scratch, found_tokens);
  sequence.ids = std::move(found_tokens.ids);
  check_length(model, sequence.ids.size());
  sequence.offsets.push_back(static_cast<int64_t>(sequence.ids.size()));
  std::vector<int64_t> masks;
  for (size_t i = 0; i < sequence.ids.size(); ++i) {
    if (sequence.ids[i] == tokenizer.mask_id()) masks.push_back(static_cast<int64_t>(i));
  }
  const size_t filled = std::min(masks.size(), capacity);
  if (filled > 0 && (ids != nullptr || probabilities != nullptr)) {
    const Memory logits(checked_product(filled * sizeof(float), static_cast<size_t>(vocab_size)));
    ModelCall call = call_of(sequence);
    call.positions = masks.data();
    call.num_positions = static_cast<int64_t>(filled);
    call.logits = logits.as<float>();
    call.cancel = cancel;
    const auto k = static_cast<size_t>(top_k);
    std::vector<int32_t> order(static_cast<size_t>(vocab_size));
    std::vector<Candidate> found(k);
    model.run(call);
    for (size_t mask = 0; mask < filled; ++mask) {
      most_likely(logits.as<float>() + mask * static_cast<size_t>(vocab_size), order, top_k, found.data());
      for (size_t i = 0; i < k; ++i) {
        if (ids != nullptr) ids[mask * k + i] = found[i].id;
        if (probabilities != nullptr) probabilities[mask * k + i] = found[i].probability;
      }
    }
  }
  *n_masks = masks.size();
}

}  // namespace

extern "C" {

lffn_status lffn_model_tokenize(const lffn_model* model, const char* utf8, size_t n_bytes, uint32_t flags, int32_t* ids,
                                size_t capacity, size_t* n_ids) {
  return guarded([&] {
    need(model, "model");
    if (capacity > 0) need(ids, "ids");
    tokenize(model, view(utf8, n_bytes), flags, ids, nullptr, nullptr, capacity, n_ids);
  });
}

lffn_status lffn_model_tokenize_spans(const lffn_model* model, const char* utf8, size_t n_bytes, uint32_t flags,
                                      int32_t* ids, int64_t* begins, int64_t* ends, size_t capacity, size_t* n_ids) {
  return guarded([&] {
    need(model, "model");
    tokenize(model, view(utf8, n_bytes), flags, ids, begins, ends, capacity, n_ids);
  });
}

lffn_status lffn_model_detokenize(const lffn_model* model, const int32_t* ids, size_t n_ids, uint32_t flags, char* utf8,
                                  size_t capacity, size_t* n_bytes) {
  return guarded([&] {
    const Tokenizer& tokenizer = tokenizer_of(model);
    if (n_ids > 0) need(ids, "ids");
    if (capacity > 0) need(utf8, "utf8");
    need(n_bytes, "n_bytes");
    check_flags(flags, LFFN_DETOKENIZE_SKIP_SPECIAL);
    const std::string text = tokenizer.decode(ids, n_ids, (flags & LFFN_DETOKENIZE_SKIP_SPECIAL) != 0);
    text.copy(utf8, std::min(capacity, text.size()));
    *n_bytes = text.size();
  });
}

lffn_status lffn_model_fill_mask(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t top_k, int32_t* ids,
                                 float* probabilities, size_t capacity, size_t* n_masks) {
  return lffn_model_fill_mask_cancellable(model, utf8, n_bytes, top_k, ids, probabilities, capacity, n_masks, nullptr);
}

lffn_status lffn_model_fill_mask_cancellable(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t top_k,
                                             int32_t* ids, float* probabilities, size_t capacity, size_t* n_masks,
                                             const int32_t* cancel) {
  return guarded([&] {
    need(model, "model");
    fill_mask(model, view(utf8, n_bytes), top_k, ids, probabilities, capacity, n_masks, cancel);
  });
}

lffn_status lffn_model_embed_texts(const lffn_model* model, const char* const* texts, const size_t* sizes, int64_t n,
                                   uint32_t flags, int32_t pooling, int32_t normalize, float* out) {
  return guarded([&] {
    const Sequences sequences = read_texts(model, texts, sizes, n, flags);
    if (pooling < LFFN_POOLING_FIRST || pooling > LFFN_POOLING_MAX) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "pooling is %d, expected an LFFN_POOLING_ value", pooling);
    }
    if (n == 0) return;
    need(out, "out");
    ModelCall call = call_of(sequences);
    constexpr Pooling kPoolings[] = {Pooling::kFirst, Pooling::kMean, Pooling::kMax};
    call.pooling = kPoolings[pooling];
    call.scaling = normalize != 0 ? Scaling::kYes : Scaling::kNo;
    call.embeddings = out;
    model->model->run(call);
  });
}

lffn_status lffn_model_classify_texts(const lffn_model* model, const char* const* texts, const size_t* sizes, int64_t n,
                                      uint32_t flags, float* scores) {
  return guarded([&] {
    const Sequences sequences = read_texts(model, texts, sizes, n, flags);
    if (model->model->num_classes() == 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no classifier");
    if (n == 0) return;
    need(scores, "scores");
    ModelCall call = call_of(sequences);
    call.class_scores = scores;
    model->model->run(call);
  });
}

}  // extern "C"
