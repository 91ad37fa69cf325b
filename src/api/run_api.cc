// SPDX-License-Identifier: Apache-2.0
// The functions that run a model: argument checks, and where the results go.
#include <algorithm>
#include <chrono>
#include <cstdint>

#include "api/boundary.h"
#include "api/model_handle.h"
#include "api/run_checks.h"
#include "api/run_entities.h"
#include "api/run_texts.h"
#include "api/structs.h"
#include "model/scores.h"

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
    memory.offsets = memory.texts.offsets();
    memory.uncut = memory.texts.uncut();
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

// How many numbers each output of a call has.
struct Extents {
  int64_t hidden, embeddings, logits, class_scores, token_scores, fillings;
};

Extents extents_of(const Model& model, const lffn_model_run_args& args, const Wanted& wanted, const ModelCall& call,
                   const RunMemory& memory) {
  const ModelConfig& config = model.config();
  const auto rows = static_cast<int64_t>(memory.positions.size()), masks = static_cast<int64_t>(memory.masks.size());
  return {extent(memory.offsets.back(), config.hidden_size, "hidden"),
          extent(args.n, model.embedding_size(call.pooling), "embeddings"),
          wanted.logits ? extent(rows, config.vocab_size, "logits") : 0,
          extent(args.n, model.num_classes(), "class_scores"),
          extent(memory.offsets.back(), model.num_token_classes(), "token_scores"),
          wanted.fillings ? extent(masks, args.top_k, "fillings") : 0};
}

// Tells the caller how large the results are, and takes the memory for them.
void give_outputs(const lffn_model_run_args& args, const Extents& sizes, RunMemory& memory, ModelCall& call) {
  if (args.offsets_out != nullptr) std::copy(memory.offsets.begin(), memory.offsets.end(), args.offsets_out);
  if (args.uncut != nullptr) std::copy(memory.uncut.begin(), memory.uncut.end(), args.uncut);
  if (args.statuses != nullptr) std::copy(memory.statuses.begin(), memory.statuses.end(), args.statuses);
  if (args.n_masks != nullptr) *args.n_masks = memory.mask_offsets.back();
  check_room(args.hidden, args.hidden_capacity, sizes.hidden, "hidden");
  check_room(args.embeddings, args.embeddings_capacity, sizes.embeddings, "embeddings");
  check_room(args.logits, args.logits_capacity, sizes.logits, "logits");
  check_room(args.class_scores, args.class_scores_capacity, sizes.class_scores, "class_scores");
  check_room(args.token_scores, args.token_scores_capacity, sizes.token_scores, "token_scores");
  check_room(args.filling_ids, args.fillings_capacity, sizes.fillings, "fillings");
  check_room(args.filling_probabilities, args.fillings_capacity, sizes.fillings, "fillings");
  call.hidden = args.hidden;
  call.embeddings = args.embeddings;
  call.logits = args.logits;
  call.class_scores = args.class_scores;
  call.token_scores = args.token_scores;
  call.filling_ids = args.filling_ids;
  call.filling_probabilities = args.filling_probabilities;
  if (call.filling_ids == nullptr && call.filling_probabilities != nullptr) {
    call.filling_ids = memory.filling_ids.of(static_cast<size_t>(sizes.fillings));
  }
}

// The same in a result.
void give_result(const lffn_model_run_args& args, const Extents& sizes, RunMemory& memory, ModelCall& call) {
  const auto take = [&](uint32_t bit, auto& room, int64_t count, auto*& to) {
    if ((args.wanted & bit) != 0) to = room.of(static_cast<size_t>(count));
  };
  take(LFFN_WANT_HIDDEN, memory.hidden, sizes.hidden, call.hidden);
  take(LFFN_WANT_EMBEDDINGS, memory.embeddings, sizes.embeddings, call.embeddings);
  take(LFFN_WANT_LOGITS, memory.logits, sizes.logits, call.logits);
  take(LFFN_WANT_CLASS_SCORES, memory.class_scores, sizes.class_scores, call.class_scores);
  take(LFFN_WANT_TOKEN_SCORES | LFFN_WANT_ENTITIES, memory.token_scores, sizes.token_scores, call.token_scores);
  take(LFFN_WANT_FILLINGS, memory.filling_ids, sizes.fillings, call.filling_ids);
  take(LFFN_WANT_FILLINGS, memory.filling_probabilities, sizes.fillings, call.filling_probabilities);
  if ((args.wanted & LFFN_WANT_STATUSES) != 0) {
    memory.messages.assign(static_cast<size_t>(args.n), "");
    for (const RunMemory::Failure& failure : memory.failures) {
      memory.messages[static_cast<size_t>(failure.text)] = failure.message.c_str();
    }
  }
}

lffn_result_view view_of(const lffn_model_run_args& args, const RunMemory& memory, const ModelCall& call) {
  lffn_result_view view = {};
  view.n = args.n;
  view.n_tokens = memory.offsets.back();
  view.n_masks = memory.mask_offsets.back();
  view.offsets = memory.offsets.data();
  view.uncut = memory.uncut.data();
  view.statuses = memory.statuses.data();
  view.mask_offsets = memory.mask_offsets.data();
  if ((args.wanted & LFFN_WANT_STATUSES) != 0) view.messages = memory.messages.data();
  if ((args.wanted & LFFN_WANT_IDS) != 0) {
    view.ids = args.texts != nullptr ? memory.texts.ids().data() : memory.ids.data();
  }
  view.hidden = call.hidden;
  view.embeddings = call.embeddings;
  view.logits = call.logits;
  view.n_positions = call.logits != nullptr ? call.num_positions : 0;
  view.class_scores = call.class_scores;
  if ((args.wanted & LFFN_WANT_TOKEN_SCORES) != 0) view.token_scores = call.token_scores;
  if ((args.wanted & LFFN_WANT_ENTITIES) != 0) show_entities(memory, view);
  view.filling_ids = call.filling_ids;
  view.filling_probabilities = call.filling_probabilities;
  return view;
}

// Gives where the results are.
ModelCall run(const Model& model, const lffn_model_run_args& args, RunMemory& memory) {
  const Wanted wanted = wanted_of(model, args);
  const auto start = std::chrono::steady_clock::now();
  ModelCall call = read_sequences(model, args, wanted, memory);
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
  // All memory before the first output is written.
  const Extents sizes = extents_of(model, args, wanted, call, memory);
  if (args.result == nullptr) {
    give_outputs(args, sizes, memory, call);
  } else {
    give_result(args, sizes, memory, call);
  }
  model.run(call);
  if (wanted.entities) find_entities(model, args, call.token_scores, memory);
  if (args.seconds != nullptr) args.seconds[LFFN_STAGE_TEXT] = reading.count();
  return call;
}

void run_checked(const lffn_model* model, const lffn_model_run_args& args) {
  need(model, "model");
  const UseHooks hooks(hooks_of(model->runtime));
  if (args.result == nullptr) {
    const RunMemoryPool::Lease memory(model->memory);
    run(*model->model, args, memory.get());
    return;
  }
  args.result->view = {};
  const uint32_t trims = AnyIdlePool::trims();
  if (args.result->trims != trims || args.result->memory.is_large()) args.result->memory = RunMemory();
  args.result->trims = trims;
  const ModelCall call = run(*model->model, args, args.result->memory);
  args.result->view = view_of(args, args.result->memory, call);
}

}  // namespace

extern "C" {

void lffn_model_run_args_init_sized(lffn_model_run_args* args, size_t struct_size) {
  lffn_model_run_args defaults = {};
  defaults.prompt_size = SIZE_MAX;
  init_struct(args, struct_size, defaults);
}

void lffn_result_view_init_sized(lffn_result_view* view, size_t struct_size) { init_struct(view, struct_size); }

lffn_status lffn_result_create(lffn_result** out) {
  return guarded([&] {
    need(out, "out");
    *out = new lffn_result;
    count_handle(1);
  });
}

void lffn_result_free(lffn_result* result) { free_handle(result); }

lffn_status lffn_result_get(const lffn_result* result, lffn_result_view* view) {
  return guarded([&] {
    need(result, "result");
    write_struct(result->view, view, "view");
  });
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
