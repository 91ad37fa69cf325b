// SPDX-License-Identifier: Apache-2.0
// The functions that run a model.
#include <cstdint>

#include "api/boundary.h"
#include "api/handles.h"
#include "api/parse_request.h"
#include "api/structs.h"
#include "model/heads/scores.h"
#include "run/run.h"

using namespace lffn;

namespace {

void run_checked(const lffn_model* model, const lffn_model_run_args& args) {
  need(model, "model");
  const UseHooks hooks(hooks_of(model->runtime));
  const Request request = parse_request(args);
  with_outputs(args, run_outputs(), *model->memory,
               [&](Outputs& outputs, CallMemory& memory) { run(*model->model, request, outputs, memory); });
}

}  // namespace

extern "C" {

void lffn_model_run_args_init_sized(lffn_model_run_args* args, size_t struct_size) {
  lffn_model_run_args defaults = {};
  defaults.prompt_size = SIZE_MAX;
  init_struct(args, struct_size, defaults);
}

lffn_status lffn_model_run(const lffn_model* model, const lffn_model_run_args* args) {
  return guarded([&] { run_checked(model, read_struct(args, "args")); });
}

lffn_status lffn_model_embed_texts(const lffn_model* model, const char* const* texts, const size_t* sizes, int64_t n,
                                   int64_t max_tokens, float* out, int64_t capacity) {
  return guarded([&] {
    check_count(n, "n");
    if (n == 0) return need(model, "model");
    need(texts, "texts");
    need(out, "out");
    const lffn_output output = {LFFN_OUT_EMBEDDINGS, 0, out, capacity};
    lffn_model_run_args args = {};
    args.n = n;
    args.texts = texts;
    args.text_sizes = sizes;
    args.max_tokens = max_tokens;
    args.outputs = &output;
    args.n_outputs = 1;
    run_checked(model, args);
  });
}

lffn_status lffn_model_activate_scores(const lffn_model* model, int32_t kind, const float* scores, int64_t n,
                                       float* out) {
  return guarded([&] {
    need(model, "model");
    check_count(n, "n");
    check_value(kind, LFFN_SCORES_MODEL, "kind", "LFFN_SCORES_");
    if (model->model->num_classes() == 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no classifier");
    if (n == 0) return;
    need(scores, "scores");
    need(out, "out");
    extent(n, model->model->num_classes(), "scores");
    activate_scores(*model->model, kind, scores, n, out);
  });
}

}  // extern "C"
