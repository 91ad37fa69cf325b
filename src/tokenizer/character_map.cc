// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/character_map.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"
#include "tokenizer/unicode.h"

namespace lffn {
namespace {

constexpr size_t kLongestText = 256;  // in rules that are in use: 33

uint32_t little_endian(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// A unit of the trie: a byte and where its children are, or where a replacement begins.
bool has_leaf(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t value_of(uint32_t unit) { return unit & 0x7FFFFFFF; }
uint32_t label_of(uint32_t unit) { return unit & 0x800000FF; }
uint32_t offset_of(uint32_t unit) { return unit >> 10 << ((unit & 0x200) >> 6); }

size_t count_characters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !is_inside_character(byte); }));
}

// Writes the new text. The last character is held back, because what is removed behind it counts as its own.
class Writer {
 public:
  Writer(const AlignedText& from, AlignedText& to) : from_(from), to_(to), aligned_(from.aligned()) {
    to.clear(aligned_);
  }

  void replace(std::string_view old, std::string_view by) {
    if (!aligned_) {
      to_.append(by, {0, 0});
      return;
    }
    const size_t old_count = count_characters(old), new_count = count_characters(by);
    size_t place = 0;
    for (size_t at = 0; at < by.size(); ++place) {
      const size_t begin = at;
      next_character(by, at);
      put(by.substr(begin, at - begin), place < old_count ? 1 : 0);
    }
    if (new_count < old_count && has_last_) taken_ += old_count - new_count;
  }
  void keep(std::string_view text) {
    if (!aligned_) {
      to_.append(text, {0, 0});
      return;
    }
    for (size_t at = 0; at < text.size();) {
      const size_t begin = at;
      next_character(text, at);
      put(text.substr(begin, at - begin), 1);
    }
  }
  void finish() {
    if (has_last_) flush();
  }

 private:
  void put(std::string_view character, size_t taken) {
    finish();
    has_last_ = true;
    size_ = character.size();
    character.copy(last_, size_);
    taken_ = taken;
  }
  void flush() {
    const std::string_view old = from_.text();
    const size_t at = taken_ == 0 || at_ >= old.size() ? (at_ > 0 ? at_ - 1 : 0) : at_;
    to_.append({last_, size_}, from_.at(at));
    for (; taken_ > 0 && at_ < old.size(); --taken_) next_character(old, at_);
  }

  const AlignedText& from_;
  AlignedText& to_;
  bool aligned_;
  size_t at_ = 0;  // in the old text
  char last_[4];
  size_t size_ = 0, taken_ = 0;
  bool has_last_ = false;
};

}  // namespace

CharacterMap::CharacterMap(std::string_view rules, const std::string& where) {
  const auto refuse = [&](const char* what) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: the precompiled normaliser %s", where.c_str(), what);
  };
  if (rules.size() < 4) refuse("has fewer than four bytes");
  const size_t bytes = little_endian(rules, 0);
  if (bytes % 4 != 0 || bytes > rules.size() - 4) refuse("names a size of its trie that it does not have");
  units_.reserve(bytes / 4);
  for (size_t at = 4; at < 4 + bytes; at += 4) units_.push_back(little_endian(rules, at));
  texts_ = rules.substr(4 + bytes);
  if (valid_utf8_length(texts_) != texts_.size()) refuse("has replacements that are not UTF-8");
  for (size_t at = 0; at < texts_.size();) {
    const size_t end = std::min(texts_.find('\0', at), texts_.size());
    longest_text_ = std::max(longest_text_, end - at);
    at = end + 1;
  }
  if (longest_text_ > kLongestText) refuse("has a replacement of more than 256 bytes");
  stays_.resize(kKnown / 64);
  std::string character;
  for (uint32_t code_point = 0; code_point < kKnown; ++code_point) {
    const GraphemeBreak kind = grapheme_break(code_point);
    const bool is_surrogate = code_point >= 0xD800 && code_point < 0xE000;
    if (is_surrogate || (kind != GraphemeBreak::kOther && kind != GraphemeBreak::kLeadVowel &&
                         kind != GraphemeBreak::kLeadVowelTail && kind != GraphemeBreak::kPictograph)) {
      continue;
    }
    character.clear();
    append_utf8(character, code_point);
    if (!find(character)) stays_[code_point / 64] |= uint64_t{1} << code_point % 64;
  }
}

std::optional<std::string_view> CharacterMap::find(std::string_view text) const {
  if (units_.empty()) return std::nullopt;
  size_t at = offset_of(units_[0]);
  for (const char byte : text) {
    const auto label = static_cast<unsigned char>(byte);
    if (label == 0) break;
    at ^= label;
    if (at >= units_.size() || label_of(units_[at]) != label) break;
    const uint32_t unit = units_[at];
    at ^= offset_of(unit);
    if (!has_leaf(unit)) continue;
    if (at >= units_.size()) break;
    // A hostile file may point anywhere.
    const size_t begin = value_of(units_[at]);
    if (begin > texts_.size() || (begin < texts_.size() && is_inside_character(texts_[begin]))) break;
    const std::string_view from = std::string_view(texts_).substr(begin);
    return from.substr(0, from.find('\0'));
  }
  return std::nullopt;
}

// The end of the characters from `at` on that stay as they are, whatever follows them.
size_t CharacterMap::plain_end(std::string_view text, size_t at) const {
  size_t last = at;
  while (at < text.size()) {
    size_t next = at;
    if (!stays(next_character(text, next))) return last;  // this character may join the one before it
    last = at;
    at = next;
  }
  return at;
}

bool CharacterMap::apply(const AlignedText& source, AlignedText& to, const int32_t* cancel) const {
  constexpr size_t kLongest = 6;  // a cluster of so many bytes is not looked up as a whole
  const std::string_view text = source.text();
  Writer writer(source, to);
  bool changes = false;
  const auto replace = [&](std::string_view part) {
    const std::optional<std::string_view> by = find(part);
    if (by) writer.replace(part, *by);
    changes = changes || by;
    return by.has_value();
  };
  for (size_t at = 0; at < text.size();) {
    poll(cancel);
    const size_t begin = at;
    at = plain_end(text, at);
    if (at > begin) {
      writer.keep(text.substr(begin, at - begin));
      continue;
    }
    at = cluster_end(text, begin);
    const std::string_view cluster = text.substr(begin, at - begin);
    if (cluster.size() < kLongest && replace(cluster)) continue;
    for (size_t i = 0; i < cluster.size();) {
      const size_t start = i;
      next_character(cluster, i);
      const std::string_view part = cluster.substr(start, i - start);
      if (!replace(part)) writer.keep(part);
    }
  }
  writer.finish();
  return changes;
}

std::string CharacterMap::rules() const {
  std::string result;
  const auto append = [&](uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) result += static_cast<char>(value >> shift & 0xFF);
  };
  append(static_cast<uint32_t>(units_.size() * 4));
  for (const uint32_t unit : units_) append(unit);
  return result + texts_;
}

namespace {

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::array<int8_t, 256> make_values() {
  std::array<int8_t, 256> values;
  values.fill(-1);
  for (int8_t i = 0; i < 64; ++i) values[static_cast<unsigned char>(kDigits[i])] = i;
  return values;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) {
      group = group << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0);
    }
    for (size_t i = 0; i < 4; ++i) {
      result += at + i <= bytes.size() ? kDigits[group >> (18 - 6 * i) & 63] : '=';
    }
  }
  return result;
}

std::optional<std::string> from_base64(std::string_view text) {
  const std::array<int8_t, 256> values = make_values();
  if (text.size() % 4 != 0) return std::nullopt;
  std::string result;
  result.reserve(text.size() / 4 * 3);
  for (size_t at = 0; at < text.size(); at += 4) {
    const bool is_last = at + 4 == text.size();
    const size_t padding = !is_last || text[at + 3] != '=' ? 0 : text[at + 2] == '=' ? 2 : 1;
    uint32_t group = 0;
    for (size_t i = 0; i < 4; ++i) {
      const int8_t value = i < 4 - padding ? values[static_cast<unsigned char>(text[at + i])] : int8_t{0};
      if (value < 0) return std::nullopt;
      group = group << 6 | static_cast<uint32_t>(value);
    }
    for (size_t i = 0; i < 3 - padding; ++i) result += static_cast<char>(group >> (16 - 8 * i) & 0xFF);
  }
  return result;
}

}  // namespace lffn
