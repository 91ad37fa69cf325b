// SPDX-License-Identifier: Apache-2.0
// A dozen calls, each made twice: callgrind counts the second one. See check_instructions.py.
#include <valgrind/callgrind.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "tests/support/outputs.h"

namespace {

void check(lffn_status status) {
  if (status == LFFN_OK) return;
  std::fprintf(stderr, "%s\n", lffn_last_error());
  std::exit(1);
}

template <typename Call>
void count(const std::string& name, Call&& call) {
  call();  // takes memory, fills caches
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  call();
  CALLGRIND_DUMP_STATS_AT(name.c_str());
  CALLGRIND_STOP_INSTRUMENTATION;
}

void count_layers() {
  const struct {
    const char* name;
    int32_t tables, rows, projection /* 4: BH4 */, dtype;
    int64_t tokens;
  } cases[] = {{"layer f32 bh4 64", 64, 256, 4, LFFN_DTYPE_F32, 64},
               {"layer bf16 bh4 64", 64, 256, 4, LFFN_DTYPE_BF16, 64},
               {"layer int8 bh4 64", 64, 256, 4, LFFN_DTYPE_INT8, 64},
               {"layer int8 bh4 1", 64, 256, 4, LFFN_DTYPE_INT8, 1},
               {"layer int8 dense 64", 64, 256, LFFN_PROJECTION_DENSE, LFFN_DTYPE_INT8, 64},
               {"layer int8 dense small tables 64", 128, 16, LFFN_PROJECTION_DENSE, LFFN_DTYPE_INT8, 64},
               {"layer f32 dense 1", 64, 256, LFFN_PROJECTION_DENSE, LFFN_DTYPE_F32, 1}};
  for (const auto& one : cases) {
    lffn_layer_config config;
    lffn_layer_config_init(&config);
    config.hidden_size = config.output_size = 384;
    config.num_tables = one.tables;
    config.table_size = one.rows;
    config.projection = one.projection;
    config.block_size = 64;
    config.layer_norm = 1;
    config.seed = 5;
    lffn_load_options options;
    lffn_load_options_init(&options);
    options.num_threads = 1;
    options.table_dtype = one.dtype;
    options.hash_dtype = one.dtype == LFFN_DTYPE_BF16 ? LFFN_DTYPE_F32 : one.dtype;
    lffn_layer* layer = nullptr;
    check(lffn_layer_create(&config, nullptr, 0, &options, &layer));
    std::vector<float> x(static_cast<size_t>(one.tokens) * 384), y(x.size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 2654435761u % 1009) / 500 - 1;
    count(one.name, [&] { check(lffn_layer_forward(layer, x.data(), one.tokens, y.data())); });
    lffn_layer_free(layer);
  }
}

std::string text_of(size_t bytes) {
  static const char* const words[] = {"The",         "river ",        "quickly", "isn't",   "a",
                                      "42",          "neighbour's",   "house",   "running", "of",
                                      "caf\xc3\xa9", "extraordinary", "(and)",   "it."};
  std::string text;
  for (unsigned i = 1; text.size() < bytes; i = i * 1103515245u + 12345u)
    text += std::string(words[(i >> 16) % 14]) + ' ';
  return text;
}

void count_tokenizer(const std::string& name, const std::string& folder, const char* what) {
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = 1;
  lffn_tokenizer* tokenizer = nullptr;
  check(lffn_tokenizer_load(folder.c_str(), &options, &tokenizer));
  lffn_result* result = nullptr;
  check(lffn_result_create(&result));
  const std::string text = text_of(20000);
  const char* const texts[] = {text.c_str()};
  lffn_tokenizer_encode_args args;
  lffn_tokenizer_encode_args_init(&args);
  args.n = 1;
  args.texts = texts;
  args.result = result;
  outputs::keep(args, outputs::kIds | (std::string_view(what) == "spans" ? outputs::kSpans : 0u));
  count(name, [&] { check(lffn_tokenizer_encode(tokenizer, &args)); });
  lffn_result_free(result);
  lffn_tokenizer_free(tokenizer);
}

void count_model(const std::string& name, const std::string& folder, const std::vector<int>& texts_of) {
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = 1;
  lffn_model* model = nullptr;
  check(lffn_model_load(folder.c_str(), &options, &model));
  lffn_model_heads heads;
  lffn_model_heads_init(&heads);
  check(lffn_model_get_heads(model, &heads));
  for (const int n : texts_of) {
    std::vector<std::string> texts;
    for (int i = 0; i < n; ++i) texts.push_back(text_of(60 + 25 * static_cast<size_t>(i)));
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    std::vector<float> out(static_cast<size_t>(n) * static_cast<size_t>(heads.embedding_size));
    count(name + " " + std::to_string(n), [&] {
      check(lffn_model_embed_texts(model, pointers.data(), nullptr, n, LFFN_MAX_TOKENS_MODEL, out.data(),
                                   static_cast<int64_t>(out.size())));
    });
  }
  lffn_model_free(model);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  const std::string models = argv[1], folders = argv[2];
  count_layers();
  count_tokenizer("tokenize word pieces", folders + "/bert-mlm", "");
  count_tokenizer("tokenize byte pairs", folders + "/roberta-mlm", "");
  count_tokenizer("tokenize unigram with spans", folders + "/deberta-v2-classes", "spans");
  count_model("embed fast", models + "/all-minilm-l6-v2-fast", {1, 8});
  return 0;
}
