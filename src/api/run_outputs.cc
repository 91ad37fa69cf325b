// SPDX-License-Identifier: Apache-2.0
// The outputs of a call as a table: a row says who asks for an output, how large it is, where it goes and how a result
// shows it. The model's part and the forms of embeddings fill what is placed.
#include <algorithm>

#include "api/boundary.h"
#include "api/run_call.h"

namespace lffn {

int64_t extent(int64_t rows, int64_t columns, const char* name) {
  int64_t numbers = 0;
  if (__builtin_mul_overflow(rows, columns, &numbers) || numbers > PTRDIFF_MAX / static_cast<int64_t>(sizeof(float))) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: %lld rows of %lld numbers are more than any memory holds", name,
         printable(rows), printable(columns));
  }
  return numbers;
}

namespace {

using Args = lffn_model_run_args;
using View = lffn_result_view;

// What the sizes of outputs follow from.
struct Counts {
  const Model& model;
  const ModelCall& call;
  const EmbeddingForms& forms;
  int64_t tokens;
  int32_t top_k;
};

struct Shape {
  int64_t rows, columns;
};

template <typename Number>
struct Output {
  const char* name;
  uint32_t wanted;                // LFFN_WANT_ that gives it
  Number* Args::*given;           // the caller's memory; nullptr: it goes into a result only
  int64_t Args::*capacity;        // the room there
  const char* room_name;          // that member's name, without "_capacity"
  Room<Number> RunMemory::*room;  // where a result has it
  Shape (*shape)(const Counts&);
  Number*& (*place)(ModelCall&, EmbeddingForms&);  // where it is filled
  const Number* View::*shown;
  uint32_t also_for = 0;           // LFFN_WANT_ that needs it without showing it
  bool of_each_window = true;      // else one for each text
  bool even_if_not_given = false;  // it is needed beside another of the same LFFN_WANT_
};

Shape tokens_by(const Counts& counts, int64_t columns) { return {counts.tokens, columns}; }

Shape embeddings_shape(const Counts& counts) { return {counts.forms.rows, counts.forms.dimensions}; }

Shape token_vectors_shape(const Counts& counts) { return {counts.call.num_vectors, counts.model.token_vector_size()}; }

Shape fillings_shape(const Counts& counts) { return {counts.call.num_masks, counts.top_k}; }

// visit(Output) for each.
template <typename Visit>
void visit_outputs(Visit&& visit) {
  visit(Output<float>{"hidden", LFFN_WANT_HIDDEN, &Args::hidden, &Args::hidden_capacity, "hidden", &RunMemory::hidden,
                      [](const Counts& counts) { return tokens_by(counts, counts.model.config().hidden_size); },
                      [](ModelCall& call, EmbeddingForms&) -> float*& { return call.hidden; }, &View::hidden});
  Output<float> embeddings{"embeddings",      LFFN_WANT_EMBEDDINGS,
                           &Args::embeddings, &Args::embeddings_capacity,
                           "embeddings",      &RunMemory::embeddings,
                           embeddings_shape,  [](ModelCall&, EmbeddingForms& forms) -> float*& { return forms.floats; },
                           &View::embeddings};
  embeddings.of_each_window = false;
  visit(embeddings);
  visit(Output<int8_t>{"int8_embeddings", LFFN_WANT_INT8_EMBEDDINGS, nullptr, nullptr, nullptr,
                       &RunMemory::int8_embeddings, embeddings_shape,
                       [](ModelCall&, EmbeddingForms& forms) -> int8_t*& { return forms.bytes; },
                       &View::int8_embeddings});
  visit(Output<float>{
      "embedding_scales", LFFN_WANT_INT8_EMBEDDINGS, nullptr, nullptr, nullptr, &RunMemory::embedding_scales,
      [](const Counts& counts) {
        return Shape{counts.forms.rows, 1};
      },
      [](ModelCall&, EmbeddingForms& forms) -> float*& { return forms.byte_scales; }, &View::embedding_scales});
  visit(Output<uint8_t>{
      "bit_embeddings", LFFN_WANT_BIT_EMBEDDINGS, nullptr, nullptr, nullptr, &RunMemory::bit_embeddings,
      [](const Counts& counts) {
        return Shape{counts.forms.rows, bit_bytes(counts.forms.dimensions)};
      },
      [](ModelCall&, EmbeddingForms& forms) -> uint8_t*& { return forms.bits; }, &View::bit_embeddings});
  Output<float> token_vectors{"token_vectors",
                              LFFN_WANT_TOKEN_VECTORS,
                              nullptr,
                              nullptr,
                              nullptr,
                              &RunMemory::token_vectors,
                              token_vectors_shape,
                              [](ModelCall& call, EmbeddingForms&) -> float*& { return call.token_vectors; },
                              &View::token_vectors};
  token_vectors.also_for = LFFN_WANT_INT8_TOKEN_VECTORS;
  visit(token_vectors);
  visit(Output<int8_t>{"int8_token_vectors", LFFN_WANT_INT8_TOKEN_VECTORS, nullptr, nullptr, nullptr,
                       &RunMemory::int8_token_vectors, token_vectors_shape,
                       [](ModelCall&, EmbeddingForms& forms) -> int8_t*& { return forms.token_bytes; },
                       &View::int8_token_vectors});
  visit(Output<float>{
      "token_vector_scales", LFFN_WANT_INT8_TOKEN_VECTORS, nullptr, nullptr, nullptr, &RunMemory::token_vector_scales,
      [](const Counts& counts) {
        return Shape{counts.call.num_vectors, 1};
      },
      [](ModelCall&, EmbeddingForms& forms) -> float*& { return forms.token_scales; }, &View::token_vector_scales});
  visit(Output<float>{"logits", LFFN_WANT_LOGITS, &Args::logits, &Args::logits_capacity, "logits", &RunMemory::logits,
                      [](const Counts& counts) {
                        return Shape{counts.call.num_positions, counts.model.config().vocab_size};
                      },
                      [](ModelCall& call, EmbeddingForms&) -> float*& { return call.logits; }, &View::logits});
  visit(Output<float>{"class_scores", LFFN_WANT_CLASS_SCORES, &Args::class_scores, &Args::class_scores_capacity,
                      "class_scores", &RunMemory::class_scores,
                      [](const Counts& counts) {
                        return Shape{counts.call.num_sequences, counts.model.num_classes()};
                      },
                      [](ModelCall& call, EmbeddingForms&) -> float*& { return call.class_scores; },
                      &View::class_scores});
  Output<float> token_scores{"token_scores",
                             LFFN_WANT_TOKEN_SCORES,
                             &Args::token_scores,
                             &Args::token_scores_capacity,
                             "token_scores",
                             &RunMemory::token_scores,
                             [](const Counts& counts) { return tokens_by(counts, counts.model.num_token_classes()); },
                             [](ModelCall& call, EmbeddingForms&) -> float*& { return call.token_scores; },
                             &View::token_scores};
  token_scores.also_for = LFFN_WANT_ENTITIES;
  visit(token_scores);
  Output<int32_t> ids{
      "filling_ids",      LFFN_WANT_FILLINGS,
      &Args::filling_ids, &Args::fillings_capacity,
      "fillings",         &RunMemory::filling_ids,
      fillings_shape,     [](ModelCall& call, EmbeddingForms&) -> int32_t*& { return call.filling_ids; },
      &View::filling_ids};
  ids.even_if_not_given = true;
  visit(ids);
  visit(Output<float>{"filling_probabilities", LFFN_WANT_FILLINGS, &Args::filling_probabilities,
                      &Args::fillings_capacity, "fillings", &RunMemory::filling_probabilities, fillings_shape,
                      [](ModelCall& call, EmbeddingForms&) -> float*& { return call.filling_probabilities; },
                      &View::filling_probabilities});
}

// Whether the output is in the caller's memory.
template <typename Number>
bool is_given(const Output<Number>& output, const Args& args) {
  return output.given != nullptr && args.*output.given != nullptr;
}

[[noreturn]] void refuse_both(const char* name) {
  fail(LFFN_ERROR_INVALID_ARGUMENT, "result and %s are both given; a call fills only one of them", name);
}

}  // namespace

// What is told of texts and tokens, or made of other outputs, has no row of its own.
uint32_t RunCall::known_outputs() {
  uint32_t known =
      LFFN_WANT_IDS | LFFN_WANT_STATUSES | LFFN_WANT_ENTITIES | LFFN_WANT_UNCUT | LFFN_WANT_SPANS | LFFN_WANT_SPARSE;
  visit_outputs([&](const auto& output) { known |= output.wanted; });
  return known;
}

uint32_t RunCall::wanted_outputs() const {
  uint32_t wanted = args_.wanted;
  visit_outputs([&](const auto& output) {
    if (is_given(output, args_)) wanted |= output.wanted;
  });
  if (args_.statuses != nullptr) wanted |= LFFN_WANT_STATUSES;
  if (args_.uncut != nullptr) wanted |= LFFN_WANT_UNCUT;
  return wanted;
}

// A call's results go into one place.
void RunCall::check_outputs() const {
  check_flags(args_.wanted, known_outputs(), "wanted");
  if (args_.result == nullptr) {
    if (args_.wanted != 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "result is NULL, but wanted is not 0");
  } else {
    visit_outputs([&](const auto& output) {
      if (is_given(output, args_)) refuse_both(output.name);
    });
    if (args_.offsets_out != nullptr) refuse_both("offsets_out");
    if (args_.uncut != nullptr) refuse_both("uncut");
    if (args_.n_masks != nullptr) refuse_both("n_masks");
    if (args_.statuses != nullptr) refuse_both("statuses");
  }
}

void RunCall::check_window_outputs() const {
  if (args_.windows == LFFN_WINDOWS_NONE) return;
  bool of_each = args_.offsets_out != nullptr;
  visit_outputs([&](const auto& output) {
    const bool each = output.of_each_window || args_.windows == LFFN_WINDOWS_EACH;
    of_each = of_each || (is_given(output, args_) && each);
  });
  if (of_each) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "the number of windows is not known before: what comes of each needs a result");
  }
}

// Before the first output is written it is known that there is room for all of them.
void RunCall::place_outputs() {
  const Counts counts = {model_, call_, forms_, memory_.offsets.back(), args_.top_k};
  const auto size_of = [&](const auto& output) {
    const Shape shape = output.shape(counts);
    return extent(shape.rows, shape.columns, output.room_name != nullptr ? output.room_name : output.name);
  };
  visit_outputs([&](const auto& output) {
    if (!is_given(output, args_)) return;
    const int64_t needed = size_of(output), capacity = args_.*output.capacity;
    if (capacity >= needed) return;
    fail(LFFN_ERROR_TOO_SMALL, "%s_capacity is %lld, the result has %lld numbers", output.room_name,
         printable(capacity), printable(needed));
  });
  visit_outputs([&](const auto& output) {
    if (!wants(output.wanted | output.also_for)) return;
    auto*& place = output.place(call_, forms_);
    if (is_given(output, args_)) {
      place = args_.*output.given;
    } else if (args_.result != nullptr || output.even_if_not_given) {
      place = (memory_.*output.room).of(static_cast<size_t>(size_of(output)));
    }
  });
}

lffn_result_view RunCall::view() const {
  const TextRows& texts = memory_.texts.rows();
  lffn_result_view view = {};
  view.n = call_.num_sequences;
  view.n_texts = args_.n;
  view.n_tokens = memory_.offsets.back();
  view.n_masks = memory_.mask_offsets.back();
  view.offsets = memory_.offsets.data();
  view.statuses = memory_.statuses.data();
  view.mask_offsets = memory_.mask_offsets.data();
  if (args_.windows != LFFN_WINDOWS_NONE) view.text_offsets = texts.text_offsets().data();
  if (wants(LFFN_WANT_UNCUT)) view.uncut = memory_.uncut.data();
  if (wants(LFFN_WANT_STATUSES)) view.messages = memory_.messages.data();
  if (wants(LFFN_WANT_IDS)) {
    view.ids = args_.texts != nullptr ? texts.ids().data() : memory_.ids.data();
    view.token_types = args_.texts != nullptr ? texts.types().data() : nullptr;
  }
  if (wants(LFFN_WANT_SPANS)) show_spans(texts, memory_, view);
  if (wants(LFFN_WANT_ENTITIES)) show_entities(view);
  visit_outputs([&](const auto& output) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): it is read here
    if (wants(output.wanted))
      view.*output.shown = output.place(const_cast<ModelCall&>(call_), const_cast<EmbeddingForms&>(forms_));
  });
  if (wants(LFFN_WANT_SPARSE)) {
    view.sparse_offsets = memory_.sparse.offsets().data();
    view.sparse_ids = memory_.sparse.ids().data();
    view.sparse_weights = memory_.sparse.weights().data();
  }
  view.embedding_size = static_cast<int32_t>(forms_.dimensions);
  view.token_vector_size = static_cast<int32_t>(model_.token_vector_size());
  if (wants(kTokenVectors)) {
    view.vector_offsets = memory_.vector_offsets.data();
    view.vector_tokens = memory_.vector_tokens.data();
  }
  view.n_positions = call_.logits != nullptr ? call_.num_positions : 0;
  return view;
}

}  // namespace lffn
