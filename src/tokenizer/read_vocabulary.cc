// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <unordered_map>
#include <utility>

#include "format/json.h"
#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"
#include "runtime/seeded_hash.h"
#include "tokenizer/description.h"

namespace lffn {
namespace {

class VocabReader : public JsonEvents {
 public:
  VocabReader(TokenizerDescription& to, const int32_t* cancel) : to_(to), cancel_(cancel) {}

  void begin_object() override {
    if (inside_) refuse();
    inside_ = true;
  }
  void end_object() override {}
  void begin_array() override { refuse(); }
  void end_array() override {}
  void key(std::string& name) override { token_ = std::move(name); }
  void scalar(JsonScalar&& value) override {
    poll(cancel_);
    if (!inside_) refuse();
    append_token(to_, std::move(token_), value, "vocab.json");
  }
  std::string where() const override { return "vocab.json"; }

 private:
  [[noreturn]] void refuse() const {
    fail(LFFN_ERROR_BAD_MODEL, "vocab.json: must be one JSON object of tokens and their ids");
  }

  TokenizerDescription& to_;
  const int32_t* cancel_;
  std::string token_;
  bool inside_ = false;
};

// Calls take(line, number) for each line. An empty last line does not count.
template <typename Take>
void for_lines(std::string_view text, const char* where, const int32_t* cancel, const Take& take) {
  check_vocabulary_size(text.size(), where);
  const size_t valid = valid_utf8_length(text);
  if (valid != text.size()) fail(LFFN_ERROR_BAD_MODEL, "%s: byte %zu is not valid UTF-8", where, valid);
  for (size_t number = 1; !text.empty(); ++number) {
    poll(cancel);
    const size_t size = text.find('\n');
    std::string_view line = text.substr(0, size);
    text.remove_prefix(size == std::string_view::npos ? text.size() : size + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!line.empty() || !text.empty()) take(line, number);
  }
}

void read_merges(std::string_view text, const int32_t* cancel, TokenizerDescription& to) {
  for_lines(text, "merges.txt", cancel, [&](std::string_view line, size_t number) {
    const bool is_header = number == 1 && line.substr(0, 8) == "#version";
    if (!is_header) append_merge(to, line, "merges.txt", number);
  });
}

}  // namespace

TokenizerDescription read_vocab_txt(std::string_view text, const int32_t* cancel) {
  TokenizerDescription result;
  result.where = "vocab.txt";
  result.kind = TokenizerKind::kWordPiece;
  result.normalizer = NormalizerSettings{true, true, false, true};
  result.decoders = {{DecoderStep::Kind::kWordPiece, "##"}};
  // Of equal lines the last one counts, as in the reference.
  std::unordered_map<std::string, size_t, SeededHash> places;
  for_lines(text, "vocab.txt", cancel, [&](std::string_view line, size_t number) {
    if (number - 1 > kMaxTokenId) fail(LFFN_ERROR_BAD_MODEL, "vocab.txt: more than %d lines", kMaxTokenId + 1);
    const auto [entry, added] = places.try_emplace(std::string(line), result.tokens.size());
    if (added) result.tokens.emplace_back(line, 0);
    result.tokens[entry->second].second = static_cast<int32_t>(number - 1);
  });
  return result;
}

TokenizerDescription read_vocab_merges(std::string_view vocab_json, std::string_view merges_txt,
                                       const int32_t* cancel) {
  TokenizerDescription result;
  result.where = "vocab.json and merges.txt";
  result.decoders = {{DecoderStep::Kind::kByteLevel}};
  result.pre_tokenizer_steps = {{PreTokenizerStep::Kind::kByteLevel}};
  check_vocabulary_size(vocab_json.size(), "vocab.json");
  VocabReader reader(result, cancel);
  parse_json(vocab_json, 0, 2, reader);
  read_merges(merges_txt, cancel, result);
  return result;
}

}  // namespace lffn
