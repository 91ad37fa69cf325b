// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"
#include "tokenizer/description.h"
#include "tokenizer/json_settings.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/tokenizer_family.h"

namespace lffn {
namespace {

using Piece = SentencePieceModel::Piece;

bool has_piece(const SentencePieceModel& model, std::string_view text) {
  return std::any_of(model.pieces.begin(), model.pieces.end(), [&](const Piece& piece) { return piece.text == text; });
}

// The family by tokenizer_config.json, else by config.json, else by the file's name and its pieces; nullptr: any other.
const TokenizerFamily* family_of(const TokenizerFiles& files, const JsonSettings& config,
                                 const SentencePieceModel& model) {
  const JsonSettings nothing(config.where());
  for (const JsonSettings* says : {&config, &nothing}) {
    const TokenizerFamily* named = choose_family(*says, files.config).family;
    if (named != nullptr && named->files == VocabularyFiles::kSentencePiece) return named;
  }
  if (files.sentencepiece_name == "sentencepiece.bpe.model") return &family_named("xlm-roberta");
  if (has_piece(model, "[CLS]")) return &family_named(has_piece(model, "[PAD]") ? "deberta-v2" : "albert");
  return files.sentencepiece_name == "spiece.model" ? &family_named("t5") : nullptr;
}

NormalizerStep replaced(const char* source, bool is_regex, const char* by) {
  NormalizerStep step = {NormalizerStep::Kind::kReplace};
  step.pattern = is_regex ? *Pattern::of_regex(source) : Pattern::of_text(source);
  step.text = by;
  return step;
}

// Albert's pieces that end in a digit and a comma hardly count.
bool ends_in_number(std::string_view piece) {
  if (piece.size() < 2 || piece.back() != ',') return false;
  const char before = piece[piece.size() - 2];
  return before >= '0' && before <= '9';
}

// Makes the description that the model's family wants.
class Conversion {
 public:
  Conversion(const TokenizerFiles& files, const JsonSettings& config, SentencePieceModel&& model,
             TokenizerDescription& to)
      : config_(config),
        cancel_(files.cancel),
        model_(std::move(model)),
        family_(family_of(files, config, model_)),
        to_(to) {}

  void add_pieces() {
    const std::string_view name = family_ != nullptr ? family_->name : "";
    size_t first = 0;
    if (name == "xlm-roberta") {
      for (const char* token : {"<s>", "<pad>", "</s>", "<unk>"}) add(token, 0);
      first = 3;
    } else if (name == "camembert") {
      for (const char* token : {"<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>"}) add(token, 0);
      add("<unk>NOTUSED", -100);
      first = 1;
    }
    for (size_t i = first; i < model_.pieces.size(); ++i) {
      poll(cancel_);
      const Piece& piece = model_.pieces[i];
      const bool counts_little = name == "albert" && ends_in_number(piece.text);
      add(piece.text, double{piece.score} - (counts_little ? 100 : 0));
    }
    if (first > 0) add("<mask>", 0);
    const size_t extra = name == "t5" ? std::min<size_t>(config_.size("/extra_ids", 100), kMaxAddedTokens / 2) : 0;
    for (size_t i = extra; i-- > 0;) add("<extra_id_" + std::to_string(i) + ">", 0);
    const int64_t unknown = first > 0 ? 3 : model_.unknown_id;
    if (unknown < 0 || static_cast<uint64_t>(unknown) >= to_.tokens.size()) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: the id %lld of the unknown piece is not one of its %zu pieces", to_.where.c_str(),
           static_cast<long long>(unknown), to_.tokens.size());
    }
    to_.unigram.unknown = static_cast<int32_t>(unknown);
    to_.unigram.byte_fallback = name.empty() && model_.byte_fallback;
    add_to_texts(extra);
  }

  void add_steps() {
    const std::string_view name = family_ != nullptr ? family_->name : "";
    if (name == "albert") {
      to_.normalizer_steps.push_back(replaced("``", false, "\""));
      to_.normalizer_steps.push_back(replaced("''", false, "\""));
      if (!config_.flag("/keep_accents", false)) {
        to_.normalizer_steps.push_back({NormalizerStep::Kind::kForm, nullptr, UnicodeForm::kKd});
        to_.normalizer_steps.push_back({NormalizerStep::Kind::kStripAccents});
      }
    }
    const bool lowers = (name == "albert" && config_.flag("/do_lower_case", true)) ||
                        (name == "deberta-v2" && config_.flag("/do_lower_case", false));
    if (lowers) to_.normalizer_steps.push_back({NormalizerStep::Kind::kLowercase});
    NormalizerStep strip = {NormalizerStep::Kind::kStrip};
    if (name == "deberta-v2") to_.normalizer_steps.push_back(strip);
    if (!model_.rules.empty()) {
      NormalizerStep step = {NormalizerStep::Kind::kPrecompiled};
      step.map = std::make_shared<const CharacterMap>(model_.rules, to_.where);
      to_.normalizer_steps.push_back(std::move(step));
    }
    const bool keeps_blank = name == "albert" || name == "deberta-v2";
    strip.left = false;
    if (!keeps_blank) to_.normalizer_steps.push_back(strip);
    to_.normalizer_steps.push_back(replaced(" {2,}", true, keeps_blank ? " " : "\u2581"));

    if (name == "deberta-v2" && config_.flag("/split_by_punct", false)) {
      to_.pre_tokenizer_steps.push_back({PreTokenizerStep::Kind::kPunctuation});
    }
    PreTokenizerStep sign = {PreTokenizerStep::Kind::kMetaspace};
    if (name == "t5" && !config_.flag("/legacy", true)) sign.scheme = PrependScheme::kFirst;
    if (name.empty() && !model_.adds_prefix) sign.scheme = PrependScheme::kNever;
    DecoderStep decoder = {DecoderStep::Kind::kMetaspace, sign.replacement};
    decoder.prepends = sign.scheme != PrependScheme::kNever;
    to_.decoders = {decoder};
    to_.pre_tokenizer_steps.push_back(std::move(sign));
  }

  // Goes after all other files: adds the special tokens that they do not name, and the template.
  void finish() {
    for (size_t i = 0; i < to_.roles.size(); ++i) {
      TokenizerDescription::Role& role = to_.roles[i];
      if (!role.is_said && family_ != nullptr) role.token = family_->roles[i];
      for (const char* usual : {family_named("roberta").roles[i], family_named("bert").roles[i]}) {
        if (!role.is_said && role.token.empty() && is_control(usual)) role.token = usual;
      }
      if (role.token.empty() || to_.place_of_added.count(role.token) != 0) continue;
      AddedToken token;
      token.content = role.token;
      token.id = id_of(role.token);
      token.strip_left = family_ != nullptr && family_->mask_strips_left && std::string_view(role.name) == "mask_token";
      if (token.id < 0) token.id = next_id();
      add_token(to_, std::move(token));
    }
    add_template();
  }

 private:
  void add(std::string text, double score) {
    if (to_.tokens.size() > kMaxTokenId) fail(LFFN_ERROR_BAD_MODEL, "%s: too many pieces", to_.where.c_str());
    to_.tokens.emplace_back(std::move(text), static_cast<int32_t>(to_.tokens.size()));
    to_.unigram.scores.push_back(score);
  }

  // Pieces that are looked for before a text is cut.
  void add_to_texts(size_t extra) {
    for (size_t i = 0; i < model_.pieces.size(); ++i) {
      const Piece& piece = model_.pieces[i];
      const bool is_control = piece.type == SentencePieceModel::Type::kControl;
      if (!is_control && piece.type != SentencePieceModel::Type::kUserDefined) continue;
      poll(cancel_);
      if (piece.text.empty() || to_.place_of_added.count(piece.text) != 0) continue;
      AddedToken token;
      token.content = piece.text;
      token.special = is_control;
      token.id = id_near(piece.text, i);
      if (token.id >= 0) add_token(to_, std::move(token));
    }
    for (size_t i = to_.tokens.size() - extra; i < to_.tokens.size(); ++i) {
      AddedToken token;
      token.content = to_.tokens[i].first;
      token.id = static_cast<int32_t>(i);
      add_token(to_, std::move(token));
    }
  }

  bool is_control(const char* text) const {
    const auto place = to_.place_of_added.find(text);
    return place != to_.place_of_added.end() && to_.added[place->second].special;
  }
  int32_t id_of(std::string_view text) const {
    const auto found =
        std::find_if(to_.tokens.rbegin(), to_.tokens.rend(), [&](const auto& token) { return token.first == text; });
    return found != to_.tokens.rend() ? found->second : -1;
  }
  // The ids of a family lie a little apart from the places of the pieces.
  int32_t id_near(std::string_view text, size_t place) const {
    for (size_t at = place; at < std::min(place + 5, to_.tokens.size()); ++at) {
      if (to_.tokens[at].first == text) return static_cast<int32_t>(at);
    }
    for (size_t at = 0; at < std::min<size_t>(5, to_.tokens.size()); ++at) {
      if (to_.tokens[at].first == text) return static_cast<int32_t>(at);
    }
    return -1;
  }
  int32_t next_id() const {
    auto id = static_cast<int32_t>(to_.tokens.size());
    for (const AddedToken& token : to_.added) id = std::max(id, token.id + 1);
    return id;
  }

  void add_template() {
    PostProcessing& post = to_.post_processing;
    const auto special = [&](const char* role, int32_t type) {
      const auto place = to_.place_of_added.find(to_.role(role));
      if (place == to_.place_of_added.end()) fail(LFFN_ERROR_BAD_MODEL, "%s: %s is missing", to_.where.c_str(), role);
      return TemplatePart{TemplatePart::Kind::kSpecial, type, to_.added[place->second].id};
    };
    const TemplatePart first = {TemplatePart::Kind::kFirst, 0, -1};
    const auto second = [](int32_t type) { return TemplatePart{TemplatePart::Kind::kSecond, type, -1}; };
    if (family_ == nullptr) return;
    const TemplatePart sep = special("sep_token", 0);
    if (family_->around == Around::kEndOnly) {
      post.single = {first, sep};
      post.pair = {first, sep, second(0), sep};
      return;
    }
    const TemplatePart cls = special("cls_token", 0);
    post.single = {cls, first, sep};
    post.pair = family_->around == Around::kBert ? Template{cls, first, sep, second(1), special("sep_token", 1)}
                                                 : Template{cls, first, sep, sep, second(0), sep};
  }

  const JsonSettings& config_;
  const int32_t* cancel_;
  SentencePieceModel model_;
  const TokenizerFamily* family_;  // nullptr: not a known one
  TokenizerDescription& to_;
};

}  // namespace

TokenizerDescription read_sentencepiece(const TokenizerFiles& files, const JsonSettings& tokenizer_config) {
  TokenizerDescription result;
  result.where = files.sentencepiece_name;
  result.kind = TokenizerKind::kUnigram;
  check_vocabulary_size(files.sentencepiece->size(), result.where.c_str());
  SentencePieceModel model = read_sentencepiece_model(*files.sentencepiece, result.where, files.cancel);
  if (model.kind != 1) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: its model_type is %lld; only 1, Unigram, is known here", result.where.c_str(),
         static_cast<long long>(model.kind));
  }
  Conversion conversion(files, tokenizer_config, std::move(model), result);
  conversion.add_pieces();
  conversion.add_steps();
  result.cancel = files.cancel;
  apply_config_files(files, tokenizer_config, result);
  conversion.finish();
  return result;
}

}  // namespace lffn
