// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "api/boundary.h"
#include "api/run_steps.h"
#include "model/heads/entities.h"
#include "runtime/cancel_flag.h"

namespace lffn {

std::string_view text_of(const char* const* texts, const size_t* sizes, int64_t i, const char* name) {
  if (texts[i] == nullptr) fail(LFFN_ERROR_NULL_TEXT, "the %s is NULL", name);
  return read_text(texts[i], sizes == nullptr ? SIZE_MAX : sizes[i], (std::string("the ") + name).c_str());
}

bool is_of_text(lffn_status status) {
  return status == LFFN_ERROR_INVALID_ARGUMENT || status == LFFN_ERROR_NULL_TEXT || status == LFFN_ERROR_BAD_TEXT ||
         status == LFFN_ERROR_TOO_LONG;
}

namespace {

// The prompt that the call names, or the model's own.
std::string_view prompt_of(const Model& model, const lffn_model_run_args& args) {
  switch (args.prompt_kind) {
    case LFFN_PROMPT_NAMED:
      return find_prompt(model, read_text(args.prompt, args.prompt_size, "prompt"));
    case LFFN_PROMPT_TEXT:
      return read_text(args.prompt, args.prompt_size, "prompt");
    case LFFN_PROMPT_NONE:
      return {};
    case LFFN_PROMPT_QUERY:
      if (const std::string* own = query_prompt(model)) return *own;
      break;
    case LFFN_PROMPT_DOCUMENT:
      if (const std::string* own = document_prompt(model)) return *own;
      break;
    default:
      break;
  }
  return args.reading == LFFN_READING_MODEL ? default_prompt(model) : std::string_view();
}

}  // namespace

void read_texts(const Model& model, const lffn_model_run_args& args, bool keep_going, RunMemory& memory) {
  TextOptions options;
  options.plain = args.reading == LFFN_READING_PLAIN;
  options.prompt = prompt_of(model, args);
  options.max_tokens = args.max_tokens;
  options.cancel = args.cancel;
  options.spans = (args.wanted & (LFFN_WANT_ENTITIES | LFFN_WANT_SPANS)) != 0;
  options.uncut = args.uncut != nullptr || (args.wanted & LFFN_WANT_UNCUT) != 0;
  options.repairs = (args.flags & LFFN_RUN_REPAIR_TEXT) != 0;
  options.documents = (args.flags & LFFN_RUN_DOCUMENTS) != 0;
  options.windows = args.windows != LFFN_WINDOWS_NONE;
  options.stride = args.stride;
  const TextNames& names = options.documents ? kDocuments : kTexts;
  TextBatch& batch = memory.texts;
  batch.start(model, options);
  for (int64_t i = 0; i < args.n; ++i) {
    try {
      const bool has_pair = args.pairs != nullptr && args.pairs[i] != nullptr;
      const std::string_view text = text_of(args.texts, args.text_sizes, i, has_pair ? names.first : names.alone);
      if (has_pair) {
        batch.add_pair(text, text_of(args.pairs, args.pair_sizes, i, names.second));
      } else {
        batch.add(text);
      }
    } catch (const Error& error) {
      if (!is_of_text(error.status())) throw;
      if (!keep_going) {
        const std::string place = std::to_string(i);
        throw Error(error.status(),
                    (options.documents ? "document " + place : "texts[" + place + "]") + ": " + error.what());
      }
      memory.statuses[static_cast<size_t>(i)] = error.status();
      memory.failures.push_back({i, error.what()});
      batch.add_nothing();
    }
  }
}

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
