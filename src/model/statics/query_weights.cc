// SPDX-License-Identifier: Apache-2.0
#include "model/statics/query_weights.h"

#include <algorithm>
#include <cmath>

#include "format/file.h"
#include "format/json_object.h"
#include "format/tensor_numbers.h"
#include "format/utf8.h"
#include "model/config/sentence_folder.h"
#include "model/config/tokenizer_files.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr lffn_status kStatus = LFFN_ERROR_BAD_MODEL;
constexpr size_t kMaxConfigBytes = size_t{1} << 20;
constexpr char kTensorFile[] = "model.safetensors";
constexpr char kSavedWeights[] = "sparse_query.weight";
constexpr char kSavedTokenizer[] = "sparse_query.tokenizer.json";

// Reads an object that gives some tokens their weights.
class WeightReader : public JsonEvents {
 public:
  WeightReader(const Tokenizer& tokenizer, std::string name, const int32_t* cancel, std::vector<float>& to)
      : tokenizer_(tokenizer), name_(std::move(name)), cancel_(cancel), to_(to) {}

  void begin_object() override {
    if (depth_++ > 0) refuse();
  }
  void end_object() override { --depth_; }
  void begin_array() override { refuse(); }
  void end_array() override { refuse(); }
  void key(std::string& name) override {
    poll(cancel_);
    id_ = tokenizer_.id_of(name);
  }
  void scalar(JsonScalar&& value) override {
    const bool is_number = value.kind == JsonScalar::Kind::kNumber || value.kind == JsonScalar::Kind::kUnsigned;
    const auto weight = static_cast<float>(value.number);
    if (depth_ != 1 || !is_number || !std::isfinite(weight)) refuse();
    if (id_ >= 0) to_[static_cast<size_t>(id_)] = weight;  // other names are no tokens
  }
  std::string where() const override { return name_; }

 private:
  [[noreturn]] void refuse() const {
    fail(kStatus, "%s: must be an object with a number for each token", name_.c_str());
  }

  const Tokenizer& tokenizer_;
  const std::string name_;
  const int32_t* cancel_;
  std::vector<float>& to_;
  int depth_ = 0;
  int32_t id_ = -1;
};

// The file of weights that a config names, "" for none.
std::string named_file(const Folder& folder) {
  constexpr char kConfig[] = "config.json";
  if (!folder.has(kConfig)) return "";
  JsonObject config(folder.read_text(kConfig, kMaxConfigBytes), folder.path(kConfig));
  config.drop_nulls();
  std::string name = config.text("path", "");
  check_place(name, folder.path(kConfig));
  return name;
}

std::vector<float> read_tensor(const TensorView& tensor, const Tokenizer& tokenizer) {
  check_tensor(tensor, {tokenizer.size()}, {DType::kF32, DType::kF16, DType::kBF16}, kStatus);
  std::vector<float> weights(static_cast<size_t>(tokenizer.size()));
  read_floats(tensor, 0, tokenizer.size(), weights.data());
  return weights;
}

}  // namespace

QueryWeights QueryWeights::read(const Folder& folder, const Folder& root, const int32_t* cancel) {
  QueryWeights result;
  result.tokenizer_ = read_tokenizer(folder, cancel);
  if (result.tokenizer_ == nullptr) {
    fail(kStatus, "%s: is missing, but queries are read by a tokenizer of their own",
         folder.path("tokenizer.json").c_str());
  }
  const Tokenizer& tokenizer = *result.tokenizer_;
  if (folder.has(kTensorFile)) {
    const auto bytes = folder.open(kTensorFile);
    naming(folder.path(kTensorFile), [&] {
      const Safetensors content = parse_safetensors(*bytes);
      const TensorView* const weight = content.find("weight");
      if (weight == nullptr) fail(kStatus, "weight: this tensor is missing");
      result.weights_ = read_tensor(*weight, tokenizer);
      return 0;
    });
    return result;
  }
  const std::string name = named_file(folder);
  if (name.empty()) {
    fail(kStatus, "%s: is missing, and no 'path' in config.json names another file of weights",
         folder.path(kTensorFile).c_str());
  }
  const Folder& holder = folder.has(name) ? folder : root;
  result.weights_.assign(static_cast<size_t>(tokenizer.size()), 0.0f);
  WeightReader reader(tokenizer, holder.path(name), cancel, result.weights_);
  parse_json(holder.read_text(name, kMaxVocabularyBytes), 0, 2, reader);
  return result;
}

QueryWeights QueryWeights::take(std::vector<TensorView>& tensors, const int32_t* cancel) {
  QueryWeights result;
  result.tokenizer_ = take_tokenizer(tensors, cancel, kSavedTokenizer);
  const auto weights =
      std::find_if(tensors.begin(), tensors.end(), [](const TensorView& view) { return view.name == kSavedWeights; });
  if ((weights == tensors.end()) != result.empty()) {
    fail(kStatus, "%s and %s: only one of them is there", kSavedWeights, kSavedTokenizer);
  }
  if (result.empty()) return result;
  result.weights_ = read_tensor(*weights, *result.tokenizer_);
  tensors.erase(weights);
  return result;
}

void QueryWeights::make(const int32_t* ids, const int64_t* offsets, int64_t num_sequences, const SparseLimits& limits,
                        SparseRows& to) const {
  std::vector<int32_t> distinct;
  for (int64_t s = 0; s < num_sequences; ++s) {
    distinct.assign(ids + offsets[s], ids + offsets[s + 1]);
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (const int32_t id : distinct) to.add(id, weights_[static_cast<size_t>(id)]);
    to.finish_row(limits);
  }
}

void QueryWeights::add_stored(std::vector<TensorView>& tensors, std::string& text) const {
  text = tokenizer_->to_json();
  tensors.push_back(view_of(kSavedTokenizer, DType::kU8, {static_cast<int64_t>(text.size())}, text.data()));
  tensors.push_back(view_of(kSavedWeights, DType::kF32, {size()}, weights_.data()));
}

}  // namespace lffn
