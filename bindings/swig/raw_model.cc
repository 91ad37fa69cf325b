// SPDX-License-Identifier: Apache-2.0
#include "raw_model.h"

#include <memory>
#include <new>

#include "raw.h"
#include "raw_structs.h"

#define SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #ours)
SAME(POOLING_MODEL, LFFN_POOLING_MODEL);
SAME(POOLING_FIRST, LFFN_POOLING_FIRST);
SAME(POOLING_MEAN, LFFN_POOLING_MEAN);
SAME(POOLING_MAX, LFFN_POOLING_MAX);
SAME(POOLING_MEAN_SQRT, LFFN_POOLING_MEAN_SQRT);
SAME(NORMALIZE_MODEL, LFFN_NORMALIZE_MODEL);
SAME(NORMALIZE_YES, LFFN_NORMALIZE_YES);
SAME(NORMALIZE_NO, LFFN_NORMALIZE_NO);
SAME(PROMPT_MODEL, LFFN_PROMPT_MODEL);
SAME(PROMPT_NONE, LFFN_PROMPT_NONE);
SAME(PROMPT_NAMED, LFFN_PROMPT_NAMED);
SAME(PROMPT_TEXT, LFFN_PROMPT_TEXT);
SAME(SCORES_RAW, LFFN_SCORES_RAW);
SAME(SCORES_PROBABILITIES, LFFN_SCORES_PROBABILITIES);
SAME(SCORES_MODEL, LFFN_SCORES_MODEL);
SAME(MAX_TOKENS_NEVER, LFFN_MAX_TOKENS_NEVER);
SAME(MAX_TOKENS_MODEL, LFFN_MAX_TOKENS_MODEL);
SAME(TOKENIZE_SPECIAL, LFFN_TOKENIZE_SPECIAL);
SAME(DETOKENIZE_SKIP_SPECIAL, LFFN_DETOKENIZE_SKIP_SPECIAL);
#undef SAME
SAME_SIZE(MODEL_INFO_FIELDS, lffn_model_info, sizeof(lffn_model_info));
SAME_SIZE(MODEL_LAYER_INFO_FIELDS, lffn_model_layer_info, sizeof(lffn_model_layer_info));

lffn_status model_load(const char* path, const int32_t* options, lffn_model** out) {
  const lffn_load_options given = load_options(options);
  return lffn_model_load(path, &given, out);
}

lffn_status model_load_memory(const void* data, size_t size, const int32_t* options, lffn_model** out) {
  const lffn_load_options given = load_options(options);
  return lffn_model_load_memory(data, size, &given, out);
}

lffn_status model_save(const lffn_model* model, const char* path) { return lffn_model_save(model, path); }

lffn_status model_info(const lffn_model* model, int64_t* model_numbers) {
  lffn_model_info info;
  lffn_model_info_init(&info);
  const lffn_status status = lffn_model_get_info(model, &info);
  if (status != LFFN_OK) return status;
#define COPY(place, member) model_numbers[MODEL_##place] = number_of(info.member);
  MODEL_INFO_FIELDS(COPY)
#undef COPY
  return LFFN_OK;
}

lffn_status model_layer_info(const lffn_model* model, int32_t layer, int64_t* layer_numbers) {
  lffn_model_layer_info info;
  lffn_model_layer_info_init(&info);
  const lffn_status status = lffn_model_get_layer_info(model, layer, &info);
  if (status != LFFN_OK) return status;
#define COPY(place, member) layer_numbers[MODEL_LAYER_##place] = number_of(info.member);
  MODEL_LAYER_INFO_FIELDS(COPY)
#undef COPY
  return LFFN_OK;
}

void model_free(lffn_model* model) { lffn_model_free(model); }

namespace {

void want(lffn_model_run_args& args, int32_t output, float* out, int64_t capacity) {
  float** const outputs[] = {&args.hidden, &args.logits, &args.class_scores, &args.embeddings};
  int64_t* const capacities[] = {&args.hidden_capacity, &args.logits_capacity, &args.class_scores_capacity,
                                 &args.embeddings_capacity};
  *outputs[output] = out;
  *capacities[output] = capacity;
}

lffn_status run(const lffn_model* model, lffn_model_run_args& args, int32_t output, int32_t scores, float* out,
                int64_t capacity) {
  want(args, output, out, capacity);
  const lffn_status status = lffn_model_run(model, &args);
  if (status != LFFN_OK || output != OUTPUT_CLASS_SCORES || scores == SCORES_RAW || out == nullptr) return status;
  return lffn_model_activate_scores(model, scores, out, args.n, out);
}

// The model's tokenizer for the length of one call.
class ModelTokenizer {
 public:
  explicit ModelTokenizer(const lffn_model* model) : status_(lffn_model_tokenizer(model, &tokenizer_)) {}
  ~ModelTokenizer() { lffn_tokenizer_free(tokenizer_); }
  ModelTokenizer(const ModelTokenizer&) = delete;
  ModelTokenizer& operator=(const ModelTokenizer&) = delete;
  lffn_status status() const { return status_; }
  const lffn_tokenizer* get() const { return tokenizer_; }

 private:
  lffn_tokenizer* tokenizer_ = nullptr;
  lffn_status status_;
};

}  // namespace

const char* model_text(const lffn_model* model, int32_t what, int32_t index) {
  const char *name = nullptr, *text = nullptr;
  if (what == TEXT_LABEL) {
    text = lffn_model_label(model, index);
  } else if (lffn_model_prompt(model, index, &name, &text) != LFFN_OK) {
    return "";
  }
  const char* told = what == TEXT_PROMPT_NAME ? name : text;
  return told == nullptr ? "" : told;
}

lffn_status model_run(const lffn_model* model, const int32_t* ids, int64_t* offsets, int64_t n, int32_t output,
                      int64_t* positions, int64_t n_positions, int32_t pooling, int32_t normalize, int32_t scores,
                      float* out, int64_t capacity, const int32_t* cancel) {
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.ids = ids;
  args.offsets = offsets;
  args.n = n;
  args.positions = positions;
  args.n_positions = n_positions;
  args.pooling = pooling;
  args.normalize = normalize;
  args.cancel = cancel;
  return run(model, args, output, scores, out, capacity);
}

lffn_status model_run_texts(const lffn_model* model, const char* utf8, int64_t* ends, int64_t n, const char* query,
                            int64_t query_size, int32_t output, int64_t max_tokens, int32_t prompt_kind,
                            const char* prompt, int32_t pooling, int32_t normalize, int32_t scores, float* out,
                            int64_t capacity, int64_t* offsets, int64_t* uncut, const int32_t* cancel) {
  const auto count = static_cast<size_t>(n);
  const std::unique_ptr<const char*[]> texts(new (std::nothrow) const char*[2 * count + 1]);
  const std::unique_ptr<size_t[]> sizes(new (std::nothrow) size_t[2 * count + 1]);
  if (texts == nullptr || sizes == nullptr) return LFFN_ERROR_OUT_OF_MEMORY;
  int64_t begin = 0;
  for (size_t i = 0; i < count; ++i) {
    texts[i] = utf8 + begin;
    sizes[i] = static_cast<size_t>(ends[i] - begin);
    begin = ends[i];
    texts[count + i] = query;
    sizes[count + i] = static_cast<size_t>(query_size);
  }
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.n = n;
  args.texts = texts.get() + (query == nullptr ? 0 : count);
  args.text_sizes = sizes.get() + (query == nullptr ? 0 : count);
  if (query != nullptr) {
    args.pairs = texts.get();
    args.pair_sizes = sizes.get();
  }
  args.max_tokens = max_tokens;
  args.prompt_kind = prompt_kind;
  if (prompt_kind == PROMPT_NAMED || prompt_kind == PROMPT_TEXT) args.prompt = prompt;
  args.pooling = pooling;
  args.normalize = normalize;
  args.offsets_out = offsets;
  args.uncut = uncut;
  args.cancel = cancel;
  return run(model, args, output, scores, out, capacity);
}

lffn_status model_tokenize(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t flags, int64_t max_tokens,
                           int32_t* ids, int64_t* begins, int64_t* ends, size_t capacity, size_t* n_ids,
                           const int32_t* cancel) {
  const ModelTokenizer tokenizer(model);
  if (tokenizer.status() != LFFN_OK) return tokenizer.status();
  int64_t count = -1;
  lffn_tokenize_args args;
  lffn_tokenize_args_init(&args);
  args.text = utf8;
  args.text_size = n_bytes;
  args.flags = static_cast<uint32_t>(flags);
  args.max_tokens = max_tokens;
  args.cancel = cancel;
  args.ids = ids;
  args.begins = begins;
  args.ends = ends;
  args.capacity = static_cast<int64_t>(capacity);
  args.n_ids = &count;
  const lffn_status status = lffn_tokenizer_encode(tokenizer.get(), &args);
  if (count >= 0) *n_ids = static_cast<size_t>(count);
  return count > args.capacity ? LFFN_OK : status;
}

lffn_status model_detokenize(const lffn_model* model, const int32_t* ids, size_t n_ids, int32_t flags, char* utf8,
                             size_t capacity, size_t* n_bytes) {
  const ModelTokenizer tokenizer(model);
  if (tokenizer.status() != LFFN_OK) return tokenizer.status();
  *n_bytes = 0;
  const lffn_status status = lffn_tokenizer_decode(tokenizer.get(), ids, static_cast<int64_t>(n_ids),
                                                   static_cast<uint32_t>(flags), utf8, capacity, n_bytes);
  return *n_bytes > capacity ? LFFN_OK : status;
}

lffn_status model_fill_mask(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t top_k, int32_t* ids,
                            float* probabilities, size_t capacity, size_t* n_masks, const int32_t* cancel) {
  int64_t count = -1;
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.n = 1;
  args.texts = &utf8;
  args.text_sizes = &n_bytes;
  args.max_tokens = LFFN_MAX_TOKENS_NEVER;
  args.top_k = top_k;
  args.n_masks = &count;
  args.cancel = cancel;
  // Without room for any mask this only counts them.
  int32_t any = 0;
  args.filling_ids = capacity == 0 ? &any : ids;
  args.filling_probabilities = capacity == 0 ? nullptr : probabilities;
  args.fillings_capacity = static_cast<int64_t>(capacity) * top_k;
  const lffn_status status = lffn_model_run(model, &args);
  if (count >= 0) *n_masks = static_cast<size_t>(count);
  return count > static_cast<int64_t>(capacity) ? LFFN_OK : status;
}
