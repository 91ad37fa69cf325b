// SPDX-License-Identifier: Apache-2.0
#include "format/torch_file.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "format/stand_in.h"
#include "format/torch_pickle.h"
#include "format/utf8.h"
#include "format/zip.h"
#include "runtime/error.h"

namespace lffn {
namespace {

using Kind = TorchPickle::Kind;
using Number = TorchPickle::Number;

constexpr size_t kMostPickleBytes = 8u << 20;  // pickles of models with thousands of tensors have less than 1 MiB
constexpr size_t kMostTensors = 65536;

// Where the data of tensors lies: entries of the zip.
class Storages {
 public:
  Storages(const std::map<std::string, ZipEntry>& entries, const std::string& folder) : start_(folder + "data/") {
    auto entry = entries.lower_bound(start_);
    for (; entry != entries.end() && starts_with(entry->first, start_); ++entry) {
      by_key_.emplace(std::string_view(entry->first).substr(start_.size()), &entry->second);
    }
  }
  std::string name(std::string_view key) const { return start_ + std::string(key); }
  // nullptr: there is none.
  const ZipEntry* find(std::string_view key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : found->second;
  }

 private:
  std::string start_;
  std::map<std::string_view, const ZipEntry*> by_key_;
};

// The tensor's bytes; refused unless its numbers lie row by row.
uint64_t bytes_of(const PickledTensor& tensor, const std::string& name) {
  uint64_t count = 1, stride = 1;
  const bool is_empty = std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
  for (size_t i = tensor.shape.size(); i-- > 0 && !is_empty;) {
    if (tensor.shape[i] != 1 && static_cast<uint64_t>(tensor.strides[i]) != stride) {
      refuse_torch("the numbers of the tensor " + in_quotes(name) + " do not lie row by row");
    }
    const auto size = static_cast<uint64_t>(tensor.shape[i]);
    if (__builtin_mul_overflow(count, size, &count) || count > INT64_MAX / 8) {
      fail(LFFN_ERROR_BAD_MODEL, "tensor %s: its shape is too large", in_quotes(name).c_str());
    }
    stride = count;
  }
  return is_empty ? 0 : count * dtype_size(tensor.dtype);
}

TensorView view_of(const PickledTensor& tensor, std::string name, const ZipEntry& entry, const Bytes& file) {
  const uint64_t size = bytes_of(tensor, name), each = dtype_size(tensor.dtype);
  TensorView view;
  view.name = std::move(name);
  view.dtype = tensor.dtype;
  view.shape = tensor.shape;
  const auto first = static_cast<uint64_t>(tensor.first);
  if (size > entry.size || first > (entry.size - size) / each) {
    fail(LFFN_ERROR_BAD_MODEL, "tensor %s: %s %s from number %llu on does not fit into its %llu bytes",
         in_quotes(view.name).c_str(), dtype_name(view.dtype), view.shape_text().c_str(),
         static_cast<unsigned long long>(first), static_cast<unsigned long long>(entry.size));
  }
  view.size = static_cast<size_t>(size);
  view.source = &file;
  view.source_byte = static_cast<size_t>(entry.begin + first * each);
  return view;
}

// A pickle may name one text many times over, as a key or as a storage: each is looked at once.
std::vector<TensorView> views_of(const TorchPickle& pickle, const Storages& storages, const Bytes& file) {
  const TorchPickle::Dict& dict = pickle.dict();
  std::unordered_set<Number> seen;
  std::map<std::string_view, Number> by_name;  // the last of equal names counts, as in a dict
  for (size_t i = dict.size(); i > 0; i -= 2) {
    file.read(0, 0, nullptr);  // checks the cancel flag
    const TorchPickle::Value &key = pickle.at(dict[i - 2]), &value = pickle.at(dict[i - 1]);
    if (key.kind != Kind::kText) refuse_torch("the dict has a key that is not text");
    if (value.kind != Kind::kTensor) refuse_torch(in_quotes(key.text) + " is no tensor");
    if (!seen.insert(dict[i - 2]).second) continue;
    if (valid_utf8_length(key.text) != key.text.size()) fail(LFFN_ERROR_BAD_MODEL, "data.pkl: a name is not UTF-8");
    by_name.emplace(key.text, dict[i - 1]);
    if (by_name.size() > kMostTensors) fail(LFFN_ERROR_BAD_MODEL, "data.pkl: more than %zu tensors", kMostTensors);
  }
  std::unordered_map<Number, const ZipEntry*> by_key;
  std::vector<TensorView> views;
  for (const auto& [name, number] : by_name) {
    file.read(0, 0, nullptr);
    const PickledTensor tensor = pickle.tensor_of(pickle.at(number));
    const auto [entry, is_new] = by_key.emplace(tensor.key, nullptr);
    const std::string_view key = pickle.at(tensor.key).text;
    if (is_new) entry->second = storages.find(key);
    if (entry->second == nullptr) {
      fail(LFFN_ERROR_BAD_MODEL, "tensor %s: the zip has no entry %s", in_quotes(name).c_str(),
           in_quotes(storages.name(key)).c_str());
    }
    views.push_back(view_of(tensor, std::string(name), *entry->second, file));
  }
  return views;
}

// What is packed from the tensors must not grow far beyond the file. In models up to four tensors share a matrix of
// words.
void check_overlaps(const std::vector<TensorView>& tensors, size_t file_bytes) {
  constexpr uint64_t kMostShares = 4;
  uint64_t left = kMostShares * uint64_t{file_bytes};
  for (const TensorView& tensor : tensors) {
    if (tensor.size > left) {
      fail(LFFN_ERROR_BAD_MODEL,
           "the tensors have more than %llu times the file's %zu bytes, as they lie over each other",
           static_cast<unsigned long long>(kMostShares), file_bytes);
    }
    left -= tensor.size;
  }
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
  refuse_stand_in(file);
  char start[2] = {};
  if (file.size() >= sizeof start) file.read(0, sizeof start, start);
  if (file.size() == 0) fail(LFFN_ERROR_BAD_MODEL, "the file is empty; fetch it again");
  if (start[0] == '\x80') refuse_torch("the file was written by PyTorch before 1.6");
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
    refuse_torch("the file was written on a big-endian machine");

  const std::string code = read_entry(file, entries.at(*folder + std::string(kPickle)));
  const TorchPickle pickle(code, file);
  Safetensors result;
  result.tensors = views_of(pickle, Storages(entries, *folder), file);
  check_overlaps(result.tensors, file.size());
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
