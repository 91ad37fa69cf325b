// SPDX-License-Identifier: Apache-2.0
// Unigram: of all ways to cut a text into pieces of a vocabulary, the one with the highest sum of scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/vocabulary.h"

namespace lffn {

// Finds all texts of a large vocabulary that another text starts with.
class PieceTrie {
 public:
  // The vocabulary must outlive it. Texts of no bytes are left out.
  explicit PieceTrie(const Vocabulary& vocabulary);

  size_t bytes() const {
    return sizeof root_ + bytes_.capacity() + (firsts_.capacity() + values_.capacity()) * sizeof(uint32_t) +
           sets_of_.capacity() * sizeof(uint16_t) + sets_.capacity() * sizeof(Set);
  }

  // Calls found(size, id) for each text of the vocabulary that this one starts with, the shortest first.
  template <typename Found>
  void for_starts(std::string_view text, const Found& found) const {
    if (text.empty()) return;
    uint32_t node = root_[static_cast<unsigned char>(text[0])];
    for (size_t size = 1; node != kNone; ++size) {
      const uint32_t value = values_[node];
      if ((value & kTail) != 0) {
        // Only one text goes on from here: its bytes are in the vocabulary.
        const std::string_view whole = vocabulary_.text(static_cast<int32_t>(value & ~kTail));
        const std::string_view rest = whole.substr(size);
        if (text.substr(size, rest.size()) == rest) found(whole.size(), static_cast<int32_t>(value & ~kTail));
        return;
      }
      if (value != kNone) found(size, static_cast<int32_t>(value));
      if (size == text.size()) return;
      node = child(node, static_cast<uint8_t>(text[size]));
    }
  }

 private:
  static constexpr uint32_t kNone = 0x7FFFFFFF;
  static constexpr uint32_t kTail = 0x80000000;
  static constexpr uint32_t kFew = 8;             // so many children are searched
  static constexpr uint32_t kWithSets = 1 << 16;  // nodes; the levels near the root, where most have many children

  // For each byte, one more than the place of the child that begins with it; 0: there is none.
  struct Set {
    uint8_t places[256];
  };

  void add_sets();

  uint32_t child(uint32_t node, uint8_t byte) const {
    uint32_t first = firsts_[node], count = firsts_[node + 1] - first;
    if (count > kFew && count < 256 && node < sets_of_.size()) {
      const uint32_t place = sets_[sets_of_[node]].places[byte];
      return place == 0 ? kNone : first + place - 1;
    }
    // Binary search without branches that the processor would have to predict.
    while (count > 1) {
      const uint32_t half = count / 2;
      first = bytes_[first + half] <= byte ? first + half : first;
      count -= half;
    }
    return count == 1 && bytes_[first] == byte ? first : kNone;
  }

  const Vocabulary& vocabulary_;
  uint32_t root_[256];
  // One element for each node. The children of a node lie side by side, sorted by their bytes; children follow the
  // order of their parents.
  std::vector<uint8_t> bytes_;
  std::vector<uint32_t> firsts_;  // the first child; at the end, the end of the last node's children
  std::vector<uint32_t> values_;  // an id, kNone, or an id | kTail
  std::vector<uint16_t> sets_of_;
  std::vector<Set> sets_;
};
class Unigram {
 public:
  struct Settings {
    std::vector<double> scores;  // of each id
    int32_t unknown = 0;         // the id for characters without a piece; -1: none, and texts with such are refused
    bool byte_fallback = false;  // instead, the pieces "<0x00>" to "<0xFF>" of their bytes, if all are there
  };
  // The best way to each place in a piece of text.
  struct Scratch {
    struct Step {
      double score;
      uint32_t begin;
      int32_t id;
    };
    std::vector<Step> steps;
    struct Found {
      int32_t id;
      uint32_t begin;
      uint32_t end;
    };
    std::vector<Found> found;
  };
  // How many bytes may be looked at from each place.
  static constexpr size_t kLongestPiece = 512;

  // Throws Error(LFFN_ERROR_BAD_MODEL), which begins with `where`. The vocabulary must outlive it.
  Unigram(const Vocabulary& vocabulary, Settings&& settings, const std::string& where);

  const Settings& settings() const { return settings_; }
  size_t bytes() const { return settings_.scores.capacity() * sizeof(double) + trie_.bytes(); }

  // Calls add(id, begin, end) for each token of the text, which must be UTF-8. Unknown characters side by side are one
  // token, or as many as they have bytes. Of two ways with the same sum, the one that the reference finds first counts.
  // Takes linear time. Throws Error(LFFN_ERROR_CANCELLED) if the flag is set; it may be nullptr.
  template <typename Add>
  void split(std::string_view text, Scratch& scratch, const int32_t* cancel, const Add& add) const {
    find_best(text, scratch, cancel);
    for (size_t i = scratch.found.size(); i-- > 0;) {
      const Scratch::Found& found = scratch.found[i];
      if (found.id != kBytes) {
        add(found.id, found.begin, found.end);
        continue;
      }
      for (size_t at = found.begin; at < found.end; ++at) {
        add(byte_ids_[static_cast<unsigned char>(text[at])], found.begin, found.end);
      }
    }
  }

 private:
  static constexpr int32_t kBytes = -1;

  void find_best(std::string_view text, Scratch& scratch, const int32_t* cancel) const;
  int32_t id_of_unknown(std::string_view text) const;

  const Vocabulary& vocabulary_;
  Settings settings_;
  PieceTrie trie_;
  double unknown_score_;
  int32_t byte_ids_[256];
};

}  // namespace lffn
