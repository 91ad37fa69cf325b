// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/unigram.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"

namespace lffn {

PieceTrie::PieceTrie(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
  std::fill(std::begin(root_), std::end(root_), kNone);
  const std::vector<uint32_t>& sorted = vocabulary.sorted();
  const auto text = [&](size_t place) { return vocabulary.text(static_cast<int32_t>(sorted[place])); };
  // Texts that share the bytes on the way to a node. Nodes are made level by level, so that no long text can make the
  // stack overflow.
  struct Range {
    uint32_t begin;
    uint32_t end;
  };
  std::vector<Range> level, next;
  const auto add_children = [&](Range range, size_t depth) {
    while (range.begin < range.end) {
      const char byte = text(range.begin)[depth];
      uint32_t end = range.begin + 1;
      while (end < range.end && text(end)[depth] == byte) ++end;
      bytes_.push_back(static_cast<uint8_t>(byte));
      const bool is_last = end == range.begin + 1;
      const bool is_whole = text(range.begin).size() == depth + 1;
      values_.push_back(is_last && !is_whole ? sorted[range.begin] | kTail : is_whole ? sorted[range.begin] : kNone);
      next.push_back(is_last ? Range{0, 0} : Range{range.begin + (is_whole ? 1 : 0), end});
      range.begin = end;
    }
  };
  Range all = {0, static_cast<uint32_t>(sorted.size())};
  if (!sorted.empty() && text(0).empty()) ++all.begin;
  add_children(all, 0);
  for (uint32_t node = 0; node < bytes_.size(); ++node) root_[bytes_[node]] = node;
  for (size_t depth = 1; !next.empty(); ++depth) {
    level.swap(next);
    next.clear();
    for (const Range& range : level) {
      firsts_.push_back(static_cast<uint32_t>(bytes_.size()));
      add_children(range, depth);
    }
  }
  firsts_.push_back(static_cast<uint32_t>(bytes_.size()));
  add_sets();
  bytes_.shrink_to_fit();
  firsts_.shrink_to_fit();
  values_.shrink_to_fit();
}

void PieceTrie::add_sets() {
  const size_t nodes = std::min<size_t>(firsts_.size() - 1, kWithSets);
  sets_of_.resize(nodes);
  for (size_t node = 0; node < nodes; ++node) {
    const uint32_t first = firsts_[node], last = firsts_[node + 1];
    if (last - first <= kFew || last - first >= 256) continue;
    sets_of_[node] = static_cast<uint16_t>(sets_.size());
    sets_.push_back({});
    for (uint32_t i = first; i < last; ++i) sets_.back().places[bytes_[i]] = static_cast<uint8_t>(i - first + 1);
  }
}

namespace {

constexpr double kUnknownPenalty = 10;  // as in SentencePiece
constexpr uint32_t kNowhere = UINT32_MAX;
constexpr size_t kLooks = 1 << 12;  // bytes between two looks at the flag

size_t character_size(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

}  // namespace

Unigram::Unigram(const Vocabulary& vocabulary, Settings&& settings, const std::string& where)
    : vocabulary_(vocabulary), settings_(std::move(settings)), trie_(vocabulary) {
  double least = INFINITY;
  for (int32_t id = 0; id < vocabulary.end(); ++id) {
    const double score = settings_.scores[static_cast<size_t>(id)];
    if (!std::isfinite(score)) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: the score of %s is not a finite number", where.c_str(),
           in_quotes(vocabulary.text(id)).c_str());
    }
    if (vocabulary.text(id).size() > kLongestPiece) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: the piece %s has %zu bytes, more than the %zu allowed", where.c_str(),
           in_quotes(vocabulary.text(id)).c_str(), vocabulary.text(id).size(), kLongestPiece);
    }
    least = std::min(least, score);
  }
  unknown_score_ = least - kUnknownPenalty;
  for (size_t byte = 0; byte < 256; ++byte) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    byte_ids_[byte] = vocabulary.find(std::string("<0x") + kDigits[byte >> 4] + kDigits[byte & 15] + '>');
  }
}

// Unknown characters side by side may together be a piece, though only a hostile file has such a piece.
int32_t Unigram::id_of_unknown(std::string_view text) const {
  const int32_t piece = text.size() <= kLongestPiece ? vocabulary_.find(text) : -1;
  if (piece >= 0) return piece;
  const auto has_id = [&](char byte) { return byte_ids_[static_cast<unsigned char>(byte)] >= 0; };
  return settings_.byte_fallback && std::all_of(text.begin(), text.end(), has_id) ? kBytes : settings_.unknown;
}

void Unigram::find_best(std::string_view text, Scratch& scratch, const int32_t* cancel) const {
  if (text.size() >= kNowhere) throw std::length_error("a piece of text");
  scratch.found.clear();
  poll(cancel);
  scratch.steps.assign(text.size() + 1, {0, kNowhere, -1});
  Scratch::Step* const steps = scratch.steps.data();
  size_t polled = kLooks;
  for (size_t at = 0; at < text.size();) {
    if (at >= polled) {
      poll(cancel);
      polled = at + kLooks;
    }
    const double here = steps[at].score;
    const size_t character = character_size(text[at]);
    const auto offer = [&](size_t end, double score, int32_t id) {
      Scratch::Step& step = steps[end];
      if (step.begin == kNowhere || score > step.score) step = {score, static_cast<uint32_t>(at), id};
    };
    bool is_known = false;
    trie_.for_starts(text.substr(at), [&](size_t size, int32_t id) {
      offer(at + size, settings_.scores[static_cast<size_t>(id)] + here, id);
      is_known = is_known || size == character;
    });
    if (!is_known && settings_.unknown < 0) {
      fail(LFFN_ERROR_BAD_TEXT,
           "no piece of the tokenizer is the character %s, and its unk_id is null: it knows no unknown ones",
           in_quotes(text.substr(at, character)).c_str());
    }
    if (!is_known) offer(at + character, unknown_score_ + here, settings_.unknown);
    at += character;
  }
  for (size_t end = text.size(); end > 0;) {
    size_t begin = steps[end].begin;
    int32_t id = steps[end].id;
    if (id == settings_.unknown && id >= 0) {
      while (begin > 0 && steps[begin].id == id) begin = steps[begin].begin;
      id = id_of_unknown(text.substr(begin, end - begin));
    }
    scratch.found.push_back({id, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    end = begin;
  }
}

}  // namespace lffn
