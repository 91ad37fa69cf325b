// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/run_steps.h"

namespace lffn {
namespace {

// How many numbers each output of a call has.
struct Extents {
  int64_t hidden, embeddings, logits, class_scores, token_scores, token_vectors, fillings;
  int64_t embedding_rows, embedding_size;  // of what the caller gets
};

Extents extents_of(const Model& model, const lffn_model_run_args& args, const Wanted& wanted, const ModelCall& call,
                   const RunMemory& memory) {
  const ModelConfig& config = model.config();
  const auto rows = static_cast<int64_t>(memory.positions.size()), masks = static_cast<int64_t>(memory.masks.size());
  const int64_t tokens = memory.offsets.back(), n = call.num_sequences;
  Extents sizes = {};
  sizes.hidden = extent(tokens, config.hidden_size, "hidden");
  sizes.logits = wanted.logits ? extent(rows, config.vocab_size, "logits") : 0;
  sizes.class_scores = extent(n, model.num_classes(), "class_scores");
  sizes.token_scores = extent(tokens, model.num_token_classes(), "token_scores");
  sizes.token_vectors = extent(tokens, model.token_vector_size(), "token_vectors");
  sizes.fillings = wanted.fillings ? extent(masks, args.top_k, "fillings") : 0;
  sizes.embedding_rows = args.windows == LFFN_WINDOWS_MEAN ? args.n : n;
  sizes.embedding_size = args.dimensions != 0 ? args.dimensions : model.embedding_size(call.pooling);
  sizes.embeddings = extent(sizes.embedding_rows, sizes.embedding_size, "embeddings");
  return sizes;
}

// Tells the caller how large the results are, and takes the memory for them.
void give_outputs(const lffn_model_run_args& args, const Extents& sizes, RunMemory& memory, ModelCall& call,
                  EmbeddingForms& forms) {
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
  forms.floats = args.embeddings;
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
void give_result(const lffn_model_run_args& args, const Extents& sizes, RunMemory& memory, ModelCall& call,
                 EmbeddingForms& forms) {
  const auto take = [&](uint32_t bit, auto& room, int64_t count, auto*& to) {
    if ((args.wanted & bit) != 0) to = room.of(static_cast<size_t>(count));
  };
  take(LFFN_WANT_HIDDEN, memory.hidden, sizes.hidden, call.hidden);
  take(LFFN_WANT_EMBEDDINGS, memory.embeddings, sizes.embeddings, forms.floats);
  take(LFFN_WANT_INT8_EMBEDDINGS, memory.int8_embeddings, sizes.embeddings, forms.bytes);
  take(LFFN_WANT_INT8_EMBEDDINGS, memory.embedding_scales, sizes.embedding_rows, forms.byte_scales);
  take(LFFN_WANT_BIT_EMBEDDINGS, memory.bit_embeddings, sizes.embedding_rows * bit_bytes(sizes.embedding_size),
       forms.bits);
  take(LFFN_WANT_TOKEN_VECTORS, memory.token_vectors, sizes.token_vectors, call.token_vectors);
  take(LFFN_WANT_LOGITS, memory.logits, sizes.logits, call.logits);
  take(LFFN_WANT_CLASS_SCORES, memory.class_scores, sizes.class_scores, call.class_scores);
  take(LFFN_WANT_TOKEN_SCORES | LFFN_WANT_ENTITIES, memory.token_scores, sizes.token_scores, call.token_scores);
  take(LFFN_WANT_FILLINGS, memory.filling_ids, sizes.fillings, call.filling_ids);
  take(LFFN_WANT_FILLINGS, memory.filling_probabilities, sizes.fillings, call.filling_probabilities);
  if ((args.wanted & LFFN_WANT_STATUSES) != 0) list_messages(memory);
}

}  // namespace

EmbeddingForms place_outputs(const Model& model, const lffn_model_run_args& args, const Wanted& wanted,
                             RunMemory& memory, ModelCall& call) {
  const Extents sizes = extents_of(model, args, wanted, call, memory);
  EmbeddingForms forms;
  forms.rows = sizes.embedding_rows;
  forms.size = model.embedding_size(call.pooling);
  forms.dimensions = sizes.embedding_size;
  forms.scales = call.scaling == Scaling::kYes || (call.scaling == Scaling::kAsModel && model.sentence().normalises());
  if (args.windows == LFFN_WINDOWS_MEAN) forms.row_offsets = memory.texts.rows().text_offsets().data();
  if (args.result == nullptr) {
    give_outputs(args, sizes, memory, call, forms);
  } else {
    give_result(args, sizes, memory, call, forms);
  }
  if (wanted.other_embeddings) {
    const int64_t numbers = extent(call.num_sequences, forms.size, "embeddings");
    call.embeddings = memory.whole_embeddings.of(static_cast<size_t>(numbers));
    memory.embedding_row.of(static_cast<size_t>(forms.size));
  } else {
    call.embeddings = forms.floats;
  }
  return forms;
}

void list_messages(RunMemory& memory) {
  memory.messages.assign(memory.statuses.size(), "");
  for (const RunMemory::Failure& failure : memory.failures) {
    memory.messages[static_cast<size_t>(failure.text)] = failure.message.c_str();
  }
}

void show_spans(const TextRows& rows, RunMemory& memory, lffn_result_view& view) {
  const auto part = [](const std::vector<TextSpan>& spans, std::vector<int64_t>& begins, std::vector<int64_t>& ends) {
    begins.clear();
    ends.clear();
    for (const TextSpan& span : spans) {
      begins.push_back(static_cast<int64_t>(span.begin));
      ends.push_back(static_cast<int64_t>(span.end));
    }
  };
  part(rows.spans(), memory.token_begins, memory.token_ends);
  for (size_t pair = 0; pair < 2; ++pair) part(rows.parts(pair), memory.begins[pair], memory.ends[pair]);
  view.token_begins = memory.token_begins.data();
  view.token_ends = memory.token_ends.data();
  view.token_texts = rows.texts().data();
  view.text_begins = memory.begins[0].data();
  view.text_ends = memory.ends[0].data();
  view.pair_begins = memory.begins[1].data();
  view.pair_ends = memory.ends[1].data();
}

lffn_result_view view_of(const Model& model, const lffn_model_run_args& args, RunMemory& memory, const ModelCall& call,
                         const EmbeddingForms& forms) {
  const auto wants = [&](uint32_t bit) { return (args.wanted & bit) != 0; };
  const TextRows& texts = memory.texts.rows();
  lffn_result_view view = {};
  view.n = call.num_sequences;
  view.n_texts = args.n;
  view.n_tokens = memory.offsets.back();
  view.n_masks = memory.mask_offsets.back();
  view.offsets = memory.offsets.data();
  view.statuses = memory.statuses.data();
  view.mask_offsets = memory.mask_offsets.data();
  if (args.windows != LFFN_WINDOWS_NONE) view.text_offsets = texts.text_offsets().data();
  if (wants(LFFN_WANT_UNCUT)) view.uncut = memory.uncut.data();
  if (wants(LFFN_WANT_STATUSES)) view.messages = memory.messages.data();
  if (wants(LFFN_WANT_IDS)) {
    view.ids = args.texts != nullptr ? texts.ids().data() : memory.ids.data();
    view.token_types = args.texts != nullptr ? texts.types().data() : nullptr;
  }
  if (wants(LFFN_WANT_SPANS)) show_spans(texts, memory, view);
  view.hidden = call.hidden;
  view.token_vectors = call.token_vectors;
  view.token_vector_size = static_cast<int32_t>(model.token_vector_size());
  view.embeddings = forms.floats;
  view.int8_embeddings = forms.bytes;
  view.embedding_scales = forms.byte_scales;
  view.bit_embeddings = forms.bits;
  view.embedding_size = static_cast<int32_t>(forms.dimensions);
  view.logits = call.logits;
  view.n_positions = call.logits != nullptr ? call.num_positions : 0;
  view.class_scores = call.class_scores;
  if (wants(LFFN_WANT_TOKEN_SCORES)) view.token_scores = call.token_scores;
  if (wants(LFFN_WANT_ENTITIES)) show_entities(memory, view);
  view.filling_ids = call.filling_ids;
  view.filling_probabilities = call.filling_probabilities;
  return view;
}

}  // namespace lffn
