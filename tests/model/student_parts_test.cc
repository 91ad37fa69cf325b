// SPDX-License-Identifier: Apache-2.0
// What the parts of layers are said to be and to cost, rows by word in another element type than the file's, and
// models that lack a part in every layer.
#include "format/tensor_numbers.h"
#include "lookupffn/run.h"
#include "model/memory_estimate.h"
#include "student_folder.h"
#include "tests/kernels/all_kernels.h"

namespace lffn {
namespace {

struct Held {
  int32_t dtype;
  const char* stored;  // as files call it
};
constexpr Held kHeld[] = {
    {LFFN_DTYPE_F32, "F32"}, {LFFN_DTYPE_BF16, "BF16"}, {LFFN_DTYPE_INT8, "I8"}, {LFFN_DTYPE_INT4, "U8"}};

ModelLoadOptions holding(int32_t word_dtype) {
  ModelLoadOptions options;
  options.word_dtype = word_dtype;
  return options;
}

class HeldWords : public InFolder {};

TEST_F(HeldWords, AreThoseOfAFileInThatType) {
  const std::vector<float> exact = hidden_of(*Student("F32").load());
  for (const char* stored : {"F32", "F16", "BF16", "I8", "U8"}) {
    const Student folder(stored);
    for (const Held& held : kHeld) {
      const auto model = folder.load(holding(held.dtype));
      EXPECT_EQ(model->layer_info(0).word_row_dtype, held.dtype) << stored;
      const std::vector<float> hidden = hidden_of(*model);
      const bool exact_type = held.dtype == LFFN_DTYPE_F32 || held.dtype == LFFN_DTYPE_BF16;
      const bool as_stored = std::string(stored) == held.stored;
      float most = 0;
      for (size_t i = 0; i < hidden.size(); ++i) most = std::max(most, std::fabs(hidden[i] - exact[i]));
      if (exact_type || as_stored) {
        EXPECT_EQ(most, 0) << stored << " held as " << held.stored;
      } else {
        EXPECT_GT(most, 0) << stored << " held as " << held.stored;
        EXPECT_LT(most, held.dtype == LFFN_DTYPE_INT8 ? 0.02f : 0.2f) << stored << " held as " << held.stored;
      }
      model->save(path("saved"));
      for (const bool map : {false, true}) {
        ModelLoadOptions options;
        options.map_file = map;
        const auto saved = load_model(path("saved"), options, usable_kernels());
        EXPECT_EQ(hidden_of(*saved), hidden);
        EXPECT_EQ(saved->layer_info(1).word_row_dtype, held.dtype);
        EXPECT_EQ(saved->info().file_bytes, model->info().file_bytes);
        if (!map) {
          EXPECT_EQ(saved->info().memory_bytes, model->info().memory_bytes);
        }
        // Of another type there is nothing in the file to map.
        options.word_dtype = held.dtype == LFFN_DTYPE_INT4 ? LFFN_DTYPE_INT8 : LFFN_DTYPE_INT4;
        EXPECT_EQ(load_model(path("saved"), options, usable_kernels())->info().memory_bytes,
                  folder.load(holding(options.word_dtype))->info().memory_bytes);
        const MemoryEstimate told = estimate_memory(path("saved"), options, usable_kernels());
        EXPECT_GE(told.weights, load_model(path("saved"), options, usable_kernels())->info().memory_bytes);
        EXPECT_LE(told.weights, load_model(path("saved"), options, usable_kernels())->info().memory_bytes + 8192);
      }
    }
  }
}

TEST(HeldNumbers, OfFourBitsAreTheNearest) {
  for (const int64_t size : {1, 2, 7, 48, 1025, 2050}) {
    std::vector<float> values, read(static_cast<size_t>(size));
    std::vector<int8_t> numbers(static_cast<size_t>(size));
    std::vector<uint8_t> packed(static_cast<size_t>((size + 1) / 2) + 1, 0xee);
    for (int64_t i = 0; i < size; ++i) values.push_back(static_cast<float>(i * 7919 % 1009) / 500 - 1);
    const float scale = quantise_row(values.data(), size, numbers.data(), kMostInt4);
    pack_int4(numbers.data(), size, packed.data());
    EXPECT_EQ(packed.back(), 0xee);
    const TensorView rows = view_of("rows", DType::kU8, {1, (size + 1) / 2}, packed.data());
    const TensorView scales = view_of("scales", DType::kF32, {1}, &scale);
    read_row(rows, &scales, 0, size, read.data());
    for (size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i], static_cast<float>(numbers[i]) * scale);
      EXPECT_LE(std::fabs(read[i] - values[i]), 0.501f * scale) << size << ' ' << i;
    }
  }
  int8_t zero = 1;
  const float nothing = 0;
  EXPECT_EQ(quantise_row(&nothing, 1, &zero, kMostInt4), 0);
  EXPECT_EQ(zero, 0);
}

TEST(LayerInfo, TellsThePartsOfEachLayer) {
  const auto model = Student("U8", kShared).load();
  const ModelInfo whole = model->info();
  const lffn_model_layer_info first = model->layer_info(0), second = model->layer_info(1);
  EXPECT_EQ(first.num_attention_heads, 2);
  EXPECT_EQ(first.attention_head_size, 8);
  EXPECT_EQ(first.num_neurons, 24);
  EXPECT_EQ(first.num_tables, 0);
  EXPECT_EQ(first.has_linear_map, 0);
  EXPECT_EQ(first.num_word_rows, kShared);
  EXPECT_EQ(first.word_row_dtype, LFFN_DTYPE_INT4);
  EXPECT_EQ(first.attention_flop_per_token, 2 * 4 * kSize * 16);
  EXPECT_EQ(first.attention_flop_per_pair, 4 * 16);
  EXPECT_EQ(first.ffn_flop_per_token, 2 * 2 * kSize * 24 + 2 * kSize);
  EXPECT_EQ(first.other_flop_per_token, 2 * 8 * kSize + 2 * kSize);
  EXPECT_EQ(first.word_row_bytes, static_cast<size_t>(kShared * (kSize / 2 + 4)));
  EXPECT_EQ(first.num_parameters,
            4 * kSize * 16 + 3 * 16 + kSize + 2 * kSize * 24 + 24 + kSize + kShared * kSize + 4 * kSize);
  EXPECT_EQ(second.num_attention_heads, 0);
  EXPECT_EQ(second.num_neurons, 0);
  EXPECT_EQ(second.num_word_rows, kShared);
  EXPECT_EQ(second.attention_flop_per_token, 0);
  EXPECT_EQ(second.attention_flop_per_pair, 0);
  EXPECT_EQ(second.ffn_flop_per_token, 2 * kSize);
  EXPECT_GT(first.attention_bytes, second.attention_bytes);
  EXPECT_GT(first.ffn_bytes, second.ffn_bytes);
  EXPECT_EQ(whole.ffn_flop_per_token, first.ffn_flop_per_token + second.ffn_flop_per_token);
  EXPECT_EQ(whole.attention_flop_per_token, first.attention_flop_per_token);
  EXPECT_EQ(whole.num_attention_heads, 2);
  EXPECT_EQ(whole.intermediate_size, 24);
  const size_t layers = first.attention_bytes + first.ffn_bytes + second.attention_bytes + second.ffn_bytes;
  EXPECT_LT(layers, whole.memory_bytes);
  EXPECT_GT(layers + static_cast<size_t>(kWords + 600) * kSize * sizeof(float), whole.memory_bytes);
}

TEST(LayerSeconds, AreOfEachLayersHalves) {
  const auto model = Student("I8").load();
  const SomeIds input;
  double stages[LFFN_NUM_STAGES] = {}, layers[] = {-1, -1, -1, -1, -7};
  std::vector<float> hidden(input.ids.size() * kSize);
  ModelCall call = input.call();
  call.hidden = hidden.data();
  call.seconds = stages;
  call.layer_seconds = layers;
  model->run(call);
  for (int i = 0; i < 4; ++i) EXPECT_GT(layers[i], 0) << i;
  EXPECT_EQ(layers[4], -7);
  EXPECT_NEAR(layers[0] + layers[2], stages[LFFN_STAGE_ATTENTION] + stages[LFFN_STAGE_LINEAR], 1e-9);
  EXPECT_NEAR(layers[1] + layers[3], stages[LFFN_STAGE_FFN], 1e-9);
  call.seconds = nullptr;
  model->run(call);
  for (int i = 0; i < 4; ++i) EXPECT_GT(layers[i], 0) << i;
  call.num_sequences = 0;
  model->run(call);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(layers[i], 0) << i;
}

// What a model computes of which no layer has heads: nothing of one token depends on another.
TEST(Lacking, HeadsInEveryLayer) {
  Student folder("I8");
  folder.without_heads(0);
  folder.configure("[2, 0]", "[0, 0]");
  const auto model = folder.load();
  EXPECT_EQ(model->info().num_attention_heads, 0);
  EXPECT_EQ(model->info().attention_flop_per_token, 0);
  const SomeIds input;
  const std::vector<float> hidden = hidden_of(*model);
  SomeIds changed;
  changed.ids[2] = 3;
  const std::vector<float> other = hidden_of(*model, changed);
  for (size_t t = 0; t < input.ids.size(); ++t) {
    const auto row = [&](const std::vector<float>& of) {
      return std::vector<float>(of.begin() + static_cast<int64_t>(t * kSize),
                                of.begin() + static_cast<int64_t>((t + 1) * kSize));
    };
    EXPECT_EQ(row(hidden) == row(other), t != 2) << t;
  }
  for (const float number : hidden) EXPECT_TRUE(std::isfinite(number));
  for (const float score : scores_of(*model)) EXPECT_TRUE(std::isfinite(score));
  ModelLoadOptions two;
  two.num_threads = 2;
  EXPECT_EQ(hidden_of(*folder.load(two)), hidden);
}

std::vector<double> numbers_of(Student& folder, const std::string& name) {
  const std::string& data = folder.tensor(name).data;
  std::vector<float> floats(data.size() / sizeof(float));
  std::memcpy(floats.data(), data.data(), data.size());
  return {floats.begin(), floats.end()};
}

// x = norm(x + what), `what` being at most one row.
void add_and_norm(Student& folder, std::vector<double>& x, const std::string& what, const std::string& norm) {
  if (!what.empty()) {
    const std::vector<double> added = numbers_of(folder, what);
    for (size_t i = 0; i < x.size(); ++i) x[i] += added[i];
  }
  const std::vector<double> gain = numbers_of(folder, norm + ".weight"), shift = numbers_of(folder, norm + ".bias");
  double mean = 0, variance = 0;
  for (const double number : x) mean += number / kSize;
  for (const double number : x) variance += (number - mean) * (number - mean) / kSize;
  for (size_t i = 0; i < x.size(); ++i) x[i] = (x[i] - mean) / std::sqrt(variance + 1e-5) * gain[i] + shift[i];
}

// Attention and biases, then biases alone, whose sums are easily made again.
TEST(Lacking, NeuronsAndRowsInEveryLayer) {
  Student folder("F32");
  folder.without_neurons(0);
  folder.without_words(0);
  folder.without_words(1);
  folder.configure("[24, 0]", "[0, 0]");
  folder.configure("[true, true]", "false");
  folder.configure("\"vanilla\"", "\"none\"");
  const auto model = folder.load();
  EXPECT_EQ(model->info().ffn_flop_per_token, 0);
  EXPECT_EQ(model->info().intermediate_size, 0);
  const std::vector<float> with_heads = hidden_of(*model);
  folder.without_heads(0);
  folder.configure("[2, 0]", "[0, 0]");
  const auto nothing = folder.load();
  EXPECT_EQ(nothing->info().attention_flop_per_pair, 0);
  const std::vector<float> hidden = hidden_of(*nothing);
  EXPECT_NE(hidden, with_heads);

  const std::string embeddings = "roberta.embeddings.";
  const std::vector<double> words = numbers_of(folder, embeddings + "word_embeddings.weight"),
                            positions = numbers_of(folder, embeddings + "position_embeddings.weight"),
                            types = numbers_of(folder, embeddings + "token_type_embeddings.weight");
  const SomeIds input;
  for (size_t s = 0; s < 2; ++s) {
    for (int64_t t = input.offsets[s]; t < input.offsets[s + 1]; ++t) {
      const auto at = static_cast<size_t>(t), word = static_cast<size_t>(input.ids[at]);
      const auto position = static_cast<size_t>(t - input.offsets[s]) + 2;
      std::vector<double> x;
      for (size_t i = 0; i < kSize; ++i)
        x.push_back(words[word * kSize + i] + positions[position * kSize + i] + types[i]);
      add_and_norm(folder, x, "", embeddings + "LayerNorm");
      for (const std::string& layer : {kLayers + "0.", kLayers + "1."}) {
        add_and_norm(folder, x, layer + "attention.output.dense.bias", layer + "attention.output.LayerNorm");
        add_and_norm(folder, x, layer + "FFN.bias", layer + "output.LayerNorm");
      }
      for (size_t i = 0; i < kSize; ++i) ASSERT_NEAR(hidden[at * kSize + i], x[i], 1e-5) << t << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace lffn
