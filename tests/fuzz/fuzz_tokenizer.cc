// SPDX-License-Identifier: Apache-2.0
// Any bytes as a tokenizer's files and texts: a tokenizer.json, or a vocab.json, a merges.txt and a text, or a
// vocab.txt, a tokenizer_config.json and a text, or a tokenizer.json, a tokenizer_config.json and a text, each ended by
// a zero byte; and all of them as a SentencePiece model.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/utf8.h"
#include "runtime/error.h"
#include "tests/fuzz/require.h"
#include "tokenizer/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using lffn::Tokenizer;

std::string_view take(std::string_view& from) {
  const size_t size = from.find('\0');
  const std::string_view part = from.substr(0, size);
  from.remove_prefix(size == std::string_view::npos ? from.size() : size + 1);
  return part;
}

// The tokenizer of these files; nullptr, after a look at the error, if they are none.
template <typename Make>
std::unique_ptr<const Tokenizer> made(Make make) {
  try {
    return make();
  } catch (const lffn::Error& error) {
    require(error.status() == LFFN_ERROR_BAD_MODEL, "a bad tokenizer is a bad model");
    require(lffn::valid_utf8_length(error.what()) == std::strlen(error.what()), "a message is UTF-8");
    return nullptr;
  }
}

void check_text(const Tokenizer& tokenizer, const Tokenizer& copy, std::string_view text) {
  Tokenizer::Options options;
  options.spans = true;
  Tokenizer::Scratch scratch;
  lffn::Encoding all, again;
  try {
    tokenizer.encode(text, nullptr, options, scratch, all);
  } catch (const lffn::Error& error) {
    require(error.status() == LFFN_ERROR_BAD_TEXT, "bad text is told as such");
    const bool is_far_longer = std::strstr(error.what(), "the steps of the tokenizer make the text longer") != nullptr;
    require(is_far_longer || lffn::valid_utf8_length(text) != text.size(), "only text that is not UTF-8 is refused");
    return;
  }
  const std::vector<int32_t>& ids = all.ids;
  require(ids.size() == all.spans.size() && ids.size() == all.types.size(), "each token has a span and a type");
  for (const lffn::TextSpan& span : all.spans) {
    require(span.begin <= span.end && span.end <= text.size(), "a token is in the text");
    require(lffn::valid_utf8_length(text.substr(span.begin, span.end - span.begin)) == span.end - span.begin,
            "a token has whole characters");
  }
  for (const int32_t id : ids) require(tokenizer.token_of(id).has_value(), "an id is in the vocabulary");
  options.spans = false;
  copy.encode(text, nullptr, options, scratch, again);
  require(again.ids == ids, "a tokenizer that was written and read gives the same ids, and so without spans");
  const std::string decoded = tokenizer.decode(ids.data(), ids.size(), false);
  require(lffn::valid_utf8_length(decoded) == decoded.size(), "the text of ids is UTF-8");
  options.special = true;
  options.most = tokenizer.num_special(true) + 3;
  const std::string_view pair = "a b c d";
  tokenizer.encode(text, &pair, options, scratch, again);
  require(again.ids.size() <= options.most && again.ids.size() <= again.num_tokens, "no more ids than wanted");
}

void check(const Tokenizer& tokenizer, std::string_view text) {
  const std::string json = tokenizer.to_json();
  const auto copy = made([&] { return Tokenizer::from_tokenizer_json(json); });
  require(copy != nullptr && copy->to_json() == json, "a tokenizer reads back");
  check_text(tokenizer, *copy, text);
  check_text(tokenizer, *copy, "The quick <mask>  fox</s>\n");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  std::string_view rest = all;
  const std::string_view first = take(rest), merges = take(rest);
  lffn::TokenizerFiles files;
  files.tokenizer_config = merges;
  for (std::optional<std::string_view>* kind : {&files.vocab_txt, &files.tokenizer_json}) {
    *kind = first;
    if (const auto tokenizer = made([&] { return Tokenizer::from_files(files); })) check(*tokenizer, rest);
  }
  if (const auto tokenizer = made([&] { return Tokenizer::from_tokenizer_json(first); })) check(*tokenizer, merges);
  lffn::TokenizerFiles pieces;
  pieces.sentencepiece = all;
  if (const auto tokenizer = made([&] { return Tokenizer::from_files(pieces); }))
    check(*tokenizer, "ab  b<mask>\u00e9");
  lffn::TokenizerFiles pair;
  pair.vocab_json = first;
  pair.merges_txt = merges;
  if (const auto tokenizer = made([&] { return Tokenizer::from_files(pair); })) check(*tokenizer, rest);
  return 0;
}
