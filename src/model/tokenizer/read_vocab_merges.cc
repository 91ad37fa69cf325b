// vocab.json, an object of token: id, and merges.txt, a pair on each line.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "format/json.h"
#include "format/utf8.h"
#include "model/tokenizer/vocabulary.h"
#include "runtime/error.h"

namespace lffn {
namespace {

class VocabReader : public JsonEvents {
 public:
  explicit VocabReader(VocabularyText& to) : to_(to) {}

  void begin_object() override {
    if (inside_) refuse();
    inside_ = true;
  }
  void end_object() override {}
  void begin_array() override { refuse(); }
  void end_array() override {}
  void key(std::string& name) override { token_ = std::move(name); }
  void scalar(JsonScalar&& value) override {
    if (!inside_) refuse();
    add_token(to_, std::move(token_), value, where());
  }
  std::string where() const override { return "vocab.json"; }

 private:
  [[noreturn]] void refuse() const {
    fail(LFFN_ERROR_BAD_MODEL, "vocab.json: must be one JSON object of tokens and their ids");
  }

  VocabularyText& to_;
  std::string token_;
  bool inside_ = false;
};

void read_merges(std::string_view text, VocabularyText& to) {
  check_vocabulary_size(text.size(), "merges.txt");
  const size_t valid = valid_utf8_length(text);
  if (valid != text.size()) fail(LFFN_ERROR_BAD_MODEL, "merges.txt: byte %zu is not valid UTF-8", valid);
  for (size_t line_number = 1; !text.empty(); ++line_number) {
    const size_t size = text.find('\n');
    std::string_view line = text.substr(0, size);
    text.remove_prefix(size == std::string_view::npos ? text.size() : size + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const bool is_header = line_number == 1 && line.substr(0, 8) == "#version";
    if (is_header || (line.empty() && text.empty())) continue;
    add_merge(to, line, "merges.txt: line " + std::to_string(line_number));
  }
}

}  // namespace

void check_vocabulary_size(size_t size, const char* where) {
  if (size > kMaxVocabularyBytes) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: %zu bytes, more than the %zu allowed", where, size, kMaxVocabularyBytes);
  }
}

void add_token(VocabularyText& to, std::string&& token, const JsonScalar& id, const std::string& where) {
  if (id.kind != JsonScalar::Kind::kUnsigned || id.integer > kMaxTokenId) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: the id of %s must be a whole number from 0 to %d", where.c_str(),
         in_quotes(token).c_str(), kMaxTokenId);
  }
  to.tokens.emplace_back(std::move(token), static_cast<int32_t>(id.integer));
}

void add_merge(VocabularyText& to, std::string_view pair, const std::string& where) {
  const size_t blank = pair.find(' ');
  if (blank == std::string_view::npos || pair.find(' ', blank + 1) != std::string_view::npos) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: %s is not two symbols with a space between them", where.c_str(),
         in_quotes(pair).c_str());
  }
  to.merges.emplace_back(pair.substr(0, blank), pair.substr(blank + 1));
}

VocabularyText read_vocab_merges(std::string_view vocab_json, std::string_view merges_txt) {
  VocabularyText result;
  check_vocabulary_size(vocab_json.size(), "vocab.json");
  VocabReader reader(result);
  parse_json(vocab_json, 0, 2, reader);
  constexpr const char* kSpecial[] = {"<s>", "<pad>", "</s>", "<unk>", "<mask>"};
  for (const auto& [content, id] : result.tokens) {
    if (std::find(std::begin(kSpecial), std::end(kSpecial), content) == std::end(kSpecial)) continue;
    SpecialToken token;
    token.content = content;
    token.id = id;
    token.strip_left = content == "<mask>";
    result.special.push_back(std::move(token));
  }
  read_merges(merges_txt, result);
  return result;
}

}  // namespace lffn
