// SPDX-License-Identifier: Apache-2.0
#include "api/run_texts.h"

#include <cstring>
#include <string>
#include <string_view>

#include "api/boundary.h"

namespace lffn {

std::string_view text_of(const char* const* texts, const size_t* sizes, int64_t i) {
  const size_t size = sizes == nullptr ? std::strlen(texts[i]) : sizes[i];
  if (size > PTRDIFF_MAX) fail(LFFN_ERROR_INVALID_ARGUMENT, "its size is %zu, more than any memory holds", size);
  return {texts[i], size};
}

namespace {

// The prompt that the call names, or the model's own for embeddings.
std::string_view prompt_of(const Model& model, const lffn_model_run_args& args, bool embeds) {
  switch (args.prompt_kind) {
    case LFFN_PROMPT_MODEL:
      return embeds ? default_prompt(model) : std::string_view();
    case LFFN_PROMPT_NONE:
      return {};
    case LFFN_PROMPT_NAMED:
      need(args.prompt, "prompt");
      return find_prompt(model, args.prompt);
    case LFFN_PROMPT_TEXT:
      need(args.prompt, "prompt");
      return args.prompt;
    default:
      fail(LFFN_ERROR_INVALID_ARGUMENT, "prompt_kind is %d, expected an LFFN_PROMPT_ value", args.prompt_kind);
  }
}

}  // namespace

void read_texts(const Model& model, const lffn_model_run_args& args, bool keep_going, RunMemory& memory) {
  TextOptions options;
  options.for_embedding = args.embeddings != nullptr || (args.wanted & LFFN_WANT_EMBEDDINGS) != 0;
  options.prompt = prompt_of(model, args, options.for_embedding);
  options.max_tokens = args.max_tokens == LFFN_MAX_TOKENS_MODEL ? model.own_max_tokens() : args.max_tokens;
  options.cancel = args.cancel;
  options.spans = (args.wanted & LFFN_WANT_ENTITIES) != 0;
  TextBatch& batch = memory.texts;
  batch.start(model, options);
  memory.statuses.assign(static_cast<size_t>(args.n), LFFN_OK);
  for (int64_t i = 0; i < args.n; ++i) {
    try {
      need(args.texts[i], "the text");
      const std::string_view text = text_of(args.texts, args.text_sizes, i);
      if (args.pairs != nullptr && args.pairs[i] != nullptr) {
        batch.add_pair(text, text_of(args.pairs, args.pair_sizes, i));
      } else {
        batch.add(text);
      }
    } catch (const Error& error) {
      if (error.status() != LFFN_ERROR_INVALID_ARGUMENT) throw;
      const std::string named = "texts[" + std::to_string(i) + "]: " + error.what();
      if (!keep_going) throw Error(error.status(), named);
      report(error.status(), named.c_str());
      memory.statuses[static_cast<size_t>(i)] = error.status();
      batch.add_nothing();
    }
  }
}

}  // namespace lffn
