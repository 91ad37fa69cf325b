// SPDX-License-Identifier: Apache-2.0
#include "api/run_entities.h"

#include "api/run_texts.h"
#include "model/entities.h"
#include "runtime/cancel_flag.h"

namespace lffn {

void find_entities(const Model& model, const lffn_model_run_args& args, const float* scores, RunMemory& memory) {
  const TextRows& batch = memory.texts.rows();
  const auto aggregation = static_cast<Aggregation>(args.aggregation);
  memory.entities.clear();
  memory.entity_offsets.assign(1, 0);
  for (int64_t i = 0; i < args.n; ++i) {
    poll(args.cancel);
    const int64_t begin = batch.offsets()[static_cast<size_t>(i)];
    ScoredTokens tokens;
    tokens.ids = batch.ids().data() + begin;
    tokens.spans = batch.spans().data() + begin;
    tokens.texts = batch.texts().data() + begin;
    tokens.scores = scores + begin * model.num_token_classes();
    tokens.count = batch.offsets()[static_cast<size_t>(i) + 1] - begin;
    if (tokens.count > 0) {
      memory.entity_finder.find(model, text_of(args.texts, args.text_sizes, i), tokens, aggregation,
                                (args.flags & LFFN_RUN_ALL_LABELS) != 0, memory.entities);
    }
    memory.entity_offsets.push_back(static_cast<int64_t>(memory.entities.size()));
  }
  memory.entity_begins.clear();
  memory.entity_ends.clear();
  memory.entity_scores.clear();
  memory.entity_classes.clear();
  memory.entity_labels.clear();
  for (const Entity& entity : memory.entities) {
    memory.entity_begins.push_back(static_cast<int64_t>(entity.begin));
    memory.entity_ends.push_back(static_cast<int64_t>(entity.end));
    memory.entity_scores.push_back(entity.score);
    memory.entity_classes.push_back(entity.label);
    // A part of a label ends where the label does, with its zero byte.
    memory.entity_labels.push_back(aggregation == Aggregation::kNone
                                       ? model.labels()[static_cast<size_t>(entity.label)].c_str()
                                       : entity_label(model, entity.label).data());
  }
}

void show_entities(const RunMemory& memory, lffn_result_view& view) {
  view.entity_offsets = memory.entity_offsets.data();
  view.entity_begins = memory.entity_begins.data();
  view.entity_ends = memory.entity_ends.data();
  view.entity_scores = memory.entity_scores.data();
  view.entity_classes = memory.entity_classes.data();
  view.entity_labels = memory.entity_labels.data();
}

}  // namespace lffn
