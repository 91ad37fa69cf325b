// SPDX-License-Identifier: Apache-2.0
// The functions that run a model: argument checks, and where the results go.
#include <algorithm>
#include <chrono>
#include <cstdint>

#include "api/boundary.h"
#include "api/handles.h"
#include "api/run_steps.h"
#include "api/structs.h"
#include "model/heads/tasks.h"

using namespace lffn;

namespace {

// The call's sequences, wherever they are, and how long they would be uncut.
ModelCall read_sequences(const Model& model, const lffn_model_run_args& args, const Wanted& wanted, RunMemory& memory) {
  ModelCall call;
  const auto n = static_cast<size_t>(args.n);
  memory.statuses.assign(n, LFFN_OK);
  memory.failures.clear();
  if (args.texts != nullptr) {
    read_texts(model, args, wanted.statuses, memory);
    memory.texts.fill(call);
    memory.offsets = memory.texts.rows().offsets();
    memory.uncut = memory.texts.rows().uncut();
    return call;
  }
  if (args.n > 0) check_sequences(model, args, wanted.pooled());
  memory.offsets.assign(1, 0);
  if (args.n > 0) memory.offsets.assign(args.offsets, args.offsets + args.n + 1);
  memory.uncut.resize(n);
  for (size_t i = 0; i < n; ++i) memory.uncut[i] = memory.offsets[i + 1] - memory.offsets[i];
  if (args.result != nullptr && memory.offsets[n] > 0) memory.ids.assign(args.ids, args.ids + memory.offsets[n]);
  call.ids = args.ids;
  call.types = args.token_types;
  call.offsets = memory.offsets.data();
  call.num_sequences = args.n;
  return call;
}

// Where logits are wanted.
void place_logits(const lffn_model_run_args& args, RunMemory& memory) {
  const int64_t tokens = memory.offsets.back();
  memory.positions.clear();
  if ((args.flags & LFFN_RUN_ALL_POSITIONS) != 0) {
    for (int64_t t = 0; t < tokens; ++t) memory.positions.push_back(t);
    return;
  }
  if (args.n_positions > 0) need(args.positions, "positions");
  for (int64_t i = 0; i < args.n_positions; ++i) {
    if (args.positions[i] < 0 || args.positions[i] >= tokens) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "positions[%lld] is %lld, there are %lld tokens", printable(i),
           printable(args.positions[i]), printable(tokens));
    }
  }
  memory.positions.assign(args.positions, args.positions + args.n_positions);
}

void find_masks(const Model& model, const ModelCall& call, RunMemory& memory) {
  memory.masks.clear();
  memory.mask_offsets.assign(1, 0);
  const int32_t mask = model.tokenizer() == nullptr ? -1 : model.tokenizer()->mask_id();
  for (int64_t s = 0; s < call.num_sequences; ++s) {
    for (int64_t t = call.offsets[s]; mask >= 0 && t < call.offsets[s + 1]; ++t) {
      if (call.ids[t] == mask) memory.masks.push_back(t);
    }
    memory.mask_offsets.push_back(static_cast<int64_t>(memory.masks.size()));
  }
}

// Tells the caller of texts that are done, and does so once at the end.
class TextsDone {
 public:
  TextsDone(const lffn_model_run_args& args, const RunMemory& memory) : args_(args), memory_(memory) {}
  void tell_sequences(int64_t done) {
    if (args_.windows == LFFN_WINDOWS_NONE) return tell(done);
    const std::vector<int64_t>& offsets = memory_.texts.rows().text_offsets();
    tell(std::upper_bound(offsets.begin(), offsets.end(), done) - offsets.begin() - 1);
  }
  // All that remains after the last sequence is soon done, but not yet.
  void tell(int64_t done) {
    if (args_.progress == nullptr || done <= told_) return;
    told_ = done;
    args_.progress(done, args_.n, args_.progress_user);
  }

 private:
  const lffn_model_run_args& args_;
  const RunMemory& memory_;
  int64_t told_ = -1;
};

struct Given {
  ModelCall call;
  EmbeddingForms forms;
};

// Gives where the results are.
Given run(const Model& model, const lffn_model_run_args& args, RunMemory& memory) {
  const Wanted wanted = wanted_of(model, args);
  const auto start = std::chrono::steady_clock::now();
  Given given;
  ModelCall& call = given.call;
  call = read_sequences(model, args, wanted, memory);
  const std::chrono::duration<double> reading = std::chrono::steady_clock::now() - start;
  memory.positions.clear();
  if (wanted.logits) place_logits(args, memory);
  find_masks(model, call, memory);
  call.positions = memory.positions.data();
  call.num_positions = static_cast<int64_t>(memory.positions.size());
  call.masks = memory.masks.data();
  call.num_masks = static_cast<int64_t>(memory.masks.size());
  call.top_k = args.top_k;
  if (args.pooling != LFFN_POOLING_MODEL) call.pooling = static_cast<Pooling>(args.pooling - 1);
  call.scaling = static_cast<Scaling>(args.normalize);
  call.num_threads = args.num_threads;
  call.cancel = args.cancel;
  call.seconds = args.seconds;
  call.layer_seconds = args.layer_seconds;
  given.forms = place_outputs(model, args, wanted, memory, call);
  TextsDone done(args, memory);
  if (args.progress != nullptr) call.progress = [&done](int64_t sequences) { done.tell_sequences(sequences); };
  model.run(call);
  if (wanted.other_embeddings) make_forms(call.embeddings, given.forms, memory.embedding_row.data(), args.cancel);
  if (wanted.entities) find_entities(model, args, call.token_scores, memory);
  if (args.seconds != nullptr) args.seconds[LFFN_STAGE_TEXT] = reading.count();
  done.tell(args.n);
  return given;
}

void run_checked(const lffn_model* model, const lffn_model_run_args& args) {
  need(model, "model");
  const UseHooks hooks(hooks_of(model->runtime));
  if (args.result == nullptr) {
    const RunMemoryPool::Lease memory(model->memory);
    run(*model->model, args, memory.get());
    return;
  }
  const Filling filling(*args.result);
  RunMemory& memory = filling.memory();
  const Given given = run(*model->model, args, memory);
  filling.view() = view_of(*model->model, args, memory, given.call, given.forms);
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
    lffn_model_run_args args = {};
    args.n = n;
    args.texts = texts;
    args.text_sizes = sizes;
    args.max_tokens = max_tokens;
    args.embeddings = out;
    args.embeddings_capacity = capacity;
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
