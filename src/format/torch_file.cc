// SPDX-License-Identifier: Apache-2.0
#include "format/torch_file.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "format/utf8.h"
#include "format/zip.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr size_t kMostPickleBytes = 8u << 20;  // those of models with thousands of tensors have less than one
constexpr size_t kMostValues = 1u << 20;
constexpr size_t kMostRank = 8, kMostTensors = 65536;

[[noreturn]] void refuse(const std::string& what) {
  fail(LFFN_ERROR_UNSUPPORTED,
       "%s; only a dict of tensors is read here. In Python: import torch, safetensors.torch; "
       "safetensors.torch.save_file({name: tensor.clone().contiguous() for name, tensor in "
       "torch.load('FILE', map_location='cpu').items()}, 'model.safetensors')",
       what.c_str());
}

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

// Values refer to others by their numbers, so that no pickle can make them deep or circular.
using Number = uint32_t;

struct Value {
  enum class Kind : uint8_t { kNothing, kInteger, kText, kTuple, kDict, kType, kFunction, kStorage, kTensor } kind;
  int64_t integer = 0;                            // of kInteger; of kTensor: its first number's place in the storage
  std::string text = {};                          // of kText; of kStorage: its key
  std::vector<Number> items = {};                 // of kTuple; of kDict: keys and values by turns
  DType dtype = DType::kF32;                      // of kType, kStorage and kTensor
  std::vector<int64_t> shape = {}, strides = {};  // of kTensor
};
using Kind = Value::Kind;

enum Function : int64_t { kOrderedDict, kRebuildTensor, kRebuildParameter };

// The machine of pickles, without what runs anything.
class Unpickler {
 public:
  explicit Unpickler(std::string_view code) : code_(code) {}

  // The dict that it makes.
  const Value& run() {
    for (;;) {
      const uint8_t operation = byte();
      if (operation == '.') break;
      step(operation);
    }
    const Value& result = values_[pop()];
    if (result.kind != Kind::kDict) refuse("the file does not hold a dict");
    return result;
  }
  const Value& at(Number number) const { return values_[number]; }

 private:
  [[noreturn]] static void refuse_broken() { fail(LFFN_ERROR_BAD_MODEL, "data.pkl: the pickle is broken"); }

  std::string_view bytes(size_t size) {
    if (size > code_.size() - at_) refuse_broken();
    at_ += size;
    return code_.substr(at_ - size, size);
  }
  uint8_t byte() { return static_cast<uint8_t>(bytes(1)[0]); }
  uint64_t number(size_t size) {
    const std::string_view from = bytes(size);
    uint64_t result = 0;
    for (size_t i = size; i-- > 0;) result = result << 8 | static_cast<uint8_t>(from[i]);
    return result;
  }
  std::string_view line() {
    const size_t end = code_.find('\n', at_);
    if (end == std::string_view::npos) refuse_broken();
    const std::string_view result = bytes(end - at_);
    ++at_;
    return result;
  }

  void push(Value&& value) {
    if (values_.size() == kMostValues) fail(LFFN_ERROR_BAD_MODEL, "data.pkl: more than %zu values", kMostValues);
    values_.push_back(std::move(value));
    stack_.push_back(static_cast<Number>(values_.size() - 1));
  }
  void push_integer(int64_t value) { push({Kind::kInteger, value}); }
  void push_text(std::string_view text) { push({Kind::kText, 0, std::string(text)}); }
  Number top() {
    if (stack_.size() == floor()) refuse_broken();
    return stack_.back();
  }
  Number pop() {
    const Number result = top();
    stack_.pop_back();
    return result;
  }
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  // What was pushed since the last mark.
  std::vector<Number> pop_marked() {
    if (marks_.empty()) refuse_broken();
    std::vector<Number> result(stack_.begin() + static_cast<ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return result;
  }
  void push_tuple(size_t count) {
    Value tuple = {Kind::kTuple};
    tuple.items.resize(count);
    while (count > 0) tuple.items[--count] = pop();
    push(std::move(tuple));
  }
  const Value& item(const Value& tuple, size_t place, Kind kind) const {
    if (tuple.kind != Kind::kTuple || place >= tuple.items.size()) refuse_broken();
    const Value& result = values_[tuple.items[place]];
    if (result.kind != kind) refuse_broken();
    return result;
  }

  void step(uint8_t operation) {
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
        return push({Kind::kDict});
      case ')':
        return push({Kind::kTuple});
      case 't': {
        Value tuple = {Kind::kTuple};
        tuple.items = pop_marked();
        return push(std::move(tuple));
      }
      case 0x85:
      case 0x86:
      case 0x87:
        return push_tuple(operation - 0x84u);
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
      case 0x8A: {  // of so many bytes
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
        const std::string module_name = values_[module].text, called_name = values_[called].text;
        return name(module_name, called_name);
      }
      case 'Q':
        return load_storage();
      case 'R':
        return call();
      case 's': {
        const Number value = pop(), key = pop();
        return set_items({key, value});
      }
      case 'u':
        return set_items(pop_marked());
      case 'b':  // attributes, as the _metadata of a state dict
        pop();
        if (values_[top()].kind != Kind::kDict) refuse("the pickle sets attributes of an object");
        return;
      default:
        refuse("the pickle uses an operation that tensors do not need (" + std::to_string(operation) + ')');
    }
  }

  void remember(uint32_t place) {
    memory_[place] = top();
    if (memory_.size() > kMostValues) fail(LFFN_ERROR_BAD_MODEL, "data.pkl: more than %zu values", kMostValues);
  }
  void recall(uint32_t place) {
    const auto found = memory_.find(place);
    if (found == memory_.end()) refuse_broken();
    stack_.push_back(found->second);
  }

  // A class or a function that the pickle asks for.
  void name(std::string_view module, std::string_view called) {
    if (module == "torch" || module == "torch.storage") {
      for (const StorageRow& row : kStorages) {
        if (called != row.name) continue;
        Value type = {Kind::kType};
        type.dtype = row.dtype;
        return push(std::move(type));
      }
    }
    if (module == "collections" && called == "OrderedDict") return push({Kind::kFunction, kOrderedDict});
    if (module == "torch._utils" && (called == "_rebuild_tensor_v2" || called == "_rebuild_tensor")) {
      return push({Kind::kFunction, kRebuildTensor});
    }
    if (module == "torch._utils" && called == "_rebuild_parameter") return push({Kind::kFunction, kRebuildParameter});
    refuse("the pickle asks for " + in_quotes(std::string(module) + '.' + std::string(called)));
  }

  // ("storage", its type, its key, a device, so many numbers)
  void load_storage() {
    const Value& reference = values_[pop()];
    if (item(reference, 0, Kind::kText).text != "storage") refuse_broken();
    Value storage = {Kind::kStorage, 0, item(reference, 2, Kind::kText).text};
    storage.dtype = item(reference, 1, Kind::kType).dtype;
    push(std::move(storage));
  }

  void call() {
    const Number arguments = pop(), function = pop();
    if (values_[function].kind != Kind::kFunction) refuse_broken();
    switch (values_[function].integer) {
      case kOrderedDict:
        if (values_[arguments].kind != Kind::kTuple || !values_[arguments].items.empty()) {
          refuse("the pickle makes a dict of a list, as Python 2 did");
        }
        return push({Kind::kDict});
      case kRebuildParameter:
        item(values_[arguments], 0, Kind::kTensor);
        stack_.push_back(values_[arguments].items[0]);
        return;
      default:
        return push(tensor_of(values_[arguments]));
    }
  }

  // (a storage, the first number's place in it, the shape, the strides, ...)
  Value tensor_of(const Value& arguments) const {
    const Value& storage = item(arguments, 0, Kind::kStorage);
    Value tensor = {Kind::kTensor, item(arguments, 1, Kind::kInteger).integer, storage.text};
    tensor.dtype = storage.dtype;
    const Value &shape = item(arguments, 2, Kind::kTuple), &strides = item(arguments, 3, Kind::kTuple);
    if (shape.items.size() != strides.items.size() || shape.items.size() > kMostRank) refuse_broken();
    for (size_t i = 0; i < shape.items.size(); ++i) {
      tensor.shape.push_back(item(shape, i, Kind::kInteger).integer);
      tensor.strides.push_back(item(strides, i, Kind::kInteger).integer);
      if (tensor.shape.back() < 0 || tensor.strides.back() < 0) refuse_broken();
    }
    if (tensor.integer < 0) refuse_broken();
    return tensor;
  }

  void set_items(const std::vector<Number>& items) {
    Value& dict = values_[top()];
    if (dict.kind != Kind::kDict || items.size() % 2 != 0) refuse_broken();
    dict.items.insert(dict.items.end(), items.begin(), items.end());
  }

  std::string_view code_;
  size_t at_ = 0;
  std::vector<Value> values_;
  std::vector<Number> stack_;
  std::vector<size_t> marks_;
  std::map<uint32_t, Number> memory_;
};

// Its bytes; refused unless they lie row by row.
uint64_t bytes_of(const Value& tensor, const std::string& name) {
  uint64_t count = 1, stride = 1;
  const bool is_empty = std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
  for (size_t i = tensor.shape.size(); i-- > 0 && !is_empty;) {
    if (tensor.shape[i] != 1 && static_cast<uint64_t>(tensor.strides[i]) != stride) {
      refuse("the numbers of the tensor " + in_quotes(name) + " do not lie row by row");
    }
    const auto size = static_cast<uint64_t>(tensor.shape[i]);
    if (__builtin_mul_overflow(count, size, &count) || count > INT64_MAX / 8) {
      fail(LFFN_ERROR_BAD_MODEL, "tensor %s: its shape is too large", in_quotes(name).c_str());
    }
    stride = count;
  }
  return is_empty ? 0 : count * dtype_size(tensor.dtype);
}

TensorView view_of(const Value& tensor, const std::string& name, const std::map<std::string, ZipEntry>& entries,
                   const std::string& folder, const Bytes& file) {
  const auto entry = entries.find(folder + "data/" + tensor.text);
  if (entry == entries.end()) {
    fail(LFFN_ERROR_BAD_MODEL, "tensor %s: the zip has no entry %s", in_quotes(name).c_str(),
         in_quotes(folder + "data/" + tensor.text).c_str());
  }
  TensorView view;
  view.name = name;
  view.dtype = tensor.dtype;
  view.shape = tensor.shape;
  const uint64_t size = bytes_of(tensor, name), each = dtype_size(tensor.dtype);
  const auto first = static_cast<uint64_t>(tensor.integer);
  if (size > entry->second.size || first > (entry->second.size - size) / each) {
    fail(LFFN_ERROR_BAD_MODEL, "tensor %s: %s %s from number %llu on does not fit into its %llu bytes",
         in_quotes(name).c_str(), dtype_name(view.dtype), view.shape_text().c_str(),
         static_cast<unsigned long long>(first), static_cast<unsigned long long>(entry->second.size));
  }
  view.size = static_cast<size_t>(size);
  view.source = &file;
  view.source_byte = static_cast<size_t>(entry->second.begin + first * each);
  return view;
}

std::string read_entry(const Bytes& file, const ZipEntry& entry) {
  if (entry.size > kMostPickleBytes) {
    fail(LFFN_ERROR_BAD_MODEL, "data.pkl: more than the %zu bytes allowed", kMostPickleBytes);
  }
  std::string result(static_cast<size_t>(entry.size), '\0');
  file.read(static_cast<size_t>(entry.begin), result.size(), result.data());
  return result;
}

}  // namespace

Safetensors parse_torch_file(const Bytes& file) {
  char start[2] = {};
  if (file.size() >= sizeof start) file.read(0, sizeof start, start);
  if (start[0] == '\x80') refuse("the file was written by PyTorch before 1.6");
  if (start[0] != 'P' || start[1] != 'K') fail(LFFN_ERROR_BAD_MODEL, "the file is not PyTorch's: it is not a zip");
  const std::map<std::string, ZipEntry> entries = read_zip(file);
  constexpr std::string_view kPickle = "data.pkl";
  std::optional<std::string> folder;
  for (const auto& [name, entry] : entries) {
    const size_t begin = name.size() < kPickle.size() ? 0 : name.size() - kPickle.size();
    if (name.compare(begin, std::string::npos, kPickle) != 0 || (begin > 0 && name[begin - 1] != '/')) continue;
    if (folder) fail(LFFN_ERROR_BAD_MODEL, "the zip has more than one data.pkl");
    folder = name.substr(0, begin);
  }
  if (!folder) fail(LFFN_ERROR_BAD_MODEL, "the zip has no data.pkl, so PyTorch did not write it");
  const auto order = entries.find(*folder + "byteorder");
  if (order != entries.end() && read_entry(file, order->second) != "little")
    refuse("the file was written on a big-endian machine");

  const std::string code = read_entry(file, entries.at(*folder + std::string(kPickle)));
  Unpickler unpickler(code);
  const Value& dict = unpickler.run();
  std::map<std::string, TensorView> by_name;  // the last of equal names counts, as in a dict
  for (size_t i = 0; i < dict.items.size(); i += 2) {
    const Value &key = unpickler.at(dict.items[i]), &value = unpickler.at(dict.items[i + 1]);
    if (key.kind != Kind::kText) refuse("the dict has a key that is not text");
    if (valid_utf8_length(key.text) != key.text.size()) fail(LFFN_ERROR_BAD_MODEL, "data.pkl: a name is not UTF-8");
    if (value.kind != Kind::kTensor) refuse(in_quotes(key.text) + " is no tensor");
    by_name.insert_or_assign(key.text, view_of(value, key.text, entries, *folder, file));
    if (by_name.size() > kMostTensors) fail(LFFN_ERROR_BAD_MODEL, "data.pkl: more than %zu tensors", kMostTensors);
  }
  Safetensors result;
  for (auto& [name, view] : by_name) result.tensors.push_back(std::move(view));
  std::sort(result.tensors.begin(), result.tensors.end(), [](const TensorView& a, const TensorView& b) {
    return std::tie(a.source_byte, a.size, a.name) < std::tie(b.source_byte, b.size, b.name);
  });
  return result;
}

Safetensors parse_weights(const Bytes& file, const std::string& name) {
  constexpr std::string_view kEnd = ".safetensors";
  const bool is_safe = name.size() >= kEnd.size() && name.compare(name.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
  return is_safe ? parse_safetensors(file) : parse_torch_file(file);
}

}  // namespace lffn
