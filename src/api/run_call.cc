// SPDX-License-Identifier: Apache-2.0
// The steps of a call in their order.
#include "api/run_call.h"

#include <algorithm>
#include <chrono>

#include "api/boundary.h"
#include "api/file_options.h"
#include "model/late/late_vectors.h"

namespace lffn {
namespace {

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

}  // namespace

RunCall::RunCall(const Model& model, const lffn_model_run_args& args, RunMemory& memory)
    : model_(model), args_(args), memory_(memory), wanted_(wanted_outputs()) {
  check();
}

bool RunCall::makes_forms() const {
  return wants(kEmbeddings) && (wants(LFFN_WANT_INT8_EMBEDDINGS | LFFN_WANT_BIT_EMBEDDINGS) || args_.dimensions != 0 ||
                                args_.windows == LFFN_WINDOWS_MEAN);
}

bool RunCall::is_sparse_query() const {
  if (!wants(LFFN_WANT_SPARSE) || model_.query_weights() == nullptr) return false;
  if (args_.prompt_kind == LFFN_PROMPT_QUERY) return true;
  return args_.prompt_kind != LFFN_PROMPT_DOCUMENT && model_.sentence().sparse.starts_with_query;
}

LateRole RunCall::role() const {
  if (args_.texts == nullptr || !model_.sentence().late.is_late) return LateRole::kNone;
  return args_.prompt_kind == LFFN_PROMPT_QUERY      ? LateRole::kQuery
         : args_.prompt_kind == LFFN_PROMPT_DOCUMENT ? LateRole::kDocument
                                                     : LateRole::kNone;
}

// Where logits are wanted.
void RunCall::place_logits() {
  const int64_t tokens = memory_.offsets.back();
  memory_.positions.clear();
  if (!wants(LFFN_WANT_LOGITS)) return;
  if ((args_.flags & LFFN_RUN_ALL_POSITIONS) != 0) {
    for (int64_t t = 0; t < tokens; ++t) memory_.positions.push_back(t);
  } else {
    if (args_.n_positions > 0) need(args_.positions, "positions");
    for (int64_t i = 0; i < args_.n_positions; ++i) {
      if (args_.positions[i] < 0 || args_.positions[i] >= tokens) {
        fail(LFFN_ERROR_INVALID_ARGUMENT, "positions[%lld] is %lld, there are %lld tokens", printable(i),
             printable(args_.positions[i]), printable(tokens));
      }
    }
    memory_.positions.assign(args_.positions, args_.positions + args_.n_positions);
  }
}

void RunCall::find_masks() {
  memory_.masks.clear();
  memory_.mask_offsets.assign(1, 0);
  if (args_.result == nullptr && args_.n_masks == nullptr && !wants(LFFN_WANT_FILLINGS)) return;
  const int32_t mask = model_.tokenizer() == nullptr ? -1 : model_.tokenizer()->mask_id();
  for (int64_t s = 0; s < call_.num_sequences; ++s) {
    for (int64_t t = call_.offsets[s]; mask >= 0 && t < call_.offsets[s + 1]; ++t) {
      if (call_.ids[t] == mask) memory_.masks.push_back(t);
    }
    memory_.mask_offsets.push_back(static_cast<int64_t>(memory_.masks.size()));
  }
}

// Which tokens have vectors.
void RunCall::list_vectors() {
  memory_.vector_tokens.clear();
  memory_.vector_offsets.assign(1, 0);
  if (!wants(kTokenVectors)) return;
  for (int64_t s = 0; s < call_.num_sequences; ++s) {
    add_tokens_with_vectors(model_.sentence().late, role(), call_.ids, call_.offsets[s], call_.offsets[s + 1],
                            memory_.vector_tokens);
    memory_.vector_offsets.push_back(static_cast<int64_t>(memory_.vector_tokens.size()));
  }
}

// From these the caller knows how large the others are.
void RunCall::list_outputs_of_texts() const {
  if (args_.offsets_out != nullptr) std::copy(memory_.offsets.begin(), memory_.offsets.end(), args_.offsets_out);
  if (args_.uncut != nullptr) std::copy(memory_.uncut.begin(), memory_.uncut.end(), args_.uncut);
  if (args_.statuses != nullptr) std::copy(memory_.statuses.begin(), memory_.statuses.end(), args_.statuses);
  if (args_.n_masks != nullptr) *args_.n_masks = memory_.mask_offsets.back();
  if (args_.result != nullptr && wants(LFFN_WANT_STATUSES)) list_messages(memory_);
}

void RunCall::run() {
  const auto start = std::chrono::steady_clock::now();
  read_sequences();
  const std::chrono::duration<double> reading = std::chrono::steady_clock::now() - start;
  place_logits();
  find_masks();
  list_vectors();
  list_outputs_of_texts();
  call_.positions = memory_.positions.data();
  call_.num_positions = static_cast<int64_t>(memory_.positions.size());
  call_.masks = memory_.masks.data();
  call_.num_masks = static_cast<int64_t>(memory_.masks.size());
  call_.vector_tokens = memory_.vector_tokens.data();
  call_.num_vectors = static_cast<int64_t>(memory_.vector_tokens.size());
  call_.top_k = args_.top_k;
  if (args_.pooling != LFFN_POOLING_MODEL) call_.pooling = static_cast<Pooling>(args_.pooling - 1);
  call_.scaling = static_cast<Scaling>(args_.normalize);
  call_.num_threads = args_.num_threads;
  call_.cancel = args_.cancel;
  call_.seconds = args_.seconds;
  call_.layer_seconds = args_.layer_seconds;
  forms_.size = model_.embedding_size(call_.pooling);
  forms_.dimensions = args_.dimensions != 0 ? args_.dimensions : forms_.size;
  forms_.rows = call_.num_sequences;
  forms_.scales =
      call_.scaling == Scaling::kYes || (call_.scaling == Scaling::kAsModel && model_.sentence().normalises());
  if (args_.windows == LFFN_WINDOWS_MEAN) {
    forms_.rows = args_.n;
    forms_.row_offsets = memory_.texts.rows().text_offsets().data();
  }
  if (wants(LFFN_WANT_SPARSE)) {
    memory_.sparse.clear();
    call_.sparse = &memory_.sparse;
    const int32_t most =
        args_.max_active == LFFN_MAX_ACTIVE_MODEL ? model_.sentence().sparse.max_active : args_.max_active;
    if (most > 0) call_.sparse_limits.most = most;
    call_.sparse_limits.least = args_.min_weight;
  }
  place_outputs();
  call_.embeddings = forms_.floats;
  if (makes_forms()) {
    const int64_t numbers = extent(call_.num_sequences, forms_.size, "embeddings");
    call_.embeddings = memory_.whole_embeddings.of(static_cast<size_t>(numbers));
    memory_.embedding_row.of(static_cast<size_t>(forms_.size));
  }
  TextsDone done(args_, memory_);
  if (args_.progress != nullptr) call_.progress = [&done](int64_t sequences) { done.tell_sequences(sequences); };
  model_.run(call_);
  if (makes_forms()) make_forms(call_.embeddings, forms_, memory_.embedding_row.data(), args_.cancel);
  if (wants(LFFN_WANT_INT8_TOKEN_VECTORS)) {
    make_bytes_of_rows(call_.token_vectors, call_.num_vectors, model_.token_vector_size(), forms_.token_bytes,
                       forms_.token_scales, args_.cancel);
  }
  if (wants(LFFN_WANT_ENTITIES)) find_entities();
  if (args_.seconds != nullptr) args_.seconds[LFFN_STAGE_TEXT] = reading.count();
  done.tell(args_.n);
}

}  // namespace lffn
