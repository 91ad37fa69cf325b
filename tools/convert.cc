// SPDX-License-Identifier: Apache-2.0
// lookupffn convert: a model as a single file, in other element types if wanted, checked by reading it again.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "command.h"
#include "model_options.h"
#include "progress.h"

namespace lffn::tools {
namespace {

struct ConvertOptions {
  std::string from;
  std::string to;
  bool force = false;
  ModelOptions load;
};

// Sequences of several lengths with ids from all over the vocabulary.
lookupffn::TokenBatch sample(const lookupffn::ModelInfo& info) {
  lookupffn::TokenBatch sequences;
  uint32_t state = 1;
  for (const int32_t length : {1, 2, 17, 64}) {
    std::vector<int32_t> ids;
    for (int32_t i = 0; i < length && i < info.max_tokens; ++i) {
      state = state * 1664525 + 1013904223;
      ids.push_back(static_cast<int32_t>((uint64_t{state} * static_cast<uint32_t>(info.vocab_size)) >> 32));
    }
    sequences.add(ids);
  }
  return sequences;
}

// What must be the same in a model and its copy.
struct Facts {
  explicit Facts(const lookupffn::Model& model) : info(model.info()), family(model.family()) {
    const lookupffn::TokenBatch sequences = sample(info);
    outputs = info.num_layers > 0 ? model.encode(sequences.view()) : model.embed(sequences.view());
    for (int32_t i = 0; i < info.num_layers; ++i) word_dtypes.push_back(model.layer_info(i).word_row_dtype);
    const auto add = [&](const std::vector<float>& more) { outputs.insert(outputs.end(), more.begin(), more.end()); };
    if (info.has_lm_head != 0) {
      const std::vector<int64_t> positions = {0, sequences.offsets.back() - 1};
      add(model.logits(sequences.view(), positions));
    }
    if (info.num_classes != 0) add(model.classify(sequences.view()));
    if (info.token_head != LFFN_TOKEN_HEAD_NONE) add(model.token_scores(sequences.view()));
  }

  lookupffn::ModelInfo info;
  std::string family;
  std::vector<int32_t> word_dtypes;
  std::vector<float> outputs;
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

bool are_same(const Facts& a, const Facts& b) {
  const lookupffn::ModelInfo &info = a.info, &copied = b.info;
  return a.family == b.family && info.vocab_size == copied.vocab_size && info.embedding_size == copied.embedding_size &&
         info.own_max_tokens == copied.own_max_tokens && info.num_prompts == copied.num_prompts &&
         info.table_dtype == copied.table_dtype && info.hash_dtype == copied.hash_dtype &&
         info.linear_dtype == copied.linear_dtype && info.embedding_dtype == copied.embedding_dtype &&
         info.num_parameters == copied.num_parameters && info.file_bytes == copied.file_bytes &&
         info.memory_bytes == copied.memory_bytes && a.word_dtypes == b.word_dtypes && same_bits(a.outputs, b.outputs);
}

// Writes the file. The model is freed before its copy is loaded, so that only one of them is in memory.
Facts write_copy(const ConvertOptions& options) {
  const lookupffn::Model model = options.load.load(options.from);
  const Progress progress("converting to " + options.to);
  model.save(options.to);
  return Facts(model);
}

int convert(const ConvertOptions& options) {
  if (!options.force && access(options.to.c_str(), F_OK) == 0) {
    throw lookupffn::InvalidArgument(options.to + " exists; --force replaces it");
  }
  const Facts facts = write_copy(options);
  const Facts copied(lookupffn::Model::load(options.to, options.load.same_threads()));
  if (!are_same(facts, copied)) {
    throw std::runtime_error(options.to + ": the copy gives other results; do not use it");
  }
  std::printf("%s: reads back to the same bits\n", options.to.c_str());
  return 0;
}

}  // namespace

Command convert_command(CLI::App& parent) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* app = parent.add_subcommand("convert", "Write a model as a single file, in other element types if wanted");
  app->add_option("FROM", options->from, "A model: a folder or a single file")->required();
  app->add_option("TO", options->to, "The file to write; the tokenizer goes inside")->required();
  app->add_flag("--force", options->force, "Replace a file that exists");
  options->load.add_stored_to(*app);
  app->footer(
      "The file is read again, and must give the same bits as the model in memory.\n"
      "\n"
      "Examples:\n"
      "  lookupffn convert my-model my-model.safetensors\n"
      "  lookupffn convert --table-dtype int8 --hash-dtype int8 my-model small.safetensors\n"
      "  lookupffn convert --linear-dtype int8 --word-dtype int4 my-student small.safetensors\n"
      "  lookupffn convert --adapter retrieval.query my-model queries.safetensors");
  return {app, [options] { return convert(*options); }};
}

}  // namespace lffn::tools
