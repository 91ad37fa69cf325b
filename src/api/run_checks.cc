// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "api/boundary.h"
#include "api/run_steps.h"

namespace lffn {

int64_t extent(int64_t rows, int64_t columns, const char* name) {
  int64_t numbers = 0;
  if (__builtin_mul_overflow(rows, columns, &numbers) || numbers > PTRDIFF_MAX / static_cast<int64_t>(sizeof(float))) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: %lld rows of %lld numbers are more than any memory holds", name,
         printable(rows), printable(columns));
  }
  return numbers;
}

void check_room(const void* out, int64_t capacity, int64_t needed, const char* name) {
  if (out != nullptr && capacity < needed) {
    fail(LFFN_ERROR_TOO_SMALL, "%s_capacity is %lld, the result has %lld numbers", name, printable(capacity),
         printable(needed));
  }
}

namespace {

// Their places are in the texts as they were given.
void check_entities(const Model& model, const lffn_model_run_args& args) {
  if (model.token_head() != TokenHead::kClasses) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no classes of tokens, so it finds no entities");
  }
  if (args.n > 0) need(args.texts, "texts, which entities are found in,");
  const bool is_plain = !model.sentence().is_sentence_encoder || args.reading == LFFN_READING_PLAIN;
  if (args.pairs != nullptr || args.prompt_kind > LFFN_PROMPT_NONE || !is_plain) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "entities are found in texts as they are, without a pair or a prompt");
  }
  check_value(args.aggregation, LFFN_AGGREGATION_MAX, "aggregation", "LFFN_AGGREGATION_");
}

// A call's results go into one place.
void check_outputs(const lffn_model_run_args& args) {
  const uint32_t known = LFFN_WANT_IDS | LFFN_WANT_HIDDEN | LFFN_WANT_EMBEDDINGS | LFFN_WANT_LOGITS |
                         LFFN_WANT_CLASS_SCORES | LFFN_WANT_FILLINGS | LFFN_WANT_STATUSES | LFFN_WANT_TOKEN_SCORES |
                         LFFN_WANT_ENTITIES | LFFN_WANT_UNCUT | LFFN_WANT_SPANS | LFFN_WANT_TOKEN_VECTORS |
                         LFFN_WANT_INT8_EMBEDDINGS | LFFN_WANT_BIT_EMBEDDINGS;
  check_flags(args.wanted, known, "wanted");
  if (args.result == nullptr) {
    if (args.wanted != 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "result is NULL, but wanted is not 0");
    return;
  }
  const struct {
    const void* given;
    const char* name;
  } outputs[] = {{args.hidden, "hidden"},
                 {args.embeddings, "embeddings"},
                 {args.logits, "logits"},
                 {args.class_scores, "class_scores"},
                 {args.filling_ids, "filling_ids"},
                 {args.filling_probabilities, "filling_probabilities"},
                 {args.offsets_out, "offsets_out"},
                 {args.uncut, "uncut"},
                 {args.n_masks, "n_masks"},
                 {args.statuses, "statuses"},
                 {args.token_scores, "token_scores"}};
  for (const auto& output : outputs) {
    if (output.given == nullptr) continue;
    fail(LFFN_ERROR_INVALID_ARGUMENT, "result and %s are both given; what a call gives goes into one of them",
         output.name);
  }
}

// What is given beside something that it means nothing to was meant otherwise.
void check_inputs(const lffn_model_run_args& args) {
  check_count(args.n, "n");
  check_count(args.n_positions, "n_positions");
  if (args.texts != nullptr) {
    if (args.ids != nullptr || args.offsets != nullptr) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "texts and ids are given; a call runs one of them");
    }
    if (args.token_types != nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "token_types are given, but no ids");
  } else if (args.pairs != nullptr) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "pairs are given, but no texts");
  } else if ((args.wanted & LFFN_WANT_SPANS) != 0 && args.n > 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "spans of texts are wanted, but no texts are given");
  }
  check_value(args.reading, LFFN_READING_PLAIN, "reading", "LFFN_READING_");
  check_value(args.prompt_kind, LFFN_PROMPT_DOCUMENT, "prompt_kind", "LFFN_PROMPT_");
  const bool takes_prompt = args.prompt_kind == LFFN_PROMPT_NAMED || args.prompt_kind == LFFN_PROMPT_TEXT;
  if (takes_prompt) {
    need(args.prompt, "prompt");
    if (args.texts == nullptr && args.n > 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "a prompt is given, but no texts");
  } else if (args.prompt != nullptr) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "prompt is given, but prompt_kind is %d, which takes none", args.prompt_kind);
  }
  check_max_tokens(args.max_tokens);
  if (args.reserved != 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "reserved is %d, expected 0", args.reserved);
}

void check_windows(const lffn_model_run_args& args) {
  check_value(args.windows, LFFN_WINDOWS_MEAN, "windows", "LFFN_WINDOWS_");
  if (args.stride < LFFN_STRIDE_DEFAULT) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "stride is %lld, expected 0 or more, or LFFN_STRIDE_DEFAULT",
         printable(args.stride));
  }
  if (args.windows == LFFN_WINDOWS_NONE) {
    if (args.stride != 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "stride is given, but windows are not wanted");
    return;
  }
  if (args.texts == nullptr && args.n > 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "windows are wanted, but of no texts");
  if (args.max_tokens == LFFN_MAX_TOKENS_NEVER) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "windows are wanted, but max_tokens, their size, is LFFN_MAX_TOKENS_NEVER");
  }
  if ((args.wanted & LFFN_WANT_ENTITIES) != 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT,
         "entities are not found in windows; give parts of the text as texts of their own");
  }
  const bool for_each = args.hidden != nullptr || args.logits != nullptr || args.class_scores != nullptr ||
                        args.token_scores != nullptr || args.filling_ids != nullptr ||
                        args.filling_probabilities != nullptr || args.offsets_out != nullptr ||
                        (args.embeddings != nullptr && args.windows == LFFN_WINDOWS_EACH);
  if (for_each) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "the number of windows is not known before: what comes of each needs a result");
  }
}

void check_embeddings(const Model& model, const lffn_model_run_args& args, Wanted& wanted) {
  std::optional<Pooling> pooling;
  if (args.pooling != LFFN_POOLING_MODEL) pooling = static_cast<Pooling>(args.pooling - 1);
  const int64_t size = model.embedding_size(pooling);
  if (args.dimensions < 0 || args.dimensions > size) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "dimensions is %d, expected 1 to %lld, or 0 for all of them", args.dimensions,
         printable(size));
  }
  wanted.other_embeddings =
      wanted.embeddings && ((args.wanted & (LFFN_WANT_INT8_EMBEDDINGS | LFFN_WANT_BIT_EMBEDDINGS)) != 0 ||
                            args.dimensions != 0 || args.windows == LFFN_WINDOWS_MEAN);
}

}  // namespace

Wanted wanted_of(const Model& model, const lffn_model_run_args& args) {
  check_outputs(args);
  check_inputs(args);
  check_flags(args.flags, LFFN_RUN_ALL_POSITIONS | LFFN_RUN_ALL_LABELS | LFFN_RUN_REPAIR_TEXT | LFFN_RUN_DOCUMENTS,
              "flags");
  const auto wants = [&](const void* out, uint32_t bit) { return out != nullptr || (args.wanted & bit) != 0; };
  Wanted wanted = {};
  wanted.statuses = wants(args.statuses, LFFN_WANT_STATUSES);
  wanted.hidden = wants(args.hidden, LFFN_WANT_HIDDEN);
  wanted.embeddings =
      wants(args.embeddings, LFFN_WANT_EMBEDDINGS | LFFN_WANT_INT8_EMBEDDINGS | LFFN_WANT_BIT_EMBEDDINGS);
  wanted.token_vectors = (args.wanted & LFFN_WANT_TOKEN_VECTORS) != 0;
  wanted.logits = wants(args.logits, LFFN_WANT_LOGITS);
  wanted.class_scores = wants(args.class_scores, LFFN_WANT_CLASS_SCORES);
  wanted.fillings = wants(args.filling_ids, LFFN_WANT_FILLINGS) || args.filling_probabilities != nullptr;
  wanted.token_scores = wants(args.token_scores, LFFN_WANT_TOKEN_SCORES);
  wanted.entities = (args.wanted & LFFN_WANT_ENTITIES) != 0;
  if (wanted.entities) check_entities(model, args);
  if (wanted.token_scores && model.num_token_classes() == 0)
    fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no head of tokens");
  if (wanted.class_scores && model.num_classes() == 0)
    fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no classifier");
  if ((wanted.logits || wanted.fillings) && !model.has_lm_head()) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no language model head");
  }
  if (wanted.fillings) {
    if (model.tokenizer() == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no tokenizer");
    if (model.tokenizer()->mask_id() < 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model's vocabulary has no mask");
    const int32_t vocabulary = model.config().vocab_size;
    if (args.top_k < 1 || args.top_k > vocabulary) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "top_k is %d, expected 1 to %d, the size of the vocabulary", args.top_k,
           vocabulary);
    }
  }
  check_value(args.pooling, LFFN_POOLING_LAST, "pooling", "LFFN_POOLING_");
  check_value(args.normalize, LFFN_NORMALIZE_NO, "normalize", "LFFN_NORMALIZE_");
  check_threads(args.num_threads, "num_threads");
  check_windows(args);
  check_embeddings(model, args, wanted);
  return wanted;
}

void check_offsets(const int64_t* offsets, int64_t n) {
  need(offsets, "offsets");
  if (offsets[0] != 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "offsets[0] is %lld, expected 0", printable(offsets[0]));
  for (int64_t s = 0; s < n; ++s) {
    if (offsets[s + 1] >= offsets[s]) continue;
    fail(LFFN_ERROR_INVALID_ARGUMENT, "offsets[%lld] is %lld, less than offsets[%lld], %lld", printable(s + 1),
         printable(offsets[s + 1]), printable(s), printable(offsets[s]));
  }
}

void check_sequences(const Model& model, const lffn_model_run_args& args, bool pooled) {
  const ModelConfig& config = model.config();
  check_offsets(args.offsets, args.n);
  for (int64_t s = 0; s < args.n; ++s) {
    const int64_t begin = args.offsets[s], end = args.offsets[s + 1];
    if (end - begin > config.max_tokens()) {
      fail(LFFN_ERROR_TOO_LONG, "sequence %lld has %lld tokens, the model can run at most %lld", printable(s),
           printable(end - begin), printable(config.max_tokens()));
    }
    if (pooled && end == begin) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "sequence %lld is empty, which has no embedding and no class scores",
           printable(s));
    }
  }
  const int64_t tokens = args.offsets[args.n];
  if (tokens == 0) return;
  need(args.ids, "ids");
  for (int64_t t = 0; t < tokens; ++t) {
    if (args.ids[t] < 0 || args.ids[t] >= config.vocab_size) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "ids[%lld] is %d, the vocabulary has 0 to %d", printable(t), args.ids[t],
           config.vocab_size - 1);
    }
    // Families without token types ignore them.
    const int32_t types = model.num_types();
    if (args.token_types != nullptr && types > 0 && (args.token_types[t] < 0 || args.token_types[t] >= types)) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "token_types[%lld] is %d, the model has 0 to %d", printable(t),
           args.token_types[t], types - 1);
    }
  }
}

}  // namespace lffn
