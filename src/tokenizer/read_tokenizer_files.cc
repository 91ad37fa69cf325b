// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "format/utf8.h"
#include "runtime/error.h"
#include "tokenizer/description.h"

namespace lffn {
namespace {

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

// MPNet's vocabulary is BERT's kind with RoBERTa's special tokens.
bool is_mpnet(const TokenizerDescription& to) {
  return to.kind == TokenizerKind::kWordPiece && to.role("cls_token") == "<s>";
}

// What tokenizers of this kind put around texts.
void add_default_template(TokenizerDescription& to) {
  const auto first = [](int32_t type) { return TemplatePart{TemplatePart::Kind::kFirst, type, -1}; };
  const auto second = [](int32_t type) { return TemplatePart{TemplatePart::Kind::kSecond, type, -1}; };
  PostProcessing& post = to.post_processing;
  const bool is_bert = to.kind == TokenizerKind::kWordPiece;
  const TemplatePart cls = special(to, to.role("cls_token"), 0), sep = special(to, to.role("sep_token"), 0);
  post.single = {cls, first(0), sep};
  if (is_mpnet(to)) {
    post.pair = {cls, first(0), sep, sep, second(1), special(to, to.role("sep_token"), 1)};
  } else if (is_bert) {
    post.pair = {cls, first(0), sep, second(1), special(to, to.role("sep_token"), 1)};
  } else {
    post.pair = {cls, first(0), sep, sep, second(0), sep};
    post.is_roberta = post.has_trimming = post.trims_spans = true;
    post.trims_after_prefix = to.byte_level() != nullptr && to.byte_level()->add_prefix_space;
  }
}

// Gives the roles that have no token yet their usual ones. Unigram's vocabularies have either kind's, or fewer.
void name_roles(TokenizerDescription& to) {
  const auto is_there = [&](const char* token) { return to.place_of_added.count(token) != 0; };
  for (TokenizerDescription::Role& role : to.roles) {
    if (!role.token.empty()) continue;
    if (to.kind != TokenizerKind::kUnigram) {
      role.token = to.kind == TokenizerKind::kWordPiece ? role.bert : role.roberta;
    } else if (is_there(role.roberta) || is_there(role.bert)) {
      role.token = is_there(role.roberta) ? role.roberta : role.bert;
    }
  }
}

// Looks for the tokens of all roles that are in the vocabulary in texts, too.
void add_role_tokens(TokenizerDescription& to) {
  for (const TokenizerDescription::Role& role : to.roles) {
    if (role.token.empty() || to.place_of_added.count(role.token) != 0) continue;
    AddedToken token;
    token.id = id_of(to, role.token);
    if (token.id < 0) continue;
    token.content = role.token;
    const bool strips = to.kind == TokenizerKind::kBytePairs || is_mpnet(to);
    token.strip_left = strips && std::string_view(role.name) == "mask_token";
    add_token(to, std::move(token));
  }
}

}  // namespace

TokenizerDescription read_tokenizer_files(const TokenizerFiles& files) {
  const bool has_json = files.tokenizer_json.has_value();
  TokenizerDescription result;
  if (has_json) {
    result = read_tokenizer_json(*files.tokenizer_json, files.cancel);
  } else if (files.sentencepiece) {
    return read_sentencepiece({*files.sentencepiece, files.sentencepiece_name, files.tokenizer_config,
                               files.special_tokens_map, files.config, files.cancel});
  } else if (files.vocab_txt) {
    result = read_vocab_txt(*files.vocab_txt, files.cancel);
  } else if (files.vocab_json && files.merges_txt) {
    result = read_vocab_merges(*files.vocab_json, *files.merges_txt, files.cancel);
  } else if (files.vocab_json || files.merges_txt) {
    const bool no_merges = !files.merges_txt;
    fail(LFFN_ERROR_BAD_MODEL, "%s is missing beside %s", no_merges ? "merges.txt" : "vocab.json",
         no_merges ? "vocab.json" : "merges.txt");
  } else {
    fail(LFFN_ERROR_BAD_MODEL,
         "no tokenizer: neither tokenizer.json nor vocab.txt nor vocab.json with merges.txt nor a model of "
         "SentencePiece");
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
