// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>
#include <cstring>
#include <iterator>
#include <tuple>
#include <utility>

#include "format/json.h"
#include "format/safetensors.h"
#include "format/stand_in.h"
#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr size_t kPrefixBytes = 8;  // the header's length, little-endian
constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr size_t kMaxRank = 8;
constexpr size_t kMaxTensors = 65536;          // an empty one costs some 400 bytes of memory
constexpr size_t kMaxMetadataEntries = 65536;  // an entry of 7 bytes costs some 200 bytes of memory
constexpr size_t kMaxDepth = 3;
constexpr char kMetadataKey[] = "__metadata__";
constexpr char kCut[] = "; it was cut short, so fetch or write it again";

struct DTypeRow {
  DType dtype;
  const char* name;
  size_t size;
};

constexpr DTypeRow kDTypes[] = {
    {DType::kF32, "F32", 4},   {DType::kF16, "F16", 2}, {DType::kBF16, "BF16", 2}, {DType::kI8, "I8", 1},
    {DType::kU8, "U8", 1},     {DType::kI32, "I32", 4}, {DType::kI64, "I64", 8},   {DType::kF64, "F64", 8},
    {DType::kU32, "U32", 4},   {DType::kU64, "U64", 8}, {DType::kI16, "I16", 2},   {DType::kU16, "U16", 2},
    {DType::kBool, "BOOL", 1},
};

const DTypeRow& row_of(DType dtype) {
  return *std::find_if(std::begin(kDTypes), std::end(kDTypes), [&](const DTypeRow& row) { return row.dtype == dtype; });
}

// A tensor's entry in the header.
struct Entry {
  TensorView view;
  uint64_t begin = 0;
  uint64_t end = 0;
};

std::string name_of(const Entry& entry) { return "tensor " + in_quotes(entry.view.name); }

// Collects the header. It knows three levels: the header, a tensor or the metadata, and a tensor's two lists.
class HeaderReader : public JsonEvents {
 public:
  explicit HeaderReader(const Bytes& file) : file_(file) {}

  std::map<std::string, std::string> metadata;
  std::vector<Entry> entries;

  void begin_object() override {
    if (place_ == Place::kOutside) {
      place_ = Place::kHeader;
    } else if (place_ == Place::kHeader && key_ == kMetadataKey) {
      place_ = Place::kMetadata;
    } else if (place_ == Place::kHeader) {
      if (entries.size() == kMaxTensors) fail(LFFN_ERROR_BAD_MODEL, "header: more than %zu tensors", kMaxTensors);
      place_ = Place::kTensor;
      entries.emplace_back();
      entries.back().view.name = std::move(key_);
      has_dtype_ = has_shape_ = has_offsets_ = false;
    } else {
      refuse("an object");
    }
  }

  void end_object() override {
    if (place_ == Place::kHeader) {
      place_ = Place::kOutside;
      return;
    }
    if (place_ == Place::kTensor) {
      const char* missing = !has_dtype_ ? "dtype" : !has_shape_ ? "shape" : !has_offsets_ ? "data_offsets" : nullptr;
      if (missing != nullptr) fail(LFFN_ERROR_BAD_MODEL, "%s: has no '%s'", where().c_str(), missing);
    }
    place_ = Place::kHeader;
  }

  void begin_array() override {
    if (place_ == Place::kTensor && key_ == "shape") {
      place_ = Place::kShape;
      has_shape_ = true;
    } else if (place_ == Place::kTensor && key_ == "data_offsets") {
      place_ = Place::kOffsets;
      has_offsets_ = true;
      offsets_read_ = 0;
    } else {
      refuse("a list");
    }
  }

  void end_array() override {
    if (place_ == Place::kOffsets && offsets_read_ != 2) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: 'data_offsets' must be two numbers", where().c_str());
    }
    place_ = Place::kTensor;
  }

  void key(std::string& name) override {
    file_.read(0, 0, nullptr);  // checks the cancel flag
    key_ = std::move(name);
    if (place_ == Place::kTensor && key_ != "dtype" && key_ != "shape" && key_ != "data_offsets") {
      fail(LFFN_ERROR_BAD_MODEL, "%s: unknown key %s", where().c_str(), in_quotes(key_).c_str());
    }
  }

  void scalar(JsonScalar&& value) override {
    switch (place_) {
      case Place::kMetadata:
        if (value.kind != JsonScalar::Kind::kString) refuse("anything but text");
        if (metadata.size() == kMaxMetadataEntries) {
          fail(LFFN_ERROR_BAD_MODEL, "%s: more than %zu entries", where().c_str(), kMaxMetadataEntries);
        }
        metadata.emplace(std::move(key_), std::move(value.text));
        break;
      case Place::kTensor:
        if (value.kind != JsonScalar::Kind::kString || key_ != "dtype") refuse("a single value of this kind");
        set_dtype(value.text);
        break;
      case Place::kShape:
        if (entries.back().view.shape.size() == kMaxRank) {
          fail(LFFN_ERROR_BAD_MODEL, "%s: more than %zu dimensions", where().c_str(), kMaxRank);
        }
        entries.back().view.shape.push_back(static_cast<int64_t>(size_number(value)));
        break;
      case Place::kOffsets:
        if (offsets_read_ >= 2) fail(LFFN_ERROR_BAD_MODEL, "%s: 'data_offsets' must be two numbers", where().c_str());
        (offsets_read_ == 0 ? entries.back().begin : entries.back().end) = size_number(value);
        ++offsets_read_;
        break;
      default:
        refuse("a single value");
    }
  }

  std::string where() const override {
    switch (place_) {
      case Place::kMetadata:
        return kMetadataKey;
      case Place::kTensor:
      case Place::kShape:
      case Place::kOffsets:
        return name_of(entries.back());
      default:
        return "header";
    }
  }

 private:
  enum class Place { kOutside, kHeader, kMetadata, kTensor, kShape, kOffsets };

  [[noreturn]] void refuse(const char* what) const {
    fail(LFFN_ERROR_BAD_MODEL, "%s: %s must not hold %s", where().c_str(), in_quotes(key_).c_str(), what);
  }

  uint64_t size_number(const JsonScalar& value) const {
    if (value.kind != JsonScalar::Kind::kUnsigned || value.integer > INT64_MAX) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: %s must hold whole numbers from 0 to 2^63 - 1", where().c_str(),
           in_quotes(key_).c_str());
    }
    return value.integer;
  }

  void set_dtype(const std::string& name) {
    for (const DTypeRow& row : kDTypes) {
      if (name == row.name) {
        entries.back().view.dtype = row.dtype;
        has_dtype_ = true;
        return;
      }
    }
    fail(LFFN_ERROR_BAD_MODEL, "%s: unknown dtype %s", where().c_str(), in_quotes(name).c_str());
  }

  const Bytes& file_;
  Place place_ = Place::kOutside;
  std::string key_;
  bool has_dtype_ = false;
  bool has_shape_ = false;
  bool has_offsets_ = false;
  int offsets_read_ = 0;
};

// Bytes that dtype and shape ask for. Even if one dimension is 0, the product of the others must fit 63 bits.
uint64_t bytes_needed(const Entry& entry) {
  uint64_t product = dtype_size(entry.view.dtype);
  bool empty = false;
  for (const int64_t dimension : entry.view.shape) {
    if (dimension == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, static_cast<uint64_t>(dimension), &product) || product > INT64_MAX) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: shape %s is too large", name_of(entry).c_str(), entry.view.shape_text().c_str());
    }
  }
  return empty ? 0 : product;
}

void check_extent(const Entry& entry, uint64_t data_bytes) {
  const auto begin = static_cast<unsigned long long>(entry.begin);
  const auto end = static_cast<unsigned long long>(entry.end);
  const std::string name = name_of(entry);
  if (begin > end) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: data offsets [%llu, %llu] run backwards", name.c_str(), begin, end);
  }
  const uint64_t needed = bytes_needed(entry);
  if (end - begin != needed) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: data offsets [%llu, %llu] hold %llu bytes, but %s %s needs %llu", name.c_str(),
         begin, end, end - begin, dtype_name(entry.view.dtype), entry.view.shape_text().c_str(),
         static_cast<unsigned long long>(needed));
  }
  if (end > data_bytes) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: data offsets [%llu, %llu] end after the file's %llu bytes of data%s", name.c_str(),
         begin, end, static_cast<unsigned long long>(data_bytes), kCut);
  }
}

void check_no_holes(const std::vector<Entry>& entries, uint64_t data_bytes) {
  uint64_t filled = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != filled) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: data begins at offset %llu, %s the data before it, which ends at %llu",
           name_of(entry).c_str(), static_cast<unsigned long long>(entry.begin),
           entry.begin > filled ? "leaving a hole after" : "overlapping", static_cast<unsigned long long>(filled));
    }
    filled = entry.end;
  }
  if (filled != data_bytes) {
    fail(LFFN_ERROR_BAD_MODEL, "the tensors end at data offset %llu, but the file has %llu bytes of data",
         static_cast<unsigned long long>(filled), static_cast<unsigned long long>(data_bytes));
  }
}

}  // namespace

size_t dtype_size(DType dtype) { return row_of(dtype).size; }

const char* dtype_name(DType dtype) { return row_of(dtype).name; }

std::string TensorView::shape_text() const {
  std::string text = "[";
  for (const int64_t dimension : shape) {
    if (text.size() > 1) text += ',';
    text += std::to_string(dimension);
  }
  return text + ']';
}

const TensorView* Safetensors::find(std::string_view name) const {
  for (const TensorView& tensor : tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

void TensorView::read(size_t first, size_t count, void* to) const {
  if (count == 0) return;
  if (data == nullptr) return source->read(source_byte + first, count, to);
  std::memcpy(to, data + first, count);
}

TensorView view_of(std::string name, DType dtype, std::vector<int64_t> shape, const void* data) {
  TensorView view;
  view.name = std::move(name);
  view.dtype = dtype;
  view.data = static_cast<const uint8_t*>(data);
  view.size = dtype_size(dtype);
  for (const int64_t size : shape) view.size *= static_cast<size_t>(size);
  view.shape = std::move(shape);
  return view;
}

Safetensors parse_safetensors(const Bytes& file) {
  refuse_stand_in(file);
  const size_t size = file.size();
  if (size < kPrefixBytes) {
    fail(LFFN_ERROR_BAD_MODEL, "the file %sends at byte %zu, inside the 8 bytes of the header's length%s",
         size == 0 ? "is empty: it " : "", size, kCut);
  }
  uint8_t prefix[kPrefixBytes];
  file.read(0, kPrefixBytes, prefix);
  uint64_t header_bytes = 0;
  for (size_t i = kPrefixBytes; i-- > 0;) header_bytes = header_bytes << 8 | prefix[i];
  if (header_bytes > kMaxHeaderBytes) {
    fail(LFFN_ERROR_BAD_MODEL, "byte 0: a header of %llu bytes, more than the %llu allowed",
         static_cast<unsigned long long>(header_bytes), static_cast<unsigned long long>(kMaxHeaderBytes));
  }
  if (header_bytes > size - kPrefixBytes) {
    fail(LFFN_ERROR_BAD_MODEL, "the file ends at byte %zu, inside its header of %llu bytes%s", size,
         static_cast<unsigned long long>(header_bytes), kCut);
  }
  std::string header(header_bytes, '\0');
  file.read(kPrefixBytes, header.size(), header.data());
  if (header.empty() || header[0] != '{') fail(LFFN_ERROR_BAD_MODEL, "header: byte 8 is not '{'");

  HeaderReader reader(file);
  parse_json(header, kPrefixBytes, kMaxDepth, reader);
  const uint64_t data_bytes = size - kPrefixBytes - header_bytes;
  for (const Entry& entry : reader.entries) check_extent(entry, data_bytes);
  std::sort(reader.entries.begin(), reader.entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end, a.view.name) < std::tie(b.begin, b.end, b.view.name);
  });
  check_no_holes(reader.entries, data_bytes);

  Safetensors result;
  result.metadata = std::move(reader.metadata);
  result.tensors.reserve(reader.entries.size());
  for (Entry& entry : reader.entries) {
    entry.view.source = &file;
    entry.view.source_byte = kPrefixBytes + header_bytes + entry.begin;
    entry.view.size = entry.end - entry.begin;
    result.tensors.push_back(std::move(entry.view));
  }
  return result;
}

Safetensors parse_safetensors(const void* data, size_t size) {
  Safetensors result = parse_safetensors(BorrowedBytes(data, size));
  for (TensorView& view : result.tensors) {
    view.source = nullptr;
    view.data = static_cast<const uint8_t*>(data) + view.source_byte;
  }
  return result;
}

}  // namespace lffn
