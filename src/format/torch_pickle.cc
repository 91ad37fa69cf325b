// SPDX-License-Identifier: Apache-2.0
#include "format/torch_pickle.h"

#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr size_t kMostValues = 1u << 20, kValuesPerLook = 64;

struct StorageRow {
  const char* name;
  DType dtype;
};
constexpr StorageRow kStorages[] = {
    {"FloatStorage", DType::kF32},  {"HalfStorage", DType::kF16}, {"BFloat16Storage", DType::kBF16},
    {"DoubleStorage", DType::kF64}, {"LongStorage", DType::kI64}, {"IntStorage", DType::kI32},
    {"ShortStorage", DType::kI16},  {"CharStorage", DType::kI8},  {"ByteStorage", DType::kU8},
    {"BoolStorage", DType::kBool},
};

[[noreturn]] void refuse_broken() { fail(LFFN_ERROR_BAD_MODEL, "data.pkl: the pickle is broken"); }

}  // namespace

void refuse_torch(const std::string& what) {
  fail(LFFN_ERROR_UNSUPPORTED,
       "%s; only a dict of tensors is read here. In Python: import torch, safetensors.torch; "
       "safetensors.torch.save_file({name: tensor.clone().contiguous() for name, tensor in "
       "torch.load('FILE', map_location='cpu').items()}, 'model.safetensors')",
       what.c_str());
}

TorchPickle::TorchPickle(std::string_view code, const Bytes& file) : code_(code) {
  for (uint8_t operation = byte(); operation != '.'; operation = byte()) {
    if (values_.size() % kValuesPerLook == 0) file.read(0, 0, nullptr);  // checks the cancel flag
    step(operation);
  }
  const Value& result = values_[pop()];
  if (result.kind != Kind::kDict) refuse_torch("the file does not hold a dict");
  dict_ = static_cast<size_t>(result.integer);
}

PickledTensor TorchPickle::tensor_of(const Value& value) const {
  const Value& storage = item(value, 0, Kind::kStorage);
  PickledTensor tensor = {storage.dtype, storage.first, item(value, 1, Kind::kInteger).integer, {}, {}};
  const Value &shape = item(value, 2, Kind::kTuple), &strides = item(value, 3, Kind::kTuple);
  if (shape.count != strides.count || shape.count > kMostRank) refuse_broken();
  for (size_t i = 0; i < shape.count; ++i) {
    tensor.shape.push_back(item(shape, i, Kind::kInteger).integer);
    tensor.strides.push_back(item(strides, i, Kind::kInteger).integer);
    if (tensor.shape.back() < 0 || tensor.strides.back() < 0) refuse_broken();
  }
  if (tensor.first < 0) refuse_broken();
  return tensor;
}

std::string_view TorchPickle::bytes(size_t size) {
  if (size > code_.size() - at_) refuse_broken();
  at_ += size;
  return code_.substr(at_ - size, size);
}

uint64_t TorchPickle::number(size_t size) {
  const std::string_view from = bytes(size);
  uint64_t result = 0;
  for (size_t i = size; i-- > 0;) result = result << 8 | static_cast<uint8_t>(from[i]);
  return result;
}

std::string_view TorchPickle::line() {
  const size_t end = code_.find('\n', at_);
  if (end == std::string_view::npos) refuse_broken();
  const std::string_view result = bytes(end - at_);
  ++at_;
  return result;
}

void TorchPickle::push(const Value& value) {
  if (values_.size() == kMostValues) fail(LFFN_ERROR_BAD_MODEL, "data.pkl: more than %zu values", kMostValues);
  values_.push_back(value);
  stack_.push_back(static_cast<Number>(values_.size() - 1));
}

void TorchPickle::push_dict() {
  dicts_.emplace_back();
  push({Kind::kDict, static_cast<int64_t>(dicts_.size() - 1)});
}

TorchPickle::Number TorchPickle::top() const {
  if (stack_.size() == floor()) refuse_broken();
  return stack_.back();
}

TorchPickle::Number TorchPickle::pop() {
  const Number result = top();
  stack_.pop_back();
  return result;
}

// Moves the last numbers of the stack to the end of `to`.
void TorchPickle::pop_to(std::vector<Number>& to, size_t count) {
  to.insert(to.end(), stack_.end() - static_cast<ptrdiff_t>(count), stack_.end());
  stack_.resize(stack_.size() - count);
}

// Removes the last mark; returns how many values were pushed since.
size_t TorchPickle::pop_mark() {
  if (marks_.empty()) refuse_broken();
  const size_t count = stack_.size() - marks_.back();
  marks_.pop_back();
  return count;
}

void TorchPickle::push_tuple(size_t count) {
  Value tuple = {Kind::kTuple};
  tuple.first = static_cast<Number>(items_.size());
  tuple.count = static_cast<Number>(count);
  pop_to(items_, count);
  push(tuple);
}

const TorchPickle::Value& TorchPickle::item(const Value& tuple, size_t place, Kind kind) const {
  if (place >= tuple.count) refuse_broken();
  const Value& result = values_[items_[tuple.first + place]];
  if (result.kind != kind) refuse_broken();
  return result;
}

void TorchPickle::step(uint8_t operation) {
  switch (operation) {
    case 0x80:  // the protocol
      if (const uint8_t protocol = byte(); protocol < 2 || protocol > 5) refuse_broken();
      return;
    case 0x95:  // a frame's size
      bytes(8);
      return;
    case '(':
      marks_.push_back(stack_.size());
      return;
    case '}':
      return push_dict();
    case ')':
      return push_tuple(0);
    case 't':
      return push_tuple(pop_mark());
    case 0x85:
    case 0x86:
    case 0x87: {
      const size_t count = operation - 0x84u;
      if (count > stack_.size() - floor()) refuse_broken();
      return push_tuple(count);
    }
    case 'N':
      return push({Kind::kNothing});
    case 0x88:
    case 0x89:
      return push_integer(operation == 0x88 ? 1 : 0);
    case 'K':
      return push_integer(byte());
    case 'M':
      return push_integer(static_cast<int64_t>(number(2)));
    case 'J':
      return push_integer(static_cast<int32_t>(number(4)));
    case 0x8A: {  // an integer of so many bytes
      const size_t size = byte();
      if (size > 8) refuse_broken();
      const uint64_t value = number(size);
      const unsigned rest = 64 - 8 * static_cast<unsigned>(size);
      return push_integer(size == 0 ? 0 : static_cast<int64_t>(value << rest) >> rest);
    }
    case 'X':
      return push_text(bytes(number(4)));
    case 0x8C:
      return push_text(bytes(byte()));
    case 'q':
      remember(byte());
      return;
    case 'r':
      remember(static_cast<uint32_t>(number(4)));
      return;
    case 0x94:
      remember(static_cast<uint32_t>(memory_.size()));
      return;
    case 'h':
      return recall(byte());
    case 'j':
      return recall(static_cast<uint32_t>(number(4)));
    case 'c': {
      const std::string_view module = line();
      return name(module, line());
    }
    case 0x93: {
      const Number called = pop(), module = pop();
      if (values_[called].kind != Kind::kText || values_[module].kind != Kind::kText) refuse_broken();
      return name(values_[module].text, values_[called].text);
    }
    case 'Q':
      return load_storage();
    case 'R':
      return call();
    case 's':
      return set_items(2);
    case 'u':
      return set_items(pop_mark());
    case 'b':  // attributes, such as the _metadata of a state dict
      pop();
      if (values_[top()].kind != Kind::kDict) refuse_torch("the pickle sets attributes of an object");
      return;
    default:
      refuse_torch("the pickle uses an operation that tensors do not need (" + std::to_string(operation) + ')');
  }
}

void TorchPickle::remember(uint32_t place) {
  memory_[place] = top();
  if (memory_.size() > kMostValues) fail(LFFN_ERROR_BAD_MODEL, "data.pkl: more than %zu values", kMostValues);
}

void TorchPickle::recall(uint32_t place) {
  const auto found = memory_.find(place);
  if (found == memory_.end()) refuse_broken();
  stack_.push_back(found->second);
}

// A class or a function that the pickle asks for.
void TorchPickle::name(std::string_view module, std::string_view called) {
  if (module == "torch" || module == "torch.storage") {
    for (const StorageRow& row : kStorages) {
      if (called != row.name) continue;
      Value type = {Kind::kType};
      type.dtype = row.dtype;
      return push(type);
    }
  }
  if (module == "collections" && called == "OrderedDict") return push({Kind::kFunction, kOrderedDict});
  if (module == "torch._utils" && (called == "_rebuild_tensor_v2" || called == "_rebuild_tensor")) {
    return push({Kind::kFunction, kRebuildTensor});
  }
  if (module == "torch._utils" && called == "_rebuild_parameter") return push({Kind::kFunction, kRebuildParameter});
  refuse_torch("the pickle asks for " + in_quotes(std::string(module) + '.' + std::string(called)));
}

// ("storage", its type, its key, a device, so many numbers)
void TorchPickle::load_storage() {
  const Value reference = values_[pop()];
  if (reference.kind != Kind::kTuple || item(reference, 0, Kind::kText).text != "storage") refuse_broken();
  Value storage = {Kind::kStorage};
  item(reference, 2, Kind::kText);
  storage.first = items_[reference.first + 2];
  storage.dtype = item(reference, 1, Kind::kType).dtype;
  push(storage);
}

void TorchPickle::call() {
  const Number arguments = pop(), function = pop();
  if (values_[function].kind != Kind::kFunction || values_[arguments].kind != Kind::kTuple) refuse_broken();
  switch (values_[function].integer) {
    case kOrderedDict:
      if (values_[arguments].count > 0) refuse_torch("the pickle makes a dict of a list, as Python 2 did");
      return push_dict();
    case kRebuildParameter:
      item(values_[arguments], 0, Kind::kTensor);
      stack_.push_back(items_[values_[arguments].first]);
      return;
    default: {
      // (a storage, the first number's place in it, the shape, the strides, ...)
      Value tensor = values_[arguments];
      tensor.kind = Kind::kTensor;
      tensor_of(tensor);
      return push(tensor);
    }
  }
}

void TorchPickle::set_items(size_t count) {
  if (count % 2 != 0 || count >= stack_.size() - floor()) refuse_broken();
  const Value& dict = values_[stack_[stack_.size() - count - 1]];
  if (dict.kind != Kind::kDict) refuse_broken();
  pop_to(dicts_[static_cast<size_t>(dict.integer)], count);
}
}  // namespace lffn
