// SPDX-License-Identifier: Apache-2.0
#include "raw_model.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>

#include "raw.h"
#include "raw_structs.h"

lffn_status model_load(const char* path, const int32_t* options, const char* adapter, const lffn_runtime* runtime,
                       const int32_t* cancel, lffn_file_progress_callback progress, void* progress_user,
                       lffn_model** out) {
  const lffn_load_options given = load_options(options, runtime, cancel, progress, progress_user, adapter);
  return lffn_model_load(path, &given, out);
}

lffn_status model_load_memory(const void* data, size_t size, const int32_t* options, const char* adapter,
                              const lffn_runtime* runtime, const int32_t* cancel, lffn_file_progress_callback progress,
                              void* progress_user, lffn_model** out) {
  const lffn_load_options given = load_options(options, runtime, cancel, progress, progress_user, adapter);
  return lffn_model_load_memory(data, size, &given, out);
}

lffn_status model_load_files(const char* const* names, const void* const* contents, const size_t* sizes, int64_t n,
                             lffn_read_callback read, const void* const* read_users, const int32_t* options,
                             const char* adapter, const lffn_runtime* runtime, const int32_t* cancel,
                             lffn_file_progress_callback progress, void* progress_user, lffn_model** out) {
  const Files files(names, contents, sizes, n, read, read_users);
  if (files.get() == nullptr) return LFFN_ERROR_OUT_OF_MEMORY;
  const lffn_load_options given = load_options(options, runtime, cancel, progress, progress_user, adapter);
  return lffn_model_load_files(files.get(), n, &given, out);
}

namespace {

lffn_status tell(lffn_status status, const lffn_memory_estimate& estimate, int64_t* estimate_numbers) {
  if (status != LFFN_OK) return status;
  estimate_numbers[ESTIMATE_WEIGHT_BYTES] = number_of(estimate.weight_bytes);
  estimate_numbers[ESTIMATE_LOADING_BYTES] = number_of(estimate.loading_bytes);
  return LFFN_OK;
}

}  // namespace

lffn_status model_estimate(const char* path, const int32_t* options, const char* adapter, const lffn_runtime* runtime,
                           const int32_t* cancel, lffn_file_progress_callback progress, void* progress_user,
                           int64_t* estimate_numbers) {
  const lffn_load_options given = load_options(options, runtime, cancel, progress, progress_user, adapter);
  lffn_memory_estimate estimate;
  lffn_memory_estimate_init(&estimate);
  return tell(lffn_model_estimate(path, &given, &estimate), estimate, estimate_numbers);
}

lffn_status model_estimate_files(const char* const* names, const void* const* contents, const size_t* sizes, int64_t n,
                                 lffn_read_callback read, const void* const* read_users, const int32_t* options,
                                 const char* adapter, const lffn_runtime* runtime, const int32_t* cancel,
                                 lffn_file_progress_callback progress, void* progress_user, int64_t* estimate_numbers) {
  const Files files(names, contents, sizes, n, read, read_users);
  if (files.get() == nullptr) return LFFN_ERROR_OUT_OF_MEMORY;
  const lffn_load_options given = load_options(options, runtime, cancel, progress, progress_user, adapter);
  lffn_memory_estimate estimate;
  lffn_memory_estimate_init(&estimate);
  return tell(lffn_model_estimate_files(files.get(), n, &given, &estimate), estimate, estimate_numbers);
}

lffn_status model_save(const lffn_model* model, const char* path, const int32_t* cancel,
                       lffn_file_progress_callback progress, void* progress_user) {
  const lffn_save_options given = save_options(cancel, progress, progress_user);
  return lffn_model_save(model, path, &given);
}

lffn_status model_info(const lffn_model* model, int64_t* model_numbers) {
  lffn_model_shape shape;
  lffn_model_shape_init(&shape);
  lffn_model_heads heads;
  lffn_model_heads_init(&heads);
  lffn_model_costs costs;
  lffn_model_costs_init(&costs);
  lffn_status status = lffn_model_get_shape(model, &shape);
  if (status == LFFN_OK) status = lffn_model_get_heads(model, &heads);
  if (status == LFFN_OK) status = lffn_model_get_costs(model, &costs);
  if (status != LFFN_OK) return status;
  lffn_tokenizer_info ids;
  lffn_tokenizer_info_init(&ids);
  ids.bos_id = ids.eos_id = ids.pad_id = ids.unk_id = ids.mask_id = -1;
  if (heads.has_tokenizer != 0) {
    const ModelTokenizer tokenizer(model);
    status = tokenizer.status();
    if (status == LFFN_OK) status = lffn_tokenizer_get_info(tokenizer.get(), &ids);
    if (status != LFFN_OK) return status;
  }
#define COPY(from, place, member) model_numbers[MODEL_##place] = number_of(from.member);
#define COPY_SHAPE(place, member) COPY(shape, place, member)
#define COPY_HEADS(place, member) COPY(heads, place, member)
#define COPY_COSTS(place, member) COPY(costs, place, member)
#define COPY_IDS(place, member) COPY(ids, place, member)
  MODEL_SHAPE_FIELDS(COPY_SHAPE)
  MODEL_HEADS_FIELDS(COPY_HEADS)
  MODEL_COSTS_FIELDS(COPY_COSTS)
  SPECIAL_ID_FIELDS(COPY_IDS)
#undef COPY_IDS
#undef COPY_COSTS
#undef COPY_HEADS
#undef COPY_SHAPE
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

lffn_status model_fingerprint(const lffn_model* model, int64_t* fingerprint_numbers) {
  uint8_t bytes[LFFN_FINGERPRINT_SIZE];
  const lffn_status status = lffn_model_fingerprint(model, bytes);
  if (status != LFFN_OK) return status;
  for (size_t i = 0; i < FINGERPRINT_COUNT; ++i) {
    uint64_t number = 0;
    for (size_t k = 0; k < sizeof number; ++k) number = number << 8 | bytes[sizeof number * i + k];
    fingerprint_numbers[i] = static_cast<int64_t>(number);
  }
  return LFFN_OK;
}

void model_free(lffn_model* model) { lffn_model_free(model); }

namespace {

lffn_model_run_args run_args(const int32_t* run_options, const int32_t* cancel, lffn_run_progress_callback progress,
                             void* user) {
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
#define GIVE(place, member) give_number(run_options[RUN_OPTION_##place], args.member);
  MODEL_RUN_ARGS_FIELDS(GIVE)
#undef GIVE
  if (args.windows == LFFN_WINDOWS_NONE) args.stride = 0;  // options have a stride even without windows
  args.cancel = cancel;
  args.progress = progress;
  args.progress_user = user;
  return args;
}

void give_texts(lffn_model_run_args& args, const Texts& texts, int64_t n, int64_t max_tokens, const char* prompt) {
  args.n = n;
  args.texts = texts.begins();
  args.text_sizes = texts.sizes();
  args.max_tokens = max_tokens;
  if (args.prompt_kind == PROMPT_NAMED || args.prompt_kind == PROMPT_TEXT) args.prompt = prompt;
}

lffn_status activate(const lffn_model* model, int32_t output, int32_t scores, float* out, int64_t n) {
  if (output != LFFN_OUT_CLASS_SCORES || scores == SCORES_RAW || out == nullptr) return LFFN_OK;
  return lffn_model_activate_scores(model, scores, out, n, out);
}

// The outputs of a call, up to a fixed number.
class OutputList {
 public:
  // .NET pins an empty array at NULL.
  void give(int32_t what, void* data, int64_t capacity) {
    static int64_t none = 0;  // never written, since the capacity is 0
    list_[count_++] = {what, 0, data != nullptr ? data : &none, capacity};
  }
  void keep(std::initializer_list<int32_t> outputs) {
    for (const int32_t what : outputs) list_[count_++] = {what, 0, nullptr, 0};
  }
  // Bindings pass the same options for any output; options that do not apply to these outputs are removed.
  lffn_status run(const lffn_model* model, lffn_model_run_args args) const {
    args.outputs = list_;
    args.n_outputs = count_;
    const bool embeds = has(LFFN_OUT_EMBEDDINGS) || has(LFFN_OUT_INT8_EMBEDDINGS) || has(LFFN_OUT_BIT_EMBEDDINGS);
    if (!embeds) args.pooling = args.dimensions = 0;
    if (!embeds && !has(LFFN_OUT_TOKEN_VECTORS) && !has(LFFN_OUT_INT8_TOKEN_VECTORS)) args.normalize = 0;
    if (!has(LFFN_OUT_SPARSE_IDS)) {
      args.max_active = 0;
      args.min_weight = 0;
    }
    return lffn_model_run(model, &args);
  }

 private:
  bool has(int32_t what) const {
    return std::any_of(list_, list_ + count_, [=](const lffn_output& output) { return output.what == what; });
  }

  lffn_output list_[32];
  int64_t count_ = 0;
};

// Where each text's tokens begin, for texts in windows: where its first window begins.
void take_offsets(const lffn_model_run_args& args, const lffn_result* result, int64_t* offsets) {
  const auto* const tokens = static_cast<const int64_t*>(result_array(result, LFFN_OUT_TOKEN_OFFSETS));
  const auto* const windows = static_cast<const int64_t*>(result_array(result, LFFN_OUT_WINDOW_OFFSETS));
  for (int64_t i = 0; i <= args.n; ++i) offsets[i] = tokens[windows[i]];
}

lffn_status run(const lffn_model* model, lffn_model_run_args& args, int32_t output, int32_t scores, float* out,
                int64_t capacity) {
  OutputList outputs;
  if (out != nullptr) outputs.give(output, out, capacity);
  const lffn_status status = outputs.run(model, args);
  return status == LFFN_OK ? activate(model, output, scores, out, args.n) : status;
}

// Floats and counts go to the caller's memory; outputs without room there go into a result.
lffn_status run_texts(const lffn_model* model, lffn_model_run_args& args, int32_t output, int32_t scores, float* out,
                      int64_t capacity, int64_t* offsets, int64_t* uncut, bool statuses, lffn_result* result) {
  const bool windows = args.windows != LFFN_WINDOWS_NONE;
  args.result = result;
  OutputList outputs;
  if (windows) {
    outputs.keep({LFFN_OUT_TOKEN_OFFSETS, LFFN_OUT_WINDOW_OFFSETS});
  } else {
    outputs.give(LFFN_OUT_TOKEN_OFFSETS, offsets, args.n + 1);
  }
  outputs.give(LFFN_OUT_UNCUT_LENGTHS, uncut, args.n);
  if (statuses) outputs.keep({LFFN_OUT_STATUSES, LFFN_OUT_MESSAGES, LFFN_OUT_MESSAGE_OFFSETS});
  const OutputList counting = outputs;
  if (out != nullptr) outputs.give(output, out, capacity);
  const lffn_status status = outputs.run(model, args);
  if (status == LFFN_ERROR_TOO_SMALL) {
    // The counts are needed all the same. The last run leaves the message of the failure again.
    const lffn_status counted = counting.run(model, args);
    if (counted != LFFN_OK) return counted;
    if (windows) take_offsets(args, result, offsets);
    return outputs.run(model, args);
  }
  if (status != LFFN_OK) return status;
  if (windows) take_offsets(args, result, offsets);
  return out == nullptr ? LFFN_OK : activate(model, output, scores, out, args.n);
}

}  // namespace

const char* model_text(const lffn_model* model, int32_t what, int32_t index) {
  if (what == TEXT_FAMILY) return lffn_model_family(model);
  if (what == TEXT_CONFIG) return lffn_model_config(model);
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
                      int64_t* positions, int64_t n_positions, const int32_t* run_options, float* out, int64_t capacity,
                      const int32_t* cancel, lffn_run_progress_callback run_progress, void* run_progress_user) {
  lffn_model_run_args args = run_args(run_options, cancel, run_progress, run_progress_user);
  args.ids = ids;
  args.offsets = offsets;
  args.n = n;
  if (output == LFFN_OUT_LOGITS) {
    args.logit_positions = positions;
    args.n_logit_positions = n_positions;
  }
  args.prompt_kind = LFFN_PROMPT_MODEL;
  args.flags &= ~static_cast<uint32_t>(LFFN_RUN_REPAIR_TEXT);
  args.windows = LFFN_WINDOWS_NONE;
  args.stride = 0;
  return run(model, args, output, run_options[RUN_OPTION_SCORES], out, capacity);
}

lffn_status model_run_texts(const lffn_model* model, const char* utf8, int64_t* ends, int64_t n, const char* query,
                            int64_t query_size, int32_t output, const int32_t* run_options, int64_t max_tokens,
                            const char* prompt, float* out, int64_t capacity, int64_t* offsets, int64_t* uncut,
                            lffn_result* result, const int32_t* cancel, lffn_run_progress_callback run_progress,
                            void* run_progress_user) {
  const Texts texts(utf8, ends, n);
  const auto count = query == nullptr ? 0 : static_cast<size_t>(n);
  const std::unique_ptr<const char*[]> queries(new (std::nothrow) const char*[count + 1]);
  const std::unique_ptr<size_t[]> query_sizes(new (std::nothrow) size_t[count + 1]);
  if (!texts.made() || queries == nullptr || query_sizes == nullptr) return LFFN_ERROR_OUT_OF_MEMORY;
  // A pair without its second text counts as a null text: the query alone is not what was asked.
  for (size_t i = 0; i < count; ++i) queries[i] = texts.begins()[i] == nullptr ? nullptr : query;
  std::fill_n(query_sizes.get(), count, static_cast<size_t>(query_size));
  lffn_model_run_args args = run_args(run_options, cancel, run_progress, run_progress_user);
  give_texts(args, texts, n, max_tokens, prompt);
  if (query != nullptr) {
    args.pairs = args.texts;
    args.pair_sizes = args.text_sizes;
    args.texts = queries.get();
    args.text_sizes = query_sizes.get();
    args.flags |= uint32_t{LFFN_RUN_DOCUMENTS};
  }
  const int32_t scores = run_options[RUN_OPTION_SCORES];
  if (result != nullptr || args.windows == LFFN_WINDOWS_NONE) {
    return run_texts(model, args, output, scores, out, capacity, offsets, uncut, result != nullptr, result);
  }
  const Result own;
  if (own.status() != LFFN_OK) return own.status();
  return run_texts(model, args, output, scores, out, capacity, offsets, uncut, false, own.get());
}

lffn_status model_run_into_result(const lffn_model* model, const char* utf8, int64_t* ends, int64_t n,
                                  const int32_t* run_options, int64_t max_tokens, const char* prompt, int32_t wanted,
                                  lffn_result* result, const int32_t* cancel, lffn_run_progress_callback run_progress,
                                  void* run_progress_user) {
  const Texts texts(utf8, ends, n);
  if (!texts.made()) return LFFN_ERROR_OUT_OF_MEMORY;
  lffn_model_run_args args = run_args(run_options, cancel, run_progress, run_progress_user);
  give_texts(args, texts, n, max_tokens, prompt);
  args.result = result;
  OutputList outputs;
  outputs.keep({LFFN_OUT_TOKEN_OFFSETS, LFFN_OUT_WINDOW_OFFSETS});
  const auto keep = [&](int32_t with, std::initializer_list<int32_t> list) {
    if ((wanted & with) != 0) outputs.keep(list);
  };
  keep(WANT_IDS, {LFFN_OUT_TOKEN_IDS});
  keep(WANT_EMBEDDINGS, {LFFN_OUT_EMBEDDINGS});
  keep(WANT_STATUSES, {LFFN_OUT_STATUSES, LFFN_OUT_MESSAGES, LFFN_OUT_MESSAGE_OFFSETS});
  keep(WANT_UNCUT, {LFFN_OUT_UNCUT_LENGTHS});
  keep(WANT_SPANS,
       {LFFN_OUT_TOKEN_BEGINS, LFFN_OUT_TOKEN_ENDS, LFFN_OUT_TOKEN_SOURCES, LFFN_OUT_TEXT_BEGINS, LFFN_OUT_TEXT_ENDS});
  keep(WANT_TOKEN_VECTORS, {LFFN_OUT_TOKEN_VECTORS});
  keep(WANT_INT8_TOKEN_VECTORS, {LFFN_OUT_INT8_TOKEN_VECTORS, LFFN_OUT_TOKEN_VECTOR_SCALES});
  keep(WANT_TOKEN_VECTORS | WANT_INT8_TOKEN_VECTORS, {LFFN_OUT_VECTOR_OFFSETS, LFFN_OUT_VECTOR_TOKENS});
  keep(WANT_INT8_EMBEDDINGS, {LFFN_OUT_INT8_EMBEDDINGS, LFFN_OUT_EMBEDDING_SCALES});
  keep(WANT_BIT_EMBEDDINGS, {LFFN_OUT_BIT_EMBEDDINGS});
  keep(WANT_SPARSE, {LFFN_OUT_SPARSE_IDS, LFFN_OUT_SPARSE_WEIGHTS, LFFN_OUT_SPARSE_OFFSETS});
  return outputs.run(model, args);
}

lffn_status model_tokenize(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t flags, int64_t max_tokens,
                           int32_t* ids, int64_t* begins, int64_t* ends, size_t capacity, size_t* n_ids,
                           const int32_t* cancel) {
  const ModelTokenizer tokenizer(model);
  if (tokenizer.status() != LFFN_OK) return tokenizer.status();
  return tokenizer_encode(tokenizer.get(), utf8, n_bytes, nullptr, 0, flags, max_tokens, ids, nullptr, begins, ends,
                          capacity, n_ids, nullptr, cancel);
}

lffn_status model_detokenize(const lffn_model* model, const int32_t* ids, size_t n_ids, int32_t flags, char* utf8,
                             size_t capacity, size_t* n_bytes) {
  const ModelTokenizer tokenizer(model);
  if (tokenizer.status() != LFFN_OK) return tokenizer.status();
  return tokenizer_decode(tokenizer.get(), ids, n_ids, flags, utf8, capacity, n_bytes);
}

lffn_status model_fill_mask(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t top_k, int32_t* ids,
                            float* probabilities, size_t capacity, size_t* n_masks, const int32_t* cancel) {
  if (n_bytes == 0) utf8 = "";
  int64_t offsets[2] = {};
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.n = 1;
  args.texts = &utf8;
  args.text_sizes = &n_bytes;
  args.max_tokens = LFFN_MAX_TOKENS_NEVER;
  args.top_k = top_k;
  args.cancel = cancel;
  int32_t any = 0;
  OutputList outputs;
  outputs.give(LFFN_OUT_MASK_OFFSETS, offsets, 2);
  const auto room = static_cast<int64_t>(capacity) * top_k;
  outputs.give(LFFN_OUT_FILLING_IDS, capacity == 0 ? &any : ids, capacity == 0 ? 0 : room);
  if (capacity != 0) outputs.give(LFFN_OUT_FILLING_PROBABILITIES, probabilities, room);
  lffn_status status = outputs.run(model, args);
  if (status == LFFN_ERROR_TOO_SMALL) {
    // In that case only count the masks.
    args.top_k = 0;
    OutputList counting;
    counting.give(LFFN_OUT_MASK_OFFSETS, offsets, 2);
    status = counting.run(model, args);
  }
  if (status == LFFN_OK) *n_masks = static_cast<size_t>(offsets[1]);
  return status;
}
