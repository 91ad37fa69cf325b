// SPDX-License-Identifier: Apache-2.0
// Whoever waits for a load can end it, wherever it is: the flag is set at one of its allocations, and few may follow.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "runtime/error.h"
#include "tests/growth/counted_memory.h"
#include "tests/growth/tokenizer_maker.h"
#include "tests/support/torch_maker.h"
#include "texts/chat_template.h"

namespace {

using namespace growth;

struct Waiting {
  int32_t cancel = 0;
  size_t sets_at = SIZE_MAX;  // of all allocations
  size_t allocations = 0;
};

// One load with a flag that is set at the given allocation; counts those that there were.
lffn_status load(const std::function<lffn_status(const int32_t*)>& action, Waiting& waiting) {
  counted_memory::on_allocation(
      [](size_t number, void* user) {
        auto* const state = static_cast<Waiting*>(user);
        state->allocations = number + 1;
        if (number == state->sets_at) __atomic_store_n(&state->cancel, 1, __ATOMIC_RELAXED);
      },
      &waiting);
  const lffn_status status = action(&waiting.cancel);
  counted_memory::on_allocation(nullptr, nullptr);
  return status;
}

void expect_ends(const char* name, const std::function<lffn_status(const int32_t*)>& action) {
  SCOPED_TRACE(name);
  Waiting whole;
  load(action, whole);
  ASSERT_GT(whole.allocations, 100u);
  // What a step does between two looks, and what says so.
  const size_t few = 64 + whole.allocations / 50;
  for (size_t part = 0; part < 16; ++part) {
    Waiting waiting;
    waiting.sets_at = whole.allocations * part / 20;
    EXPECT_EQ(load(action, waiting), LFFN_ERROR_CANCELLED)
        << "set at allocation " << waiting.sets_at << " of " << whole.allocations;
    EXPECT_LE(waiting.allocations - waiting.sets_at, few)
        << "set at allocation " << waiting.sets_at << " of " << whole.allocations;
  }
}

std::function<lffn_status(const int32_t*)> tokenizer(const Files& files) {
  return [=](const int32_t* cancel) {
    const std::vector<lffn_file> views = views_of(files);
    lffn_load_options options;
    lffn_load_options_init(&options);
    options.cancel = cancel;
    lffn_tokenizer* handle = nullptr;
    const lffn_status status =
        lffn_tokenizer_load_files(views.data(), static_cast<int64_t>(views.size()), &options, &handle);
    lffn_tokenizer_free(handle);
    return status;
  };
}

std::function<lffn_status(const int32_t*)> model(const Files& files) {
  return [=](const int32_t* cancel) {
    const std::vector<lffn_file> views = views_of(files);
    lffn_load_options options;
    lffn_load_options_init(&options);
    options.cancel = cancel;
    lffn_model* handle = nullptr;
    const lffn_status status =
        lffn_model_load_files(views.data(), static_cast<int64_t>(views.size()), &options, &handle);
    lffn_model_free(handle);
    return status;
  };
}

const std::string kConfig =
    "{\"model_type\":\"bert\",\"hidden_size\":32,\"num_hidden_layers\":1,\"num_attention_heads\":1,"
    "\"intermediate_size\":32,\"vocab_size\":100,\"max_position_embeddings\":16}";

std::string safetensors(const std::string& header) { return torch_maker::number(header.size(), 8) + header; }

TEST(Cancel, TokenizersEnd) {
  constexpr size_t kMany = 3000;
  const std::string start = "some letters at the start of ";
  expect_ends("words", tokenizer({{"tokenizer.json", word_pieces(words(kMany, start))}}));
  expect_ends("merges", tokenizer({{"tokenizer.json", byte_pairs(kMany)}}));
  expect_ends("pieces", tokenizer({{"tokenizer.json", unigram(pieces(kMany, start))}}));
  expect_ends("added tokens",
              tokenizer({{"tokenizer.json", unigram(pieces(1), "\"normalizer\":{\"type\":\"NFKC\"}," +
                                                                   added(kMany, ",\"special\":false"))}}));
  const std::string map = "{" + listed(kMany, ",", [](size_t i) { return quoted(number(i)) + ":1"; }) + "}";
  const std::string small = word_pieces("\"a\":1");
  expect_ends("config", tokenizer({{"tokenizer.json", small}, {"tokenizer_config.json", map}}));
  expect_ends("special tokens", tokenizer({{"tokenizer.json", small}, {"special_tokens_map.json", map}}));
  expect_ends("lines", tokenizer({{"vocab.txt", "[UNK]\n[CLS]\n[SEP]\n" + listed(kMany, "\n", [&](size_t i) {
                                                  return start + number(i);
                                                })}}));
}

TEST(Cancel, WeightsEnd) {
  constexpr size_t kMany = 3000;
  const std::string entries = listed(kMany, ",", [](size_t i) {
    return quoted("t" + number(i)) + ":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}";
  });
  expect_ends("safetensors",
              model({{"config.json", kConfig}, {"model.safetensors", safetensors("{" + entries + "}")}}));
  const std::string one =
      torch_maker::tensor(torch_maker::storage("FloatStorage", "0"), 0, std::string("K\0", 2), "K\1");
  const std::string all = listed(kMany, "", [&](size_t i) { return torch_maker::text("t" + number(i)) + one; });
  expect_ends("PyTorch's", model({{"config.json", kConfig},
                                  {"pytorch_model.bin", torch_maker::zip_of({{"a/data.pkl", torch_maker::dict(all)},
                                                                             {"a/data/0", std::string(8, '\0')}})}}));
}

TEST(Cancel, TemplatesEnd) {
  const std::string source = listed(2000, "", [](size_t i) { return "{% set v" + number(i) + " = 1 %}"; });
  expect_ends("a template", [&](const int32_t* cancel) -> lffn_status {
    try {
      lffn::ChatTemplate(source, cancel).render({{"query", "a"}, {"document", "b"}}, cancel);
      return LFFN_OK;
    } catch (const lffn::Error& error) {
      return error.status();
    }
  });
}

}  // namespace
