// SPDX-License-Identifier: Apache-2.0
// The calls on models and on tokenizers, in the manner of raw.h.
#ifndef LOOKUPFFN_BINDINGS_RAW_MODEL_H
#define LOOKUPFFN_BINDINGS_RAW_MODEL_H

#include <lookupffn/lookupffn.h>

// adapter, which has a closing zero, may be null.
lffn_status model_load(const char* path, const int32_t* options, const char* adapter, const lffn_runtime* runtime,
                       const int32_t* cancel, lffn_file_progress_callback progress, void* progress_user,
                       lffn_model** out);
lffn_status model_load_memory(const void* data, size_t size, const int32_t* options, const char* adapter,
                              const lffn_runtime* runtime, const int32_t* cancel, lffn_file_progress_callback progress,
                              void* progress_user, lffn_model** out);
// Loads from the files of a folder: n names, each with a closing zero, the files' contents and sizes. For a file that
// `read` reads, read_users has the pointer that `read` gets; for other files it has null.
lffn_status model_load_files(const char* const* names, const void* const* contents, const size_t* sizes, int64_t n,
                             lffn_read_callback read, const void* const* read_users, const int32_t* options,
                             const char* adapter, const lffn_runtime* runtime, const int32_t* cancel,
                             lffn_file_progress_callback progress, void* progress_user, lffn_model** out);
// The memory that loading the same would take: ESTIMATE_ numbers.
lffn_status model_estimate(const char* path, const int32_t* options, const char* adapter, const lffn_runtime* runtime,
                           const int32_t* cancel, lffn_file_progress_callback progress, void* progress_user,
                           int64_t* estimate_numbers);
lffn_status model_estimate_files(const char* const* names, const void* const* contents, const size_t* sizes, int64_t n,
                                 lffn_read_callback read, const void* const* read_users, const int32_t* options,
                                 const char* adapter, const lffn_runtime* runtime, const int32_t* cancel,
                                 lffn_file_progress_callback progress, void* progress_user, int64_t* estimate_numbers);
lffn_status model_save(const lffn_model* model, const char* path, const int32_t* cancel,
                       lffn_file_progress_callback progress, void* progress_user);
lffn_status model_info(const lffn_model* model, int64_t* model_numbers);
lffn_status model_layer_info(const lffn_model* model, int32_t layer, int64_t* layer_numbers);
// The fingerprint's bytes in two numbers, the first byte highest.
lffn_status model_fingerprint(const lffn_model* model, int64_t* fingerprint_numbers);
void model_free(lffn_model* model);

// A text of the model, chosen by a TEXT_ value, valid as long as the model: the name of a class, the name of a prompt,
// a prompt itself; or, whatever the index, the family or the config.json. "" if there is none with that index.
const char* model_text(const lffn_model* model, int32_t what, int32_t index);

// For all calls that run: cancel and run_progress may be null.
// Computes one kind of output, an OUTPUT_ value; `out` has room for `capacity` floats. positions matter for logits
// only. The run options are a row of RUN_OPTION_ numbers; those about texts have no effect here. Offsets and positions
// are only read, but SWIG would cast a const int64_t* to another type of its size.
lffn_status model_run(const lffn_model* model, const int32_t* ids, int64_t* offsets, int64_t n, int32_t output,
                      int64_t* positions, int64_t n_positions, const int32_t* run_options, float* out, int64_t capacity,
                      const int32_t* cancel, lffn_run_progress_callback run_progress, void* run_progress_user);

// The same for texts that lie end to end: text i ends before byte ends[i]. With a query, which may be null, each text
// is the second of a pair. max_tokens is a number or MAX_TOKENS_; prompt belongs to PROMPT_NAMED and PROMPT_TEXT, with
// a closing zero. offsets [n + 1] and uncut [n] receive where each text's tokens begin and how many it would have
// without cutting, even if `out` has too little room. Without `out` this only counts.
// A text is null if ends[i] is negative; the next one then begins where this one would. With a result, which may be
// null, a text that is null, not UTF-8 or too long does not fail the call: its numbers are zeros, and RESULT_STATUSES
// and result_message tell why. With windows this gives only the embeddings of WINDOWS_MEAN, and offsets tell where each
// text's first window begins; model_run_into_result gives the outputs of each window.
lffn_status model_run_texts(const lffn_model* model, const char* utf8, int64_t* ends, int64_t n, const char* query,
                            int64_t query_size, int32_t output, const int32_t* run_options, int64_t max_tokens,
                            const char* prompt, float* out, int64_t capacity, int64_t* offsets, int64_t* uncut,
                            lffn_result* result, const int32_t* cancel, lffn_run_progress_callback run_progress,
                            void* run_progress_user);

// Makes all wanted outputs of such texts, WANT_ values or-ed together, into a result: result_array gives them, and
// result_size tells how many there are. With WANT_STATUSES a bad text does not fail the call.
lffn_status model_run_into_result(const lffn_model* model, const char* utf8, int64_t* ends, int64_t n,
                                  const int32_t* run_options, int64_t max_tokens, const char* prompt, int32_t wanted,
                                  lffn_result* result, const int32_t* cancel, lffn_run_progress_callback run_progress,
                                  void* run_progress_user);

// Late interaction: the vectors of queries and those of documents, either floats or bytes with a scale for each vector,
// in blocks whose offsets count vectors. flags: MODEL_MAX_SIM_FLAGS.
lffn_status max_sim(const float* queries, const void* int8_queries, const float* query_scales, int64_t* query_offsets,
                    int64_t n_queries, const float* documents, const void* int8_documents, const float* document_scales,
                    int64_t* document_offsets, int64_t n_documents, int32_t size, int32_t flags, int32_t num_threads,
                    const int32_t* cancel, float* scores, int64_t capacity);
// How well documents answer a query; they lie end to end as in model_run_texts. The model is a late one, or has one
// class, whose scores become what the SCORES_ value says.
lffn_status model_rerank(const lffn_model* model, const char* query, size_t query_size, const char* utf8, int64_t* ends,
                         int64_t n, int64_t max_tokens, int32_t scores_kind, int32_t num_threads, int32_t flags,
                         const int32_t* cancel, float* scores);

// begins and ends may both be null. n_ids is set even if the capacity is too small, which is no failure here.
lffn_status model_tokenize(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t flags, int64_t max_tokens,
                           int32_t* ids, int64_t* begins, int64_t* ends, size_t capacity, size_t* n_ids,
                           const int32_t* cancel);
// n_bytes receives how many bytes were written; if it is above the capacity, it says how much room is needed.
lffn_status model_detokenize(const lffn_model* model, const int32_t* ids, size_t n_ids, int32_t flags, char* utf8,
                             size_t capacity, size_t* n_bytes);
// n_masks likewise; capacity counts masks.
lffn_status model_fill_mask(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t top_k, int32_t* ids,
                            float* probabilities, size_t capacity, size_t* n_masks, const int32_t* cancel);

// Entities, answers and labels.

// flags: RUN_ALL_LABELS. Gives each entity's place in bytes, the class of its first token and its score. n_entities is
// set even if the capacity is too small, which is no failure here: then nothing is written.
lffn_status model_entities(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t aggregation,
                           int32_t flags, int64_t max_tokens, int64_t* begins, int64_t* ends, int32_t* classes,
                           float* scores, size_t capacity, size_t* n_entities, const int32_t* cancel);

// The same for texts that lie end to end, as in model_run_texts, into a result: RESULT_ENTITY_. If `statuses` is not 0,
// a text that cannot be read does not fail the call, and RESULT_STATUSES tells of it.
lffn_status model_entities_texts(const lffn_model* model, const char* utf8, int64_t* ends, int64_t n,
                                 int32_t aggregation, int32_t flags, int64_t max_tokens, int32_t num_threads,
                                 int32_t statuses, lffn_result* result, const int32_t* cancel,
                                 lffn_run_progress_callback run_progress, void* run_progress_user);

// flags: ANSWER_MAY_BE_NONE. begins, ends and scores have room for top_k.
lffn_status model_answer(const lffn_model* model, const char* question, size_t question_size, const char* context,
                         size_t context_size, int32_t top_k, int64_t max_tokens, int64_t stride,
                         int32_t max_answer_tokens, int32_t flags, int64_t* begins, int64_t* ends, float* scores,
                         int32_t* n_answers, const int32_t* cancel);

// flags: ZERO_SHOT_MULTI_LABEL. Labels lie end to end, label i ends before byte label_ends[i]; hypothesis is null or
// has a closing zero. order and scores have room for n; scores are in the order of the labels.
lffn_status model_zero_shot(const lffn_model* model, const char* utf8, size_t n_bytes, const char* labels,
                            int64_t* label_ends, int64_t n, const char* hypothesis, int64_t max_tokens, int32_t flags,
                            int64_t* order, float* scores, const int32_t* cancel);

// Tokenizers.

lffn_status tokenizer_load(const char* path, const int32_t* options, const lffn_runtime* runtime, const int32_t* cancel,
                           lffn_file_progress_callback progress, void* progress_user, lffn_tokenizer** out);
// As model_load_files.
lffn_status tokenizer_load_files(const char* const* names, const void* const* contents, const size_t* sizes, int64_t n,
                                 lffn_read_callback read, const void* const* read_users, const int32_t* options,
                                 const lffn_runtime* runtime, const int32_t* cancel,
                                 lffn_file_progress_callback progress, void* progress_user, lffn_tokenizer** out);
// The model's tokenizer as a handle of its own, which outlives the model.
lffn_status model_tokenizer(const lffn_model* model, lffn_tokenizer** out);
void tokenizer_free(lffn_tokenizer* tokenizer);
lffn_status tokenizer_info(const lffn_tokenizer* tokenizer, int64_t* tokenizer_numbers);

// pair and all arrays may be null. n_ids and n_uncut are set even if the capacity is too small, which is no failure
// here.
lffn_status tokenizer_encode(const lffn_tokenizer* tokenizer, const char* utf8, size_t n_bytes, const char* pair,
                             size_t pair_bytes, int32_t flags, int64_t max_tokens, int32_t* ids, int32_t* types,
                             int64_t* begins, int64_t* ends, size_t capacity, size_t* n_ids, int64_t* n_uncut,
                             const int32_t* cancel);
// The same for texts that lie end to end, as model_run_texts has them, on several threads, into a result.
lffn_status tokenizer_encode_texts(const lffn_tokenizer* tokenizer, const char* utf8, int64_t* ends, int64_t n,
                                   int32_t flags, int64_t max_tokens, int32_t num_threads, lffn_result* result,
                                   const int32_t* cancel);
// n_bytes receives how many bytes were written; if it is above the capacity, it says how much room is needed.
lffn_status tokenizer_decode(const lffn_tokenizer* tokenizer, const int32_t* ids, size_t n_ids, int32_t flags,
                             char* utf8, size_t capacity, size_t* n_bytes);
// The texts of sequences that lie end to end, as model_run has them, into a result: RESULT_DECODED and
// RESULT_DECODED_OFFSETS.
lffn_status tokenizer_decode_batch(const lffn_tokenizer* tokenizer, const int32_t* ids, int64_t* offsets, int64_t n,
                                   int32_t flags, lffn_result* result);
// The id of a token as the vocabulary writes it, or -1.
lffn_status tokenizer_find(const lffn_tokenizer* tokenizer, const char* utf8, size_t n_bytes, int32_t* id);
// The token of an id as the vocabulary writes it, valid as long as the tokenizer; null if the id belongs to no token.
lffn_status tokenizer_token(const lffn_tokenizer* tokenizer, int32_t id, const char** utf8, size_t* n_bytes);

#ifndef SWIG
// The model's tokenizer for the length of one call.
class ModelTokenizer {
 public:
  explicit ModelTokenizer(const lffn_model* model) : status_(model_tokenizer(model, &tokenizer_)) {}
  ~ModelTokenizer() { lffn_tokenizer_free(tokenizer_); }
  ModelTokenizer(const ModelTokenizer&) = delete;
  ModelTokenizer& operator=(const ModelTokenizer&) = delete;
  lffn_status status() const { return status_; }
  const lffn_tokenizer* get() const { return tokenizer_; }

 private:
  lffn_tokenizer* tokenizer_ = nullptr;
  lffn_status status_;
};
#endif

#endif  // LOOKUPFFN_BINDINGS_RAW_MODEL_H
