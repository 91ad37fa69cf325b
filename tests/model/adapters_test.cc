// SPDX-License-Identifier: Apache-2.0
// Adapters of jina-embeddings-v3's kind: the same numbers as a model whose matrices hold the sums.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "made_folder.h"
#include "model/memory_estimate.h"

namespace lffn {
namespace {

constexpr int64_t kAdapters = 3, kRank = 2, kSize = 16, kNeurons = 24, kWords = 1000;
constexpr float kAlpha = 3;

struct Matrix {
  const char* name;
  int64_t rows, columns;
  bool is_looked_up;
};
constexpr Matrix kMatrices[] = {{"embeddings.word_embeddings", kWords, kSize, true},
                                {"embeddings.token_type_embeddings", 1, kSize, true},
                                {"encoder.layers.0.mixer.Wqkv", 3 * kSize, kSize, false},
                                {"encoder.layers.0.mixer.out_proj", kSize, kSize, false},
                                {"encoder.layers.0.mlp.fc1", kNeurons, kSize, false},
                                {"encoder.layers.0.mlp.fc2", kSize, kNeurons, false},
                                {"pooler.dense", kSize, kSize, false}};

std::string weight(const Matrix& matrix, const char* end) { return "roberta." + std::string(matrix.name) + end; }

MadeFolder plain_folder() {
  MadeFolder folder;
  folder.files["config.json"] =
      R"({"model_type":"xlm-roberta","position_embedding_type":"rotary","rotary_emb_base":20000.0,)"
      R"("architectures":["XLMRobertaModel"],"hidden_size":16,"num_hidden_layers":1,"num_attention_heads":2,)"
      R"("intermediate_size":24,"vocab_size":1000,"type_vocab_size":1,"max_position_embeddings":8194,)"
      R"("layer_norm_eps":1e-05,"hidden_act":"gelu","pad_token_id":1,"lora_alpha":3,"lora_rank":2,)"
      R"("lora_adaptations":["retrieval.query","separation","text-matching"]})";
  for (const Matrix& matrix : kMatrices) {
    folder.tensors.push_back(made_tensor(weight(matrix, ".weight"), {matrix.rows, matrix.columns}));
    if (!matrix.is_looked_up) folder.tensors.push_back(made_tensor(weight(matrix, ".bias"), {matrix.rows}));
  }
  for (const char* norm : {"emb_ln", "encoder.layers.0.norm1", "encoder.layers.0.norm2"}) {
    folder.tensors.push_back(made_tensor("roberta." + std::string(norm) + ".weight", {kSize}, 1));
    folder.tensors.push_back(made_tensor("roberta." + std::string(norm) + ".bias", {kSize}));
  }
  return folder;
}

// As the hub has it.
MadeFolder published_folder() {
  MadeFolder folder = plain_folder();
  for (const Matrix& matrix : kMatrices) {
    folder.rename(weight(matrix, ".weight"), weight(matrix, ".parametrizations.weight.original"));
    const bool swaps = matrix.is_looked_up;
    const std::vector<int64_t> left = {kAdapters, matrix.rows, kRank}, right = {kAdapters, kRank, matrix.columns};
    folder.tensors.push_back(made_tensor(weight(matrix, ".parametrizations.weight.0.lora_A"), swaps ? left : right));
    folder.tensors.push_back(made_tensor(weight(matrix, ".parametrizations.weight.0.lora_B"), swaps ? right : left));
  }
  return folder;
}

std::vector<float> numbers_of(const MadeTensor& tensor) {
  std::vector<float> values(tensor.data.size() / sizeof(float));
  std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

MadeFolder summed_folder(int64_t adapter) {
  MadeFolder summed = plain_folder(), published = published_folder();
  for (const Matrix& matrix : kMatrices) {
    MadeTensor& sum = summed.tensor(weight(matrix, ".weight"));
    const char* ends[] = {".parametrizations.weight.0.lora_B", ".parametrizations.weight.0.lora_A"};
    const std::vector<float> left = numbers_of(published.tensor(weight(matrix, ends[matrix.is_looked_up ? 1 : 0])));
    const std::vector<float> right = numbers_of(published.tensor(weight(matrix, ends[matrix.is_looked_up ? 0 : 1])));
    std::vector<float> values = numbers_of(sum);
    for (int64_t row = 0; row < matrix.rows; ++row) {
      for (int64_t column = 0; column < matrix.columns; ++column) {
        double product = 0;
        for (int64_t r = 0; r < kRank; ++r) {
          product += static_cast<double>(left[static_cast<size_t>((adapter * matrix.rows + row) * kRank + r)]) *
                     static_cast<double>(right[static_cast<size_t>((adapter * kRank + r) * matrix.columns + column)]);
        }
        values[static_cast<size_t>(row * matrix.columns + column)] +=
            static_cast<float>(product * double{kAlpha} / double{kRank});
      }
    }
    sum.data.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  }
  return summed;
}

ModelLoadOptions with(const std::string& adapter, int32_t linear_dtype = LFFN_DTYPE_AS_STORED) {
  ModelLoadOptions options;
  options.adapter = adapter;
  options.linear_dtype = linear_dtype;
  return options;
}

void expect_refused(const MadeFolder& folder, const std::string& adapter, lffn_status status, const std::string& part) {
  expect_error(status, part, [&] { folder.load(with(adapter)); });
}

TEST(Adapters, AreSums) {
  const MadeFolder published = published_folder();
  const std::vector<float> base = hidden_of(*plain_folder().load());
  EXPECT_EQ(hidden_of(*published.load()), base) << "without a choice";
  int64_t number = 0;
  for (const char* name : {"retrieval.query", "separation", "text-matching"}) {
    const std::vector<float> expected = hidden_of(*summed_folder(number++).load());
    const std::vector<float> found = hidden_of(*published.load(with(name)));
    EXPECT_LT(distance(found.data(), expected.data(), expected.size()), 1e-5) << name;
    EXPECT_GT(distance(base.data(), expected.data(), expected.size()), 0.01) << name;
    const std::vector<float> int8 = hidden_of(*published.load(with(name, LFFN_DTYPE_INT8)));
    EXPECT_LT(distance(int8.data(), expected.data(), expected.size()), 0.1) << name;
  }
}

TEST(Adapters, OfHalfPrecisionWeights) {
  MadeFolder published = published_folder(), rounded = published_folder();
  for (MadeTensor& tensor : published.tensors) {
    const std::vector<float> values = numbers_of(tensor);
    std::string halves, floats;
    for (const float value : values) {
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      bits &= 0xffff0000u;
      halves.append(reinterpret_cast<const char*>(&bits) + 2, 2);
      floats.append(reinterpret_cast<const char*>(&bits), 4);
    }
    rounded.tensor(tensor.name).data = floats;
    tensor.dtype = "BF16";
    tensor.data = halves;
  }
  EXPECT_EQ(hidden_of(*published.load(with("separation"))), hidden_of(*rounded.load(with("separation"))));
}

TEST(Adapters, SavedAsSums) {
  const std::string path = testing::TempDir() + "/adapters_test." + std::to_string(getpid());
  for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_INT8}) {
    const auto model = published_folder().load(with("text-matching", dtype));
    model->save(path);
    EXPECT_EQ(hidden_of(*load_model(path, ModelLoadOptions(), usable_kernels())), hidden_of(*model));
    expect_error(LFFN_ERROR_INVALID_ARGUMENT, "merged or left out when the file was written",
                 [&] { load_model(path, with("text-matching"), usable_kernels()); });
  }
  std::filesystem::remove(path);
}

TEST(Adapters, EstimatedWithTheirMatrices) {
  MadeFolder published = published_folder();
  const std::string weights = safetensors_of(published.tensors), config = published.files["config.json"];
  const FolderInMemory folder(
      {{"config.json", config.data(), config.size()}, {"model.safetensors", weights.data(), weights.size()}});
  const MemoryEstimate with_one = estimate_memory(folder, with("separation"), usable_kernels());
  const MemoryEstimate without = estimate_memory(folder, ModelLoadOptions(), usable_kernels());
  EXPECT_EQ(with_one.weights, without.weights);
  EXPECT_GE(with_one.loading, without.loading + sizeof(float) * kRank * (kWords + kSize));
  EXPECT_GE(with_one.weights, published.load(with("separation"))->info().memory_bytes);
}

TEST(Adapters, Refused) {
  const lffn_status argument = LFFN_ERROR_INVALID_ARGUMENT, bad = LFFN_ERROR_BAD_MODEL;
  expect_refused(published_folder(), "retrieval", argument,
                 "options.adapter is 'retrieval'; the model's adapters are 'retrieval.query', 'separation', "
                 "'text-matching'");
  expect_refused(plain_folder(), "separation", argument, "merged or left out");
  expect_refused(MadeFolder("roberta-classes"), "separation", argument, "this model has no adapters; leave it NULL");

  constexpr char kName[] = "roberta.encoder.layers.0.mlp.fc1.parametrizations.weight.0.lora_B";
  MadeFolder lacking = published_folder();
  lacking.remove(kName);
  EXPECT_EQ(hidden_of(*lacking.load()), hidden_of(*plain_folder().load())) << "without a choice";
  expect_refused(lacking, "separation", bad, "mlp.fc1.parametrizations.weight.0.lora_B: this tensor is missing");

  MadeFolder narrow = published_folder();
  narrow.tensor(kName) = made_tensor(kName, {kAdapters, kNeurons, kRank + 1});
  expect_refused(narrow, "separation", bad, "shape [3,24,3], expected [3,24,2]");
  MadeFolder fewer = published_folder();
  fewer.tensor(kName) = made_tensor(kName, {kAdapters - 1, kNeurons, kRank});
  expect_refused(fewer, "separation", bad, "shape [2,24,2], expected [3,24,2]");
  MadeFolder integers = published_folder();
  integers.tensor(kName).dtype = "I32";
  expect_refused(integers, "separation", bad, "element type I32");
  MadeFolder infinite = published_folder();
  const float infinity = std::numeric_limits<float>::infinity();
  std::memcpy(infinite.tensor(kName).data.data(), &infinity, sizeof infinity);
  expect_refused(infinite, "separation", bad, "not a finite number");

  MadeFolder vector = published_folder();
  constexpr char kOriginal[] = "roberta.encoder.layers.0.mlp.fc1.parametrizations.weight.original";
  vector.tensor(kOriginal) = made_tensor(kOriginal, {kNeurons * kSize});
  expect_refused(vector, "separation", bad, "adapters are of matrices");

  MadeFolder number = published_folder();
  number.configure(R"(["retrieval.query","separation","text-matching"])", "3");
  expect_refused(number, "separation", bad, "'lora_adaptations' must be a list of texts");
  MadeFolder rankless = published_folder();
  rankless.configure(R"("lora_rank":2)", R"("lora_rank":0)");
  expect_refused(rankless, "separation", bad, "'lora_rank' is 0");
}

}  // namespace
}  // namespace lffn
