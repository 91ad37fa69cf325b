// SPDX-License-Identifier: Apache-2.0
// Folders of sentence encoders, and what they compute, in float64.
#ifndef LFFN_TESTS_MODEL_SENTENCE_MAKER_H_
#define LFFN_TESTS_MODEL_SENTENCE_MAKER_H_

#include <algorithm>
#include <cmath>
#include <cstring>

#include "made_folder.h"

namespace lffn {

inline constexpr int64_t kHidden = 48;

inline std::string module_entry(const std::string& path, const std::string& type) {
  return "{\"idx\":0,\"name\":\"x\",\"path\":\"" + path + "\",\"type\":\"sentence_transformers.models." + type + "\"}";
}

struct SentenceMaker : MadeFolder {
  SentenceMaker() : MadeFolder("roberta-classes") {
    remove("classifier.");
    configure("RobertaForSequenceClassification", "RobertaModel");
    modules({{"", "Transformer"}, {"1_Pooling", "Pooling"}});
    pooling({"mean_tokens"});
  }
  void modules(const std::vector<std::pair<std::string, std::string>>& list) {
    std::string text;
    for (const auto& [path, type] : list) text += (text.empty() ? "" : ",") + module_entry(path, type);
    files["modules.json"] = "[" + text + "]";
  }
  void pooling(const std::vector<std::string>& modes, const std::string& more = "") {
    std::string text = "{\"word_embedding_dimension\":48" + more;
    for (const char* mode :
         {"cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"}) {
      const bool on = std::find(modes.begin(), modes.end(), mode) != modes.end();
      text += std::string(",\"pooling_mode_") + mode + "\":" + (on ? "true" : "false");
    }
    files["1_Pooling/config.json"] = text + "}";
  }
  void dense(const std::string& place, int64_t inputs, int64_t outputs, const std::string& activation,
             bool bias = true) {
    files[place + "/config.json"] =
        "{\"in_features\":" + std::to_string(inputs) + ",\"out_features\":" + std::to_string(outputs) +
        ",\"bias\":" + (bias ? "true" : "false") + ",\"activation_function\":\"" + activation + "\"}";
    std::vector<MadeTensor> weights = {made_tensor("linear.weight", {outputs, inputs})};
    if (bias) weights.push_back(made_tensor("linear.bias", {outputs}));
    files[place + "/model.safetensors"] = safetensors_of(weights);
  }
};

// In float64, from the hidden states of both sequences, without the first `left_out` tokens.
inline std::vector<double> pooled(const std::vector<float>& hidden, size_t sequence, Pooling pooling,
                                  int64_t left_out = 0) {
  const SomeIds input;
  const int64_t first = input.offsets[sequence], last = input.offsets[sequence + 1];
  std::vector<double> result;
  for (int64_t i = 0; i < kHidden; ++i) {
    const auto at = [&](int64_t t) { return static_cast<double>(hidden[static_cast<size_t>(t * kHidden + i)]); };
    double sum = 0, largest = -1e300, weighted = 0, weights = 0;
    for (int64_t t = first + left_out; t < last; ++t) {
      sum += at(t);
      weighted += at(t) * static_cast<double>(t - first + 1);
      weights += static_cast<double>(t - first + 1);
      largest = std::max(largest, at(t));
    }
    const auto count = static_cast<double>(last - first - left_out);
    result.push_back(pooling == Pooling::kFirst          ? at(first)
                     : pooling == Pooling::kLast         ? at(last - 1)
                     : pooling == Pooling::kMax          ? largest
                     : pooling == Pooling::kMean         ? sum / count
                     : pooling == Pooling::kWeightedMean ? weighted / weights
                                                         : sum / std::sqrt(count));
  }
  return result;
}

inline void scale(std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  for (double& value : values) value /= std::sqrt(squares);
}

inline std::vector<double> applied(const std::vector<double>& in, int64_t outputs, Activation activation,
                                   bool bias = true) {
  const MadeTensor weight = made_tensor("linear.weight", {outputs, static_cast<int64_t>(in.size())});
  const MadeTensor shift = made_tensor("linear.bias", {outputs});
  const auto number = [](const MadeTensor& tensor, size_t i) {
    float value;
    std::memcpy(&value, tensor.data.data() + i * sizeof(float), sizeof(float));
    return static_cast<double>(value);
  };
  std::vector<double> out;
  for (size_t o = 0; o < static_cast<size_t>(outputs); ++o) {
    double sum = bias ? number(shift, o) : 0;
    for (size_t i = 0; i < in.size(); ++i) sum += number(weight, o * in.size() + i) * in[i];
    switch (activation) {
      case Activation::kTanh:
        sum = std::tanh(sum);
        break;
      case Activation::kRelu:
        sum = std::max(sum, 0.0);
        break;
      case Activation::kSigmoid:
        sum = 1 / (1 + std::exp(-sum));
        break;
      case Activation::kGelu:
        sum = sum * 0.5 * (1 + std::erf(sum / std::sqrt(2.0)));
        break;
      default:
        break;
    }
    out.push_back(sum);
  }
  return out;
}

inline void expect_near(const std::vector<float>& got, const std::vector<double>& first,
                        const std::vector<double>& second) {
  ASSERT_EQ(got.size(), first.size() + second.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const double expected = i < first.size() ? first[i] : second[i - first.size()];
    ASSERT_NEAR(got[i], expected, 2e-5) << i;
  }
}

}  // namespace lffn

#endif
