// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "format/utf8.h"
#include "runtime/error.h"
#include "tokenizer/description.h"
#include "tokenizer/json_settings.h"
#include "tokenizer/tokenizer_family.h"

namespace lffn {
namespace {

int32_t id_of(const TokenizerDescription& description, std::string_view token) {
  const auto& tokens = description.tokens;
  const auto found =
      std::find_if(tokens.begin(), tokens.end(), [&](const auto& entry) { return entry.first == token; });
  return found != tokens.end() ? found->second : -1;
}

// The defaults for files without a post-processor, and why they hold.
struct Defaults {
  const TokenizerFamily& family;
  std::string why;
};

TemplatePart special(const TokenizerDescription& to, std::string_view role, int32_t type, const Defaults& defaults) {
  const std::string& token = to.role(role);
  const int32_t id = id_of(to, token);
  if (id < 0) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: the token %s is missing, the %s of %s", to.where.c_str(), in_quotes(token).c_str(),
         std::string(role).c_str(), defaults.why.c_str());
  }
  return {TemplatePart::Kind::kSpecial, type, id};
}

// What tokenizers of this kind put around texts.
void add_default_template(TokenizerDescription& to, const Defaults& defaults) {
  const auto first = [](int32_t type) { return TemplatePart{TemplatePart::Kind::kFirst, type, -1}; };
  const auto second = [](int32_t type) { return TemplatePart{TemplatePart::Kind::kSecond, type, -1}; };
  PostProcessing& post = to.post_processing;
  const TemplatePart cls = special(to, "cls_token", 0, defaults), sep = special(to, "sep_token", 0, defaults);
  const TemplatePart last = special(to, "sep_token", 1, defaults);
  post.single = {cls, first(0), sep};
  if (defaults.family.around == Around::kMpnet) {
    post.pair = {cls, first(0), sep, sep, second(1), last};
  } else if (defaults.family.around == Around::kBert) {
    post.pair = {cls, first(0), sep, second(1), last};
  } else {
    post.pair = {cls, first(0), sep, sep, second(0), sep};
    post.is_roberta = post.has_trimming = post.trims_spans = true;
    post.trims_after_prefix = to.byte_level() != nullptr && to.byte_level()->add_prefix_space;
  }
}

// The defaults for vocab.txt, or for vocab.json and merges.txt: those of the class, else those of the kind of file.
// Other classes cut texts in ways that only tokenizer.json tells.
Defaults defaults_of(const FamilyChoice& choice, const TokenizerDescription& to) {
  const bool is_word_piece = to.kind == TokenizerKind::kWordPiece;
  const VocabularyFiles files = is_word_piece ? VocabularyFiles::kVocabTxt : VocabularyFiles::kVocabAndMerges;
  const bool is_named = !choice.class_name.empty() && !is_plain_class(choice.class_name);
  const bool fits = choice.family != nullptr && choice.family->files == files;
  if (is_named && !fits) {
    fail(LFFN_ERROR_BAD_MODEL,
         "%s: the class %s of %s is not one that these files suffice for; save its tokenizer.json, as "
         "AutoTokenizer.from_pretrained(...).save_pretrained(...) does",
         to.where.c_str(), in_quotes(choice.class_name).c_str(), choice.where);
  }
  if (fits) {
    const std::string what = is_named ? "the class " + choice.class_name : "the model_type";
    return {*choice.family, what + " in " + choice.where};
  }
  // MPNet's vocabulary is BERT's kind with RoBERTa's special tokens.
  if (is_word_piece && to.role("cls_token") == "<s>") return {family_named("mpnet"), "MPNet, whose cls_token it has"};
  return is_word_piece ? Defaults{family_named("bert"), "BERT, whose file this is"}
                       : Defaults{family_named("roberta"), "RoBERTa, whose files these are"};
}

// Gives the family's tokens to the roles that no file speaks of.
void take_roles(const TokenizerFamily& family, TokenizerDescription& to) {
  for (size_t i = 0; i < to.roles.size(); ++i) {
    if (!to.roles[i].is_said) to.roles[i].token = family.roles[i];
  }
}

// Where no file names the roles, gives them to those special tokens of a tokenizer.json that have a usual name. Makes
// no token special.
void recognise_roles(TokenizerDescription& to) {
  for (const char* family : {"bert", "roberta"}) {  // the last one counts
    for (size_t i = 0; i < to.roles.size(); ++i) {
      const char* token = family_named(family).roles[i];
      const auto found = to.place_of_added.find(token);
      const bool is_special = found != to.place_of_added.end() && to.added[found->second].special;
      if (!to.roles[i].is_said && is_special) to.roles[i].token = token;
    }
  }
}

}  // namespace

TokenizerDescription read_tokenizer_files(const TokenizerFiles& files) {
  JsonSettings tokenizer_config("tokenizer_config.json");
  if (files.tokenizer_config)
    tokenizer_config = read_json_settings(*files.tokenizer_config, "tokenizer_config.json", files.cancel);
  const bool has_json = files.tokenizer_json.has_value();
  TokenizerDescription result;
  if (has_json) {
    result = read_tokenizer_json(*files.tokenizer_json, files.cancel);
  } else if (files.sentencepiece) {
    return read_sentencepiece(files, tokenizer_config);
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
  result.cancel = files.cancel;
  apply_config_files(files, tokenizer_config, result);
  const FamilyChoice choice = choose_family(tokenizer_config, files.config);
  if (!has_json) {
    const Defaults defaults = defaults_of(choice, result);
    take_roles(defaults.family, result);
    result.unknown = result.role("unk_token");
    add_default_template(result, defaults);
    add_special_tokens(result, defaults.family.mask_strips_left);
    return result;
  }
  if (choice.family != nullptr) take_roles(*choice.family, result);
  if (choice.family == nullptr && choice.class_name.empty()) recognise_roles(result);
  add_special_tokens(result, choice.family != nullptr && choice.family->mask_strips_left);
  return result;
}

}  // namespace lffn
