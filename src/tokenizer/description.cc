// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/description.h"

#include <algorithm>
#include <utility>

#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {

const std::string& TokenizerDescription::role(std::string_view name) const {
  return std::find_if(roles.begin(), roles.end(), [&](const Role& role) { return role.name == name; })->token;
}

PreTokenizerStep* TokenizerDescription::byte_level() {
  const bool is_alone =
      pre_tokenizer_steps.size() == 1 && pre_tokenizer_steps[0].kind == PreTokenizerStep::Kind::kByteLevel;
  return is_alone ? &pre_tokenizer_steps[0] : nullptr;
}

void TokenizerDescription::limit_length(size_t tokens) {
  if (tokens > 0 && tokens < (size_t{1} << 31) && (max_length == 0 || tokens < max_length)) max_length = tokens;
}

void check_vocabulary_size(size_t size, const char* where) {
  if (size > kMaxVocabularyBytes) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: %zu bytes, more than the %zu allowed", where, size, kMaxVocabularyBytes);
  }
}

void append_token(TokenizerDescription& to, std::string&& token, const JsonScalar& id, const char* where) {
  if (id.kind != JsonScalar::Kind::kUnsigned || id.integer > kMaxTokenId) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: the id of %s must be a whole number from 0 to %d", where, in_quotes(token).c_str(),
         kMaxTokenId);
  }
  to.tokens.emplace_back(std::move(token), static_cast<int32_t>(id.integer));
}

void append_merge(TokenizerDescription& to, std::string_view pair, const char* where, size_t line) {
  const size_t blank = pair.find(' ');
  if (blank == std::string_view::npos || pair.find(' ', blank + 1) != std::string_view::npos) {
    const std::string place = line > 0 ? std::string(where) + ": line " + std::to_string(line) : where;
    fail(LFFN_ERROR_BAD_MODEL, "%s: %s is not two symbols with a space between them", place.c_str(),
         in_quotes(pair).c_str());
  }
  to.merges.add(pair.substr(0, blank), pair.substr(blank + 1));
}

void add_token(TokenizerDescription& to, AddedToken&& token) {
  if (token.content.size() > kMaxAddedTokenBytes) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: the token %s has %zu bytes, more than the %zu allowed", to.where.c_str(),
         in_quotes(token.content).c_str(), token.content.size(), kMaxAddedTokenBytes);
  }
  const auto found = to.place_of_added.find(token.content);
  if (found == to.place_of_added.end()) {
    if (to.added.size() == kMaxAddedTokens) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: more than %zu added tokens", to.where.c_str(), kMaxAddedTokens);
    }
    token.in_plain_text = !token.normalized;
    token.in_normalized_text = token.normalized;
    to.place_of_added.emplace(token.content, to.added.size());
    to.added.push_back(std::move(token));
    return;
  }
  AddedToken& old = to.added[found->second];
  if (old.id != token.id) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: the token %s has the id %d, and %d elsewhere", to.where.c_str(),
         in_quotes(token.content).c_str(), old.id, token.id);
  }
  // The reference keeps a special token where it was looked for first, and looks for any other in both places.
  token.in_plain_text = old.in_plain_text || (!old.special && !token.normalized);
  token.in_normalized_text = old.in_normalized_text || (!old.special && token.normalized);
  token.special = token.special || old.special;
  old = std::move(token);
}

}  // namespace lffn
