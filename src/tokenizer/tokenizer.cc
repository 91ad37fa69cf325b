// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/tokenizer.h"

#include <algorithm>
#include <utility>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"
#include "tokenizer/decoder.h"
#include "tokenizer/description.h"

namespace lffn {
namespace {

// Each piece of a word may be compared with a whole token: where long words are allowed, long tokens are not.
void check_words(const Vocabulary& vocabulary, const WordPieces::Settings& settings, const std::string& where) {
  constexpr size_t kLong = 512;
  if (settings.longest_word <= kLong) return;
  for (const uint32_t id : vocabulary.sorted()) {
    const std::string_view token = vocabulary.text(static_cast<int32_t>(id));
    if (token.size() <= kLong) continue;
    fail(LFFN_ERROR_BAD_MODEL,
         "%s: max_input_chars_per_word is %zu, so no token may have more than %zu bytes, but %s has", where.c_str(),
         settings.longest_word, kLong, in_quotes(token).c_str());
  }
}

}  // namespace

std::unique_ptr<const Tokenizer> Tokenizer::from_files(const TokenizerFiles& files) {
  return std::make_unique<const Tokenizer>(read_tokenizer_files(files));
}

std::unique_ptr<const Tokenizer> Tokenizer::from_tokenizer_json(std::string_view text, const int32_t* cancel) {
  TokenizerFiles files;
  files.cancel = cancel;
  files.tokenizer_json = text;
  return from_files(files);
}

Tokenizer::Tokenizer(TokenizerDescription&& description) : description_(std::move(description)) {
  poll(description_.cancel);
  const bool is_unigram = description_.kind == TokenizerKind::kUnigram;
  vocabulary_.emplace(std::move(description_.tokens),
                      is_unigram ? Vocabulary::Twice::kLastCounts : Vocabulary::Twice::kRefused, description_.where);
  description_.tokens.clear();
  poll(description_.cancel);
  size_ = vocabulary_->end();
  const int32_t unknown = description_.unknown ? id_of(*description_.unknown) : -1;
  if (description_.unknown && unknown < 0) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: the token %s is missing", description_.where.c_str(),
         in_quotes(*description_.unknown).c_str());
  }
  if (description_.kind == TokenizerKind::kWordPiece) {
    NormalizerSettings settings = description_.normalizer.value_or(NormalizerSettings());
    settings.strip_accents = description_.strip_accents.value_or(settings.lowercase);
    normalizer_.emplace(settings);
    check_words(*vocabulary_, description_.word_pieces, description_.where);
    word_pieces_.emplace(*vocabulary_, description_.word_pieces, unknown);
  } else {
    make_chains();
    if (is_unigram) {
      unigram_.emplace(*vocabulary_, std::move(description_.unigram), description_.where);
    } else {
      byte_pairs_.emplace(*vocabulary_, description_.merges, description_.byte_pairs, unknown, description_.where);
      description_.merges = MergeTexts();  // frees their memory
    }
  }
  poll(description_.cancel);
  add_added_tokens();
  description_.cancel = nullptr;
  for (const Template* parts : {&description_.post_processing.single, &description_.post_processing.pair}) {
    for (const TemplatePart& part : *parts) {
      if (part.kind == TemplatePart::Kind::kSpecial && !token_of(part.id)) {
        fail(LFFN_ERROR_BAD_MODEL, "%s: the id %d of the template belongs to no token", description_.where.c_str(),
             part.id);
      }
    }
  }
}

// The normalizers and pre-tokenizers of Unigram and BPE. Where the last step of BPE writes bytes, and no other one
// does, its merger reads them as they are.
void Tokenizer::make_chains() {
  std::vector<PreTokenizerStep>& steps = description_.pre_tokenizer_steps;
  normalizer_chain_.emplace(description_.normalizer_steps, description_.where);
  wants_start_ = std::any_of(steps.begin(), steps.end(),
                             [](const PreTokenizerStep& step) { return step.scheme == PrependScheme::kFirst; });
  if (description_.kind != TokenizerKind::kBytePairs) return;
  const auto is_byte_level = [](const PreTokenizerStep& step) {
    return step.kind == PreTokenizerStep::Kind::kByteLevel;
  };
  description_.byte_pairs.by_bytes = !steps.empty() && is_byte_level(steps.back()) &&
                                     !description_.byte_pairs.byte_fallback &&
                                     std::count_if(steps.begin(), steps.end(), is_byte_level) == 1;
  if (!description_.byte_pairs.by_bytes) return;
  steps.back().writes_bytes = false;
  is_plain_bytes_ = steps.size() == 1 && steps.back().use_regex && description_.normalizer_steps.empty();
}

// Checks the added tokens against the vocabulary and makes them findable.
void Tokenizer::add_added_tokens() {
  const std::vector<AddedToken>& added = description_.added;
  std::vector<AddedTokenFinder::Wanted> plain, normalized;
  AlignedText text, spare;
  WaitingMarks marks;
  for (size_t i = 0; i < added.size(); ++i) {
    const AddedToken& token = added[i];
    const int32_t there = vocabulary_->find(token.content);
    if ((there >= 0 && there != token.id) || (there < 0 && vocabulary_->has(token.id))) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: the id %d of the token %s belongs to another token", description_.where.c_str(),
           token.id, in_quotes(token.content).c_str());
    }
    added_by_id_.emplace_back(token.id, i);
    size_ = std::max(size_, token.id + 1);
    if (token.in_plain_text) plain.emplace_back(token.content, &token);
    if (!token.in_normalized_text) continue;
    normalized.emplace_back(token.content, &token);
    if (!normalizer_ && !normalizer_chain_) continue;
    poll(description_.cancel);
    if (normalizer_) normalizer_->normalize(token.content, 0, false, text, marks, description_.cancel);
    if (normalizer_chain_) normalizer_chain_->normalize(token.content, 0, false, text, spare, description_.cancel);
    if (text.text().size() > kMaxAddedTokenBytes) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: the normalizers make the token %s longer than the %zu bytes allowed",
           description_.where.c_str(), in_quotes(token.content).c_str(), kMaxAddedTokenBytes);
    }
    normalized.back().first = text.text();
  }
  std::sort(added_by_id_.begin(), added_by_id_.end());
  for (size_t i = 1; i < added_by_id_.size(); ++i) {
    if (added_by_id_[i - 1].first != added_by_id_[i].first) continue;
    fail(LFFN_ERROR_BAD_MODEL, "%s: the id %d of the token %s belongs to another token", description_.where.c_str(),
         added_by_id_[i].first, in_quotes(added[added_by_id_[i].second].content).c_str());
  }
  plain_tokens_ = AddedTokenFinder(plain);
  normalized_tokens_ = AddedTokenFinder(normalized);
  has_local_pieces_ = unigram_ && normalized_tokens_.empty() && normalizer_chain_->is_local() &&
                      is_local(description_.pre_tokenizer_steps);
}

std::string Tokenizer::to_json() const {
  TokenizerDescription description = description_;
  description.tokens = vocabulary_->by_id();
  if (unigram_) description.unigram = unigram_->settings();
  if (byte_pairs_) description.merges = byte_pairs_->merges();
  return write_tokenizer_json(description);
}

size_t Tokenizer::bytes() const {
  size_t bytes = vocabulary_->bytes() + plain_tokens_.bytes() + normalized_tokens_.bytes() + cache_.bytes();
  for (const NormalizerStep& step : description_.normalizer_steps) {
    if (step.map != nullptr) bytes += step.map->bytes();
    bytes += step.pattern.bytes();
  }
  for (const PreTokenizerStep& step : description_.pre_tokenizer_steps) bytes += step.pattern.bytes();
  if (word_pieces_) bytes += word_pieces_->bytes();
  if (byte_pairs_) bytes += byte_pairs_->bytes();
  if (unigram_) bytes += unigram_->bytes();
  // Each is stored by its content, by its id and by its place.
  for (const AddedToken& token : description_.added) {
    bytes += sizeof(AddedToken) + sizeof(std::pair<std::string, size_t>) + sizeof added_by_id_[0];
    bytes += 2 * token.content.size();
  }
  return bytes;
}

const AddedToken* Tokenizer::added_of(int32_t id) const {
  const auto found = std::lower_bound(added_by_id_.begin(), added_by_id_.end(), std::make_pair(id, size_t{0}));
  return found != added_by_id_.end() && found->first == id ? &description_.added[found->second] : nullptr;
}

int32_t Tokenizer::role_id(std::string_view name, std::string_view otherwise) const {
  const std::string& token = description_.role(name);
  return id_of(token.empty() && !otherwise.empty() ? description_.role(otherwise) : token);
}

int32_t Tokenizer::unknown_id() const {
  if (description_.kind == TokenizerKind::kUnigram) return description_.unigram.unknown;
  return description_.unknown ? id_of(*description_.unknown) : -1;
}

int32_t Tokenizer::id_of(std::string_view token) const {
  const auto found = description_.place_of_added.find(std::string(token));
  return found != description_.place_of_added.end() ? description_.added[found->second].id : vocabulary_->find(token);
}

std::optional<std::string_view> Tokenizer::token_of(int32_t id) const {
  if (const AddedToken* added = added_of(id)) return added->content;
  if (!vocabulary_->has(id)) return std::nullopt;
  return vocabulary_->text(id);
}

std::string_view Tokenizer::inner_prefix() const {
  return word_pieces_ ? std::string_view(word_pieces_->settings().prefix) : std::string_view();
}

bool Tokenizer::is_special(int32_t id) const {
  const AddedToken* added = added_of(id);
  return added != nullptr && added->special;
}

size_t Tokenizer::num_special(bool pair) const {
  return count_special(pair ? description_.post_processing.pair : description_.post_processing.single);
}

std::string Tokenizer::decode(const int32_t* ids, size_t count, bool skip_special) const {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < count; ++i) {
    const std::optional<std::string_view> token = token_of(ids[i]);
    if (!token) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "ids[%zu] is %d, which is not in the vocabulary of %d", i, ids[i], size());
    }
    if (!skip_special || !is_special(ids[i])) tokens.emplace_back(*token);
  }
  size_t bytes = 0;
  for (const std::string& token : tokens) bytes += token.size();
  for (const DecoderStep& step : description_.decoders) lffn::decode(step, AlignedText::most_bytes(bytes), tokens);
  std::string result;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && description_.decoders.empty()) result += ' ';
    result += tokens[i];
  }
  return description_.cleans_up_decoded ? without_odd_blanks(result, false) : result;
}

}  // namespace lffn
