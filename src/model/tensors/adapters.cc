// SPDX-License-Identifier: Apache-2.0
#include "model/tensors/adapters.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "format/json_object.h"
#include "format/tensor_numbers.h"
#include "format/utf8.h"
#include "runtime/error.h"
#include "runtime/memory.h"

namespace lffn {
namespace {

constexpr lffn_status kBadAdapter = LFFN_ERROR_BAD_MODEL;
constexpr std::string_view kOriginal = ".parametrizations.weight.original";
constexpr std::string_view kFirst = ".parametrizations.weight.0.lora_A", kSecond = ".parametrizations.weight.0.lora_B";

struct Choice {
  int64_t number = 0;  // of the adapter
  int64_t count = 0;
  int64_t rank = 0;
  float scale = 1;
};

Choice choose(const std::string& name, const ModelConfig& config) {
  JsonObject object(config.text, "config");
  object.drop_nulls();
  const JsonValue* names = object.value("lora_adaptations");
  if (names == nullptr) refuse_adapter(name);
  Choice choice;
  choice.number = -1;
  constexpr char kWanted[] = "a list of texts";
  if (names->shape != JsonValue::Shape::kList) object.refuse("lora_adaptations", kWanted);
  std::string known;
  for (const JsonValue& item : names->items) {
    if (!item.is_text()) object.refuse("lora_adaptations", kWanted);
    if (item.scalar.text == name) choice.number = choice.count;
    known += (known.empty() ? "" : ", ") + in_quotes(item.scalar.text);
    choice.count += 1;
  }
  if (choice.number < 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "options.adapter is %s; the model's adapters are %s", in_quotes(name).c_str(),
         known.empty() ? "none" : known.c_str());
  }
  const int32_t rank = object.integer("lora_rank", 4);
  if (rank < 1 || rank > kMaxSize) {
    fail(kBadAdapter, "config: 'lora_rank' is %d, allowed is 1 to %d", rank, kMaxSize);
  }
  choice.rank = rank;
  choice.scale = object.number("lora_alpha", 1.0f) / static_cast<float>(rank);
  return choice;
}

// [rows, columns] of float32: a matrix and, times `scale`, the product of [rows, rank] and [rank, columns].
class Sum : public Bytes {
 public:
  // `left` and `right` have a product of each adapter, one behind the other.
  Sum(const TensorView& original, const TensorView& left, const TensorView& right, const Choice& choice)
      : original_(original), columns_(original.shape[1]), rank_(choice.rank), scale_(choice.scale) {
    const int64_t rows = original.shape[0];
    left_ = Memory(checked_product(static_cast<size_t>(rows * rank_), sizeof(float)));
    right_ = Memory(checked_product(static_cast<size_t>(columns_ * rank_), sizeof(float)));
    read_floats(left, choice.number * rows * rank_, rows * rank_, left_.as<float>());
    read_floats(right, choice.number * columns_ * rank_, columns_ * rank_, right_.as<float>());
  }

  size_t size() const override { return static_cast<size_t>(count_of(original_.shape)) * sizeof(float); }
  size_t memory_bytes() const { return left_.size() + right_.size(); }

  void read(size_t first, size_t count, void* to) const override {
    auto* bytes = static_cast<unsigned char*>(to);
    float part[256];
    while (count > 0) {
      const size_t element = first / sizeof(float), skipped = first % sizeof(float);
      const size_t wanted = (skipped + count + sizeof(float) - 1) / sizeof(float);
      const size_t numbers = std::min(wanted, sizeof part / sizeof *part);
      add(static_cast<int64_t>(element), static_cast<int64_t>(numbers), part);
      const size_t copied = std::min(count, numbers * sizeof(float) - skipped);
      std::memcpy(bytes, reinterpret_cast<const unsigned char*>(part) + skipped, copied);
      bytes += copied;
      first += copied;
      count -= copied;
    }
  }

 private:
  void add(int64_t first, int64_t count, float* out) const {
    read_floats(original_, first, count, out);
    for (int64_t done = 0; done < count;) {
      const int64_t row = (first + done) / columns_, column = (first + done) % columns_;
      const int64_t some = std::min(count - done, columns_ - column);
      const float* left = left_.as<float>() + row * rank_;
      for (int64_t i = 0; i < some; ++i) {
        const float* right = right_.as<float>() + column + i;
        float product = 0;
        for (int64_t r = 0; r < rank_; ++r) product += left[r] * right[r * columns_];
        out[done + i] += scale_ * product;
      }
      done += some;
    }
  }

  const TensorView original_;
  const int64_t columns_, rank_;
  const float scale_;
  Memory left_, right_;
};

// Whether it is a table of word or type vectors: there the names of the two thin matrices are swapped.
bool is_looked_up(std::string_view name, const Family& family) {
  for (const char* own : {family.words, family.types}) {
    if (own != nullptr && ends_with(name, own)) return true;
  }
  return false;
}

void check_thin(const TensorView& tensor, int64_t count, int64_t rows, int64_t columns) {
  check_tensor(tensor, {count, rows, columns}, {DType::kF32, DType::kF16, DType::kBF16}, kBadAdapter);
}

}  // namespace

void refuse_adapter(const std::string& name) {
  fail(LFFN_ERROR_INVALID_ARGUMENT, "options.adapter is %s, but this model has no adapters; leave it NULL",
       in_quotes(name).c_str());
}

AdaptedTensors::AdaptedTensors(const std::string& name, const ModelConfig& config, std::vector<TensorView>& tensors) {
  const Choice choice = choose(name, config);
  std::map<std::string_view, const TensorView*> thin;  // by their full names
  for (const TensorView& tensor : tensors) {
    if (ends_with(tensor.name, kFirst) || ends_with(tensor.name, kSecond)) thin.emplace(tensor.name, &tensor);
  }
  std::vector<std::pair<TensorView*, TensorView>> adapted;
  for (TensorView& tensor : tensors) {
    if (!ends_with(tensor.name, kOriginal)) continue;
    const std::string matrix = tensor.name.substr(0, tensor.name.size() - kOriginal.size());
    const auto found = [&](std::string_view end) -> const TensorView& {
      const auto at = thin.find(matrix + std::string(end));
      if (at == thin.end()) fail(kBadAdapter, "%s%s: this tensor is missing", matrix.c_str(), std::string(end).c_str());
      return *at->second;
    };
    const TensorView* right = &found(kFirst);
    const TensorView* left = &found(kSecond);
    if (is_looked_up(matrix, *config.family)) std::swap(left, right);
    if (tensor.shape.size() != 2) {
      fail(kBadAdapter, "%s: shape %s, but adapters are of matrices", tensor.name.c_str(), tensor.shape_text().c_str());
    }
    check_tensor(tensor, tensor.shape, {DType::kF32, DType::kF16, DType::kBF16}, kBadAdapter);
    check_thin(*right, choice.count, choice.rank, tensor.shape[1]);
    check_thin(*left, choice.count, tensor.shape[0], choice.rank);
    auto sum = std::make_unique<const Sum>(tensor, *left, *right, choice);
    TensorView view;
    view.name = tensor.name;
    view.dtype = DType::kF32;
    view.shape = tensor.shape;
    view.source = sum.get();
    view.size = sum->size();
    bytes_ += sum->memory_bytes();
    adapted.emplace_back(&tensor, std::move(view));
    sums_.push_back(std::move(sum));
  }
  if (adapted.empty()) {
    fail(LFFN_ERROR_INVALID_ARGUMENT,
         "options.adapter is %s, but the tensors of adapters are not here any more: they were merged or left out when "
         "the file was written; leave it NULL",
         in_quotes(name).c_str());
  }
  for (auto& [place, view] : adapted) *place = std::move(view);
}

}  // namespace lffn
