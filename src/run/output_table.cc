// SPDX-License-Identifier: Apache-2.0
// The outputs of a run as a table: a row says who may ask for one, how large it is, and where it comes from. What was
// read has its rows in read.cc.
#include <algorithm>
#include <array>

#include "run/run.h"
#include "runtime/error.h"

namespace lffn {
namespace {

struct OutputShape {
  int64_t rows, columns;
};

struct OutputRow {
  // Throws Error(LFFN_ERROR_INVALID_ARGUMENT) where this run cannot give the output; nullptr: all can.
  void (*check)(const Run&);
  OutputShape (*shape)(const Run&);
  // Tells the model where to write the output; nullptr: it is given afterwards.
  void (*place)(Run&, int32_t what);
  void (*give)(Run&, int32_t what);
};

[[noreturn]] void refuse_output(const char* why) { fail(LFFN_ERROR_INVALID_ARGUMENT, "%s", why); }

void need_lm_head(const Run& run) {
  if (!run.model.has_lm_head()) refuse_output("this model has no language model head");
}

void need_masks(const Run& run) {
  const Tokenizer* const tokenizer = run.model.tokenizer().get();
  if (tokenizer == nullptr) refuse_output("this model has no tokenizer");
  if (tokenizer->mask_id() < 0) refuse_output("this model's vocabulary has no mask");
}

void need_fillings(const Run& run) {
  need_lm_head(run);
  need_masks(run);
  const int32_t vocabulary = run.model.config().vocab_size;
  if (run.request.top_k < 1 || run.request.top_k > vocabulary) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "top_k is %d, expected 1 to %d, the size of the vocabulary", run.request.top_k,
         vocabulary);
  }
}

void need_sparse(const Run& run) {
  if (!run.model.sentence().sparse.pools) refuse_output("this model gives no sparse vectors");
}

// The places of entities are in the texts as they were given.
void need_entities(const Run& run) {
  const Model& model = run.model;
  const Request& request = run.request;
  if (model.token_head() != TokenHead::kClasses) {
    refuse_output("this model has no classes of tokens, so it finds no entities");
  }
  if (request.given.n > 0 && !request.has_texts()) refuse_output("texts is NULL, but entities are found in texts");
  const bool is_plain = !model.sentence().is_sentence_encoder || request.plain;
  if (request.given.pairs != nullptr || request.prompt_kind > LFFN_PROMPT_NONE || !is_plain) {
    refuse_output("entities are asked for, but pairs or a prompt are given; leave these out");
  }
  if (request.windows != LFFN_WINDOWS_NONE) {
    refuse_output("entities cannot be found in windows; give each part of the text as a text of its own");
  }
}

OutputShape embeddings_shape(const Run& run) { return {run.forms.rows, run.forms.dimensions}; }
OutputShape vectors_by(const Run& run, int64_t columns) { return {run.call.num_vectors, columns}; }
OutputShape masks_by(const Run& run, int64_t columns) { return {run.call.num_masks, columns}; }
OutputShape around_sequences(const Run& run) { return {run.call.num_sequences + 1, 1}; }
OutputShape weights_shape(const Run& run) {
  return {run.has_run ? static_cast<int64_t>(run.memory.sparse.ids().size()) : kUnknownRows, 1};
}
OutputShape entities_shape(const Run& run) {
  return {run.has_run ? static_cast<int64_t>(run.memory.entities.size()) : kUnknownRows, 1};
}

// Has the model write the output to this member of its call.
template <auto Member, typename Number>
void place_in_call(Run& run, int32_t what) {
  run.call.*Member = run.outputs.place<Number>(what);
}
template <auto Member, typename Number>
void place_in_forms(Run& run, int32_t what) {
  run.forms.*Member = run.outputs.place<Number>(what);
}

template <typename Number, typename Value>
void give_entities(Run& run, int32_t what, Value&& value) {
  auto* const to = run.outputs.place<Number>(what);
  std::transform(run.memory.entities.begin(), run.memory.entities.end(), to, value);
}

using OutputTable = std::array<OutputRow, kMostOutputs>;

// Indexed by the value of LFFN_OUT_.
constexpr OutputTable make_table() {
  OutputTable table = {};
  const auto set = [&table](int32_t what, const OutputRow& row) constexpr { table[static_cast<size_t>(what)] = row; };
  set(LFFN_OUT_MASK_POSITIONS, {need_masks, [](const Run& run) { return masks_by(run, 1); }, nullptr,
                                [](Run& run, int32_t what) { run.outputs.give(what, run.memory.masks.data()); }});
  set(LFFN_OUT_MASK_OFFSETS, {need_masks, around_sequences, nullptr,
                              [](Run& run, int32_t what) { run.outputs.give(what, run.memory.mask_offsets.data()); }});
  set(LFFN_OUT_HIDDEN, {[](const Run& run) {
                          if (run.model.statics() == nullptr) return;
                          refuse_output(
                              "this model has static vectors and no layers, so it has no hidden states; ask for "
                              "embeddings or token vectors");
                        },
                        [](const Run& run) {
                          return OutputShape{run.read.num_tokens(), run.model.config().hidden_size};
                        },
                        place_in_call<&ModelCall::hidden, float>, nullptr});
  set(LFFN_OUT_EMBEDDINGS, {nullptr, embeddings_shape, place_in_forms<&EmbeddingForms::floats, float>, nullptr});
  set(LFFN_OUT_INT8_EMBEDDINGS, {nullptr, embeddings_shape, place_in_forms<&EmbeddingForms::bytes, int8_t>, nullptr});
  set(LFFN_OUT_EMBEDDING_SCALES,
      {[](const Run& run) {
         if (!run.asks(set_of(LFFN_OUT_INT8_EMBEDDINGS))) {
           refuse_output("embedding_scales are asked for, but not the int8_embeddings they belong to");
         }
       },
       [](const Run& run) {
         return OutputShape{run.forms.rows, 1};
       },
       place_in_forms<&EmbeddingForms::byte_scales, float>, nullptr});
  set(LFFN_OUT_BIT_EMBEDDINGS, {nullptr,
                                [](const Run& run) {
                                  return OutputShape{run.forms.rows, bit_bytes(run.forms.dimensions)};
                                },
                                place_in_forms<&EmbeddingForms::bits, uint8_t>, nullptr});
  set(LFFN_OUT_TOKEN_VECTORS, {nullptr, [](const Run& run) { return vectors_by(run, run.model.token_vector_size()); },
                               place_in_call<&ModelCall::token_vectors, float>, nullptr});
  set(LFFN_OUT_INT8_TOKEN_VECTORS,
      {nullptr, [](const Run& run) { return vectors_by(run, run.model.token_vector_size()); },
       place_in_forms<&EmbeddingForms::token_bytes, int8_t>, nullptr});
  set(LFFN_OUT_TOKEN_VECTOR_SCALES,
      {[](const Run& run) {
         if (!run.asks(set_of(LFFN_OUT_INT8_TOKEN_VECTORS))) {
           refuse_output("token_vector_scales are asked for, but not the int8_token_vectors they belong to");
         }
       },
       [](const Run& run) { return vectors_by(run, 1); }, place_in_forms<&EmbeddingForms::token_scales, float>,
       nullptr});
  set(LFFN_OUT_VECTOR_TOKENS,
      {nullptr, [](const Run& run) { return vectors_by(run, 1); }, nullptr,
       [](Run& run, int32_t what) { run.outputs.give(what, run.memory.vector_tokens.data()); }});
  set(LFFN_OUT_VECTOR_OFFSETS, {nullptr, around_sequences, nullptr, [](Run& run, int32_t what) {
                                  run.outputs.give(what, run.memory.vector_offsets.data());
                                }});
  set(LFFN_OUT_CLASS_SCORES, {[](const Run& run) {
                                if (run.model.num_classes() == 0) refuse_output("this model has no classifier");
                              },
                              [](const Run& run) {
                                return OutputShape{run.call.num_sequences, run.model.num_classes()};
                              },
                              place_in_call<&ModelCall::class_scores, float>, nullptr});
  set(LFFN_OUT_TOKEN_SCORES, {[](const Run& run) {
                                if (run.model.num_token_classes() == 0)
                                  refuse_output("this model has no head that scores tokens");
                              },
                              [](const Run& run) {
                                return OutputShape{run.read.num_tokens(), run.model.num_token_classes()};
                              },
                              place_in_call<&ModelCall::token_scores, float>, nullptr});
  set(LFFN_OUT_LOGITS, {need_lm_head,
                        [](const Run& run) {
                          return OutputShape{run.call.num_positions, run.model.config().vocab_size};
                        },
                        place_in_call<&ModelCall::logits, float>, nullptr});
  set(LFFN_OUT_FILLING_IDS, {need_fillings, [](const Run& run) { return masks_by(run, run.request.top_k); },
                             place_in_call<&ModelCall::filling_ids, int32_t>, nullptr});
  set(LFFN_OUT_FILLING_PROBABILITIES, {need_fillings, [](const Run& run) { return masks_by(run, run.request.top_k); },
                                       place_in_call<&ModelCall::filling_probabilities, float>, nullptr});
  set(LFFN_OUT_SPARSE_IDS, {need_sparse, weights_shape, nullptr,
                            [](Run& run, int32_t what) { run.outputs.give(what, run.memory.sparse.ids().data()); }});
  set(LFFN_OUT_SPARSE_WEIGHTS, {need_sparse, weights_shape, nullptr, [](Run& run, int32_t what) {
                                  run.outputs.give(what, run.memory.sparse.weights().data());
                                }});
  set(LFFN_OUT_SPARSE_OFFSETS, {need_sparse, around_sequences, nullptr, [](Run& run, int32_t what) {
                                  run.outputs.give(what, run.memory.sparse.offsets().data());
                                }});
  set(LFFN_OUT_ENTITY_BEGINS,
      {need_entities, entities_shape, nullptr, [](Run& run, int32_t what) {
         give_entities<int64_t>(run, what, [](const Entity& entity) { return static_cast<int64_t>(entity.begin); });
       }});
  set(LFFN_OUT_ENTITY_ENDS, {need_entities, entities_shape, nullptr, [](Run& run, int32_t what) {
                               give_entities<int64_t>(
                                   run, what, [](const Entity& entity) { return static_cast<int64_t>(entity.end); });
                             }});
  set(LFFN_OUT_ENTITY_SCORES, {need_entities, entities_shape, nullptr, [](Run& run, int32_t what) {
                                 give_entities<float>(run, what, [](const Entity& entity) { return entity.score; });
                               }});
  set(LFFN_OUT_ENTITY_CLASSES, {need_entities, entities_shape, nullptr, [](Run& run, int32_t what) {
                                  give_entities<int32_t>(run, what, [](const Entity& entity) { return entity.label; });
                                }});
  set(LFFN_OUT_ENTITY_OFFSETS,
      {need_entities,
       [](const Run& run) {
         return OutputShape{run.read.num_texts + 1, 1};
       },
       nullptr, [](Run& run, int32_t what) { run.outputs.give(what, run.memory.entity_offsets.data()); }});
  set(LFFN_OUT_STAGE_SECONDS, {nullptr,
                               [](const Run&) {
                                 return OutputShape{LFFN_NUM_STAGES, 1};
                               },
                               place_in_call<&ModelCall::seconds, double>, nullptr});
  set(LFFN_OUT_LAYER_SECONDS, {nullptr,
                               [](const Run& run) {
                                 return OutputShape{static_cast<int64_t>(run.model.config().layers.size()), 2};
                               },
                               place_in_call<&ModelCall::layer_seconds, double>, nullptr});
  return table;
}

constexpr OutputTable kOutputTable = make_table();
constexpr OutputSet rows_of(const OutputTable& table) {
  OutputSet rows = 0;
  for (int32_t what = 0; what < kMostOutputs; ++what) {
    if (table[static_cast<size_t>(what)].shape != nullptr) rows |= set_of(what);
  }
  return rows;
}

constexpr OutputSet kOwnRows = rows_of(kOutputTable);

const OutputRow& row_of(int32_t what) { return kOutputTable[static_cast<size_t>(what)]; }

// Makes room for an output that others are made of, where nobody asked for it.
template <typename Number>
void place_beside(Run& run, OutputSet for_what, int32_t what, Number*& at) {
  if (!run.asks(for_what) || at != nullptr) return;
  const OutputShape shape = row_of(what).shape(run);
  at =
      run.memory.rooms[static_cast<size_t>(what)].of<Number>(extent(shape.rows, shape.columns, output_kind(what).name));
}

}  // namespace

OutputSet run_outputs() { return kOwnRows | kReadOutputs; }

void check_outputs(const Run& run) {
  run.outputs.each(kOwnRows, [&](int32_t what) {
    if (row_of(what).check != nullptr) row_of(what).check(run);
  });
}

void set_sizes(Run& run) {
  if (!run.has_run) set_read_sizes(run.outputs, run.read);
  run.outputs.each(kOwnRows, [&](int32_t what) {
    const OutputShape shape = row_of(what).shape(run);
    run.outputs.set_size(what, shape.rows, shape.columns);
  });
}

void place_outputs(Run& run) {
  run.outputs.each(kOwnRows, [&](int32_t what) {
    if (row_of(what).place != nullptr) row_of(what).place(run, what);
  });
  place_beside(run, set_of(LFFN_OUT_INT8_EMBEDDINGS), LFFN_OUT_EMBEDDING_SCALES, run.forms.byte_scales);
  place_beside(run, set_of(LFFN_OUT_INT8_TOKEN_VECTORS), LFFN_OUT_TOKEN_VECTORS, run.call.token_vectors);
  place_beside(run, set_of(LFFN_OUT_INT8_TOKEN_VECTORS), LFFN_OUT_TOKEN_VECTOR_SCALES, run.forms.token_scales);
  place_beside(run, set_of(LFFN_OUT_FILLING_PROBABILITIES), LFFN_OUT_FILLING_IDS, run.call.filling_ids);
  place_beside(run, kEntityOutputs, LFFN_OUT_TOKEN_SCORES, run.call.token_scores);
}

void give_outputs(Run& run) {
  run.outputs.each(kOwnRows, [&](int32_t what) {
    if (row_of(what).give != nullptr) row_of(what).give(run, what);
  });
}

}  // namespace lffn
