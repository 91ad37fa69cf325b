// vocab.txt, a token on each line; vocab.json, an object of token: id, with merges.txt, a pair on each line.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "format/json.h"
#include "format/utf8.h"
#include "runtime/error.h"
#include "runtime/poll.h"
#include "tokenizer/description.h"
#include "tokenizer/seeded_hash.h"

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
    append_token(to_, std::move(token_), value, where());
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

// take(line, number) for each line. An empty last one is none.
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
    if (!is_header) append_merge(to, line, "merges.txt: line " + std::to_string(number));
  });
}

int32_t id_of(const TokenizerDescription& description, std::string_view token) {
  const auto& tokens = description.tokens;
  const auto found =
      std::find_if(tokens.begin(), tokens.end(), [&](const auto& entry) { return entry.first == token; });
  return found != tokens.end() ? found->second : -1;
}

TemplatePart special(const TokenizerDescription& description, std::string_view token, int32_t type) {
  const int32_t id = id_of(description, token);
  if (id < 0) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: the token %s is missing", description.where.c_str(), in_quotes(token).c_str());
  }
  return {TemplatePart::Kind::kSpecial, type, id};
}

}  // namespace

void check_vocabulary_size(size_t size, const char* where) {
  if (size > kMaxVocabularyBytes) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: %zu bytes, more than the %zu allowed", where, size, kMaxVocabularyBytes);
  }
}

void append_token(TokenizerDescription& to, std::string&& token, const JsonScalar& id, const std::string& where) {
  if (id.kind != JsonScalar::Kind::kUnsigned || id.integer > kMaxTokenId) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: the id of %s must be a whole number from 0 to %d", where.c_str(),
         in_quotes(token).c_str(), kMaxTokenId);
  }
  to.tokens.emplace_back(std::move(token), static_cast<int32_t>(id.integer));
}

void append_merge(TokenizerDescription& to, std::string_view pair, const std::string& where) {
  const size_t blank = pair.find(' ');
  if (blank == std::string_view::npos || pair.find(' ', blank + 1) != std::string_view::npos) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: %s is not two symbols with a space between them", where.c_str(),
         in_quotes(pair).c_str());
  }
  to.merges.emplace_back(pair.substr(0, blank), pair.substr(blank + 1));
}

TokenizerDescription read_vocab_txt(std::string_view text, const int32_t* cancel) {
  TokenizerDescription result;
  result.where = "vocab.txt";
  result.kind = TokenizerKind::kWordPiece;
  result.normalizer = NormalizerSettings{true, true, false, true};
  result.decoder = TokenizerDescription::Decoder::kWordPiece;
  result.decoder_cleans_up = true;
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
  result.decoder = TokenizerDescription::Decoder::kByteLevel;
  check_vocabulary_size(vocab_json.size(), "vocab.json");
  VocabReader reader(result, cancel);
  parse_json(vocab_json, 0, 2, reader);
  read_merges(merges_txt, cancel, result);
  return result;
}

// What tokenizers of this kind put around texts.
static void add_default_template(TokenizerDescription& to) {
  const auto first = [](int32_t type) { return TemplatePart{TemplatePart::Kind::kFirst, type, -1}; };
  const auto second = [](int32_t type) { return TemplatePart{TemplatePart::Kind::kSecond, type, -1}; };
  PostProcessing& post = to.post_processing;
  const bool is_bert = to.kind == TokenizerKind::kWordPiece;
  const TemplatePart cls = special(to, to.role("cls_token"), 0), sep = special(to, to.role("sep_token"), 0);
  post.single = {cls, first(0), sep};
  if (is_bert) {
    post.pair = {cls, first(0), sep, second(1), special(to, to.role("sep_token"), 1)};
  } else {
    post.pair = {cls, first(0), sep, sep, second(0), sep};
    post.is_roberta = post.has_trimming = post.trims_spans = true;
    post.trims_after_prefix = to.add_prefix_space;
  }
}

// Gives the roles that have no token yet their usual ones.
static void name_roles(TokenizerDescription& to) {
  for (TokenizerDescription::Role& role : to.roles) {
    if (role.token.empty()) role.token = to.kind == TokenizerKind::kWordPiece ? role.bert : role.roberta;
  }
}

// Looks for the tokens of all roles that are in the vocabulary in texts, too.
static void add_role_tokens(TokenizerDescription& to) {
  for (const TokenizerDescription::Role& role : to.roles) {
    AddedToken token;
    token.id = id_of(to, role.token);
    if (token.id < 0 || to.place_of_added.count(role.token) != 0) continue;
    token.content = role.token;
    token.strip_left = to.kind == TokenizerKind::kBytePairs && std::string_view(role.name) == "mask_token";
    add_token(to, std::move(token));
  }
}

TokenizerDescription read_tokenizer_files(const TokenizerFiles& files) {
  const bool has_json = files.tokenizer_json.has_value();
  TokenizerDescription result;
  if (has_json) {
    result = read_tokenizer_json(*files.tokenizer_json, files.cancel);
  } else if (files.vocab_txt) {
    result = read_vocab_txt(*files.vocab_txt, files.cancel);
  } else if (files.vocab_json && files.merges_txt) {
    result = read_vocab_merges(*files.vocab_json, *files.merges_txt, files.cancel);
  } else if (files.vocab_json || files.merges_txt) {
    const bool no_merges = !files.merges_txt;
    fail(LFFN_ERROR_BAD_MODEL, "%s is missing beside %s", no_merges ? "merges.txt" : "vocab.json",
         no_merges ? "vocab.json" : "merges.txt");
  } else {
    fail(LFFN_ERROR_BAD_MODEL, "no tokenizer: neither tokenizer.json nor vocab.txt nor vocab.json with merges.txt");
  }
  const bool outdates_map = files.tokenizer_config && apply_tokenizer_config(*files.tokenizer_config, result);
  if (files.special_tokens_map && !outdates_map) apply_special_tokens_map(*files.special_tokens_map, result);
  name_roles(result);
  if (!has_json) {
    result.unknown = result.role("unk_token");
    add_default_template(result);
  }
  if (!has_json || files.tokenizer_config) add_role_tokens(result);
  return result;
}

}  // namespace lffn
