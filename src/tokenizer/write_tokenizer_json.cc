// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "format/json.h"
#include "tokenizer/description.h"
#include "tokenizer/steps.h"

namespace lffn {
namespace {

const char* word(bool value) { return value ? "true" : "false"; }

std::string quoted(std::string_view text) {
  std::string result;
  append_json_string(result, text);
  return result;
}

std::string added_token(const AddedToken& token) {
  std::string out = "{\"id\": " + std::to_string(token.id) + ", \"content\": " + quoted(token.content);
  const auto flag = [&](const char* name, bool value) { out += std::string(", \"") + name + "\": " + word(value); };
  flag("single_word", token.single_word);
  flag("lstrip", token.strip_left);
  flag("rstrip", token.strip_right);
  flag("normalized", token.normalized);
  flag("special", token.special);
  // Flags that no other library reads, for a token that is looked for in both kinds of text, or in the other kind than
  // `normalized` says.
  if (token.in_plain_text == token.normalized) flag("in_plain_text", token.in_plain_text);
  if (token.in_normalized_text != token.normalized) flag("in_normalized_text", token.in_normalized_text);
  return out + '}';
}

std::string normalizer(const TokenizerDescription& description) {
  if (description.kind != TokenizerKind::kWordPiece) return write_normalizer_steps(description.normalizer_steps);
  if (!description.normalizer) return "null";
  const NormalizerSettings& settings = *description.normalizer;
  const std::string accents = description.strip_accents ? word(*description.strip_accents) : "null";
  return std::string("{\"type\": \"BertNormalizer\", \"clean_text\": ") + word(settings.clean_text) +
         ", \"handle_chinese_chars\": " + word(settings.separate_chinese) + ", \"strip_accents\": " + accents +
         ", \"lowercase\": " + word(settings.lowercase) + '}';
}

std::string pre_tokenizer(const TokenizerDescription& description) {
  if (description.kind != TokenizerKind::kWordPiece) return write_pre_tokenizer_steps(description.pre_tokenizer_steps);
  return "{\"type\": \"BertPreTokenizer\"}";
}

std::string token_of(const TokenizerDescription& description, int32_t id) {
  for (const AddedToken& token : description.added) {
    if (token.id == id) return token.content;
  }
  const auto& tokens = description.tokens;  // by id
  const auto found = std::lower_bound(tokens.begin(), tokens.end(), id,
                                      [](const auto& entry, int32_t wanted) { return entry.second < wanted; });
  return found->first;
}

std::string template_parts(const TokenizerDescription& description, const Template& parts) {
  std::string out = "[";
  for (const TemplatePart& part : parts) {
    if (out.size() > 1) out += ", ";
    const std::string type = ", \"type_id\": " + std::to_string(part.type) + "}}";
    if (part.kind == TemplatePart::Kind::kSpecial) {
      out += "{\"SpecialToken\": {\"id\": " + quoted(token_of(description, part.id)) + type;
    } else {
      out += std::string("{\"Sequence\": {\"id\": ") + (part.kind == TemplatePart::Kind::kFirst ? "\"A\"" : "\"B\"") +
             type;
    }
  }
  return out + ']';
}

std::string post_processor(const TokenizerDescription& description) {
  const PostProcessing& post = description.post_processing;
  const std::string trimming = std::string(", \"trim_offsets\": ") + word(post.trims_spans) +
                               ", \"add_prefix_space\": " + word(post.trims_after_prefix);
  if (post.is_roberta) {
    const auto part = [&](const TemplatePart& special) {
      return '[' + quoted(token_of(description, special.id)) + ", " + std::to_string(special.id) + ']';
    };
    return "{\"type\": \"RobertaProcessing\", \"sep\": " + part(post.single.back()) +
           ", \"cls\": " + part(post.single.front()) + trimming + '}';
  }
  const std::string trims = "{\"type\": \"ByteLevel\"" + trimming + ", \"use_regex\": true}";
  if (count_special(post.single) + count_special(post.pair) == 0 && post.pair.front().type == 0 &&
      post.pair.back().type == 1 && post.single.front().type == 0 &&
      post.pair.front().kind == TemplatePart::Kind::kFirst) {
    return post.has_trimming ? trims : "null";
  }
  std::vector<int32_t> ids;
  for (const Template* parts : {&post.single, &post.pair}) {
    for (const TemplatePart& part : *parts) {
      if (part.kind == TemplatePart::Kind::kSpecial) ids.push_back(part.id);
    }
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::string specials;
  for (const int32_t id : ids) {
    const std::string token = quoted(token_of(description, id));
    if (!specials.empty()) specials += ", ";
    specials.append(token).append(": {\"id\": ").append(token).append(", \"ids\": [").append(std::to_string(id));
    specials.append("], \"tokens\": [").append(token).append("]}");
  }
  std::string templates = "{\"type\": \"TemplateProcessing\", \"single\": " + template_parts(description, post.single) +
                          ", \"pair\": " + template_parts(description, post.pair) + ", \"special_tokens\": {" +
                          specials + "}}";
  if (!post.has_trimming) return templates;
  return "{\"type\": \"Sequence\", \"processors\": [" + trims + ", " + templates + "]}";
}

// Includes what a tokenizer_config.json would say; other libraries skip it here.
std::string model(const TokenizerDescription& description) {
  std::string out = "{\"type\": ";
  const std::string unknown = description.unknown ? quoted(*description.unknown) : "null";
  if (description.kind == TokenizerKind::kWordPiece) {
    out += "\"WordPiece\", \"unk_token\": " + unknown +
           ", \"continuing_subword_prefix\": " + quoted(description.word_pieces.prefix) +
           ", \"max_input_chars_per_word\": " + std::to_string(description.word_pieces.longest_word);
  } else if (description.kind == TokenizerKind::kUnigram) {
    const int32_t id = description.unigram.unknown;
    out += "\"Unigram\", \"unk_id\": " + (id >= 0 ? std::to_string(id) : "null") +
           ", \"byte_fallback\": " + word(description.unigram.byte_fallback);
  } else {
    out +=
        "\"BPE\", \"dropout\": null, \"unk_token\": " + unknown +
        ", \"continuing_subword_prefix\": \"\", \"end_of_word_suffix\": " + quoted(description.byte_pairs.end_of_word) +
        ", \"fuse_unk\": " + word(description.byte_pairs.fuse_unknown) +
        ", \"byte_fallback\": " + word(description.byte_pairs.byte_fallback) +
        ", \"ignore_merges\": " + word(description.byte_pairs.ignore_merges);
  }
  const char* separator = "";
  out += ", \"special_tokens\": {";
  for (const TokenizerDescription::Role& role : description.roles) {
    out += separator + ('"' + std::string(role.name)) + "\": " + quoted(role.token);
    separator = ", ";
  }
  out += '}';
  if (description.cleans_up_decoded) out += ", \"clean_up_tokenization_spaces\": true";
  if (description.truncates_left) out += ", \"truncation_side\": \"left\"";
  separator = "";
  if (description.kind == TokenizerKind::kUnigram) {
    out += ",\n\"vocab\": [";
    for (const auto& [token, id] : description.tokens) {
      out += separator;
      out += '[';
      append_json_string(out, token);
      out += ", ";
      append_json_number(out, description.unigram.scores[static_cast<size_t>(id)]);
      out += ']';
      separator = ", ";
    }
    return out + "]}";
  }
  out += ",\n\"vocab\": {";
  for (const auto& [token, id] : description.tokens) {
    out += separator;
    append_json_string(out, token);
    out += ": " + std::to_string(id);
    separator = ", ";
  }
  out += '}';
  if (description.kind == TokenizerKind::kWordPiece) return out + '}';
  out += ",\n\"merges\": [";
  separator = "";
  for (size_t i = 0; i < description.merges.size(); ++i) {
    out += separator;
    out += '[';
    append_json_string(out, description.merges.left(i));
    out += ", ";
    append_json_string(out, description.merges.right(i));
    out += ']';
    separator = ", ";
  }
  return out + "]}";
}

}  // namespace

std::string write_tokenizer_json(const TokenizerDescription& description) {
  std::string out = "{\"version\": \"1.0\", \"truncation\": ";
  if (description.max_length > 0) {
    out += "{\"direction\": " + std::string(description.truncates_left ? "\"Left\"" : "\"Right\"") +
           ", \"max_length\": " + std::to_string(description.max_length) +
           ", \"strategy\": \"LongestFirst\", \"stride\": 0}";
  } else {
    out += "null";
  }
  out += ", \"padding\": null,\n\"added_tokens\": [";
  std::vector<AddedToken> added = description.added;
  std::sort(added.begin(), added.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  const char* separator = "\n";
  for (const AddedToken& token : added) {
    out += separator + added_token(token);
    separator = ",\n";
  }
  out += "],\n\"normalizer\": " + normalizer(description);
  out += ",\n\"pre_tokenizer\": " + pre_tokenizer(description);
  out += ",\n\"post_processor\": " + post_processor(description);
  out += ",\n\"decoder\": " + write_decoder_steps(description.decoders);
  return out + ",\n\"model\": " + model(description) + "}\n";
}

}  // namespace lffn
