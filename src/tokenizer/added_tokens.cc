// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/added_tokens.h"

#include <algorithm>
#include <utility>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/unicode.h"

namespace lffn {
namespace {

UnicodeRecord record_at(std::string_view text, size_t at) { return unicode_record(next_character(text, at)); }

bool touches_word(std::string_view text, size_t begin, size_t end) {
  return (begin > 0 && record_at(text, character_before(text, begin)).is_word()) ||
         (end < text.size() && record_at(text, end).is_word());
}

// Where the run of blanks that ends at `end` begins, but not before `from`.
size_t blanks_begin(std::string_view text, size_t from, size_t end) {
  while (end > from) {
    const size_t at = character_before(text, end);
    if (at < from || !record_at(text, at).is_space()) break;
    end = at;
  }
  return end;
}

}  // namespace

AddedTokenFinder::AddedTokenFinder(const std::vector<Wanted>& wanted) {
  std::vector<std::pair<std::string_view, int32_t>> sorted;
  for (const auto& [content, token] : wanted) {
    tokens_.push_back(token);
    if (content.empty()) continue;
    sorted.emplace_back(content, static_cast<int32_t>(tokens_.size() - 1));
    may_start_[static_cast<unsigned char>(content[0])] = true;
  }
  std::sort(sorted.begin(), sorted.end());
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  trie_ = TextTrie(sorted);
}

AddedTokenFinder::Found AddedTokenFinder::find(std::string_view text, const Found& last, const int32_t* cancel) const {
  for (size_t at = tokens_.empty() ? text.size() : last.next; at < text.size();) {
    // Nearly all bytes need no more than this check.
    while (!may_start_[static_cast<unsigned char>(text[at])]) {
      if (++at == text.size()) return {nullptr, at, at, at, at};
    }
    poll(cancel);
    const TextTrie::Match match = trie_.longest(TextTrie::kRoot, text.substr(at));
    if (match.size == 0) {
      ++at;
      continue;
    }
    const AddedToken& token = *tokens_[static_cast<size_t>(match.value)];
    Found found = {&token, at, at + match.size, at + match.size, last.blanks};
    at = found.next;
    if (token.single_word && touches_word(text, found.begin, found.end)) continue;
    if (token.strip_left) found.begin = std::max(last.end, blanks_begin(text, last.end, found.begin));
    if (token.strip_right) {
      // Tokens that are blanks themselves may swallow the same blanks again and again, so each blank is looked at only
      // once.
      found.end = found.blanks = run_end(text, std::max(found.end, last.blanks), UnicodeClass::kSpace);
    }
    found.end = std::max(found.begin, found.end);
    return found;
  }
  return {nullptr, text.size(), text.size(), text.size(), text.size()};
}

}  // namespace lffn
