// SPDX-License-Identifier: Apache-2.0
// The functions that run a model: argument checks, and where the results go.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "api/boundary.h"
#include "api/model_handle.h"
#include "api/run_checks.h"
#include "api/run_entities.h"
#include "api/run_texts.h"
#include "api/structs.h"
#include "model/fillings.h"
#include "model/scores.h"

using namespace lffn;

namespace {

// The call's sequences, wherever they are, and how long they would be uncut.
ModelCall read_sequences(const Model& model, const lffn_model_run_args& args, const Wanted& wanted, RunMemory& memory) {
  check_count(args.n, "n");
  ModelCall call;
  if (args.texts != nullptr) {
    if (args.ids != nullptr || args.offsets != nullptr) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "texts and ids are given; a call runs one of them");
    }
    read_texts(model, args, wanted.statuses, memory);
    memory.texts.fill(call);
    memory.offsets = memory.texts.offsets();
    memory.uncut = memory.texts.uncut();
    return call;
  }
  if (args.n > 0) check_sequences(model, args, wanted.pooled());
  const auto n = static_cast<size_t>(args.n);
  memory.offsets.assign(1, 0);
  if (args.n > 0) memory.offsets.assign(args.offsets, args.offsets + args.n + 1);
  memory.statuses.assign(n, LFFN_OK);
  memory.uncut.resize(n);
  for (size_t i = 0; i < n; ++i) memory.uncut[i] = memory.offsets[i + 1] - memory.offsets[i];
  if (args.result != nullptr && memory.offsets[n] > 0) memory.ids.assign(args.ids, args.ids + memory.offsets[n]);
  call.ids = args.ids;
  call.types = args.token_types;
  call.offsets = memory.offsets.data();
  call.num_sequences = args.n;
  return call;
}

// Where logits are wanted: of the caller's positions or of all, then of the masks. Gives how many are not of masks.
int64_t place_logits(const Model& model, const lffn_model_run_args& args, const Wanted& wanted, const ModelCall& call,
                     RunMemory& memory) {
  const int64_t tokens = memory.offsets.back();
  memory.positions.clear();
  if (wanted.logits && (args.flags & LFFN_RUN_ALL_POSITIONS) != 0) {
    for (int64_t t = 0; t < tokens; ++t) memory.positions.push_back(t);
  } else if (wanted.logits) {
    check_count(args.n_positions, "n_positions");
    if (args.n_positions > 0) need(args.positions, "positions");
    for (int64_t i = 0; i < args.n_positions; ++i) {
      if (args.positions[i] < 0 || args.positions[i] >= tokens) {
        fail(LFFN_ERROR_INVALID_ARGUMENT, "positions[%lld] is %lld, there are %lld tokens", printable(i),
             printable(args.positions[i]), printable(tokens));
      }
      memory.positions.push_back(args.positions[i]);
    }
  }
  const auto asked = static_cast<int64_t>(memory.positions.size());
  memory.mask_offsets.assign(1, 0);
  const int32_t mask = model.tokenizer() == nullptr ? -1 : model.tokenizer()->mask_id();
  for (int64_t s = 0; s < args.n; ++s) {
    int64_t count = memory.mask_offsets.back();
    for (int64_t t = call.offsets[s]; t < call.offsets[s + 1]; ++t) {
      if (mask < 0 || call.ids[t] != mask) continue;
      ++count;
      if (wanted.fillings) memory.positions.push_back(t);
    }
    memory.mask_offsets.push_back(count);
  }
  return asked;
}

// The caller's memory, or the result's.
template <typename Number>
Number* choose(Number* given, bool wanted, Room<Number>& room, int64_t count) {
  return given != nullptr || !wanted ? given : room.of(static_cast<size_t>(count));
}

// Where the results of a call are; nullptr: not wanted.
struct Given {
  int64_t logit_rows = 0;  // that were asked for, those of masks not counted
  const float *hidden = nullptr, *embeddings = nullptr, *logits = nullptr, *class_scores = nullptr,
              *token_scores = nullptr;
  int32_t* filling_ids = nullptr;
  float* filling_probabilities = nullptr;
};

Given run(const lffn_model* handle, const lffn_model_run_args& args, RunMemory& memory) {
  const Model& model = *handle->model;
  const ModelConfig& config = model.config();
  const Wanted wanted = wanted_of(model, args);
  const auto start = std::chrono::steady_clock::now();
  ModelCall call = read_sequences(model, args, wanted, memory);
  const int64_t tokens = memory.offsets.back();
  const std::chrono::duration<double> reading = std::chrono::steady_clock::now() - start;
  const int64_t asked = place_logits(model, args, wanted, call, memory);
  const int64_t masks = memory.mask_offsets.back();
  if (args.offsets_out != nullptr) std::copy(memory.offsets.begin(), memory.offsets.end(), args.offsets_out);
  if (args.uncut != nullptr) std::copy(memory.uncut.begin(), memory.uncut.end(), args.uncut);
  if (args.statuses != nullptr) std::copy(memory.statuses.begin(), memory.statuses.end(), args.statuses);
  if (args.n_masks != nullptr) *args.n_masks = masks;

  std::optional<Pooling> pooling;  // none: as the model means it
  if (args.pooling != LFFN_POOLING_MODEL) pooling = static_cast<Pooling>(args.pooling - 1);
  const int64_t hidden = extent(tokens, config.hidden_size, "hidden");
  const int64_t embeddings = extent(args.n, model.embedding_size(pooling), "embeddings");
  const int64_t logits = extent(static_cast<int64_t>(memory.positions.size()), config.vocab_size, "logits");
  const int64_t class_scores = extent(args.n, model.num_classes(), "class_scores");
  const int64_t token_scores = extent(tokens, model.num_token_classes(), "token_scores");
  const int64_t fillings = wanted.fillings ? extent(masks, args.top_k, "fillings") : 0;
  check_room(args.hidden, args.hidden_capacity, hidden, "hidden");
  check_room(args.embeddings, args.embeddings_capacity, embeddings, "embeddings");
  check_room(args.logits, args.logits_capacity, asked * config.vocab_size, "logits");
  check_room(args.class_scores, args.class_scores_capacity, class_scores, "class_scores");
  check_room(args.token_scores, args.token_scores_capacity, token_scores, "token_scores");
  check_room(args.filling_ids, args.fillings_capacity, fillings, "fillings");
  check_room(args.filling_probabilities, args.fillings_capacity, fillings, "fillings");

  call.hidden = choose(args.hidden, wanted.hidden, memory.hidden, hidden);
  call.embeddings = choose(args.embeddings, wanted.embeddings, memory.embeddings, embeddings);
  call.class_scores = choose(args.class_scores, wanted.class_scores, memory.class_scores, class_scores);
  call.token_scores =
      choose(args.token_scores, wanted.token_scores || wanted.entities, memory.token_scores, token_scores);
  Given given;
  if (wanted.fillings) {  // all memory before the first output is written
    const bool in_result = (args.wanted & LFFN_WANT_FILLINGS) != 0;
    given.filling_ids = choose(args.filling_ids, in_result, memory.filling_ids, fillings);
    given.filling_probabilities = choose(args.filling_probabilities, in_result, memory.filling_probabilities, fillings);
    if (masks > 0) memory.order.reserve(static_cast<size_t>(config.vocab_size));
  }
  call.positions = memory.positions.data();
  call.num_positions = static_cast<int64_t>(memory.positions.size());
  if (call.num_positions > 0) {
    // With masks behind them, the caller's logits are a part of all.
    const bool whole = call.num_positions == asked;
    call.logits = whole && args.logits != nullptr ? args.logits : memory.logits.of(static_cast<size_t>(logits));
  }
  call.pooling = pooling;
  call.scaling = static_cast<Scaling>(args.normalize);
  call.cancel = args.cancel;
  call.seconds = args.seconds;
  call.layer_seconds = args.layer_seconds;
  model.run(call);
  if (args.seconds != nullptr) args.seconds[LFFN_STAGE_TEXT] = reading.count();

  if (args.logits != nullptr && call.logits != args.logits) {
    std::copy_n(call.logits, asked * config.vocab_size, args.logits);
  }
  for (int64_t mask = 0; wanted.fillings && mask < masks; ++mask) {
    most_likely(call.logits + (asked + mask) * config.vocab_size, config.vocab_size, args.top_k, memory.order,
                given.filling_ids == nullptr ? nullptr : given.filling_ids + mask * args.top_k,
                given.filling_probabilities == nullptr ? nullptr : given.filling_probabilities + mask * args.top_k);
  }
  if (wanted.entities) find_entities(model, args, call.token_scores, memory);
  given.logit_rows = asked;
  given.hidden = call.hidden;
  given.embeddings = call.embeddings;
  given.logits = args.logits != nullptr ? args.logits : memory.logits.data();
  given.class_scores = call.class_scores;
  given.token_scores = call.token_scores;
  return given;
}

void run_checked(const lffn_model* model, const lffn_model_run_args& args) {
  need(model, "model");
  const UseHooks hooks(hooks_of(model->runtime));
  if (args.result == nullptr) {
    const RunMemoryPool::Lease memory(model->memory);
    run(model, args, memory.get());
    return;
  }
  RunMemory& memory = args.result->memory;
  lffn_result_view& view = args.result->view;
  view = {};
  const Given given = run(model, args, memory);
  const auto wants = [&](uint32_t bit) { return (args.wanted & bit) != 0; };
  view.n = args.n;
  view.n_tokens = memory.offsets[static_cast<size_t>(args.n)];
  view.n_masks = memory.mask_offsets.back();
  view.offsets = memory.offsets.data();
  view.uncut = memory.uncut.data();
  view.statuses = memory.statuses.data();
  view.mask_offsets = memory.mask_offsets.data();
  if (wants(LFFN_WANT_IDS)) view.ids = args.texts != nullptr ? memory.texts.ids().data() : memory.ids.data();
  if (wants(LFFN_WANT_HIDDEN)) view.hidden = given.hidden;
  if (wants(LFFN_WANT_EMBEDDINGS)) view.embeddings = given.embeddings;
  if (wants(LFFN_WANT_LOGITS)) {
    view.n_positions = given.logit_rows;
    view.logits = given.logits;
  }
  if (wants(LFFN_WANT_CLASS_SCORES)) view.class_scores = given.class_scores;
  if (wants(LFFN_WANT_TOKEN_SCORES)) view.token_scores = given.token_scores;
  if (wants(LFFN_WANT_ENTITIES)) show_entities(memory, view);
  if (wants(LFFN_WANT_FILLINGS)) {
    view.filling_ids = given.filling_ids;
    view.filling_probabilities = given.filling_probabilities;
  }
}

lffn_model_run_args args_of_texts(const char* const* texts, const size_t* sizes, int64_t n, int64_t max_tokens) {
  check_count(n, "n");
  if (n > 0) need(texts, "texts");
  lffn_model_run_args args = {};
  args.n = n;
  args.texts = texts;
  args.text_sizes = sizes;
  args.max_tokens = max_tokens;
  return args;
}

}  // namespace

extern "C" {

void lffn_model_run_args_init_sized(lffn_model_run_args* args, size_t struct_size) { init_struct(args, struct_size); }

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
    lffn_model_run_args args = args_of_texts(texts, sizes, n, max_tokens);
    if (n == 0) return need(model, "model");
    need(out, "out");
    args.embeddings = out;
    args.embeddings_capacity = capacity;
    run_checked(model, args);
  });
}

lffn_status lffn_model_classify_texts(const lffn_model* model, const char* const* texts, const size_t* sizes, int64_t n,
                                      int64_t max_tokens, float* scores, int64_t capacity) {
  return guarded([&] {
    lffn_model_run_args args = args_of_texts(texts, sizes, n, max_tokens);
    need(model, "model");
    if (model->model->num_classes() == 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no classifier");
    if (n == 0) return;
    need(scores, "scores");
    args.class_scores = scores;
    args.class_scores_capacity = capacity;
    run_checked(model, args);
  });
}

lffn_status lffn_model_rerank(const lffn_model* model, const char* query, size_t query_size,
                              const char* const* documents, const size_t* sizes, int64_t n, int64_t max_tokens,
                              float* scores, int64_t capacity) {
  return guarded([&] {
    need(model, "model");
    if (query_size > 0) need(query, "query");
    const int32_t classes = model->model->num_classes();
    if (classes != 1) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "a reranker has a classifier of one class, this model has %d", classes);
    }
    check_count(n, "n");
    if (n == 0) return;
    need(documents, "documents");
    need(scores, "scores");
    const UseHooks hooks(hooks_of(model->runtime));
    const RunMemoryPool::Lease lease(model->memory);
    RunMemory& memory = lease.get();
    memory.queries.assign(static_cast<size_t>(n), query_size > 0 ? query : "");
    memory.query_sizes.assign(static_cast<size_t>(n), query_size);
    lffn_model_run_args args = args_of_texts(memory.queries.data(), memory.query_sizes.data(), n, max_tokens);
    for (int64_t i = 0; i < n; ++i) {
      if (documents[i] == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "documents[%lld] is NULL", printable(i));
    }
    args.pairs = documents;
    args.pair_sizes = sizes;
    args.class_scores = scores;
    args.class_scores_capacity = capacity;
    run(model, args, memory);
  });
}

lffn_status lffn_model_fill_mask(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t top_k, int32_t* ids,
                                 float* probabilities, int64_t capacity, int64_t* n_masks) {
  return guarded([&] {
    if (n_bytes > 0) need(utf8, "utf8");
    need(n_masks, "n_masks");
    const char* const text = n_bytes > 0 ? utf8 : "";
    lffn_model_run_args args = args_of_texts(&text, &n_bytes, 1, LFFN_MAX_TOKENS_NEVER);
    args.top_k = top_k;
    args.filling_ids = ids;
    args.filling_probabilities = probabilities;
    args.fillings_capacity = capacity;
    args.n_masks = n_masks;
    need(model, "model");
    int32_t any = 0;
    lffn_model_run_args asking = args;  // also where nothing but the number of masks is wanted
    asking.filling_ids = &any;
    wanted_of(*model->model, asking);
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
