// SPDX-License-Identifier: Apache-2.0
// The scores of tokens become entities, and a result shows them.
#include "api/run_call.h"
#include "model/heads/entities.h"
#include "runtime/cancel_flag.h"

namespace lffn {

// Of the texts that were read last.
void RunCall::find_entities() {
  const TextRows& batch = memory_.texts.rows();
  const auto aggregation = static_cast<Aggregation>(args_.aggregation);
  memory_.entities.clear();
  memory_.entity_offsets.assign(1, 0);
  for (int64_t i = 0; i < args_.n; ++i) {
    poll(args_.cancel);
    const int64_t begin = batch.offsets()[static_cast<size_t>(i)];
    ScoredTokens tokens;
    tokens.ids = batch.ids().data() + begin;
    tokens.spans = batch.spans().data() + begin;
    tokens.texts = batch.texts().data() + begin;
    tokens.scores = call_.token_scores + begin * model_.num_token_classes();
    tokens.count = batch.offsets()[static_cast<size_t>(i) + 1] - begin;
    if (tokens.count > 0) {
      memory_.entity_finder.find(model_, text_of(args_.texts, args_.text_sizes, i), tokens, aggregation,
                                 (args_.flags & LFFN_RUN_ALL_LABELS) != 0, memory_.entities);
    }
    memory_.entity_offsets.push_back(static_cast<int64_t>(memory_.entities.size()));
  }
  memory_.entity_begins.clear();
  memory_.entity_ends.clear();
  memory_.entity_scores.clear();
  memory_.entity_classes.clear();
  memory_.entity_labels.clear();
  for (const Entity& entity : memory_.entities) {
    memory_.entity_begins.push_back(static_cast<int64_t>(entity.begin));
    memory_.entity_ends.push_back(static_cast<int64_t>(entity.end));
    memory_.entity_scores.push_back(entity.score);
    memory_.entity_classes.push_back(entity.label);
    // A part of a label ends where the label does, with its zero byte.
    memory_.entity_labels.push_back(aggregation == Aggregation::kNone
                                        ? model_.labels()[static_cast<size_t>(entity.label)].c_str()
                                        : entity_label(model_, entity.label).data());
  }
}

void RunCall::show_entities(lffn_result_view& view) const {
  view.entity_offsets = memory_.entity_offsets.data();
  view.entity_begins = memory_.entity_begins.data();
  view.entity_ends = memory_.entity_ends.data();
  view.entity_scores = memory_.entity_scores.data();
  view.entity_classes = memory_.entity_classes.data();
  view.entity_labels = memory_.entity_labels.data();
}

}  // namespace lffn
