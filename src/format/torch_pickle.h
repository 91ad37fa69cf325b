// SPDX-License-Identifier: Apache-2.0
// The pickle of a PyTorch file: a program that is never run. It is read as far as it names tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "format/safetensors.h"

namespace lffn {

// Throws Error(LFFN_ERROR_UNSUPPORTED) with the lines of Python that make a safetensors file.
[[noreturn]] void refuse_torch(const std::string& what);

struct PickledTensor {
  DType dtype;
  uint32_t key;   // of its storage: a text's number
  int64_t first;  // the place of its first number in the storage
  std::vector<int64_t> shape, strides;
};

// Values refer to others by their numbers, and to the pickle's bytes, so that no pickle can make them deep, circular or
// larger than it is.
class TorchPickle {
 public:
  using Number = uint32_t;
  static constexpr size_t kMostRank = 8;

  struct Value {
    enum class Kind : uint8_t { kNothing, kInteger, kText, kTuple, kDict, kType, kFunction, kStorage, kTensor } kind;
    int64_t integer = 0;          // of kInteger and kFunction; of kDict: its place among the dicts
    std::string_view text = {};   // of kText
    Number first = 0, count = 0;  // of kTuple, its items; of kTensor, its arguments; of kStorage: `first` is its key
    DType dtype = DType::kF32;    // of kType, kStorage and kTensor
  };
  using Kind = Value::Kind;
  using Dict = std::vector<Number>;  // keys and values by turns

  // Reads the file's pickle, which must outlive this object. Throws Error(LFFN_ERROR_BAD_MODEL), and what
  // refuse_torch() throws.
  TorchPickle(std::string_view code, const Bytes& file);

  const Dict& dict() const { return dicts_[dict_]; }
  const Value& at(Number number) const { return values_[number]; }
  // The value must be a kTensor.
  PickledTensor tensor_of(const Value& value) const;

 private:
  enum Function : int64_t { kOrderedDict, kRebuildTensor, kRebuildParameter };

  std::string_view bytes(size_t size);
  uint8_t byte() { return static_cast<uint8_t>(bytes(1)[0]); }
  uint64_t number(size_t size);
  std::string_view line();

  void push(const Value& value);
  void push_integer(int64_t value) { push({Kind::kInteger, value}); }
  void push_text(std::string_view text) { push({Kind::kText, 0, text}); }
  void push_dict();
  void push_tuple(size_t count);
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  Number top() const;
  Number pop();
  void pop_to(std::vector<Number>& to, size_t count);
  size_t pop_mark();
  const Value& item(const Value& tuple, size_t place, Kind kind) const;

  void step(uint8_t operation);
  void remember(uint32_t place);
  void recall(uint32_t place);
  void name(std::string_view module, std::string_view called);
  void load_storage();
  void call();
  void set_items(size_t count);

  std::string_view code_;
  size_t at_ = 0;
  std::vector<Value> values_;
  std::vector<Number> items_;  // of all tuples
  std::vector<Dict> dicts_;
  size_t dict_ = 0;  // the result
  std::vector<Number> stack_;
  std::vector<size_t> marks_;
  std::map<uint32_t, Number> memory_;
};

}  // namespace lffn
