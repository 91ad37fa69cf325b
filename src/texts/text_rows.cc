// SPDX-License-Identifier: Apache-2.0
#include "texts/text_rows.h"

#include <algorithm>

#include "runtime/cancel_flag.h"
#include "runtime/error.h"

namespace lffn {

void Windows::cut(int64_t tokens, int64_t first, int64_t last, const Sizes& sizes, const char* what) {
  tokens_ = tokens;
  first_ = first;
  last_ = last;
  parts_.clear();
  const int64_t count = last - first, room = sizes.most - (tokens - count);
  if (count <= room) {
    parts_.emplace_back(first, last);
    return;
  }
  if (room < 1) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s has %lld tokens with the special ones, which leaves no room in %lld", what,
         static_cast<long long>(tokens - count), static_cast<long long>(sizes.most));
  }
  if (sizes.stride >= room) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "stride is %lld, a window has only %lld tokens of the text",
         static_cast<long long>(sizes.stride), static_cast<long long>(room));
  }
  for (int64_t begin = 0;; begin += room - sizes.stride) {
    const int64_t end = std::min(begin + room, count);
    parts_.emplace_back(sizes.left ? last - end : first + begin, sizes.left ? last - begin : first + end);
    if (end == count) return;
  }
}

int64_t Windows::place(size_t w, int64_t token) const {
  const auto [begin, end] = parts_[w];
  if (token < first_) return token;
  return token < first_ + end - begin ? token - first_ + begin : token - (first_ + end - begin) + last_;
}

std::pair<int64_t, int64_t> tokens_of_text(const Encoding& encoding, int8_t text) {
  const std::vector<int8_t>& texts = encoding.texts;
  const int64_t first = std::find(texts.begin(), texts.end(), text) - texts.begin();
  const int64_t last = first + std::count(texts.begin(), texts.end(), text);
  if (std::count(texts.begin() + first, texts.begin() + last, text) != last - first) {
    fail(LFFN_ERROR_UNSUPPORTED, "the tokenizer's template puts the %s text in several places",
         text == 0 ? "first" : "second");
  }
  return {first, last};
}

int64_t stride_of(int64_t asked, int64_t most) {
  constexpr int64_t kMostByItself = 128;
  return asked >= 0 ? asked : std::min(most / 2, kMostByItself);
}

void check_word(int32_t id, int32_t words) {
  if (id < words) return;
  fail(LFFN_ERROR_INVALID_ARGUMENT, "the text has a token with the id %d, the model has 0 to %d; take it out", id,
       words - 1);
}

void check_type(int32_t type, int32_t types) {
  if (type < types) return;
  fail(LFFN_ERROR_INVALID_ARGUMENT, "the tokenizer gives a token the type %d, the model has 0 to %d", type, types - 1);
}

void TextRows::clear() {
  first_text_.forget_all();
  ids_.clear();
  types_.clear();
  spans_.clear();
  texts_.clear();
  for (std::vector<TextSpan>& parts : parts_) parts.clear();
  offsets_.assign(1, 0);
  text_offsets_.assign(1, 0);
  uncut_.clear();
  unfilled_.clear();
}

void TextRows::add_nothing() {
  offsets_.push_back(offsets_.back());
  for (std::vector<TextSpan>& parts : parts_) parts.push_back({0, 0});
  text_offsets_.push_back(size());
  uncut_.push_back(0);
  unfilled_.push_back(0);
}

// Inserts a token that belongs to no text into what was read.
void TextRows::insert(int32_t id) {
  const std::ptrdiff_t at = new_.ids.empty() ? 0 : 1;
  new_.ids.insert(new_.ids.begin() + at, id);
  new_.types.insert(new_.types.begin() + at, 0);
  if (new_.spans.size() + 1 == new_.ids.size()) {
    new_.spans.insert(new_.spans.begin() + at, {0, 0});
    new_.texts.insert(new_.texts.begin() + at, int8_t{-1});
  }
  ++new_.num_tokens;
}

void TextRows::fill(const Rules& rules) {
  unfilled_.push_back(offsets_.back() - offsets_[offsets_.size() - 2]);
  if (rules.filler < 0) return;
  for (auto length = static_cast<size_t>(unfilled_.back()); length < rules.filled; ++length) {
    ids_.push_back(rules.filler);
    types_.push_back(0);
    if (!rules.encoding.spans) continue;
    spans_.push_back({0, 0});
    texts_.push_back(-1);
  }
  offsets_.back() = static_cast<int64_t>(ids_.size());
}

void TextRows::overwrite_end(const std::vector<int32_t>& ids) {
  const auto length = static_cast<size_t>(offsets_[offsets_.size() - 1] - offsets_[offsets_.size() - 2]);
  const size_t count = std::min(length, ids.size());
  std::copy_n(ids.end() - static_cast<ptrdiff_t>(count), count, ids_.end() - static_cast<ptrdiff_t>(count));
}

void TextRows::remove_from_last(int32_t id) {
  const auto first = static_cast<size_t>(text_offsets_[text_offsets_.size() - 2]);
  const bool has_spans = spans_.size() == ids_.size();
  auto from = static_cast<size_t>(offsets_[first]), to = from;
  for (size_t row = first; row + 1 < offsets_.size(); ++row) {
    for (const auto end = static_cast<size_t>(offsets_[row + 1]); from < end; ++from) {
      if (ids_[from] == id) continue;
      ids_[to] = ids_[from];
      types_[to] = types_[from];
      if (has_spans) {
        spans_[to] = spans_[from];
        texts_[to] = texts_[from];
      }
      ++to;
    }
    offsets_[row + 1] = static_cast<int64_t>(to);
  }
  ids_.resize(to);
  types_.resize(to);
  if (!has_spans) return;
  spans_.resize(to);
  texts_.resize(to);
}

void TextRows::add_texts(const TextRows& other, int64_t first, int64_t last) {
  const auto at = [](const std::vector<int64_t>& offsets, int64_t i) { return offsets[static_cast<size_t>(i)]; };
  const auto add = [](auto& to, const auto& from, int64_t begin, int64_t end) {
    to.insert(to.end(), from.begin() + begin, from.begin() + end);
  };
  const int64_t first_row = at(other.text_offsets_, first), last_row = at(other.text_offsets_, last);
  const int64_t begin = at(other.offsets_, first_row), end = at(other.offsets_, last_row);
  const int64_t tokens = offsets_.back() - begin, rows = size() - first_row;
  for (int64_t row = first_row; row < last_row; ++row) offsets_.push_back(tokens + at(other.offsets_, row + 1));
  for (int64_t text = first; text < last; ++text) text_offsets_.push_back(rows + at(other.text_offsets_, text + 1));
  add(ids_, other.ids_, begin, end);
  add(types_, other.types_, begin, end);
  add(uncut_, other.uncut_, first, last);
  add(unfilled_, other.unfilled_, first_row, last_row);
  // The rows below are there only if wanted.
  if (other.spans_.size() == other.ids_.size()) {
    add(spans_, other.spans_, begin, end);
    add(texts_, other.texts_, begin, end);
  }
  for (size_t pair = 0; pair < 2; ++pair) {
    if (static_cast<int64_t>(other.parts_[pair].size()) != other.size()) continue;
    add(parts_[pair], other.parts_[pair], first_row, last_row);
  }
  longest_ = std::max(longest_, other.longest_);
}

void TextRows::add(const Tokenizer& tokenizer, std::string_view text, const std::string_view* pair,
                   const Rules& rules) {
  longest_ = std::max(longest_, text.size() + (pair != nullptr ? pair->size() : 0));
  Tokenizer::Options encoding = rules.encoding;
  encoding.checked = true;
  if (rules.windows) {
    encoding.spans = true;
    encoding.most = SIZE_MAX;
  }
  if (rules.inserted >= 0 && encoding.most > 0 && encoding.most != SIZE_MAX) --encoding.most;
  encode(tokenizer, text, pair, rules, encoding);
  if (rules.inserted >= 0) insert(rules.inserted);
  if (!rules.windows && new_.ids.size() > rules.longest) {
    const std::string holder = pair != nullptr ? rules.names->both : std::string("the ") + rules.names->alone + " has";
    fail(LFFN_ERROR_TOO_LONG, "%s %zu tokens, the model can run at most %zu", holder.c_str(), new_.ids.size(),
         rules.longest);
  }
  for (const int32_t type : new_.types) check_type(type, rules.types);
  if (tokenizer.size() > rules.words) {
    for (const int32_t id : new_.ids) check_word(id, rules.words);
  }
  if (encoding.spans) {
    locate();
    find_texts();
  }
  const bool left = tokenizer.truncates_left();
  if (rules.windows) {
    const auto [first, last] = tokens_of_text(new_, pair != nullptr ? 1 : 0);
    const auto most = static_cast<int64_t>(rules.encoding.most);
    windows_.cut(static_cast<int64_t>(new_.ids.size()), first, last, {most, stride_of(rules.stride, most), left},
                 pair != nullptr ? rules.names->whole : "the prompt");
    for (size_t w = 0; w < windows_.count(); ++w) {
      poll(encoding.cancel);
      const Part part = windows_.part(w);
      append(rules, left, &part);
    }
  } else {
    append(rules, left, nullptr);
  }
  text_offsets_.push_back(size());
  uncut_.push_back(static_cast<int64_t>(new_.num_tokens));
}

// Reads and tokenises. For a first text that comes again, only what must be done again is done.
void TextRows::encode(const Tokenizer& tokenizer, std::string_view text, const std::string_view* pair,
                      const Rules& rules, Tokenizer::Options options) {
  const bool again = pair != nullptr && first_text_.is(text);
  const auto read_second = [&] {
    return readings_[1].read(pair != nullptr ? *pair : std::string_view(), rules.names->second, {}, rules.reading);
  };
  if (again && first_text_.is_enough() && first_text_.encode(tokenizer, read_second(), options, scratch_, new_)) return;
  first_text_.forget();
  const char* const name = pair != nullptr ? rules.names->first : rules.names->alone;
  const std::string_view first = readings_[0].read(text, name, rules.prompt, rules.reading), second = read_second();
  if (pair == nullptr) return tokenizer.encode(first, nullptr, options, scratch_, new_);
  if (again) options.spans = true;
  tokenizer.encode(first, &second, options, scratch_, new_);
  first_text_.keep(text, tokenizer, options, scratch_, new_);
}

// Spans of what was read become spans of what was given.
void TextRows::locate() {
  for (size_t t = 0; t < new_.ids.size(); ++t) {
    if (new_.texts[t] < 0) continue;
    const size_t of = new_.texts[t] == 0 ? 0 : 1;
    if (of == 0 && readings_[0].in_prompt(new_.spans[t])) {
      new_.texts[t] = -1;
      new_.spans[t] = {0, 0};
    } else {
      new_.spans[t] = readings_[of].given(new_.spans[t]);
    }
  }
}

// Finds the extents of both texts, once for all windows.
void TextRows::find_texts() {
  const std::vector<int8_t>& texts = new_.texts;
  for (size_t i = 0; i < 2; ++i) {
    const auto text = static_cast<int8_t>(i);
    const int64_t first = std::find(texts.begin(), texts.end(), text) - texts.begin();
    const int64_t last = texts.rend() - std::find(texts.rbegin(), texts.rend(), text);
    extents_[i] = {first, last};
  }
}

// Appends all that was read; of the run that windows cut, only this part.
void TextRows::append(const Rules& rules, bool left, const Part* part) {
  const auto add = [&](auto& to, const auto& from) {
    const auto begin = from.begin();
    if (part == nullptr) {
      to.insert(to.end(), begin, from.end());
    } else {
      to.insert(to.end(), begin, begin + windows_.first());
      to.insert(to.end(), begin + part->first, begin + part->second);
      to.insert(to.end(), begin + windows_.last(), from.end());
    }
  };
  add(ids_, new_.ids);
  add(types_, new_.types);
  if (rules.encoding.spans) {
    add(spans_, new_.spans);
    add(texts_, new_.texts);
    for (size_t text = 0; text < 2; ++text) parts_[text].push_back(part_of(text, left, part));
  }
  offsets_.push_back(static_cast<int64_t>(ids_.size()));
  fill(rules);
}

// The part goes up to the ends of the text, or to where it was cut.
TextSpan TextRows::part_of(size_t text, bool left, const Part* part) const {
  auto [first, last] = extents_[text];
  const bool cut = new_.cut[text];
  bool cut_before = cut && left, cut_behind = cut && !left;
  if (part != nullptr && first < last && first == windows_.first()) {
    cut_before = part->first > first;
    cut_behind = part->second < last;
    first = part->first;
    last = part->second;
  }
  const size_t size = readings_[text].given_size();
  if (first >= last) return {cut_before ? size : 0, cut_behind ? 0 : size};
  return {cut_before ? new_.spans[static_cast<size_t>(first)].begin : 0,
          cut_behind ? new_.spans[static_cast<size_t>(last - 1)].end : size};
}

}  // namespace lffn
