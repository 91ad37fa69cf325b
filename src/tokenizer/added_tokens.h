// SPDX-License-Identifier: Apache-2.0
// Tokens that are looked for in the text before it is cut into words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/vocabulary.h"

namespace lffn {

struct AddedToken {
  std::string content;
  int32_t id = -1;
  bool single_word = false;  // not found where letters, digits or marks touch it
  bool strip_left = false;   // swallows the blanks before it
  bool strip_right = false;  // and those behind it
  bool special = true;       // left out on request when ids become text again
  bool normalized = false;   // its normalised form is looked for in normalised text
  // Where it is looked for: as `normalized` says; in both if the settings first said one thing and then another.
  bool in_plain_text = false;
  bool in_normalized_text = false;
};

// Finds tokens in one kind of text.
class AddedTokenFinder {
 public:
  struct Found {
    const AddedToken* token;  // nullptr: none
    size_t begin;  // may be before the end of the last token, where that one swallowed blanks that this one begins with
    size_t end;
    size_t next;    // where to go on looking
    size_t blanks;  // all from `next` to here is known to be blank
  };

  AddedTokenFinder() = default;
  // The content to look for, and the token that it stands for, which must outlive this. Of equal contents the first
  // counts.
  using Wanted = std::pair<std::string, const AddedToken*>;
  explicit AddedTokenFinder(const std::vector<Wanted>& wanted);

  bool empty() const { return tokens_.empty(); }
  size_t bytes() const { return tokens_.capacity() * sizeof(void*) + trie_.bytes(); }

  // The first token behind `last`, which is all zeros for the first call. The blanks that it swallows do not reach back
  // into those that `last` took. Throws Error(LFFN_ERROR_CANCELLED) if the flag is set; it may be nullptr.
  Found find(std::string_view text, const Found& last, const int32_t* cancel) const;

 private:
  std::vector<const AddedToken*> tokens_;
  TextTrie trie_;
  bool may_start_[256] = {};
};

}  // namespace lffn
