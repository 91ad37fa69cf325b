// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/pattern.h"

#include <cstring>

#include "runtime/cancel_flag.h"

namespace lffn {
namespace {

constexpr size_t kBytesPerLook = 1 << 16;  // between two looks at the cancel flag

}  // namespace

Pattern Pattern::of_text(std::string text) {
  Pattern result;
  result.source_ = std::move(text);
  const std::string& wanted = result.source_;
  result.fewer_.assign(wanted.size(), 0);
  for (size_t at = 1, same = 0; at < wanted.size(); ++at) {
    while (same > 0 && wanted[at] != wanted[same]) same = result.fewer_[same - 1];
    if (wanted[at] == wanted[same]) ++same;
    result.fewer_[at] = same;
  }
  return result;
}

std::optional<Pattern> Pattern::of_regex(std::string_view source) {
  std::optional<Expression> expression = Expression::parse(source);
  if (!expression) return std::nullopt;
  Pattern result;
  result.source_ = source;
  result.expression_ = std::make_shared<const Expression>(*std::move(expression));
  return result;
}

bool Pattern::may_match_blank() const {
  return expression_ != nullptr ? expression_->may_match_blank() : source_.find(' ') != std::string::npos;
}

bool Pattern::may_match_single_blank() const {
  return expression_ != nullptr ? expression_->may_match_single_blank() : may_match_blank();
}

size_t Pattern::bytes() const {
  return source_.capacity() + fewer_.capacity() * sizeof(size_t) + (expression_ != nullptr ? expression_->bytes() : 0);
}

std::optional<Pattern::Match> Pattern::find(std::string_view text, size_t from, Scratch& scratch,
                                            const int32_t* cancel) const {
  return expression_ != nullptr ? expression_->find(text, from, scratch, cancel) : find_text(text, from, cancel);
}

std::optional<Pattern::Match> Pattern::find_text(std::string_view text, size_t from, const int32_t* cancel) const {
  const size_t size = source_.size();
  if (size == 0) return std::nullopt;
  size_t polled = from;
  for (size_t at = from, same = 0; at < text.size(); ++at) {
    if (at >= polled) {
      poll(cancel);
      polled = at + kBytesPerLook;
    }
    if (same == 0) {
      const size_t most = std::min(text.size() - at, kBytesPerLook);
      const void* found = std::memchr(text.data() + at, source_[0], most);
      if (found == nullptr) {
        at += most - 1;
        continue;
      }
      at = static_cast<size_t>(static_cast<const char*>(found) - text.data());
    }
    while (same > 0 && text[at] != source_[same]) same = fewer_[same - 1];
    if (text[at] == source_[same]) ++same;
    if (same == size) return Match{at + 1 - size, at + 1};
  }
  return std::nullopt;
}

}  // namespace lffn
