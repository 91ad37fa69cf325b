// SPDX-License-Identifier: Apache-2.0
#include "api/parse_request.h"

#include "api/boundary.h"

namespace lffn {
namespace {

// An argument that has no effect beside the others is refused: the caller meant something else.
void check_inputs(const lffn_model_run_args& args) {
  check_count(args.n, "n");
  if (args.texts != nullptr) {
    if (args.ids != nullptr || args.offsets != nullptr) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "texts and ids are given; a call runs one of them");
    }
    if (args.token_types != nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "token_types are given, but no ids");
    return;
  }
  if (args.pairs != nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "pairs are given, but no texts");
  if (args.n == 0) return;
  check_offsets(args.offsets, args.n);
  if (args.offsets[args.n] > 0) need(args.ids, "ids");
}

void check_prompt(const lffn_model_run_args& args) {
  check_value(args.prompt_kind, LFFN_PROMPT_DOCUMENT, "prompt_kind", "LFFN_PROMPT_");
  const bool takes_prompt = args.prompt_kind == LFFN_PROMPT_NAMED || args.prompt_kind == LFFN_PROMPT_TEXT;
  if (takes_prompt) {
    need(args.prompt, "prompt");
    if (args.texts == nullptr && args.n > 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "a prompt is given, but no texts");
  } else if (args.prompt != nullptr) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "prompt is given, but prompt_kind is %d, which takes none", args.prompt_kind);
  }
}

}  // namespace

Request parse_request(const lffn_model_run_args& args) {
  check_inputs(args);
  check_value(args.reading, LFFN_READING_PLAIN, "reading", "LFFN_READING_");
  check_prompt(args);
  check_max_tokens(args.max_tokens);
  check_value(args.windows, LFFN_WINDOWS_MEAN, "windows", "LFFN_WINDOWS_");
  if (args.stride < LFFN_STRIDE_DEFAULT) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "stride is %lld, expected 0 or more, or LFFN_STRIDE_DEFAULT",
         printable(args.stride));
  }
  check_value(args.pooling, LFFN_POOLING_LAST, "pooling", "LFFN_POOLING_");
  check_value(args.normalize, LFFN_NORMALIZE_NO, "normalize", "LFFN_NORMALIZE_");
  check_value(args.aggregation, LFFN_AGGREGATION_MAX, "aggregation", "LFFN_AGGREGATION_");
  check_count(args.n_logit_positions, "n_logit_positions");
  if (args.n_logit_positions > 0) need(args.logit_positions, "logit_positions");
  check_flags(args.flags, LFFN_RUN_ALL_LOGITS | LFFN_RUN_ALL_LABELS | LFFN_RUN_REPAIR_TEXT | LFFN_RUN_DOCUMENTS,
              "flags");
  check_threads(args.num_threads, "num_threads");

  Request request;
  request.given = {args.n, args.texts, args.text_sizes, args.pairs, args.pair_sizes};
  if ((args.flags & LFFN_RUN_DOCUMENTS) != 0) request.given.names = &kDocuments;
  request.sequences = {args.ids, args.offsets, args.token_types};
  request.plain = args.reading == LFFN_READING_PLAIN;
  request.repairs = (args.flags & LFFN_RUN_REPAIR_TEXT) != 0;
  request.prompt_kind = args.prompt_kind;
  if (args.prompt != nullptr) request.prompt = read_text(args.prompt, args.prompt_size, "prompt");
  request.max_tokens = args.max_tokens;
  request.windows = args.windows;
  request.stride = args.stride;
  if (args.pooling != LFFN_POOLING_MODEL) request.pooling = static_cast<Pooling>(args.pooling - 1);
  request.scaling = static_cast<Scaling>(args.normalize);
  request.dimensions = args.dimensions;
  request.top_k = args.top_k;
  request.all_positions = (args.flags & LFFN_RUN_ALL_LOGITS) != 0;
  request.positions = args.logit_positions;
  request.num_positions = args.n_logit_positions;
  request.aggregation = static_cast<Aggregation>(args.aggregation);
  request.all_labels = (args.flags & LFFN_RUN_ALL_LABELS) != 0;
  request.max_active = args.max_active;
  request.min_weight = args.min_weight;
  request.num_threads = args.num_threads;
  request.cancel = args.cancel;
  request.progress = args.progress;
  request.progress_user = args.progress_user;
  return request;
}

}  // namespace lffn
