// SPDX-License-Identifier: Apache-2.0
// One call to lffn_model_run from its arguments to its results. Each output is a row of the table in run_outputs.cc.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "api/run_memory.h"
#include "api/run_steps.h"
#include "lookupffn/lookupffn.h"
#include "model/heads/embedding_forms.h"
#include "model/model.h"

namespace lffn {

struct GivenTexts;

class RunCall {
 public:
  // Checks the arguments. All must outlive it. Throws Error.
  RunCall(const Model& model, const lffn_model_run_args& args, RunMemory& memory);

  void run();
  // For a result, after run().
  lffn_result_view view() const;

 private:
  // Whether any of these LFFN_WANT_ is to go into a result, or into the caller's memory.
  bool wants(uint32_t bits) const { return (wanted_ & bits) != 0; }
  // Whether texts are queries that do not go through the encoder.
  bool is_sparse_query() const;
  // What texts are to a late model.
  LateRole role() const;
  bool pools() const { return wants(kEmbeddings | LFFN_WANT_CLASS_SCORES); }
  // Whether embeddings are wanted in another form than the model gives them.
  bool makes_forms() const;

  // run_checks.cc
  void check() const;
  void check_inputs() const;
  void check_windows() const;
  void check_entities() const;
  void check_fillings() const;
  void check_embeddings() const;
  void check_static() const;
  void check_sparse() const;
  void check_sequences() const;

  // run_outputs.cc
  static uint32_t known_outputs();
  uint32_t wanted_outputs() const;
  void check_outputs() const;
  void check_window_outputs() const;
  void place_outputs();

  // run_texts.cc
  void read_sequences();
  void read_texts();
  void read_blocks(const GivenTexts& given, int32_t threads);
  void read_ids();
  std::string_view prompt() const;

  // run_call.cc
  void place_logits();
  void find_masks();
  void list_vectors();
  void list_outputs_of_texts() const;

  // run_entities.cc
  void find_entities();
  void show_entities(lffn_result_view& view) const;

  static constexpr uint32_t kTokenVectors = LFFN_WANT_TOKEN_VECTORS | LFFN_WANT_INT8_TOKEN_VECTORS;
  static constexpr uint32_t kEmbeddings = LFFN_WANT_EMBEDDINGS | LFFN_WANT_INT8_EMBEDDINGS | LFFN_WANT_BIT_EMBEDDINGS;

  const Model& model_;
  const lffn_model_run_args& args_;
  RunMemory& memory_;
  const uint32_t wanted_;  // LFFN_WANT_
  ModelCall call_;         // what the model fills
  EmbeddingForms forms_;   // what is made of its embeddings
};

}  // namespace lffn
