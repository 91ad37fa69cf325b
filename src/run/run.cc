// SPDX-License-Identifier: Apache-2.0
// The steps of a run in their order.
#include "run/run.h"

#include <algorithm>
#include <chrono>

#include "model/late/late_vectors.h"
#include "run/read_texts.h"
#include "runtime/cancel_flag.h"
#include "runtime/printable.h"

namespace lffn {

bool Run::is_sparse_query() const {
  if (!asks(kSparseOutputs) || model.query_weights() == nullptr) return false;
  if (request.prompt_kind == LFFN_PROMPT_QUERY) return true;
  return request.prompt_kind != LFFN_PROMPT_DOCUMENT && model.sentence().sparse.starts_with_query;
}

LateRole Run::role() const {
  if (!request.has_texts() || !model.sentence().late.is_late) return LateRole::kNone;
  return request.prompt_kind == LFFN_PROMPT_QUERY      ? LateRole::kQuery
         : request.prompt_kind == LFFN_PROMPT_DOCUMENT ? LateRole::kDocument
                                                       : LateRole::kNone;
}

namespace {

// Tells the caller of texts that are done, and tells the end only once.
class TextsDone {
 public:
  explicit TextsDone(const Run& run) : run_(run) {}
  void tell_sequences(int64_t done) {
    if (run_.request.windows == LFFN_WINDOWS_NONE) return tell(done);
    const int64_t* const offsets = run_.read.window_offsets;
    tell(std::upper_bound(offsets, offsets + run_.read.num_texts + 1, done) - offsets - 1);
  }
  // The last sequence already counts as the end, although a little work remains after it.
  void tell(int64_t done) {
    if (run_.request.progress == nullptr || done <= told_) return;
    told_ = done;
    run_.request.progress(done, run_.request.given.n, run_.request.progress_user);
  }

 private:
  const Run& run_;
  int64_t told_ = -1;
};

// Lists the positions whose logits are wanted.
void list_positions(Run& run) {
  std::vector<int64_t>& positions = run.memory.positions;
  const Request& request = run.request;
  const int64_t tokens = run.read.num_tokens();
  positions.clear();
  if (!run.asks(set_of(LFFN_OUT_LOGITS))) return;
  for (int64_t t = 0; request.all_positions && t < tokens; ++t) positions.push_back(t);
  for (int64_t i = 0; i < request.num_positions; ++i) {
    if (request.positions[i] < 0 || request.positions[i] >= tokens) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "logit_positions[%lld] is %lld, there are %lld tokens", printable(i),
           printable(request.positions[i]), printable(tokens));
    }
  }
  positions.insert(positions.end(), request.positions, request.positions + request.num_positions);
}

void find_masks(Run& run) {
  const ModelCall& call = run.call;
  run.memory.masks.clear();
  if (!run.asks(kMaskOutputs)) return;
  run.memory.mask_offsets.assign(1, 0);
  const int32_t mask = run.model.tokenizer()->mask_id();
  for (int64_t s = 0; s < call.num_sequences; ++s) {
    for (int64_t t = call.offsets[s]; t < call.offsets[s + 1]; ++t) {
      if (call.ids[t] == mask) run.memory.masks.push_back(t);
    }
    run.memory.mask_offsets.push_back(static_cast<int64_t>(run.memory.masks.size()));
  }
}

// Lists the tokens that have vectors.
void list_vectors(Run& run) {
  run.memory.vector_tokens.clear();
  if (!run.asks(kTokenVectorOutputs)) return;
  run.memory.vector_offsets.assign(1, 0);
  for (int64_t s = 0; s < run.call.num_sequences; ++s) {
    add_tokens_with_vectors(run.model.sentence().late, run.role(), run.call.ids, run.call.offsets[s],
                            run.call.offsets[s + 1], run.memory.vector_tokens);
    run.memory.vector_offsets.push_back(static_cast<int64_t>(run.memory.vector_tokens.size()));
  }
}

// Whether embeddings are wanted in another form than the model gives them.
bool makes_forms(const Run& run) {
  return run.asks(kEmbeddingOutputs) && (run.asks(set_of(LFFN_OUT_INT8_EMBEDDINGS, LFFN_OUT_BIT_EMBEDDINGS)) ||
                                         run.request.dimensions != 0 || run.request.windows == LFFN_WINDOWS_MEAN);
}

void set_call(Run& run) {
  const Request& request = run.request;
  const Model& model = run.model;
  CallMemory& memory = run.memory;
  ModelCall& call = run.call;
  call.positions = memory.positions.data();
  call.num_positions = static_cast<int64_t>(memory.positions.size());
  call.masks = memory.masks.data();
  call.num_masks = static_cast<int64_t>(memory.masks.size());
  call.vector_tokens = memory.vector_tokens.data();
  call.num_vectors = static_cast<int64_t>(memory.vector_tokens.size());
  call.top_k = request.top_k;
  call.pooling = request.pooling;
  call.scaling = request.scaling;
  call.num_threads = request.num_threads;
  call.cancel = request.cancel;
  if (run.asks(kSparseOutputs)) {
    memory.sparse.clear();
    call.sparse = &memory.sparse;
    const int32_t most =
        request.max_active == LFFN_MAX_ACTIVE_MODEL ? model.sentence().sparse.max_active : request.max_active;
    if (most > 0) call.sparse_limits.most = most;
    call.sparse_limits.least = request.min_weight;
  }
  EmbeddingForms& forms = run.forms;
  forms.size = model.embedding_size(request.pooling);
  forms.dimensions = request.dimensions != 0 ? request.dimensions : forms.size;
  forms.rows = call.num_sequences;
  forms.scales =
      request.scaling == Scaling::kYes || (request.scaling == Scaling::kAsModel && model.sentence().normalises());
  if (request.windows == LFFN_WINDOWS_MEAN) {
    forms.rows = run.read.num_texts;
    forms.row_offsets = run.read.window_offsets;
  }
}

// Finds the entities of the texts that were read last.
void find_entities(Run& run) {
  CallMemory& memory = run.memory;
  const TextRows& rows = memory.texts.rows();
  const GivenTexts& given = run.request.given;
  memory.entities.clear();
  memory.entity_offsets.assign(1, 0);
  for (int64_t i = 0; i < given.n; ++i) {
    poll(run.request.cancel);
    const int64_t begin = run.read.offsets[i];
    ScoredTokens tokens;
    tokens.ids = rows.ids().data() + begin;
    tokens.spans = rows.spans().data() + begin;
    tokens.texts = rows.texts().data() + begin;
    tokens.scores = run.call.token_scores + begin * run.model.num_token_classes();
    tokens.count = run.read.offsets[i + 1] - begin;
    if (tokens.count > 0) {
      memory.entity_finder.find(run.model, text_of(given.texts, given.text_sizes, i), tokens, run.request.aggregation,
                                run.request.all_labels, memory.entities);
    }
    memory.entity_offsets.push_back(static_cast<int64_t>(memory.entities.size()));
  }
}

}  // namespace

void run(const Model& model, const Request& request, Outputs& outputs, CallMemory& memory) {
  Run run = {model, request, outputs, memory};
  check(run);
  const auto start = std::chrono::steady_clock::now();
  read_sequences(run);
  const std::chrono::duration<double> reading = std::chrono::steady_clock::now() - start;
  list_messages(outputs, memory);
  list_positions(run);
  find_masks(run);
  list_vectors(run);
  set_call(run);
  // All outputs of known size must have room before the first one is written.
  set_sizes(run);
  outputs.check_room();
  place_outputs(run);
  give_read_rows(outputs, run.read, true);
  run.call.embeddings = run.forms.floats;
  if (makes_forms(run)) {
    run.call.embeddings =
        memory.whole_embeddings.of<float>(extent(run.call.num_sequences, run.forms.size, "embeddings"));
    memory.embedding_row.of<float>(run.forms.size);
  }
  TextsDone done(run);
  if (request.progress != nullptr) run.call.progress = [&done](int64_t sequences) { done.tell_sequences(sequences); };
  model.run(run.call);
  run.has_run = true;
  if (makes_forms(run)) {
    make_forms(run.call.embeddings, run.forms, memory.embedding_row.data<float>(), request.cancel);
  }
  if (run.asks(set_of(LFFN_OUT_INT8_TOKEN_VECTORS))) {
    make_bytes_of_rows(run.call.token_vectors, run.call.num_vectors, model.token_vector_size(), run.forms.token_bytes,
                       run.forms.token_scales, request.cancel);
  }
  if (run.asks(kEntityOutputs)) find_entities(run);
  if (run.call.seconds != nullptr) run.call.seconds[LFFN_STAGE_TEXT] = reading.count();
  if (run.asks(kSparseOutputs | kEntityOutputs)) {
    set_sizes(run);
    outputs.check_room();
  }
  give_read_rows(outputs, run.read, false);
  give_outputs(run);
  outputs.show();
  done.tell(request.given.n);
}

}  // namespace lffn
