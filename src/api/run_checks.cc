// SPDX-License-Identifier: Apache-2.0
// Whether a call's arguments go together, and whether the model can give what is wanted. All of it throws
// Error(LFFN_ERROR_INVALID_ARGUMENT) unless told.
#include <optional>

#include "api/boundary.h"
#include "api/run_call.h"

namespace lffn {

// Their places are in the texts as they were given.
void RunCall::check_entities() const {
  if (model_.token_head() != TokenHead::kClasses) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no classes of tokens, so it finds no entities");
  }
  if (args_.n > 0) need(args_.texts, "texts (entities are found in them)");
  const bool is_plain = !model_.sentence().is_sentence_encoder || args_.reading == LFFN_READING_PLAIN;
  if (args_.pairs != nullptr || args_.prompt_kind > LFFN_PROMPT_NONE || !is_plain) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "entities are wanted, but pairs or a prompt are given; leave these out");
  }
  check_value(args_.aggregation, LFFN_AGGREGATION_MAX, "aggregation", "LFFN_AGGREGATION_");
}

// What is given beside something that it means nothing to was meant otherwise.
void RunCall::check_inputs() const {
  check_count(args_.n, "n");
  check_count(args_.n_positions, "n_positions");
  if (args_.texts != nullptr) {
    if (args_.ids != nullptr || args_.offsets != nullptr) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "texts and ids are given; a call runs one of them");
    }
    if (args_.token_types != nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "token_types are given, but no ids");
  } else if (args_.pairs != nullptr) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "pairs are given, but no texts");
  } else if ((args_.wanted & LFFN_WANT_SPANS) != 0 && args_.n > 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "spans of texts are wanted, but no texts are given");
  }
  check_value(args_.reading, LFFN_READING_PLAIN, "reading", "LFFN_READING_");
  check_value(args_.prompt_kind, LFFN_PROMPT_DOCUMENT, "prompt_kind", "LFFN_PROMPT_");
  const bool takes_prompt = args_.prompt_kind == LFFN_PROMPT_NAMED || args_.prompt_kind == LFFN_PROMPT_TEXT;
  if (takes_prompt) {
    need(args_.prompt, "prompt");
    if (args_.texts == nullptr && args_.n > 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "a prompt is given, but no texts");
  } else if (args_.prompt != nullptr) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "prompt is given, but prompt_kind is %d, which takes none", args_.prompt_kind);
  }
  check_max_tokens(args_.max_tokens);
  check_reserved(args_.reserved);
}

void RunCall::check_windows() const {
  check_value(args_.windows, LFFN_WINDOWS_MEAN, "windows", "LFFN_WINDOWS_");
  if (args_.stride < LFFN_STRIDE_DEFAULT) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "stride is %lld, expected 0 or more, or LFFN_STRIDE_DEFAULT",
         printable(args_.stride));
  }
  if (args_.windows == LFFN_WINDOWS_NONE) {
    if (args_.stride != 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "stride is given, but windows are not wanted");
    return;
  }
  if (args_.texts == nullptr && args_.n > 0)
    fail(LFFN_ERROR_INVALID_ARGUMENT, "windows are wanted, but no texts are given");
  if (args_.max_tokens == LFFN_MAX_TOKENS_NEVER) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "windows are wanted, but max_tokens, their size, is LFFN_MAX_TOKENS_NEVER");
  }
  if ((args_.wanted & LFFN_WANT_ENTITIES) != 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT,
         "entities cannot be found in windows; give each part of the text as a text of its own");
  }
}

void RunCall::check_embeddings() const {
  std::optional<Pooling> pooling;
  if (args_.pooling != LFFN_POOLING_MODEL) pooling = static_cast<Pooling>(args_.pooling - 1);
  const int64_t size = model_.embedding_size(pooling);
  if (args_.dimensions < 0 || args_.dimensions > size) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "dimensions is %d, expected 1 to %lld, or 0 for all of them", args_.dimensions,
         printable(size));
  }
}

void RunCall::check_fillings() const {
  if (model_.tokenizer() == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no tokenizer");
  if (model_.tokenizer()->mask_id() < 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model's vocabulary has no mask");
  const int32_t vocabulary = model_.config().vocab_size;
  if (args_.top_k < 1 || args_.top_k > vocabulary) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "top_k is %d, expected 1 to %d, the size of the vocabulary", args_.top_k,
         vocabulary);
  }
}

void RunCall::check() const {
  check_outputs();
  check_inputs();
  check_flags(args_.flags, LFFN_RUN_ALL_POSITIONS | LFFN_RUN_ALL_LABELS | LFFN_RUN_REPAIR_TEXT | LFFN_RUN_DOCUMENTS,
              "flags");
  if (model_.statics() != nullptr) check_static();
  if (wants(LFFN_WANT_ENTITIES)) check_entities();
  if (wants(LFFN_WANT_TOKEN_SCORES) && model_.num_token_classes() == 0)
    fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no head that scores tokens");
  if (wants(LFFN_WANT_CLASS_SCORES) && model_.num_classes() == 0)
    fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no classifier");
  if (wants(LFFN_WANT_LOGITS | LFFN_WANT_FILLINGS) && !model_.has_lm_head()) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no language model head");
  }
  if (wants(LFFN_WANT_SPARSE) && !model_.sentence().sparse.pools) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "this model gives no sparse vectors");
  }
  if (wants(LFFN_WANT_FILLINGS)) check_fillings();
  check_value(args_.pooling, LFFN_POOLING_LAST, "pooling", "LFFN_POOLING_");
  check_value(args_.normalize, LFFN_NORMALIZE_NO, "normalize", "LFFN_NORMALIZE_");
  check_threads(args_.num_threads, "num_threads");
  check_windows();
  check_window_outputs();
  check_embeddings();
  check_sparse();
}

// It has vectors of tokens, whose mean is a text's, and nothing else.
void RunCall::check_static() const {
  if (wants(LFFN_WANT_HIDDEN)) {
    fail(
        LFFN_ERROR_INVALID_ARGUMENT,
        "this model has static vectors and no layers, so it has no hidden states; ask for embeddings or token vectors");
  }
  if (args_.pooling != LFFN_POOLING_MODEL && args_.pooling != LFFN_POOLING_MEAN) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "pooling is %d, but static vectors can only be averaged", args_.pooling);
  }
}

void RunCall::check_sparse() const {
  if (args_.max_active < LFFN_MAX_ACTIVE_ALL) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "max_active is %d, expected 1 or more, 0, or LFFN_MAX_ACTIVE_ALL",
         args_.max_active);
  }
  if (!(args_.min_weight >= 0)) fail(LFFN_ERROR_INVALID_ARGUMENT, "min_weight is negative or not a number");
  if (!is_sparse_query()) return;
  const uint32_t others = LFFN_WANT_SPARSE | LFFN_WANT_IDS | LFFN_WANT_STATUSES | LFFN_WANT_UNCUT | LFFN_WANT_SPANS;
  if ((wanted_ & ~others) != 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT,
         "sparse queries of this model do not go through its encoder; ask for nothing else beside them");
  }
  if (args_.n > 0) need(args_.texts, "texts (sparse queries of this model are made of them)");
  if (args_.pairs != nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "sparse queries of this model take no pairs");
}

void check_offsets(const int64_t* offsets, int64_t n) {
  need(offsets, "offsets");
  if (offsets[0] != 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "offsets[0] is %lld, expected 0", printable(offsets[0]));
  check_rising(offsets, n, "offsets");
}

void check_rising(const int64_t* offsets, int64_t n, const char* name) {
  for (int64_t s = 0; s < n; ++s) {
    if (offsets[s + 1] >= offsets[s]) continue;
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s[%lld] is %lld, less than %s[%lld], %lld", name, printable(s + 1),
         printable(offsets[s + 1]), name, printable(s), printable(offsets[s]));
  }
}

void RunCall::check_sequences() const {
  const ModelConfig& config = model_.config();
  check_offsets(args_.offsets, args_.n);
  for (int64_t s = 0; s < args_.n; ++s) {
    const int64_t begin = args_.offsets[s], end = args_.offsets[s + 1];
    if (end - begin > config.max_tokens()) {
      fail(LFFN_ERROR_TOO_LONG, "sequence %lld has %lld tokens, the model can run at most %lld", printable(s),
           printable(end - begin), printable(config.max_tokens()));
    }
    if (pools() && end == begin) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "sequence %lld is empty, which has no embedding and no class scores",
           printable(s));
    }
  }
  const int64_t tokens = args_.offsets[args_.n];
  if (tokens == 0) return;
  need(args_.ids, "ids");
  for (int64_t t = 0; t < tokens; ++t) {
    if (args_.ids[t] < 0 || args_.ids[t] >= config.vocab_size) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "ids[%lld] is %d, the vocabulary has 0 to %d", printable(t), args_.ids[t],
           config.vocab_size - 1);
    }
    // Families without token types ignore them.
    const int32_t types = model_.num_types();
    if (args_.token_types != nullptr && types > 0 && (args_.token_types[t] < 0 || args_.token_types[t] >= types)) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "token_types[%lld] is %d, the model has 0 to %d", printable(t),
           args_.token_types[t], types - 1);
    }
  }
}

}  // namespace lffn
