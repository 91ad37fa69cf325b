// SPDX-License-Identifier: Apache-2.0
// Sparse vectors over a vocabulary as published models have it, beside the scores that they are pooled of.
#include <cmath>

#include "made_folder.h"

namespace lffn {
namespace {

// A tiny BERT, as large as a published sparse encoder.
constexpr int64_t kWords = 30522, kWidth = 128, kNeurons = 512, kPositions = 512;

struct SparseFolder : MadeFolder {
  SparseFolder() {
    files["config.json"] =
        "{\"architectures\":[\"BertForMaskedLM\"],\"model_type\":\"bert\",\"hidden_act\":\"gelu\",\"hidden_size\":128,"
        "\"intermediate_size\":512,\"layer_norm_eps\":1e-12,\"max_position_embeddings\":512,\"num_attention_heads\":2,"
        "\"num_hidden_layers\":2,\"pad_token_id\":0,\"type_vocab_size\":2,\"vocab_size\":30522}";
    files["modules.json"] =
        "[{\"idx\":0,\"name\":\"0\",\"path\":\"\",\"type\":\"sentence_transformers.sparse_encoder.models."
        "MLMTransformer\"},"
        "{\"idx\":1,\"name\":\"1\",\"path\":\"1_SpladePooling\",\"type\":"
        "\"sentence_transformers.sparse_encoder.models.SpladePooling\"}]";
    pools("max");
    add("bert.embeddings.word_embeddings.weight", {kWords, kWidth});
    add("bert.embeddings.position_embeddings.weight", {kPositions, kWidth});
    add("bert.embeddings.token_type_embeddings.weight", {2, kWidth});
    norm("bert.embeddings.LayerNorm");
    for (int layer = 0; layer < 2; ++layer) {
      const std::string name = "bert.encoder.layer." + std::to_string(layer) + ".";
      for (const char* part : {"query", "key", "value"}) linear(name + "attention.self." + part, kWidth, kWidth);
      linear(name + "attention.output.dense", kWidth, kWidth);
      norm(name + "attention.output.LayerNorm");
      linear(name + "intermediate.dense", kNeurons, kWidth);
      linear(name + "output.dense", kWidth, kNeurons);
      norm(name + "output.LayerNorm");
    }
    linear("cls.predictions.transform.dense", kWidth, kWidth);
    norm("cls.predictions.transform.LayerNorm");
    add("cls.predictions.bias", {kWords});
  }
  void pools(const std::string& strategy) {
    files["1_SpladePooling/config.json"] = "{\"pooling_strategy\":\"" + strategy +
                                           "\",\"activation_function\":\"relu\",\"word_embedding_dimension\":null}";
  }

 private:
  void add(const std::string& name, std::vector<int64_t> shape, float mean = 0) {
    tensors.push_back(made_tensor(name, std::move(shape), mean));
  }
  void norm(const std::string& name) {
    add(name + ".weight", {kWidth}, 1);
    add(name + ".bias", {kWidth});
  }
  void linear(const std::string& name, int64_t outputs, int64_t inputs) {
    add(name + ".weight", {outputs, inputs});
    add(name + ".bias", {outputs});
  }
};

// Texts of so many tokens each.
struct Texts {
  std::vector<int32_t> ids;
  std::vector<int64_t> offsets = {0};

  explicit Texts(const std::vector<int64_t>& lengths) {
    for (const int64_t length : lengths) {
      for (int64_t t = 0; t < length; ++t) {
        ids.push_back(static_cast<int32_t>((t * t * 31 + length * 1721 + t * 523) % kWords));
      }
      offsets.push_back(static_cast<int64_t>(ids.size()));
    }
  }
  ModelCall call() const {
    ModelCall call;
    call.ids = ids.data();
    call.offsets = offsets.data();
    call.num_sequences = static_cast<int64_t>(offsets.size()) - 1;
    return call;
  }
};

SparseRows sparse_of(const Model& model, const Texts& texts) {
  SparseRows rows;
  ModelCall call = texts.call();
  call.sparse = &rows;
  model.run(call);
  return rows;
}

std::vector<float> logits_of(const Model& model, const Texts& texts) {
  std::vector<int64_t> positions(texts.ids.size());
  for (size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<int64_t>(i);
  std::vector<float> logits(positions.size() * static_cast<size_t>(kWords));
  ModelCall call = texts.call();
  call.positions = positions.data();
  call.num_positions = static_cast<int64_t>(positions.size());
  call.logits = logits.data();
  model.run(call);
  return logits;
}

// Each word's weight, 0 where it has none.
std::vector<double> expected(const std::vector<float>& logits, int64_t first, int64_t last, bool sums) {
  std::vector<double> weights(static_cast<size_t>(kWords), 0.0);
  for (int64_t t = first; t < last; ++t) {
    for (int64_t w = 0; w < kWords; ++w) {
      const double weight = std::log1p(std::max(0.0, double{logits[static_cast<size_t>(t * kWords + w)]}));
      double& to = weights[static_cast<size_t>(w)];
      to = sums ? to + weight : std::max(to, weight);
    }
  }
  return weights;
}

void expect_weights(const SparseRows& rows, size_t row, const std::vector<double>& wanted) {
  const auto first = static_cast<size_t>(rows.offsets()[row]), last = static_cast<size_t>(rows.offsets()[row + 1]);
  const auto positive = std::count_if(wanted.begin(), wanted.end(), [](double weight) { return weight > 0; });
  ASSERT_EQ(last - first, static_cast<size_t>(positive));
  for (size_t i = first; i < last; ++i) {
    const double weight = wanted[static_cast<size_t>(rows.ids()[i])];
    ASSERT_NEAR(rows.weights()[i], weight, 1e-5 * weight) << "word " << rows.ids()[i];
  }
}

std::unique_ptr<const Model> loaded(const SparseFolder& folder, int32_t threads) {
  ModelLoadOptions options;
  options.num_threads = threads;
  return folder.load(options);
}

// With each number of threads what the scores of the tokens give. A head scores the more words at a time the fewer rows
// it has, so the calls are small and large ones.
void expect_every_word(const SparseFolder& folder, bool sums, const std::vector<std::vector<int64_t>>& calls) {
  std::vector<SparseRows> alone;
  for (const int32_t threads : {1, 2, 3, 7}) {
    const auto model = loaded(folder, threads);
    for (size_t c = 0; c < calls.size(); ++c) {
      SCOPED_TRACE(std::to_string(threads) + " threads, texts of " + testing::PrintToString(calls[c]) + " tokens");
      const Texts texts(calls[c]);
      SparseRows rows = sparse_of(*model, texts);
      ASSERT_EQ(rows.offsets().size(), calls[c].size() + 1);
      if (threads > 1) {
        EXPECT_EQ(rows.offsets(), alone[c].offsets());
        EXPECT_EQ(rows.ids(), alone[c].ids());
        EXPECT_EQ(rows.weights(), alone[c].weights());
        continue;
      }
      const std::vector<float> logits = logits_of(*model, texts);
      for (size_t s = 0; s < calls[c].size(); ++s) {
        expect_weights(rows, s, expected(logits, texts.offsets[s], texts.offsets[s + 1], sums));
      }
      alone.push_back(std::move(rows));
    }
  }
}

TEST(Sparse, EveryWordOfALargeVocabulary) {
  SparseFolder folder;
  expect_every_word(folder, false, {{1}, {17}, {32}, {40}, {64}, {193}, {5, 0, 33, 1, 28, 60}});
  folder.pools("sum");
  expect_every_word(folder, true, {{40}, {5, 0, 33}});
}

}  // namespace
}  // namespace lffn
