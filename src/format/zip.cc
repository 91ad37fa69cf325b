// SPDX-License-Identifier: Apache-2.0
#include "format/zip.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr size_t kEndBytes = 22, kLocatorBytes = 20, kWideEndBytes = 56, kRowBytes = 46, kLocalBytes = 30;
constexpr size_t kMostComment = 65535;
constexpr uint64_t kMostListBytes = 256u << 20, kMostEntries = 1u << 20;
constexpr uint16_t kWideTag = 1;  // of the part of a row that has numbers of 64 bits

uint64_t number(std::string_view bytes, size_t at, size_t size) {
  uint64_t result = 0;
  for (size_t i = size; i-- > 0;) result = result << 8 | static_cast<unsigned char>(bytes[at + i]);
  return result;
}

std::string read(const Bytes& file, uint64_t at, uint64_t size, const char* what) {
  if (at > file.size() || size > file.size() - at) {
    fail(LFFN_ERROR_BAD_MODEL, "the zip's %s would end after the file's %zu bytes", what, file.size());
  }
  std::string result(static_cast<size_t>(size), '\0');
  file.read(static_cast<size_t>(at), result.size(), result.data());
  return result;
}

// Where the list of entries is.
struct List {
  uint64_t begin, size, count;
};

List find_list(const Bytes& file) {
  const size_t tail_size = std::min(file.size(), kEndBytes + kMostComment);
  const size_t tail_begin = file.size() - tail_size;
  const std::string tail = read(file, tail_begin, tail_size, "end");
  for (size_t at = tail_size < kEndBytes ? 0 : tail_size - kEndBytes + 1; at-- > 0;) {
    if (tail.compare(at, 4, "PK\5\6") != 0 || number(tail, at + 20, 2) != tail_size - at - kEndBytes) continue;
    List list = {number(tail, at + 16, 4), number(tail, at + 12, 4), number(tail, at + 10, 2)};
    const size_t end = tail_begin + at;
    if (end < kLocatorBytes) return list;
    const std::string locator = read(file, end - kLocatorBytes, kLocatorBytes, "locator");
    if (locator.compare(0, 4, "PK\6\7") != 0) return list;
    const std::string wide = read(file, number(locator, 8, 8), kWideEndBytes, "end");
    if (wide.compare(0, 4, "PK\6\6") != 0)
      fail(LFFN_ERROR_BAD_MODEL, "the zip's locator does not point to an end record");
    return {number(wide, 48, 8), number(wide, 40, 8), number(wide, 32, 8)};
  }
  fail(LFFN_ERROR_BAD_MODEL, "the file begins like a zip but has no list of entries at its end: it was cut short");
}

// Takes the numbers of 64 bits in the order in which a row wants them.
void widen(std::string_view extra, const std::vector<uint64_t*>& wanted) {
  for (size_t at = 0; at + 4 <= extra.size();) {
    const size_t tag = number(extra, at, 2), size = number(extra, at + 2, 2);
    at += 4;
    if (size > extra.size() - at) break;
    if (tag == kWideTag) {
      size_t done = 0;
      for (uint64_t* value : wanted) {
        if (done + 8 > size) break;
        *value = number(extra, at + done, 8);
        done += 8;
      }
      return;
    }
    at += size;
  }
}

ZipEntry entry_of(const Bytes& file, std::string_view row, std::string_view extra, const std::string& name) {
  uint64_t packed = number(row, 20, 4), size = number(row, 24, 4), local = number(row, 42, 4);
  std::vector<uint64_t*> wide;
  for (uint64_t* value : {&size, &packed, &local}) {
    if (*value == UINT32_MAX) wide.push_back(value);
  }
  widen(extra, wide);
  if (number(row, 10, 2) != 0 || packed != size || (number(row, 8, 2) & 1) != 0) {
    fail(LFFN_ERROR_BAD_MODEL, "the zip's entry %s is compressed or encrypted; PyTorch stores it as it is",
         in_quotes(name).c_str());
  }
  const std::string head = read(file, local, kLocalBytes, "entry");
  if (head.compare(0, 4, "PK\3\4") != 0) {
    fail(LFFN_ERROR_BAD_MODEL, "the zip's entry %s is not where the list says", in_quotes(name).c_str());
  }
  const uint64_t begin = local + kLocalBytes + number(head, 26, 2) + number(head, 28, 2);
  if (begin > file.size() || size > file.size() - begin) {
    fail(LFFN_ERROR_BAD_MODEL, "the zip's entry %s would end after the file's %zu bytes", in_quotes(name).c_str(),
         file.size());
  }
  return {begin, size};
}

}  // namespace

std::map<std::string, ZipEntry> read_zip(const Bytes& file) {
  const List place = find_list(file);
  if (place.size > kMostListBytes || place.count > kMostEntries) {
    fail(LFFN_ERROR_BAD_MODEL, "the zip has more than %llu entries", static_cast<unsigned long long>(kMostEntries));
  }
  const std::string list = read(file, place.begin, place.size, "list of entries");
  std::map<std::string, ZipEntry> result;
  size_t at = 0;
  for (uint64_t i = 0; i < place.count; ++i) {
    const std::string_view row = std::string_view(list).substr(at);
    const bool has_row = row.size() >= kRowBytes && row.compare(0, 4, "PK\1\2") == 0;
    const size_t name_size = has_row ? number(row, 28, 2) : 0, extra_size = has_row ? number(row, 30, 2) : 0;
    const size_t all = kRowBytes + name_size + extra_size + (has_row ? number(row, 32, 2) : 0);
    if (!has_row || all > row.size()) fail(LFFN_ERROR_BAD_MODEL, "the zip's list of entries is broken");
    const std::string name(row.substr(kRowBytes, name_size));
    const ZipEntry entry = entry_of(file, row, row.substr(kRowBytes + name_size, extra_size), name);
    if (!result.emplace(name, entry).second) {
      fail(LFFN_ERROR_BAD_MODEL, "the zip has two entries %s", in_quotes(name).c_str());
    }
    at += all;
  }
  return result;
}

}  // namespace lffn
