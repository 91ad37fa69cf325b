// SPDX-License-Identifier: Apache-2.0
// Unigram: the pieces of a vocabulary that a text is made of whose scores add up to most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/piece_trie.h"
#include "tokenizer/vocabulary.h"

namespace lffn {

class Unigram {
 public:
  struct Settings {
    std::vector<double> scores;  // of each id
    int32_t unknown = 0;         // the id for characters that no piece is
    bool byte_fallback = false;  // or the pieces "<0x00>" to "<0xFF>" of their bytes, if all are there
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
  // So many bytes may be looked at from each place.
  static constexpr size_t kLongestPiece = 512;

  // Throws Error(LFFN_ERROR_BAD_MODEL), which begins with `where`. The vocabulary must outlive it.
  Unigram(const Vocabulary& vocabulary, Settings&& settings, const std::string& where);

  const Settings& settings() const { return settings_; }
  size_t bytes() const { return settings_.scores.capacity() * sizeof(double) + trie_.bytes(); }

  // add(id, begin, end) for each token of the text, which must be UTF-8. Unknown characters side by side are one token,
  // or as many as they have bytes. Of two ways with the same sum the one counts that the reference finds first. Takes
  // linear time. Throws Error(LFFN_ERROR_CANCELLED) if the flag is set; it may be nullptr.
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
