// Any bytes as a tokenizer's files and texts: a tokenizer.json, or a vocab.json, a merges.txt and a text, each ended by
// a zero byte.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/utf8.h"
#include "model/tokenizer/tokenizer.h"
#include "runtime/error.h"
#include "tests/fuzz/require.h"

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
  std::vector<int32_t> ids, again;
  std::vector<lffn::TextSpan> spans;
  try {
    tokenizer.encode(text, {}, ids, &spans);
  } catch (const lffn::Error& error) {
    require(error.status() == LFFN_ERROR_INVALID_ARGUMENT, "bad text is a bad argument");
    require(lffn::valid_utf8_length(text) != text.size(), "only text that is not UTF-8 is refused");
    return;
  }
  require(ids.size() == spans.size() && ids.size() <= text.size(), "a token has at least one byte");
  size_t at = 0;
  for (const lffn::TextSpan& span : spans) {
    require(span.begin == at && span.end > at, "tokens lie side by side");
    at = span.end;
  }
  require(at == text.size(), "tokens cover the text");
  for (const int32_t id : ids) require(id >= 0 && id < tokenizer.size(), "an id is in the vocabulary");
  copy.encode(text, {}, again);
  require(again == ids, "a tokenizer that was written and read gives the same ids");
  const std::string decoded = tokenizer.decode(ids.data(), ids.size(), false);
  require(lffn::valid_utf8_length(decoded) == decoded.size(), "the text of ids is UTF-8");
  tokenizer.encode(text, {true, 5}, again);
  require(again.size() == std::min<size_t>(ids.size(), 3) + 2, "no more ids than wanted");
  require(std::equal(again.begin() + 1, again.end() - 1, ids.begin()), "the first ones of all");
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
  if (const auto tokenizer = made([&] { return Tokenizer::from_tokenizer_json(first); })) check(*tokenizer, merges);
  if (const auto tokenizer = made([&] { return Tokenizer::from_vocab_merges(first, merges); })) check(*tokenizer, rest);
  return 0;
}
