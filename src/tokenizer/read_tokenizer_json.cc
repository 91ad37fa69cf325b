// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cancel_flag.h"
#include "runtime/error.h"
#include "tokenizer/description.h"
#include "tokenizer/json_settings.h"
#include "tokenizer/steps.h"

namespace lffn {
namespace {

using Kind = JsonScalar::Kind;

constexpr char kWhere[] = "tokenizer.json";
constexpr char kVocabPath[] = "/model/vocab";
constexpr char kMergesPath[] = "/model/merges";

// Takes the vocabulary and the merges as they come, and keeps everything else as settings.
class Reader : public SettingsReader {
 public:
  Reader(TokenizerDescription& to, JsonSettings& settings, const int32_t* cancel)
      : SettingsReader(settings, cancel), to_(to), settings_(settings), cancel_(cancel) {}

  void begin_object() override {
    refuse_inside(Inside::kMerges, Inside::kPair);
    refuse_inside(Inside::kVocab, Inside::kPiece);
    SettingsReader::begin_object();
    if (levels_.back().path == kMergesPath) refuse_merges();
    if (levels_.back().path == kVocabPath) {
      inside_ = Inside::kVocab;
      has_vocab_ = true;
    }
  }
  void end_object() override {
    SettingsReader::end_object();
    inside_ = Inside::kOther;
  }
  void begin_array() override {
    if (inside_ == Inside::kPieces || inside_ == Inside::kMerges) {
      inside_ = inside_ == Inside::kPieces ? Inside::kPiece : Inside::kPair;
      texts_of_pair_ = 0;
      return;
    }
    refuse_inside(Inside::kPair, Inside::kPair);
    refuse_inside(Inside::kVocab, Inside::kPiece);
    SettingsReader::begin_array();
    if (levels_.back().path == kMergesPath) {
      inside_ = Inside::kMerges;
      has_merges_ = true;
    } else if (levels_.back().path == kVocabPath) {
      inside_ = Inside::kPieces;
      has_pieces_ = true;
    }
  }
  void end_array() override {
    if (inside_ == Inside::kPiece) {
      if (to_.tokens.size() != to_.unigram.scores.size()) refuse_vocab();
      inside_ = Inside::kPieces;
    } else if (inside_ == Inside::kPair) {
      if (texts_of_pair_ != 2) refuse_merges();
      inside_ = Inside::kMerges;
    } else {
      SettingsReader::end_array();
      inside_ = Inside::kOther;
    }
  }
  void scalar(JsonScalar&& value) override {
    poll(cancel_);
    switch (inside_) {
      case Inside::kOther:
        return SettingsReader::scalar(std::move(value));
      case Inside::kVocab:
        return append_token(to_, std::move(levels_.back().key), value, kWhere);
      case Inside::kPieces:
        return refuse_vocab();
      case Inside::kPiece:
        return append_piece(std::move(value));
      case Inside::kMerges:
      case Inside::kPair:
        if (value.kind != Kind::kString) refuse_merges();
        if (inside_ == Inside::kMerges) return append_merge(to_, value.text, kWhere);
        if (++texts_of_pair_ == 1) {
          left_.swap(value.text);
        } else if (texts_of_pair_ == 2) {
          to_.merges.add(left_, value.text);
        }
    }
  }

  // Only once the kind of the model is known: other kinds have vocabularies of other forms.
  void check_model(TokenizerKind kind) const {
    if (kind == TokenizerKind::kUnigram) {
      if (!has_pieces_) settings_.refuse(kVocabPath, "an array of pairs of pieces and their scores");
      return;
    }
    if (!has_vocab_) settings_.refuse(kVocabPath, "an object of tokens and their ids");
    if (kind == TokenizerKind::kBytePairs && !has_merges_) refuse_merges();
  }

 private:
  enum class Inside { kOther, kVocab, kPieces, kPiece, kMerges, kPair };

  // Nothing more may begin there.
  void refuse_inside(Inside first, Inside last) const {
    if (inside_ < first || inside_ > last) return;
    if (first >= Inside::kMerges) refuse_merges();
    refuse_vocab();
  }
  // A piece and then its score; its place is its id.
  void append_piece(JsonScalar&& value) {
    const bool is_number = value.kind == Kind::kNumber || value.kind == Kind::kUnsigned;
    if (is_number && to_.tokens.size() == to_.unigram.scores.size() + 1) {
      to_.unigram.scores.push_back(value.number);
    } else if (value.kind == Kind::kString && to_.tokens.size() == to_.unigram.scores.size() &&
               to_.tokens.size() <= kMaxTokenId) {
      to_.tokens.emplace_back(std::move(value.text), static_cast<int32_t>(to_.tokens.size()));
    } else {
      refuse_vocab();
    }
  }
  [[noreturn]] void refuse_vocab() const {
    settings_.refuse(
        kVocabPath, has_pieces_ ? "an array of pairs of pieces and their scores" : "an object of tokens and their ids");
  }
  [[noreturn]] void refuse_merges() const { settings_.refuse(kMergesPath, "an array of pairs of texts"); }

  TokenizerDescription& to_;
  const JsonSettings& settings_;
  const int32_t* cancel_;
  Inside inside_ = Inside::kOther;
  bool has_vocab_ = false, has_merges_ = false, has_pieces_ = false;
  size_t texts_of_pair_ = 0;  // read so far
  std::string left_;
};

void read_model(const JsonSettings& settings, TokenizerDescription& to) {
  const auto want = [&](const char* path) {
    if (!settings.has(path)) fail(LFFN_ERROR_BAD_MODEL, "%s: '%s' is missing", kWhere, path);
  };
  want(kVocabPath);
  const std::string type = settings.text("/model/type");
  if (settings.has("/model/unk_token")) to.unknown = settings.text("/model/unk_token");
  if (type == "WordPiece") {
    to.kind = TokenizerKind::kWordPiece;
    if (!to.unknown) to.unknown = "[UNK]";
    if (settings.has("/model/continuing_subword_prefix")) {
      to.word_pieces.prefix = settings.text("/model/continuing_subword_prefix");
    }
    to.word_pieces.longest_word = settings.size("/model/max_input_chars_per_word", to.word_pieces.longest_word);
    return;
  }
  if (type == "Unigram" || (type.empty() && !to.unigram.scores.empty())) {
    to.kind = TokenizerKind::kUnigram;
    const bool is_null = settings.is_said("/model/unk_id") && !settings.has("/model/unk_id");
    // null, as its trainer writes unless it is given an unknown token: then texts with anything that no piece fits are
    // refused.
    to.unigram.unknown = is_null ? -1 : settings.id("/model/unk_id");
    if (to.unigram.unknown >= 0 && static_cast<size_t>(to.unigram.unknown) >= to.tokens.size()) {
      settings.refuse("/model/unk_id", "the place of a piece");
    }
    to.unigram.byte_fallback = settings.flag("/model/byte_fallback", false);
    return;
  }
  if (settings.has("/model/type") && type != "BPE") {
    settings.refuse("/model/type", "\"WordPiece\", \"BPE\" or \"Unigram\"");
  }
  want(kMergesPath);
  to.kind = TokenizerKind::kBytePairs;
  settings.want_nothing("/model/dropout");
  settings.want_nothing("/model/continuing_subword_prefix");
  to.byte_pairs.end_of_word = settings.text("/model/end_of_word_suffix");
  to.byte_pairs.fuse_unknown = settings.flag("/model/fuse_unk", false);
  to.byte_pairs.byte_fallback = settings.flag("/model/byte_fallback", false);
  to.byte_pairs.ignore_merges = settings.flag("/model/ignore_merges", false);
  if (to.byte_pairs.byte_fallback && !to.byte_pairs.end_of_word.empty()) {
    settings.refuse("/model/end_of_word_suffix", "null where there is byte_fallback");
  }
}

void read_normalizer(const JsonSettings& settings, TokenizerDescription& to) {
  if (to.kind != TokenizerKind::kWordPiece) {
    to.normalizer_steps = read_normalizer_steps(settings, "/normalizer");
    return;
  }
  if (!settings.has("/normalizer")) return;
  settings.want_text("/normalizer/type", "BertNormalizer");
  NormalizerSettings& normalizer = to.normalizer.emplace();
  normalizer.clean_text = settings.flag("/normalizer/clean_text", true);
  normalizer.separate_chinese = settings.flag("/normalizer/handle_chinese_chars", true);
  normalizer.lowercase = settings.flag("/normalizer/lowercase", true);
  to.strip_accents = settings.optional_flag("/normalizer/strip_accents");
}

void read_pre_tokenizer(const JsonSettings& settings, TokenizerDescription& to) {
  if (to.kind == TokenizerKind::kWordPiece) return settings.want_text("/pre_tokenizer/type", "BertPreTokenizer");
  to.pre_tokenizer_steps = read_pre_tokenizer_steps(settings, "/pre_tokenizer");
}

void read_added_tokens(const JsonSettings& settings, TokenizerDescription& to) {
  for (size_t i = 0; settings.has("/added_tokens/" + std::to_string(i)); ++i) {
    poll(to.cancel);
    const std::string path = "/added_tokens/" + std::to_string(i);
    AddedToken token;
    token.content = settings.text(path + "/content");
    if (token.content.empty()) settings.refuse(path + "/content", "a text that is not empty");
    token.id = settings.id(path + "/id");
    token.single_word = settings.flag(path + "/single_word", false);
    token.strip_left = settings.flag(path + "/lstrip", false);
    token.strip_right = settings.flag(path + "/rstrip", false);
    token.special = settings.flag(path + "/special", true);
    token.normalized = settings.flag(path + "/normalized", !token.special);
    const std::string content = token.content;
    add_token(to, std::move(token));
    AddedToken& added = to.added[to.place_of_added.at(content)];  // it may be there already
    added.in_plain_text = settings.flag(path + "/in_plain_text", added.in_plain_text);
    added.in_normalized_text = settings.flag(path + "/in_normalized_text", added.in_normalized_text);
  }
}

// Settings that only files written here have.
void read_extras(const JsonSettings& settings, TokenizerDescription& to) {
  const std::string roles = "/model/special_tokens";
  for (TokenizerDescription::Role& role : to.roles) {
    role.is_said = settings.has(roles);
    role.token = settings.text(roles + '/' + role.name);
  }
  to.cleans_up_decoded = settings.flag("/model/clean_up_tokenization_spaces", false);
  to.truncates_left =
      settings.text("/truncation/direction") == "Left" || settings.text("/model/truncation_side") == "left";
}

// Each byte of a text takes as many steps as all expressions together have instructions, times a small factor.
void check_expressions(const TokenizerDescription& to) {
  constexpr size_t kMostInstructions = 1024;
  size_t size = 0;
  for (const NormalizerStep& step : to.normalizer_steps) size += step.pattern.size();
  for (const PreTokenizerStep& step : to.pre_tokenizer_steps) size += step.pattern.size();
  for (const DecoderStep& step : to.decoders) size += step.pattern.size();
  if (size <= kMostInstructions) return;
  fail(LFFN_ERROR_BAD_MODEL,
       "%s: its expressions have %zu instructions together, more than the %zu allowed; use fewer of them, or shorter "
       "ones",
       kWhere, size, kMostInstructions);
}

}  // namespace

TokenizerDescription read_tokenizer_json(std::string_view text, const int32_t* cancel) {
  constexpr size_t kMaxDepth = 16;
  check_vocabulary_size(text.size(), kWhere);
  TokenizerDescription result;
  result.where = kWhere;
  result.cancel = cancel;
  JsonSettings settings(kWhere, text.size());
  Reader reader(result, settings, cancel);
  parse_json(text, 0, kMaxDepth, reader);
  read_model(settings, result);
  reader.check_model(result.kind);
  read_normalizer(settings, result);
  read_pre_tokenizer(settings, result);
  result.post_processing = read_post_processing(settings, "/post_processor", result.kind == TokenizerKind::kBytePairs);
  result.decoders = read_decoder_steps(settings, "/decoder");
  check_expressions(result);
  read_added_tokens(settings, result);
  result.limit_length(settings.size("/truncation/max_length", 0));
  read_extras(settings, result);
  return result;
}

}  // namespace lffn
